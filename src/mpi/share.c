/*
 * Rank 0 knows what is to be merged, and tells the others. Each of them looks at a part, and then all
 * know sizes and contents of all: so each finds out for itself which inputs are its own.
 *
 *	sizes      90 70 50 40 30 20 10
 *	rank 0     90       40 30             largest first, and turning round at the ends: shares
 *	rank 1        70 50       20 10       differ by no more than one input has
 *
 * What becomes of a share has a name made of the contents in it and of all options, so that whoever has
 * the same share at another time finds it.
 */
#include "mpi/share.h"

#include <errno.h>
#include <mpi.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The same list everywhere: one text, with a NUL behind each name. */
static int tell_names(struct merge_list *list, int rank)
{
	unsigned long long sizes[2] = { 0, list->count };
	char *text = NULL, *p;

	for (size_t i = 0; rank == 0 && i < list->count; i++)
		sizes[0] += strlen(list->inputs[i]) + 1;
	MPI_Bcast(sizes, 2, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
	text = p = malloc(sizes[0] + 1);
	if (!text || sizes[0] > INT32_MAX)
		return -ENOMEM;
	for (size_t i = 0; rank == 0 && i < list->count; i++)
		p = stpcpy(p, list->inputs[i]) + 1;
	MPI_Bcast(text, (int)sizes[0], MPI_CHAR, 0, MPI_COMM_WORLD);
	merge_list_release(list);
	list->text = text;
	list->count = sizes[1];
	list->inputs = calloc(list->count + 1, sizeof(*list->inputs));
	if (!list->inputs)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++, text += strlen(text) + 1)
		list->inputs[i] = text;
	return 0;
}

struct by_content {
	const struct shared_input *inputs;
	bool by_size;
};

/* By content, or the largest first; what is equal as it was named. */
static int compare_inputs_shared(const void *left, const void *right, void *arg)
{
	const struct by_content *by = arg;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const struct shared_input *x = &by->inputs[a], *y = &by->inputs[b];
	int order = by->by_size ? 0 : strcmp(x->hash, y->hash);

	if (by->by_size && x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return order ? order : a < b ? -1 : a > b;
}

static int compare_share_numbers(const void *left, const void *right)
{
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return a < b ? -1 : a > b;
}

/* @order: of all inputs, by content. */
static void choose_own(const struct settings *s, struct share *share, size_t *order)
{
	struct by_content by = { share->inputs, false };
	size_t count = share->named.count, dealt = 0;
	uint64_t options = fold_options_hash(s);
	uint8_t digest[SHA256_DIGEST_SIZE];
	bool has_name = true;
	struct sha256_ctx hash;
	int rank, ranks;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	qsort_r(order, count, sizeof(*order), compare_inputs_shared, &by);
	for (size_t i = 1; i < count; i++) {
		struct shared_input *in = &share->inputs[order[i]];

		in->duplicate = *in->hash &&
				strcmp(in->hash, share->inputs[order[i - 1]].hash) == 0 &&
				!(s->merge.store.flags & FF_STORE_DUPLICATES);
		share->duplicates += in->duplicate;
	}
	by.by_size = true;
	qsort_r(order, count, sizeof(*order), compare_inputs_shared, &by);
	for (size_t i = 0; i < count; i++) {
		size_t turn = dealt % (2 * (size_t)ranks);

		if (share->inputs[order[i]].duplicate)
			continue;
		dealt++;
		turn = turn < (size_t)ranks ? turn : 2 * (size_t)ranks - 1 - turn;
		if (turn == (size_t)rank)
			share->own[share->count++] = order[i];
	}
	by.by_size = false;
	qsort_r(share->own, share->count, sizeof(*share->own), compare_inputs_shared,
		&by);
	sha256_init(&hash);
	sha256_update(&hash, sizeof(options), (const uint8_t *)&options);
	/* They are sorted by content here. With one that could not be read the share has no name. */
	for (size_t i = 0; i < share->count; i++) {
		const char *of = share->inputs[share->own[i]].hash;

		has_name &= *of != '\0';
		sha256_update(&hash, sizeof(share->inputs->hash), (const uint8_t *)of);
	}
	sha256_digest(&hash, sizeof(digest), digest);
	for (unsigned i = 0; i < sizeof(digest) && has_name; i++)
		snprintf(share->name + 2 * i, 3, "%02x", digest[i]);
	qsort(share->own, share->count, sizeof(*share->own), compare_share_numbers);
}

int share_out(const struct settings *s, struct share *ret)
{
	size_t *order, count, bytes;
	int rank, ranks, code = 0, err;

	*ret = (struct share){ 0 };
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank == 0)
		code = merge_list_read(s, 0, &ret->named);
	for (size_t i = 0; rank == 0 && code == 0 && i < ret->named.count; i++)
		if (strcmp(ret->named.inputs[i], "-") == 0)
			code = usage_error("standard input cannot be shared out: name "
					   "files");
	if (rank == 0 && code == 0)
		code = overwrite_check(s, s->output, ret->named.inputs, ret->named.count);
	MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (code)
		return code;
	err = tell_names(&ret->named, rank);
	count = ret->named.count;
	bytes = count * sizeof(*ret->inputs);
	ret->inputs = calloc(count + 1, sizeof(*ret->inputs));
	ret->own = calloc(count + 1, sizeof(*ret->own));
	order = calloc(count + 1, sizeof(*order));
	if (err < 0 || !ret->inputs || !ret->own || !order || bytes > INT32_MAX) {
		say("out of memory");
		MPI_Abort(MPI_COMM_WORLD, EXIT_INPUT);
	}
	for (size_t i = 0; i < count; i++) {
		struct stat st;

		order[i] = i;
		if (i % (size_t)ranks != (size_t)rank)
			continue;
		if (stat(ret->named.inputs[i], &st) == 0)
			ret->inputs[i].size = (uint64_t)st.st_size;
		if (fold_input_hash(ret->named.inputs[i], ret->inputs[i].hash) < 0)
			memset(ret->inputs[i].hash, 0, sizeof(ret->inputs[i].hash));
	}
	/* What one of them has found, all others have left 0. */
	MPI_Allreduce(MPI_IN_PLACE, ret->inputs, (int)bytes, MPI_BYTE, MPI_BOR,
		      MPI_COMM_WORLD);
	choose_own(s, ret, order);
	free(order);
	return 0;
}

void share_release(struct share *share)
{
	merge_list_release(&share->named);
	free(share->inputs);
	free(share->own);
}
