/*
 * A host is a vector: the share that each function has of its weight by itself. How far two of them are
 * apart is half of what their shares differ by, the part of one's weight that would have to move for it
 * to be the other: 0 %, the same, to 100 %, nothing in common. Hosts closer than a tenth are of one class,
 * and so is who is close to one of it. Few samples are apart by chance,
 *
 *	half of the sum of sqrt(2 / pi * p (1 - p) (1 / n + 1 / m)),
 *
 * the mean of what shares p of n and m samples differ by; less than twice that says nothing either.
 */
#include "cli/merge_classes.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/summary.h"
#include "cli/terminal.h"

#define NEAR 0.1 /* of all weight */
enum { MEMBERS_TOLD = 8, FRAMES_TOLD = 3 };

/* Names are one for all vectors, so that they are compared by their address but for their order. */
struct share {
	const char *name;
	double part;
};

struct host {
	const char *name;
	struct share *shares; /* by name */
	size_t count;
	double samples; /* 0: not known */
	uint64_t weight;
	size_t class; /* the number of its first member */
};

struct class_search {
	const struct settings *settings;
	void *names; /* a tree of tsearch() */
	struct host *hosts;
	size_t count;
};

static int compare_function_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int compare_shares(const void *a, const void *b)
{
	return strcmp(((const struct share *)a)->name, ((const struct share *)b)->name);
}

/* Functions of one name are one, whatever module they are of. */
static int read_shares(struct class_search *c, struct ff_profile *p, struct host *h)
{
	struct ff_table *table = NULL;
	struct ff_stored_column column;
	struct ff_table_row row;
	int err = ff_table_new(p, FF_TABLE_FUNCTION, FF_TABLE_BY_SELF, &table);
	size_t rows = 0, kept = 0;

	while (err == 0 && ff_table_row(table, rows, &row))
		rows++;
	h->shares = calloc(rows + 1, sizeof(*h->shares));
	h->weight = ff_profile_total(p, FF_TOTAL_WEIGHT_TREE);
	/* Of text nobody knows. */
	for (size_t i = 0; ff_stored_column(ff_input_next(p, NULL), i, &column); i++)
		if (strcmp(column.name, "samples") == 0)
			h->samples = (double)ff_profile_total(p, FF_TOTAL_SAMPLES_TREE);
	for (size_t i = 0; h->shares && err == 0 && i < rows; i++) {
		char *copy, **known;

		ff_table_row(table, i, &row);
		if (!row.self || !h->weight)
			continue;
		copy = strdup(row.name);
		known = copy ? tsearch(copy, &c->names, compare_function_names) : NULL;
		if (!known || *known != copy)
			free(copy);
		h->shares[h->count].name = known ? *known : NULL;
		h->shares[h->count++].part = (double)row.self / (double)h->weight;
		err = known ? 0 : -1;
	}
	ff_table_free(table);
	if (err < 0 || !h->shares)
		return -1;
	qsort(h->shares, h->count, sizeof(*h->shares), compare_shares);
	for (size_t i = 0; i < h->count; i++)
		if (kept && h->shares[kept - 1].name == h->shares[i].name)
			h->shares[kept - 1].part += h->shares[i].part;
		else
			h->shares[kept++] = h->shares[i];
	h->count = kept;
	return 0;
}

static int read_host(struct class_search *c, struct ff_merge *m, size_t i)
{
	/* Names are made, and what was to be left out is. */
	struct ff_options options = { .size = sizeof(options),
				      .event = c->settings->profile.event,
				      .memory = c->settings->profile.memory };
	struct host *h = &c->hosts[i];
	struct ff_profile *p = NULL;
	FILE *merged = tmpfile();
	const char *why = NULL;
	int err = -1;

	h->name = ff_merge_group(m, i);
	if (!merged)
		why = "no temporary file can be made";
	else if (ff_merge_write(m, i, merged) < 0 || fflush(merged) != 0)
		why = ff_merge_error(m);
	else
		err = ff_profile_new(&p, &options);
	if (err == 0)
		rewind(merged);
	if (err == 0)
		err = ff_profile_read_fd(p, fileno(merged), h->name);
	if (err == 0)
		err = ff_profile_finish(p);
	if (err == 0)
		err = read_shares(c, p, h);
	if (err < 0 && p && *ff_profile_error(p))
		why = ff_profile_error(p);
	if (err < 0)
		say("%s", why ? why : "out of memory");
	ff_profile_free(p);
	if (merged)
		fclose(merged);
	return err < 0 ? EXIT_INPUT : 0;
}

/* A function of one of two vectors, or of both. */
struct pair_walk {
	const struct host *a, *b;
	size_t i, k;
};

static bool next_pair(struct pair_walk *w, const char **name, double *a, double *b)
{
	bool has_a = w->i < w->a->count, has_b = w->k < w->b->count;
	int order = !has_a   ? 1
		    : !has_b ? -1
			     : strcmp(w->a->shares[w->i].name, w->b->shares[w->k].name);

	if (!has_a && !has_b)
		return false;
	*name = order <= 0 ? w->a->shares[w->i].name : w->b->shares[w->k].name;
	*a = order <= 0 ? w->a->shares[w->i++].part : 0;
	*b = order >= 0 ? w->b->shares[w->k++].part : 0;
	return true;
}

static double distance_of(const struct host *a, const struct host *b, double *by_chance)
{
	double each = (a->samples > 0 ? 1 / a->samples : 0) +
		      (b->samples > 0 ? 1 / b->samples : 0);
	struct pair_walk w = { a, b, 0, 0 };
	double sum = 0, x, y;
	const char *name;

	*by_chance = 0;
	while (next_pair(&w, &name, &x, &y)) {
		double p = (x + y) / 2;

		sum += fabs(x - y) / 2;
		*by_chance += sqrt(2 / M_PI * p * (1 - p) * each) / 2;
	}
	return sum;
}

static size_t class_number(const struct host *hosts, size_t i)
{
	while (hosts[i].class != i)
		i = hosts[i].class;
	return i;
}

/* The least number of a class is its number. */
static void find_classes(struct class_search *c)
{
	for (size_t i = 0; i < c->count; i++)
		c->hosts[i].class = i;
	for (size_t i = 0; i < c->count; i++)
		for (size_t k = 0; k < i; k++) {
			size_t x = class_number(c->hosts, i),
			       y = class_number(c->hosts, k);
			double chance, apart;

			if (x == y)
				continue;
			apart = distance_of(&c->hosts[i], &c->hosts[k], &chance);
			if (apart >= NEAR && apart >= 2 * chance)
				continue;
			c->hosts[x > y ? x : y].class = x > y ? y : x;
		}
	for (size_t i = 0; i < c->count; i++)
		c->hosts[i].class = class_number(c->hosts, i);
}

static int compare_hosts(const void *a, const void *b)
{
	return strcmp(((const struct host *)a)->name, ((const struct host *)b)->name);
}

/* What a class has of each function: the mean of its members by weight. */
static int mean_of(const struct class_search *c, size_t class, struct host *ret)
{
	size_t room = 0, kept = 0;

	*ret = (struct host){ 0 };
	for (size_t i = 0; i < c->count; i++)
		if (c->hosts[i].class == class) {
			room += c->hosts[i].count;
			ret->weight += c->hosts[i].weight;
		}
	ret->shares = calloc(room + 1, sizeof(*ret->shares));
	if (!ret->shares)
		return -1;
	for (size_t i = 0; i < c->count; i++)
		for (size_t k = 0; c->hosts[i].class == class && k < c->hosts[i].count;
		     k++) {
			struct share *s = &ret->shares[ret->count++];

			*s = c->hosts[i].shares[k];
			s->part *= (double)c->hosts[i].weight / (double)ret->weight;
		}
	qsort(ret->shares, ret->count, sizeof(*ret->shares), compare_shares);
	for (size_t i = 0; i < ret->count; i++)
		if (kept && ret->shares[kept - 1].name == ret->shares[i].name)
			ret->shares[kept - 1].part += ret->shares[i].part;
		else
			ret->shares[kept++] = ret->shares[i];
	ret->count = kept;
	return 0;
}

/* The functions that differ most from those of the usual class. */
static void put_difference(const struct host *usual, const struct host *other, FILE *out)
{
	struct {
		const char *name;
		double a, b;
	} most[FRAMES_TOLD] = { { 0 } };
	struct pair_walk w = { usual, other, 0, 0 };
	const char *name;
	double a, b;

	while (next_pair(&w, &name, &a, &b)) {
		size_t at = FRAMES_TOLD;

		while (at > 0 && (!most[at - 1].name ||
				  fabs(b - a) > fabs(most[at - 1].b - most[at - 1].a)))
			at--;
		for (size_t i = FRAMES_TOLD - 1; i > at; i--)
			most[i] = most[i - 1];
		if (at < FRAMES_TOLD) {
			most[at].name = name;
			most[at].a = a;
			most[at].b = b;
		}
	}
	for (size_t i = 0; i < FRAMES_TOLD && most[i].name; i++) {
		if (most[i].a == most[i].b)
			continue;
		fprintf(out, "    %+6.1f points  ", 100 * (most[i].b - most[i].a));
		put_clean(out, most[i].name);
		fprintf(out, ", %.1f %% in place of %.1f %%\n", 100 * most[i].b,
			100 * most[i].a);
	}
}

/* Largest class first. */
static int put_classes(const struct class_search *c, FILE *out)
{
	size_t *sizes = calloc(c->count + 1, sizeof(*sizes)), classes = 0, first = 0;
	struct host usual = { 0 };
	double chance;
	int err = sizes ? 0 : -1;

	for (size_t i = 0; i < c->count && err == 0; i++)
		classes += sizes[c->hosts[i].class]++ == 0;
	for (size_t n = 0; n < classes && err == 0; n++) {
		size_t class = 0, told = 0, members = 0;
		struct host mean = { 0 };

		for (size_t i = 0; i < c->count; i++)
			if (sizes[i] > sizes[class])
				class = i;
		first = n == 0 ? class : first;
		err = mean_of(c, class, &mean);
		if (err < 0)
			break;
		if (n == 0)
			fprintf(out, "%zu of %zu are alike: ", sizes[class], c->count);
		else
			fprintf(out, "%zu %s %.1f %% apart from these: ", sizes[class],
				sizes[class] == 1 ? "is" : "are",
				100 * distance_of(&usual, &mean, &chance));
		sizes[class] = 0;
		for (size_t i = 0; i < c->count; i++) {
			if (c->hosts[i].class != class || members++ >= MEMBERS_TOLD)
				continue;
			fputs(told++ ? ", " : "", out);
			put_clean(out, c->hosts[i].name);
		}
		if (members > told)
			fprintf(out, " and %s more", grouped(members - told));
		putc('\n', out);
		if (n == 0) {
			usual = mean;
			continue;
		}
		put_difference(&usual, &mean, out);
		free(mean.shares);
	}
	free(usual.shares);
	free(sizes);
	return err;
}

int merge_classes(struct ff_merge *m, const struct settings *s, FILE *out)
{
	struct class_search c = { .settings = s };
	int code = 0;

	while (ff_merge_group(m, c.count))
		c.count++;
	c.hosts = calloc(c.count + 1, sizeof(*c.hosts));
	if (!c.hosts)
		code = EXIT_INPUT;
	for (size_t i = 0; i < c.count && code == 0; i++)
		code = read_host(&c, m, i);
	/* Whatever order they came in. */
	if (code == 0)
		qsort(c.hosts, c.count, sizeof(*c.hosts), compare_hosts);
	if (code == 0)
		find_classes(&c);
	if (code == 0 && put_classes(&c, out) < 0) {
		say("out of memory");
		code = EXIT_INPUT;
	}
	for (size_t i = 0; c.hosts && i < c.count; i++)
		free(c.hosts[i].shares);
	free(c.hosts);
	tdestroy(c.names, free);
	return code;
}
