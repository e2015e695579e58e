/* Nodes as they are written come back, whatever tree they are of. */
#include "store/nodes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "store/tables.h"

enum { FRAMES = 700, NODES = 20000, COLUMNS = 3, SOME = 100 };

struct made_node {
	uint32_t depth, frame;
	uint64_t values[COLUMNS];
	/* Of the first column. */
	uint32_t sliced;
	uint64_t slices[STORE_SLICES];
};

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Preorder, siblings in order: a sibling's frame is behind that of the one before. */
static void make_nodes(struct made_node *nodes, uint64_t totals[COLUMNS])
{
	uint32_t path[NODES] = { 0 };
	uint64_t state = 1;

	for (uint32_t i = 0; i < NODES; i++) {
		struct made_node *n = &nodes[i];
		uint32_t up = 0;

		if (i) {
			up = next_random(&state) % 3;
			up = up < nodes[i - 1].depth ? up : nodes[i - 1].depth;
			/* The root has one child, and no sibling; behind the last frame there is none. */
			while (up && path[nodes[i - 1].depth + 1 - up] + 4 >= FRAMES)
				up--;
			n->depth = nodes[i - 1].depth + 1 - up;
			n->frame = up ? path[n->depth] + 1 + next_random(&state) % 3
				      : 1 + next_random(&state) % 300;
		}
		path[n->depth] = n->frame;
		n->values[0] = i % 5 ? 0 : 250000 * (next_random(&state) % 9);
		/* In two slices, and not in all. */
		if (n->values[0]) {
			uint32_t first = (uint32_t)next_random(&state) % 10;

			n->sliced = 1u << first | 1u << (first + 10);
			n->slices[first] = n->values[0] / 5;
			n->slices[first + 10] = n->values[0] / 5 * 3;
		}
		n->values[1] = i == 7 ? (uint64_t)1 << 63 : 0;
		for (unsigned c = 0; c < COLUMNS; c++)
			totals[c] += n->values[c];
	}
}

static void write_nodes(const struct made_node *nodes, FILE *out, bool plain)
{
	struct store_column columns[COLUMNS] = { { .has_slices = true } };
	struct store_tables tables = { .frames.count = FRAMES,
				       .columns.v = columns,
				       .columns.count = COLUMNS };
	struct store_node_writer w;
	struct store_sink sink;

	cr_assert_eq(store_sink_init(&sink, out, plain, STORE_TIME_SLICES), 0);
	cr_assert_eq(store_node_writer_init(&w, &sink, &tables), 0);
	store_sink_flush(&sink);
	for (uint32_t i = 0; i < NODES; i++)
		store_node_add(&w,
			       &(struct store_node){ nodes[i].depth, nodes[i].frame,
						     nodes[i].values, &nodes[i].sliced,
						     nodes[i].slices });
	cr_assert_eq(store_node_end(&w), 0);
	store_node_writer_release(&w);
	store_sink_release(&sink);
	fflush(out);
}

static void expect_nodes(const struct made_node *nodes, FILE *from, bool plain,
			 uint64_t totals[COLUMNS])
{
	bool has_slices[COLUMNS] = { true };
	struct store_map map = { .totals = totals,
				 .has_slices = has_slices,
				 .frame_count = FRAMES,
				 .column_count = COLUMNS };
	struct store_unpacker unpacker = { 0 };
	struct store_node_reader r;
	struct context ctx = { 0 };
	struct store_source source = {
		.path = "nodes",
		.file = { .fd = fileno(from), .path = "nodes", .size = 1 << 30 },
		.by_frames = !plain,
	};

	cr_assert_eq(store_source_open(&ctx, &source, &unpacker), 0, "%s", ctx.error);
	cr_assert_eq(store_node_reader_init(&r, &source, &unpacker, &map, SOME), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		cr_assert_eq(store_node_next(&ctx, &r), 1, "%u: %s", i, ctx.error);
		cr_assert_eq(r.node.depth, nodes[i].depth, "depth of %u", i);
		cr_assert_eq(r.node.frame, nodes[i].frame, "frame of %u", i);
		cr_assert_eq(
			memcmp(r.node.values, nodes[i].values, sizeof(nodes[i].values)),
			0, "values of %u", i);
		cr_assert_eq(*r.node.sliced, nodes[i].sliced, "slices of %u", i);
		for (uint32_t k = 0; k < STORE_SLICES; k++)
			if (nodes[i].sliced >> k & 1)
				cr_assert_eq(r.node.slices[k], nodes[i].slices[k]);
	}
	cr_assert_eq(store_node_next(&ctx, &r), 0, "%s", ctx.error);
	store_node_reader_release(&r);
	store_source_release(&source);
	store_unpacker_release(&unpacker);
}

Test(nodes, what_is_written_is_read)
{
	struct made_node *nodes = calloc(NODES, sizeof(*nodes));
	uint64_t totals[COLUMNS] = { 0 };

	make_nodes(nodes, totals);
	for (int plain = 0; plain < 2; plain++) {
		FILE *file = tmpfile();

		cr_assert_not_null(file);
		write_nodes(nodes, file, plain);
		expect_nodes(nodes, file, plain, totals);
		fclose(file);
	}
	free(nodes);
}

Test(nodes, a_sum_that_is_not_the_stated_one_is_damage)
{
	struct made_node *nodes = calloc(NODES, sizeof(*nodes));
	uint64_t totals[COLUMNS] = { 0 };
	bool has_slices[COLUMNS] = { true };
	struct store_map map = { .totals = totals,
				 .has_slices = has_slices,
				 .frame_count = FRAMES,
				 .column_count = COLUMNS };
	struct store_unpacker unpacker = { 0 };
	struct store_node_reader r;
	struct context ctx = { 0 };
	FILE *file = tmpfile();
	int more = 1;
	struct store_source source = { .path = "nodes", .by_frames = true };

	make_nodes(nodes, totals);
	write_nodes(nodes, file, false);
	totals[2]++;
	source.file = (struct file){ .fd = fileno(file), .path = "nodes" };
	cr_assert_eq(store_source_open(&ctx, &source, &unpacker), 0);
	cr_assert_eq(store_node_reader_init(&r, &source, &unpacker, &map, SOME), 0);
	while (more > 0)
		more = store_node_next(&ctx, &r);
	cr_assert_eq(more, -EBADMSG);
	cr_assert(strstr(ctx.error, "its nodes are not those that it says"));
	store_node_reader_release(&r);
	store_source_release(&source);
	store_unpacker_release(&unpacker);
	fclose(file);
	free(nodes);
}

/* The number that a sibling skips is added to one that is good. */
Test(nodes, a_sibling_beyond_all_frames_is_damage)
{
	static const uint8_t section[] = { 3, 2, 1, 2, 2, 1, 0, 3, 0, 0xc8, 0x01 };
	uint64_t none[1] = { 0 };
	struct store_map map = { .totals = none, .frame_count = FRAMES };
	struct store_unpacker unpacker = { 0 };
	struct store_node_reader r;
	struct context ctx = { 0 };
	struct store_sink sink;
	FILE *file = tmpfile();
	struct store_source source = { .path = "nodes" };

	cr_assert_eq(store_sink_init(&sink, file, true, 0), 0);
	bytes_add(&sink.section, section, sizeof(section));
	store_sink_end_section(&sink, SECTION_NODES);
	store_sink_flush(&sink);
	store_sink_release(&sink);
	fflush(file);
	source.file = (struct file){ .fd = fileno(file), .path = "nodes" };
	cr_assert_eq(store_source_open(&ctx, &source, &unpacker), 0);
	cr_assert_eq(store_node_reader_init(&r, &source, &unpacker, &map, 1), 0);
	cr_assert_eq(store_node_next(&ctx, &r), 1);
	cr_assert_eq(store_node_next(&ctx, &r), 1, "%s", ctx.error);
	cr_assert_eq(store_node_next(&ctx, &r), -EBADMSG);
	cr_assert(strstr(ctx.error, "a node has no frame"));
	store_node_reader_release(&r);
	store_source_release(&source);
	store_unpacker_release(&unpacker);
	fclose(file);
}
