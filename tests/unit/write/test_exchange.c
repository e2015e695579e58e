#include "write/exchange.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit/scarce.h"
#include "unit/write/tree.h"

static const struct write_module modules[] = { { "k", "0102" }, { "2", "" } };
static const struct write_facts facts = {
	.unit = "cycles",
	.events = "cycles:u",
	.command = "make",
	.host = "here",
	.samples = 9,
	.root = FF_ROOT_TID,
	.modules = modules,
	.module_count = 2,
};
static const struct write_options options = { .facts = &facts };

static void make_tree(struct tree *t)
{
	tree_init(t);
	tree_add(t, "make-12/13;main@2;work@2;read@k", 5);
	tree_add(t, "make-12/13;main@2;work@2;main@2", 3);
	tree_add(t, "make-12/13", 2);
	tree_add(t, "x;y@j", 1ull << 60);
	for (uint32_t i = 1; i < t->symbols.functions.count; i++)
		if (!t->symbols.functions.v[i].module)
			t->symbols.functions.v[i].kind = FUNCTION_LABEL;
	for (size_t i = 0; i < t->named.nodes.count; i++)
		tree_column(t, COLUMN_SAMPLES)[i] = tree_column(t, COLUMN_WEIGHT)[i] > 0;
	tree_sum_up(t);
}

/* Of another program's formats only. */
static const struct ff_format *next_format(const struct ff_format *f)
{
	for (f = f ? f + 1 : write_formats; f->name; f++)
		if (f->traits & FF_FORMAT_FRAMES)
			return f;
	return NULL;
}

static char *write_bytes(struct tree *t, const struct ff_format *f,
			 const struct write_options *o, size_t *size)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, size);

	cr_assert_eq(f->write(&t->ctx, &t->in, o, out), 0, "%s: %s", f->name,
		     t->ctx.error);
	fclose(out);
	return bytes;
}

Test(exchange, processes_are_told_from_functions_and_taken_apart)
{
	struct exchange e;
	struct process_name p = { 0 };
	struct tree t;

	make_tree(&t);
	cr_assert_eq(exchange_open(&t.ctx, &t.in, &options, 0, &e), 0);
	cr_expect(e.has_samples);
	cr_expect_str_eq(e.type, "cycles");
	for (uint32_t i = 1; i < e.view.nodes.count; i++)
		if (exchange_is_process(&e, i) &&
		    label_text(&e.view.labels, exchange_node(&e, i)->label)[0] == 'm')
			p = exchange_process(&e, i);
	cr_expect_eq(p.size, strlen("make"));
	cr_expect_eq(p.pid, 12);
	cr_expect_eq(p.tid, 13);
	exchange_close(&e);
	tree_release(&t);
}

Test(exchange, text_has_no_processes)
{
	struct exchange e;
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;b", 1);
	for (uint32_t i = 1; i < t.symbols.functions.count; i++)
		t.symbols.functions.v[i].kind = FUNCTION_LABEL;
	tree_sum_up(&t);
	cr_assert_eq(exchange_open(&t.ctx, &t.in, NULL, 0, &e), 0);
	for (uint32_t i = 0; i < e.view.nodes.count; i++)
		cr_expect_not(exchange_is_process(&e, i));
	exchange_close(&e);
	tree_release(&t);
}

Test(exchange, every_format_is_written_with_and_without_what_is_known_of_the_recording)
{
	const struct ff_format *f = NULL;

	while ((f = next_format(f))) {
		struct tree t;
		size_t size, bare;

		make_tree(&t);
		free(write_bytes(&t, f, &options, &size));
		free(write_bytes(&t, f, NULL, &bare));
		cr_expect_gt(size, 30, "%s", f->name);
		cr_expect_gt(bare, 30, "%s", f->name);
		tree_release(&t);
	}
}

/* But by pprof, which has a label for what is the base. */
Test(exchange, a_difference_is_refused)
{
	const struct ff_format *f = NULL;

	while ((f = next_format(f))) {
		bool has_base = strcmp(f->name, "pprof") == 0;
		struct tree t;
		FILE *out = tmpfile();

		tree_init(&t);
		tree_add_before(&t, "a;b", 2, 1);
		tree_sum_up(&t);
		cr_expect_eq(f->write(&t.ctx, &t.in, NULL, out), has_base ? 0 : -EINVAL,
			     "%s", f->name);
		cr_expect_eq(ftell(out) > 0, has_base);
		fclose(out);
		tree_release(&t);
	}
}

/* Allocation @n fails: true where it was not reached. */
static bool write_without(struct tree *t, const struct ff_format *f, long n)
{
	FILE *out = fopen("/dev/null", "w");
	int err;

	setvbuf(out, NULL, _IONBF, 0);
	scarce_at = n;
	err = f->write(&t->ctx, &t->in, &options, out);
	n = scarce_at;
	scarce_at = 0;
	fclose(out);
	/* Where it was reached, it is told. */
	cr_assert_eq(err, n > 0 ? 0 : -ENOMEM, "%s: %d", f->name, err);
	return n > 0;
}

Test(exchange, without_memory_every_format_fails_and_nothing_else)
{
	const struct ff_format *f = NULL;
	struct tree t;

	if (SCARCE_NEVER)
		cr_skip_test("sanitizers have an allocator of their own");
	make_tree(&t);
	while ((f = next_format(f)))
		for (long n = 1; !write_without(&t, f, n); n++)
			;
	tree_release(&t);
}
