/*
 * The library's profile files: a profile is written as one that names its inputs. An input is known by a
 * hash of what is in it, so that what comes twice is found later, whatever it is called (merge_files.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <flamefold_store.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/profile.h"
#include "engine/store_file.h"
#include "store/store.h"
#include "write/write.h"

enum { HASHED_AT_ONCE = 64 << 10 };

int hash_file(const char *path, uint8_t ret[SHA256_DIGEST_SIZE])
{
	uint8_t *bytes = malloc(HASHED_AT_ONCE);
	int fd = bytes ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	int err = !bytes ? -ENOMEM : fd < 0 ? -errno : 0;
	uint64_t at = 0;
	size_t got = HASHED_AT_ONCE;
	struct sha256_ctx s;
	struct stat st;

	if (err == 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		err = -EINVAL;
	sha256_init(&s);
	while (err == 0 && got == HASHED_AT_ONCE) {
		errno = 0;
		got = file_read_at(fd, bytes, HASHED_AT_ONCE, at);
		if (got < HASHED_AT_ONCE)
			err = -errno;
		sha256_update(&s, got, bytes);
		at += got;
	}
	sha256_digest(&s, SHA256_DIGEST_SIZE, ret);
	if (fd >= 0)
		close(fd);
	free(bytes);
	return err;
}

int ff_store_hash(const char *path, char ret[65])
{
	uint8_t hash[SHA256_DIGEST_SIZE];
	int err = hash_file(path, hash);

	for (unsigned i = 0; i < SHA256_DIGEST_SIZE && err == 0; i++)
		snprintf(ret + 2 * i, 3, "%02x", hash[i]);
	return err;
}

int ff_is_profile(const char *path)
{
	struct context ctx = { 0 };
	struct file file = { 0 };
	char bytes[sizeof(INPUT_PROFILE_MAGIC) - 1] = "";
	size_t got = 0;
	struct stat st;
	bool is;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    file_open(&ctx, path, &file) < 0)
		return 0;
	is = file_read(&ctx, &file, (struct file_part){ 0, sizeof(bytes) }, bytes,
		       &got) == 0 &&
	     got == sizeof(bytes) &&
	     memcmp(bytes, INPUT_PROFILE_MAGIC, sizeof(bytes)) == 0;
	file_close(&file);
	return is;
}

int add_store_labels(struct context *ctx, const struct ff_store_options *o,
		     struct intern *strings, struct store_label *to)
{
	for (size_t i = 0; i < o->label_count; i++) {
		const char *text = o->labels[i], *equals = strchr(text, '=');

		if (!equals || equals == text)
			return fail(ctx, -EINVAL, "a label is KEY=VALUE, not '%s'", text);
		if (intern_add(strings, text, (size_t)(equals - text), &to[i].key) < 0 ||
		    intern_add(strings, equals + 1, strlen(equals + 1), &to[i].value) < 0)
			return fail_memory(ctx);
	}
	return 0;
}

int take_store_name(struct intern *strings, const char *path, uint32_t *ret)
{
	size_t end = strlen(path), start;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/';)
		start--;
	return intern_add(strings, path + start, end - start, ret);
}

static int list_inputs(struct ff_profile *p, struct store_origin *origin)
{
	for (size_t i = 0; i < p->inputs.count; i++) {
		struct ff_input *in = p->inputs.v[i];
		const char *path = input_path(in->input);
		const char *host = ff_input_text(in, FF_INPUT_HOST);
		const char *kernel = ff_input_text(in, FF_INPUT_KERNEL);
		struct store_input *slot = array_add(&origin->inputs);

		if (!slot || take_store_name(&p->strings, path, &slot->name) < 0 ||
		    intern_add(&p->strings, host ? host : "", host ? strlen(host) : 0,
			       &slot->host) < 0 ||
		    intern_add(&p->strings, kernel ? kernel : "",
			       kernel ? strlen(kernel) : 0, &slot->kernel) < 0)
			return fail_memory(&p->ctx);
		slot->times = 1;
		slot->recorded = input_recorded_at(in);
		/* A directory is its first file, which has the header. */
		if (hash_file(path, slot->hash) < 0) {
			char *data = NULL;
			int err = asprintf(&data, "%s/data", path) < 0
					  ? -ENOMEM
					  : hash_file(data, slot->hash);

			free(data);
			if (err < 0)
				return fail(&p->ctx, err,
					    "'%s' cannot be read a second time: %s", path,
					    strerror(-err));
		}
	}
	return 0;
}

int ff_store_write(struct ff_profile *p, const struct ff_store_options *options,
		   FILE *out)
{
	struct ff_store_options given = { 0 };
	struct store_origin origin = { 0 };
	struct store_facts facts = { .origin = &origin, .strings = &p->strings };
	struct write_facts known;
	struct tree_source in = { .tree = &p->named,
				  .symbols = &p->symbols,
				  .strings = &p->strings,
				  .images = &p->images,
				  .in_order = p->options.flags & FF_FLAMECHART };
	int err = 0;

	if (!p->finished)
		return fail(&p->ctx, -EINVAL, "the profile is not finished");
	if (options)
		memcpy(&given, options,
		       options->size < sizeof(given) ? options->size : sizeof(given));
	known = profile_facts(p);
	/* Slices of many recordings with one number are added up, as merge does. */
	if (p->options.flags & FF_MANY && !p->collected.blocks.refused)
		known.blocks = &p->collected.blocks;
	write_profile_facts(&known, &facts, &origin);
	/* A picture of several has no duration; here those of all are added up. */
	for (size_t i = 0; i < p->inputs.count && p->inputs.count > 1; i++)
		origin.counts[COUNT_DURATION] +=
			recording_time_kept(p, input_recording(p->inputs.v[i]->input));
	facts.heat = ff_profile_untimed(p) ? NULL : &p->collected.heat;
	facts.processors = facts.heat ? &p->collected.processors : NULL;
	facts.plain = given.flags & FF_STORE_PLAIN;
	origin.input_count = p->inputs.count;
	if (!(given.flags & FF_STORE_NO_INPUTS))
		err = list_inputs(p, &origin);
	if (err == 0 && !array_reserve(&origin.labels, given.label_count + 1))
		err = fail_memory(&p->ctx);
	if (err == 0)
		err = add_store_labels(&p->ctx, &given, &p->strings, origin.labels.v);
	if (err == 0) {
		origin.labels.count = given.label_count;
		store_origin_sort(&origin, &p->strings);
		err = p->spill.starts.count ? spill_write(p, &in, &facts, out)
					    : store_write_tree(&p->ctx, &in, &facts, out);
	}
	store_origin_release(&origin);
	return err;
}
