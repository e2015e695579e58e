/* Few bytes cannot list so much that reading it takes all memory. */
#include "store/origin.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "store/tables.h"

enum { MANY = 1 << 20 };

static void put_hash(struct bytes *to, uint32_t number)
{
	uint8_t hash[SHA256_DIGEST_SIZE] = { (uint8_t)(number >> 24),
					     (uint8_t)(number >> 16),
					     (uint8_t)(number >> 8), (uint8_t)number };

	bytes_add(to, hash, sizeof(hash));
}

static void put_input(struct bytes *to, uint32_t number)
{
	put_hash(to, number);
	bytes_varint(to, 1);
	bytes_varint(to, 0);
	/* name, host, kernel */
	bytes_add(to, "\0\0", 3);
}

static void put_label(struct bytes *to, uint32_t number)
{
	char text[16];

	bytes_add(to, "k", 2);
	bytes_add(to, text, (size_t)snprintf(text, sizeof(text), "%08x", number) + 1);
}

/* Sections up to the counts, and those of tables without columns, names and frames, with modules. */
struct listed {
	uint32_t inputs, labels, modules;
};

static struct file write_lists(const struct listed *count, FILE *out)
{
	struct store_sink sink;
	struct stat st;

	cr_assert_eq(store_sink_init(&sink, out, false, 0), 0);
	bytes_varint(&sink.section, count->inputs);
	bytes_varint(&sink.section, count->inputs);
	for (uint32_t i = 0; i < count->inputs; i++)
		put_input(&sink.section, i);
	store_sink_end_section(&sink, SECTION_INPUTS);
	bytes_varint(&sink.section, count->labels);
	for (uint32_t i = 0; i < count->labels; i++)
		put_label(&sink.section, i);
	store_sink_end_section(&sink, SECTION_LABELS);
	bytes_add(&sink.section, "\0\0", 3);
	store_sink_end_section(&sink, SECTION_COUNTS);
	bytes_u8(&sink.section, 0);
	store_sink_end_section(&sink, SECTION_COLUMNS);
	/* One string, the empty one. */
	bytes_add(&sink.section, "\1\1\0", 4);
	store_sink_end_section(&sink, SECTION_STRINGS);
	bytes_varint(&sink.section, count->modules);
	for (uint32_t i = 0; i < count->modules; i++) {
		bytes_u8(&sink.section, 0);
		bytes_u8(&sink.section, SHA256_DIGEST_SIZE);
		put_hash(&sink.section, i);
	}
	store_sink_end_section(&sink, SECTION_MODULES);
	bytes_u8(&sink.section, 0);
	store_sink_end_section(&sink, SECTION_FRAMES);
	bytes_u8(&sink.section, 0);
	store_sink_end_section(&sink, SECTION_PERIODS);
	store_sink_flush(&sink);
	cr_assert_eq(sink.err, 0);
	store_sink_release(&sink);
	fflush(out);
	cr_assert_eq(fstat(fileno(out), &st), 0);
	return (struct file){ .fd = fileno(out),
			      .path = "lists",
			      .size = (uint64_t)st.st_size };
}

/* What reading says, with @memory; *@left of it is taken when all is released but the strings. */
static int read_lists(const struct listed *count, uint64_t memory, struct context *ctx,
		      uint64_t *left)
{
	FILE *out = tmpfile();
	struct store_source source = { .path = "lists",
				       .file = write_lists(count, out),
				       .by_frames = true };
	struct store_unpacker unpacker = { 0 };
	struct store_origin origin = { 0 };
	struct store_tables tables;
	struct store_map map = { 0 };
	struct budget budget;
	struct intern strings;
	int err;

	budget_init(&budget, memory);
	ctx->budget = &budget;
	cr_assert_eq(intern_init(&strings), 0);
	cr_assert_eq(store_tables_init(&tables, &strings), 0);
	cr_assert_eq(store_source_open(ctx, &source, &unpacker), 0);
	err = store_origin_read(ctx, &source, &unpacker, &strings, &origin);
	if (err == 0) {
		cr_expect_eq(origin.inputs.count, count->inputs);
		cr_expect_eq(origin.labels.count, count->labels);
		err = store_tables_read(ctx, &source, &unpacker, &tables, &map);
	}
	store_origin_release(&origin);
	store_source_release(&source);
	*left = budget.used;
	store_map_release(&map);
	store_tables_release(&tables);
	store_unpacker_release(&unpacker);
	intern_release(&strings);
	budget_release(&budget);
	ctx->budget = NULL;
	fclose(out);
	return err;
}

Test(origin, a_small_file_cannot_list_very_many_inputs)
{
	struct context ctx = { 0 };
	uint64_t left;

	cr_expect_eq(
		read_lists(&(struct listed){ .inputs = MANY }, UINT64_MAX, &ctx, &left),
		-EBADMSG);
	cr_expect_str_eq(ctx.error,
			 "'lists' is damaged at byte 10: so small a file cannot list so "
			 "much");
}

Test(origin, nor_labels)
{
	struct context ctx = { 0 };
	uint64_t left;

	cr_expect_eq(
		read_lists(&(struct listed){ .labels = MANY }, UINT64_MAX, &ctx, &left),
		-EBADMSG);
	cr_expect_str_eq(ctx.error,
			 "'lists' is damaged at byte 18: so small a file cannot list so "
			 "much");
}

Test(origin, lists_take_of_the_memory_that_there_is)
{
	static const struct listed lists[] = { { .inputs = 3000 }, { .labels = 10000 } };

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct context ctx = { 0 };
		uint64_t left;

		cr_expect_eq(read_lists(&lists[i], 300000, &ctx, &left), -EFBIG, "%s",
			     ctx.error);
		cr_expect_str_eq(ctx.error,
				 "'lists': the profile takes more memory than what is "
				 "read may: --memory=SIZE with more");
		cr_expect_eq(read_lists(&lists[i], 4 << 20, &ctx, &left), 0, "%s",
			     ctx.error);
		/* Texts stay, rows do not. */
		cr_expect_eq(left, lists[i].labels ? (8 + 32) * 10000 + 33 : 0);
	}
}

Test(origin, modules_take_of_the_memory_that_there_is)
{
	static const struct listed few = { .modules = 100 }, many = { .modules = 40000 };
	struct context ctx = { 0 };
	uint64_t left;

	cr_expect_eq(read_lists(&many, 4 << 20, &ctx, &left), -EFBIG);
	/* What was refused had no more than there is. */
	cr_expect_leq(left, 4 << 20);
	cr_expect_eq(read_lists(&few, 4 << 20, &ctx, &left), 0, "%s", ctx.error);
}
