/*
 * Which leaves have something in which cell, in as few bits as can be.
 *
 * Leaves are those of a binary tree that both sides build of what is known already: how much each of them has.
 * A range of leaves is split where its halves have about as much, and there at a place where the stacks have
 * least in common: so a half is a process, or a part of a program, which runs for a while and then does not.
 * Cell after cell the tree is walked from its root. At a split of which one side has something in the cell it
 * is asked whether both have, and if not, which one; at a leaf, how many.
 *
 *	          all 9           cell 0 has one of a and two of c:
 *	         /     \          both sides? yes. left: both? no; which? the left one, a: how many? 1
 *	      a b 5     c 4       the right one is c: how many? 2
 *	     /     \
 *	   a 3     b 2            What is left is now a 2, b 2, c 2: a side that has nothing left is not asked for.
 *
 * An answer is foreseen (tree/forecast.c) from what the sides still have, for the cells that are left; from the
 * answers at this split before; and from those that followed the same answers at other splits.
 */
#include "tree/heat_code.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cover.h"
#include "tree/forecast.h"

enum { ASKS_WHICH, ASKS_BOTH, ASKS };

/* A split, or a leaf. They are in preorder: the left side of a split is the next one. */
struct place {
	uint64_t rest; /* what has not come yet of all below it */
	uint32_t right; /* 0: it is a leaf */
	uint32_t seen; /* one more than the last cell with something of it; 0: none had */
	union {
		struct forecast asked[ASKS];
		int32_t usual; /* of a leaf: the logarithm of its counts, in SIZE_UNIT */
	};
};

enum {
	AGES = 12, /* of a split: the logarithm of how many cells had nothing of it */
	RANKS = 16, /* of first forecasts */
	HISTORIES = 64,
	SIZES = 32,
	SIZE_UNIT = 1024,
	NUMBERS = 64, /* bits of smaller ones are foreseen by those before them */
	TRUST = 22000, /* a third: so much is each forecast trusted at first */
};

struct heat_code {
	const struct heat_plan *plan;
	struct place *places;
	uint32_t place_count;
	uint32_t cell;
	struct oracle oracle;
	struct forecast alike[ASKS][HISTORIES][RANKS];
	struct forecast longer[SIZES][SIZES],
		bit[SIZES][NUMBERS]; /* of counts, by the usual ones */
	int64_t trust[ASKS][AGES][FORECASTS];
	/* What is written, or where it goes. */
	const struct heat_item *items;
	struct heat_item *found;
	size_t next, count;
	bool writes, failed;
};

static unsigned length_of(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

static unsigned up_to(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* A quotient of two numbers is rounded alike by every machine, and so is its product with a power of 2. */
static uint16_t chance_of(double share)
{
	return share < 1.0 / 2048      ? 32
	       : share > 2047.0 / 2048 ? 65504
				       : (uint16_t)(share * 65536);
}

/* @share: what is foreseen by what is left. */
static bool ask_split(struct heat_code *c, struct place *p, int what, double share,
		      bool answer)
{
	struct forecast *own = &p->asked[what], *alike;
	uint16_t chance = chance_of(share);
	int first = c->oracle.logit[chance >> 4], rank = (first + LOGIT_MOST + 1) >> 8;
	unsigned age = up_to(length_of(c->cell + 1 - p->seen), AGES - 1);
	unsigned last = own->answers ? own->last : 1;

	/* Few splits have many answers of their own: what follows the same answers elsewhere is known sooner. */
	alike = &c->alike[what][last][rank];
	answer = oracle_ask(&c->oracle, c->trust[what][age],
			    (int[]){ first, oracle_logit(&c->oracle, own, first),
				     oracle_logit(&c->oracle, alike, first) },
			    answer);
	forecast_learn(own, chance, answer, STEADY);
	forecast_learn(alike, chance, answer, STEADIER);
	last = last << 1 | answer;
	own->last = (uint8_t)(last < HISTORIES ? last : 32 | (last & 31));
	return answer;
}

/* How many a leaf has: how long that number is, and then its bits. They are foreseen by what it usually has,
 * and at first by what it would have in each cell. */
static uint64_t ask_count(struct heat_code *c, struct place *p, uint64_t answer)
{
	unsigned size = 0, usual;
	uint64_t each = p->rest / (c->plan->cells - c->cell), count = 1;

	if (!p->seen)
		p->usual = (int32_t)(each > 1 ? length_of(each < 32767 ? each : 32767) - 1
					      : 0) *
			   SIZE_UNIT;
	usual = up_to((unsigned)p->usual / (SIZE_UNIT / 8), SIZES - 1);
	/* A number that is longer than what is left cannot come, so at the longest one nothing is asked. */
	while (p->rest >> size >> 1 &&
	       oracle_ask_one(&c->oracle, &c->longer[usual][up_to(size, SIZES - 1)],
			      length_of(answer) - 1 > size))
		size++;
	for (unsigned i = size; i-- > 0;) {
		bool bit = answer >> i & 1;

		if (count < NUMBERS)
			bit = oracle_ask_one(&c->oracle, &c->bit[usual][count], bit);
		else
			bit = arithmetic_bit(&c->oracle.code, CHANCE_EVEN, bit);
		count = count << 1 | bit;
	}
	p->usual += ((int32_t)size * SIZE_UNIT - p->usual) / 4;
	return count;
}

/* Of the sums before leaves, the first one behind @from that is as large, or the last one before @until. */
static uint32_t first_with(const uint64_t *before, uint32_t from, uint32_t until,
			   uint64_t sum)
{
	return from + 1 + (uint32_t)cover_first(before + from + 1, until - from - 2, sum);
}

/* How far a place is from the middle of its range. */
static uint64_t unevenness(const uint64_t *before, uint32_t from, uint32_t until,
			   uint32_t at)
{
	uint64_t left = before[at] - before[from], right = before[until] - before[at];

	return left < right ? right - left : left - right;
}

/* Where a range of leaves is split: of the places that leave a quarter on either side, where stacks have least in
 * common; the most even one of these, or of all where there are none. */
static uint32_t place_of_split(const struct heat_plan *plan, const uint64_t *before,
			       uint32_t from, uint32_t until)
{
	uint64_t all = before[until] - before[from];
	uint32_t best = first_with(before, from, until, before[from] + (all + 1) / 2);
	bool found = false;

	if (best > from + 1 && unevenness(before, from, until, best - 1) <=
				       unevenness(before, from, until, best))
		best--;
	for (uint32_t at = first_with(before, from, until, before[from] + (all + 3) / 4);
	     at < until && 4 * (before[until] - before[at]) >= all; at++) {
		if (4 * (before[at] - before[from]) < all)
			continue;
		if (!found || plan->fences[at] < plan->fences[best] ||
		    (plan->fences[at] == plan->fences[best] &&
		     unevenness(before, from, until, at) <
			     unevenness(before, from, until, best)))
			best = at;
		found = true;
	}
	return best;
}

/*
 * It is as deep as the logarithm of the sum. A side has three quarters of its split at most, unless a single
 * leaf lies over the middle: then the split is beside that leaf, which is alone one or two splits later. So
 * a hostile file cannot make the recursion deep, here and in visit_place().
 */
static void plant(struct heat_code *c, const uint64_t *before, uint32_t from,
		  uint32_t until)
{
	struct place *p = &c->places[c->place_count++];

	p->rest = before[until] - before[from];
	if (until - from > 1) {
		uint32_t middle = place_of_split(c->plan, before, from, until);

		plant(c, before, from, middle);
		p->right = c->place_count;
		plant(c, before, middle, until);
	}
}

static uint64_t visit_place(struct heat_code *c, struct place *p, uint32_t leaf,
			    size_t until);

/*
 * Items up to @until are those of it, where they are written. A side that has nothing left is not asked about:
 * both sides of the code know that, and it is most of what is saved in the last cells.
 *
 * That both have something is foreseen as if each side came into a cell as often as it has samples for the cells
 * that are left, L / (L + n), by chance: of the cells in which one of them is, both are in
 *
 *	L R / (L R + n L + n R)   =   1 / (1 + n / R + n / L)
 */
static uint64_t visit_split(struct heat_code *c, struct place *p, uint32_t leaf,
			    size_t until)
{
	struct place *left = p + 1, *right = c->places + p->right;
	uint32_t behind = leaf + (uint32_t)(right - p) / 2;
	size_t middle = c->next;
	bool is_left, is_right;

	while (c->writes && middle < until && c->items[middle].leaf < behind)
		middle++;
	is_left = left->rest && (!c->writes || middle > c->next);
	is_right = right->rest && (!c->writes || middle < until);
	if (left->rest && right->rest) {
		double l = (double)left->rest, r = (double)right->rest,
		       cells = c->plan->cells - c->cell;

		if (!ask_split(c, p, ASKS_BOTH, 1 / (1 + cells / l + cells / r),
			       is_left && is_right)) {
			is_left = ask_split(c, p, ASKS_WHICH, l / (l + r), is_left);
			is_right = !is_left;
		}
	}
	return (is_left ? visit_place(c, left, leaf, middle) : 0) +
	       (is_right ? visit_place(c, right, behind, until) : 0);
}

/* More than the leaf has left, or more leaves than were said: it is no such code, and all that follows is of no
 * use. The walk then goes back without asking anything. */
static uint64_t visit_leaf(struct heat_code *c, struct place *p, uint32_t leaf)
{
	uint64_t count = c->writes ? c->items[c->next].count : 1;

	if (c->plan->counted)
		count = ask_count(c, p, count);
	if (count > p->rest || c->next == c->count) {
		c->failed = true;
		return 0;
	}
	if (!c->writes)
		c->found[c->next] = (struct heat_item){ c->cell, leaf, count };
	c->next++;
	return count;
}

/* What it has in the cell, which is taken from what is left of it. That is done on the way back, so all questions
 * of a cell are asked with what was left before it. */
static uint64_t visit_place(struct heat_code *c, struct place *p, uint32_t leaf,
			    size_t until)
{
	uint64_t sum = c->failed  ? 0
		       : p->right ? visit_split(c, p, leaf, until)
				  : visit_leaf(c, p, leaf);

	p->rest -= sum;
	p->seen = c->cell + 1;
	return sum;
}

/* A tree of so many leaves has one split less. */
size_t heat_code_memory(uint32_t leaves)
{
	return sizeof(struct heat_code) + (size_t)leaves * 2 * sizeof(struct place) +
	       ((size_t)leaves + 1) * sizeof(uint64_t);
}

static void heat_code_release(struct heat_code *c)
{
	if (c)
		free(c->places);
	free(c);
}

/* NULL: there is no memory. */
static struct heat_code *heat_code_of(const struct heat_plan *plan)
{
	struct heat_code *c = calloc(1, sizeof(*c));
	uint64_t *before = malloc(((size_t)plan->leaves + 1) * sizeof(*before));

	if (c)
		c->places = calloc((size_t)plan->leaves * 2, sizeof(*c->places));
	if (!before || !c || !c->places) {
		heat_code_release(c);
		free(before);
		return NULL;
	}
	c->plan = plan;
	oracle_init(&c->oracle);
	for (int what = 0; what < ASKS; what++)
		for (int age = 0; age < AGES; age++)
			for (int i = 0; i < FORECASTS; i++)
				c->trust[what][age][i] = TRUST;
	before[0] = 0;
	for (uint32_t i = 0; i < plan->leaves; i++)
		before[i + 1] = before[i] + plan->counts[i];
	plant(c, before, 0, plan->leaves);
	free(before);
	return c;
}

/* All cells have something, so their numbers are those of the loop. */
int heat_code_write(struct bytes *to, const struct heat_plan *plan,
		    const struct heat_item *items, size_t count)
{
	struct heat_code *c = heat_code_of(plan);

	if (!c)
		return -ENOMEM;
	c->oracle.code = arithmetic_writer(to);
	c->writes = true;
	c->items = items;
	c->count = count;
	for (size_t until = 0; until < count; c->cell++) {
		while (until < count && items[until].cell == c->cell)
			until++;
		visit_place(c, c->places, 0, until);
	}
	arithmetic_end(&c->oracle.code);
	heat_code_release(c);
	return 0;
}

/*
 * A code of other items than were said is none: too few or too many of them, cells without any, something that is
 * left of a leaf, or bytes behind the last answer. Whatever it says, there are no more than @count.
 */
int heat_code_read(struct cursor *from, const struct heat_plan *plan,
		   struct heat_item *ret, size_t count)
{
	struct heat_code *c = heat_code_of(plan);
	bool right;

	if (!c)
		return -ENOMEM;
	c->oracle.code = arithmetic_reader(from);
	c->found = ret;
	c->count = count;
	for (; c->cell < plan->cells && c->places->rest && !c->failed && !from->bad;
	     c->cell++)
		visit_place(c, c->places, 0, 0);
	right = !c->failed && !from->bad && !cursor_left(from) &&
		c->cell == plan->cells && c->next == count && !c->places->rest;
	heat_code_release(c);
	return right ? 0 : -EBADMSG;
}
