/*
 * Formats are parsed by libtraceevent, as perf does it, and copied out of it at once:
 * what samples are read with is a table of our own. The library is not given what may
 * harm it. Its parser of print formats frees twice (1.7.1, sizeof) and has no limit to
 * its depth, so it gets a text made anew of the name, the number and the lines of
 * fields that are whole, whose length and number have limits: nothing in it can reach
 * that parser. It stops at a field that it does not understand; then each is parsed
 * alone, and all others count. Plugins are never loaded. What it keeps in statics is
 * under one lock.
 *
 *	name: sched_switch
 *	ID: 316
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		...
 *
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *		...
 *
 *	print fmt: "prev_comm=%s ...
 */
#include "input/event_format.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <event-parse.h>

#include "base/array.h"
#include "base/guard.h"
#include "base/text.h"

enum {
	TEXT_MOST =
		64 << 10, /* bytes of names and fields; the kernel's have a few hundred */
	LINE_MOST = 1024,
	FIELDS_MOST = 512,
	NAME_MOST = 256, /* thousands of events may have such names */
	DIGITS_MOST = 9,
};

struct format_line {
	const char *text;
	size_t size;
};

/* What is known of a format before it is parsed; the lines lie in the caller's text. */
struct format_outline {
	struct format_line name, id, print;
	ARRAY(struct format_line) fields;
	size_t common; /* of these, before the empty line */
};

static pthread_mutex_t parser_lock = PTHREAD_MUTEX_INITIALIZER;

/* Passes over @key at the beginning. */
static bool skip_prefix(struct format_line *l, const char *key)
{
	size_t size = strlen(key);

	if (l->size < size || memcmp(l->text, key, size) != 0)
		return false;
	l->text += size;
	l->size -= size;
	return true;
}

static struct format_line trim(struct format_line l)
{
	while (l.size && isspace((unsigned char)*l.text)) {
		l.text++;
		l.size--;
	}
	while (l.size && isspace((unsigned char)l.text[l.size - 1]))
		l.size--;
	return l;
}

/* Lines up to the print format, which the library does not get. False: no memory. */
static bool read_outline(const char *text, size_t size, struct format_outline *o)
{
	const char *end = text + size, *stop;
	size_t used = 0;

	for (; text < end; text = stop < end ? stop + 1 : end) {
		struct format_line trimmed, rest, *slot;

		stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		size = (size_t)(stop - text);
		rest = trimmed = trim((struct format_line){ text, size });
		if (skip_prefix(&rest, "name:") && !o->name.text) {
			o->name = trim(rest);
		} else if (skip_prefix(&rest, "ID:") && !o->id.text) {
			o->id = trim(rest);
		} else if (skip_prefix(&rest, "print fmt")) {
			o->print = rest;
			break;
		} else if (trimmed.size == 0 && !o->common) {
			o->common = o->fields.count;
		} else if (skip_prefix(&rest, "field:") && size <= LINE_MOST) {
			used += size;
			if (used > TEXT_MOST || o->fields.count >= FIELDS_MOST)
				break;
			slot = array_add(&o->fields);
			if (!slot)
				return false;
			*slot = rest;
		}
	}
	return true;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A name as C has it, which is all that the kernel lets be one. */
static bool is_c_name(struct format_line l)
{
	for (size_t i = 0; i < l.size; i++)
		if (!is_word_char(l.text[i]))
			return false;
	return l.size > 0 && l.size <= NAME_MOST;
}

static bool is_id(struct format_line l)
{
	for (size_t i = 0; i < l.size; i++)
		if (!isdigit((unsigned char)l.text[i]))
			return false;
	return l.size > 0 && l.size <= DIGITS_MOST;
}

/* Bytes of "__attribute__((...))" at the beginning, which kernels built with clang have
 * in types. */
static size_t attribute_size(struct format_line l)
{
	const char *start = l.text;
	int depth = 0;

	if (!skip_prefix(&l, "__attribute__"))
		return 0;
	for (; l.size; l.text++, l.size--) {
		depth += *l.text == '(';
		depth -= *l.text == ')';
		if (*l.text == ')' && depth == 0)
			return (size_t)(l.text + 1 - start);
	}
	return 0;
}

/* "offset:8;", with blanks before it. */
static bool pass_number(struct format_line *l, const char *key)
{
	size_t digits = 0;

	*l = trim(*l);
	if (!skip_prefix(l, key))
		return false;
	for (; digits < l->size && isdigit((unsigned char)l->text[digits]); digits++)
		;
	l->text += digits;
	l->size -= digits;
	return digits > 0 && skip_prefix(l, ";");
}

/*
 * The declarations that the library gets: words and stars, of which the last word is
 * the name, then perhaps an array's size; of what lies elsewhere "__data_loc TYPE[]
 * NAME", of cpumask_t without brackets. It reads through NULL, or loses memory, where
 * brackets do not close, types or names are missing, or something else comes.
 */
static bool is_declaration(struct format_line l)
{
	struct format_line rest = l;
	bool elsewhere =
		skip_prefix(&rest, "__data_loc ") || skip_prefix(&rest, "__rel_loc ");
	bool in_word = false, was_word = false, has_brackets = false;
	size_t words = 0;

	while (rest.size && (elsewhere || !has_brackets)) {
		char c = *rest.text;

		in_word = is_word_char(c);
		words += in_word && !was_word;
		if (c == '[') {
			if (has_brackets || words < (elsewhere ? 1 : 2))
				return false;
			/* "[16]", "[NAME]", "[]": one pair, with a word in it or nothing. */
			do {
				rest.text++;
				rest.size--;
			} while (rest.size && is_word_char(*rest.text));
			if (!skip_prefix(&rest, "]"))
				return false;
			has_brackets = true;
			words = elsewhere ? 1 : words;
		} else {
			if (!in_word && c != ' ' && c != '*')
				return false;
			rest.text++;
			rest.size--;
		}
		was_word = in_word;
	}
	if (elsewhere && has_brackets && words != 2)
		return false;
	return rest.size == 0 && words >= 2 && (in_word || (has_brackets && !elsewhere));
}

/* False where the line is not what a field is: a declaration, and every part behind it. */
static bool add_field(struct text *t, struct format_line l)
{
	size_t start = t->size, declared;
	struct format_line rest, declaration;

	text_string(t, "\tfield:");
	declared = t->size;
	while (l.size) {
		size_t skipped = attribute_size(l);

		if (!skipped)
			text_char(t, *l.text);
		l.text += skipped ? skipped : 1;
		l.size -= skipped ? skipped : 1;
	}
	if (t->failed)
		goto refused;
	rest = (struct format_line){ t->bytes + declared, t->size - declared };
	declaration = (struct format_line){ rest.text, 0 };
	while (rest.size && *rest.text != ';') {
		declaration.size++;
		rest.text++;
		rest.size--;
	}
	if (!skip_prefix(&rest, ";") || !is_declaration(declaration) ||
	    !pass_number(&rest, "offset:") || !pass_number(&rest, "size:"))
		goto refused;
	rest = trim(rest);
	if (rest.size && (!pass_number(&rest, "signed:") || trim(rest).size))
		goto refused;
	text_char(t, '\n');
	return true;
refused:
	t->size = start;
	return false;
}

/* The text that the library gets instead of the one that came: nothing in it but what
 * has been checked. */
static void begin_text(struct text *t, const struct format_outline *o)
{
	text_clear(t);
	text_string(t, "name: ");
	text_add(t, o->name.text, o->name.size);
	text_string(t, "\nID: ");
	text_add(t, o->id.text, o->id.size);
	text_string(t, "\nformat:\n");
}

/* An empty line ends the common fields, and another one the event's own. */
static void end_text(struct text *t, bool has_border)
{
	text_string(t, has_border ? "" : "\n");
	text_string(t, "\nprint fmt: \"\"\n");
}

/* The library's flags as ours: those that callers go by. */
static uint16_t flags_of(const struct tep_format_field *field)
{
	static const struct {
		unsigned long theirs;
		uint16_t ours;
	} flags[] = {
		{ TEP_FIELD_IS_SIGNED, EVENT_FIELD_SIGNED },
		{ TEP_FIELD_IS_ARRAY, EVENT_FIELD_ARRAY },
		{ TEP_FIELD_IS_DYNAMIC, EVENT_FIELD_DYNAMIC },
		{ TEP_FIELD_IS_RELATIVE, EVENT_FIELD_RELATIVE },
	};
	uint16_t ret = 0;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (field->flags & flags[i].theirs)
			ret |= flags[i].ours;
	/* To the library arrays of u8 are strings, too: addresses are such. */
	if (field->flags & TEP_FIELD_IS_STRING && field->type &&
	    strstr(field->type, "char"))
		ret |= EVENT_FIELD_TEXT;
	return ret;
}

/* What is filled while a format is parsed. */
struct taken {
	struct arena *arena;
	bool swapped;
	bool failed;
	ARRAY(struct event_field) fields;
	size_t seen; /* fields that the library gave, whether they can be or not */
};

static bool has_field(const struct taken *t, const char *name)
{
	for (size_t i = 0; i < t->fields.count; i++)
		if (strcmp(t->fields.v[i].name, name) == 0)
			return true;
	return false;
}

/* Those that can be: raw data has less than 64 KiB. */
static void take_fields(struct taken *t, const struct tep_format_field *field)
{
	for (; field && !t->failed; field = field->next) {
		bool is_array = field->flags & TEP_FIELD_IS_ARRAY;
		unsigned element = is_array ? field->elementsize : (unsigned)field->size;
		struct event_field *slot;

		t->seen++;
		if (!field->name || field->offset < 0 || field->offset > UINT16_MAX ||
		    field->size <= 0 || field->size > UINT16_MAX ||
		    (field->flags & TEP_FIELD_IS_DYNAMIC && field->size != 4) ||
		    has_field(t, field->name))
			continue;
		slot = array_add(&t->fields);
		if (slot)
			*slot = (struct event_field){
				.name = arena_text(t->arena, field->name,
						   strlen(field->name)),
				.offset = (uint16_t)field->offset,
				.size = (uint16_t)field->size,
				.element = element <= UINT16_MAX ? (uint16_t)element : 0,
				.flags = flags_of(field),
			};
		if (!slot || !slot->name)
			t->failed = true;
		else if (t->swapped)
			slot->flags |= EVENT_FIELD_SWAPPED;
	}
}

struct parse_job {
	struct taken *taken;
	const struct text *text;
	uint64_t *id;
	bool is_format;
};

static int parse_in_guard(void *arg)
{
	struct parse_job *job = arg;
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;

	if (!tep)
		return -ENOMEM;
	if (tep_parse_event(tep, job->text->bytes, job->text->size, "events") == 0)
		event = tep_get_first_event(tep);
	job->is_format = event != NULL;
	if (event) {
		*job->id = (uint64_t)event->id;
		take_fields(job->taken, event->format.common_fields);
		take_fields(job->taken, event->format.fields);
	}
	tep_free(tep);
	return 0;
}

/* False where the library does not take it for a format. *@id: untouched then. The
 * library does not look whether there is memory for names: where there is none it
 * crashes, and what it had is not given back. */
static bool parse_text(struct taken *t, const struct text *text, uint64_t *id)
{
	static const struct guarded_library libtraceevent = {
		.name = "libtraceevent",
		.material = "the format",
	};
	struct parse_job job = { t, text, id, false };

	t->failed |= text->failed;
	if (!t->failed && guard_run(&libtraceevent, parse_in_guard, &job) < 0)
		t->failed = true;
	return job.is_format && !t->failed;
}

/* All in one go; *@count: fields that were in it. */
static bool parse_whole(struct taken *t, const struct format_outline *o, uint64_t *id,
			size_t *count)
{
	struct text text = { 0 };
	bool has_border = o->common > 0 && o->common < o->fields.count, is_format;

	begin_text(&text, o);
	for (size_t i = 0; i < o->fields.count; i++) {
		if (has_border && i == o->common)
			text_char(&text, '\n');
		*count += add_field(&text, o->fields.v[i]);
	}
	end_text(&text, has_border);
	is_format = parse_text(t, &text, id);
	text_release(&text);
	return is_format;
}

/* Where the library has stopped at a field: each gets a format of its own, so that one
 * which is not understood costs itself only. */
static bool parse_each(struct taken *t, const struct format_outline *o, uint64_t *id)
{
	struct text text = { 0 };
	bool is_format;

	t->fields.count = 0;
	begin_text(&text, o);
	end_text(&text, false);
	is_format = parse_text(t, &text, id);
	for (size_t i = 0; i < o->fields.count && is_format && !t->failed; i++) {
		begin_text(&text, o);
		if (!add_field(&text, o->fields.v[i]))
			continue;
		end_text(&text, false);
		parse_text(t, &text, id);
	}
	text_release(&text);
	return is_format;
}

/* Behind the first @word in it; false: it is not there. */
static bool pass_to(struct format_line *l, const char *word)
{
	const char *at = l->size ? memmem(l->text, l->size, word, strlen(word)) : NULL;

	if (!at)
		return false;
	at += strlen(word);
	l->size -= (size_t)(at - l->text);
	l->text = at;
	return true;
}

/* "0x40" or "64", with blanks before it: of one bit, whose number this is; -1: it is none. */
static int read_bit(struct format_line *l)
{
	uint64_t value = 0;
	unsigned base = 10;

	*l = trim(*l);
	if (skip_prefix(l, "0x"))
		base = 16;
	for (; l->size && isxdigit((unsigned char)*l->text); l->text++, l->size--) {
		unsigned digit = isdigit((unsigned char)*l->text)
					 ? (unsigned)(*l->text - '0')
					 : (unsigned)((*l->text | 32) - 'a' + 10);

		if (digit >= base || value > UINT32_MAX)
			return -1;
		value = value * base + digit;
	}
	return value <= UINT32_MAX && __builtin_popcountll(value) == 1
		       ? __builtin_ctzll(value)
		       : -1;
}

enum {
	STATE_BLOCKED_DISK = 0x02,
	STATE_IDLE = 0x80,
	STATE_PREEMPTED = 0x100,
	STATE_NO_LOAD = 0x200, /* with D it is what I is since 4.14 */
};

/*
 * How the state is printed says what its bits are:
 *
 *	REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & (1024-1), "|",
 *		{ 1, "S"} , { 2, "D" } , ... { 512, "P" }) : "R", REC->prev_state & 1024 ? "+" : ""
 *
 * What a thread waits by is all that is asked: K, W and others that are no state alone are left out.
 * False: the bits are those since 4.14, or it is not said what they are.
 */
static bool read_states(struct format_line print, struct event_states *ret)
{
	static const char letters[] = "SDTtXZPI+N";
	struct format_line flags = print;
	bool differ = false;
	int bit;

	*ret = (struct event_states){ { 0 } };
	if (!pass_to(&flags, "prev_state") || !pass_to(&flags, "__print_flags("))
		return false;
	while (pass_to(&flags, "{") && (bit = read_bit(&flags)) >= 0) {
		const char *letter;

		flags = trim(flags);
		if (!skip_prefix(&flags, ","))
			break;
		flags = trim(flags);
		if (flags.size < 3 || flags.text[0] != '"' || flags.text[2] != '"')
			break;
		/* That of a thread that is gone has two names. */
		letter = strchr(letters, flags.text[1] == 'x' ? 'X' : flags.text[1]);
		ret->meaning[bit] =
			letter && *letter ? (uint16_t)(1u << (letter - letters)) : 0;
		differ |= ret->meaning[bit] != 1u << bit;
	}
	while (pass_to(&flags, "prev_state &")) {
		bit = read_bit(&flags);
		flags = trim(flags);
		if (bit >= 0 && skip_prefix(&flags, "? \"+\""))
			ret->meaning[bit] = STATE_PREEMPTED;
	}
	return differ;
}

uint64_t event_states_read(const struct event_states *states, uint64_t state)
{
	uint64_t ret = 0;

	if (!states)
		return state;
	for (uint32_t bits = (uint32_t)state; bits; bits &= bits - 1)
		ret |= states->meaning[__builtin_ctz(bits)];
	if (ret & STATE_NO_LOAD)
		ret = (ret & ~(uint64_t)(STATE_NO_LOAD | STATE_BLOCKED_DISK)) |
		      (ret & STATE_BLOCKED_DISK ? STATE_IDLE : 0);
	return ret;
}

int event_format_parse(struct arena *arena, const char *text, size_t size, bool swapped,
		       struct event_format *ret)
{
	struct taken taken = { .arena = arena, .swapped = swapped };
	struct format_outline o = { 0 };
	struct event_format format = { 0 };
	struct event_states states, *kept = NULL;
	size_t count = 0, bytes;
	struct event_field *fields;
	bool is_format;
	int found = -ENOMEM;

	if (!read_outline(text, size, &o))
		goto out;
	found = 0;
	if (!is_c_name(o.name) || !is_id(o.id))
		goto out;
	found = -ENOMEM;
	format.own_name = arena_text(arena, o.name.text, o.name.size);
	if (!format.own_name)
		goto out;
	guard_reading(format.own_name);
	pthread_mutex_lock(&parser_lock);
	tep_set_loglevel(TEP_LOG_NONE);
	is_format = parse_whole(&taken, &o, &format.id, &count);
	if (!taken.failed && (!is_format || taken.seen < count))
		is_format = parse_each(&taken, &o, &format.id);
	pthread_mutex_unlock(&parser_lock);
	guard_reading(NULL);
	if (taken.failed)
		goto out;
	found = 0;
	if (!is_format)
		goto out;
	found = -ENOMEM;
	bytes = taken.fields.count * sizeof(*taken.fields.v);
	fields = bytes ? arena_alloc(arena, bytes) : NULL;
	if (bytes && !fields)
		goto out;
	if (bytes)
		memcpy(fields, taken.fields.v, bytes);
	if (has_field(&taken, "prev_state") && read_states(o.print, &states)) {
		kept = arena_alloc(arena, sizeof(*kept));
		if (!kept)
			goto out;
		*kept = states;
	}
	format.states = kept;
	format.fields = fields;
	format.count = (uint32_t)taken.fields.count;
	*ret = format;
	found = 1;
out:
	array_release(&o.fields);
	array_release(&taken.fields);
	return found;
}

const struct event_field *event_format_find(const struct event_format *format,
					    const char *name)
{
	for (uint32_t i = 0; format && i < format->count; i++)
		if (strcmp(format->fields[i].name, name) == 0)
			return &format->fields[i];
	return NULL;
}
