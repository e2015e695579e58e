/*
 * Lines of perf script. A headline is found by its time, "12.345678:", for a comm can be any text,
 * with blanks and numbers in it: what is before the first place where numbers, a processor and a time
 * follow each other is the comm. A frame's object is what the last brackets hold, and its name all that
 * is between address and object: names have brackets of their own.
 */
#include "input/printed.h"

#include <ctype.h>
#include <string.h>

static bool is_gap(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_decimal(char c)
{
	return (unsigned)c - '0' < 10;
}

/* What is left of a line. */
struct scan {
	const char *at, *end;
};

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end && is_gap(*s->at))
		s->at++;
}

/* Digits, as many as fit 64 bits for sure: no number here has more. */
static bool take_digits(struct scan *s, uint64_t *ret)
{
	const char *p = s->at, *most = s->end - p > 19 ? p + 19 : s->end;
	uint64_t value = 0;
	unsigned digit;

	for (; p < most && (digit = (unsigned)*p - '0') < 10; p++)
		value = value * 10 + digit;
	*ret = value;
	if (p == s->at || (p < s->end && is_decimal(*p)))
		return false;
	s->at = p;
	return true;
}

/* Of a process or thread; perf prints -1 where it knows none. */
static bool take_id(struct scan *s, uint32_t *ret)
{
	bool negative = s->at < s->end && *s->at == '-';
	uint64_t value;

	s->at += negative;
	if (!take_digits(s, &value) || value > UINT32_MAX)
		return false;
	*ret = negative ? -(uint32_t)value : (uint32_t)value;
	return true;
}

/* What stands behind the digits of "12.345678:" or, with --ns, "12.345678901:" */
static bool take_fraction(struct scan *s, uint64_t seconds, uint64_t *ret)
{
	const char *point = s->at++;
	uint64_t fraction;

	if (!take_digits(s, &fraction) || s->at == s->end || *s->at != ':')
		return false;
	if (s->at - point == 7)
		fraction *= 1000;
	else if (s->at - point != 10)
		return false;
	s->at++;
	return !__builtin_mul_overflow(seconds, 1000000000, ret) &&
	       !__builtin_add_overflow(*ret, fraction, ret);
}

static bool take_time(struct scan *s, uint64_t *ret)
{
	uint64_t seconds;

	return take_digits(s, &seconds) && s->at < s->end && *s->at == '.' &&
	       take_fraction(s, seconds, ret);
}

/* "[001]"; "  1" with --Latency, which only a time behind it tells from anything else. */
static bool take_cpu(struct scan *s, uint32_t *ret)
{
	bool bracket = s->at < s->end && *s->at == '[';
	struct scan before = *s;
	uint64_t cpu, time;

	s->at += bracket;
	if (take_digits(s, &cpu) && cpu < UINT32_MAX && s->at < s->end &&
	    (bracket ? *s->at == ']' : is_gap(*s->at))) {
		struct scan behind = { s->at + 1, s->end };

		skip_blanks(&behind);
		*ret = (uint32_t)cpu;
		s->at += bracket;
		if (bracket || take_time(&behind, &time))
			return true;
	}
	*s = before;
	return false;
}

/* "2026-11-27 19:22:59.071383", as -F +tod has it before the time. */
static void skip_time_of_day(struct scan *s)
{
	static const char form[] = "0000-00-00 00:00:00.";
	struct scan behind = *s;
	uint64_t fraction;

	if (s->end - s->at < (ptrdiff_t)sizeof(form))
		return;
	for (const char *f = form; *f; f++, behind.at++)
		if (*f == '0' ? !is_decimal(*behind.at) : *behind.at != *f)
			return;
	if (take_digits(&behind, &fraction))
		*s = behind;
}

/* What -F adds before the time: letters of +misc, "U", "KD", "Sp", and the time of day. */
static bool take_time_behind_others(struct scan *s, uint64_t *ret)
{
	struct scan before = *s;

	if (take_time(s, ret))
		return true;
	*s = before;
	while (s->at < s->end &&
	       (isupper((unsigned char)*s->at) || *s->at == 'g' || *s->at == 'p'))
		s->at++;
	skip_blanks(s);
	skip_time_of_day(s);
	skip_blanks(s);
	if (take_time(s, ret))
		return true;
	*s = before;
	return false;
}

/* "123", "123/124"; "[001]"; "12.345678:": what there is of them, in this order. The scan is at no
 * blank. */
static bool take_numbers(struct scan *s, bool timed, struct printed_head *ret)
{
	struct scan before;

	/* Most words begin none. */
	if (s->at == s->end || (*s->at != '[' && *s->at != '-' && !is_decimal(*s->at)))
		return false;
	before = *s;
	if (*s->at != '[') {
		if (!take_id(s, &ret->tid) || s->at == s->end) {
			*s = before;
			ret->has_time = take_time(s, &ret->time);
			return ret->has_time;
		}
		if (*s->at == '.') {
			ret->has_time = *before.at != '-' &&
					take_fraction(s, ret->tid, &ret->time);
			return ret->has_time;
		}
		ret->has_tid = true;
		if (*s->at == '/') {
			s->at++;
			ret->pid = ret->tid;
			ret->has_pid = true;
			if (!take_id(s, &ret->tid))
				return false;
		}
		if (s->at == s->end || !is_gap(*s->at))
			return false;
		skip_blanks(s);
	}
	ret->has_cpu = take_cpu(s, &ret->cpu);
	skip_blanks(s);
	ret->has_time = take_time_behind_others(s, &ret->time);
	return ret->has_time || (!timed && ret->has_tid);
}

/* "250000 cpu-clock:u:", "sched:sched_switch:" */
static void take_event(struct scan *s, struct printed_head *ret)
{
	struct scan before, event;

	skip_blanks(s);
	before = *s;
	ret->has_period =
		take_digits(s, &ret->period) && s->at < s->end && is_gap(*s->at);
	if (!ret->has_period)
		*s = before;
	skip_blanks(s);
	event = *s;
	while (s->at < s->end && !is_gap(*s->at))
		s->at++;
	if (s->at - event.at > 1 && s->at[-1] == ':') {
		ret->event =
			(struct printed_part){ event.at, (size_t)(s->at - 1 - event.at) };
	} else {
		/* Without an event a number may be an address, before a name. Alone it is a period, as -F
		 * time,period has it: perf leaves a blank behind that. */
		ret->has_period &= ret->has_time && event.at == s->end;
		if (!ret->has_period)
			*s = before;
	}
	skip_blanks(s);
	ret->rest = (struct printed_part){ s->at, (size_t)(s->end - s->at) };
}

bool printed_head_parse(const char *line, size_t size, bool timed,
			struct printed_head *ret)
{
	const char *end = line + size, *comm = line, *at;

	while (comm < end && is_gap(*comm))
		comm++;
	/* -F +machine_pid,vcpu of a guest's samples: "VM: 1234 VCPU:001 comm ..." */
	for (int i = 0; i < 2; i++) {
		const char *word = i ? "VCPU:" : "VM:";
		struct scan s = { comm, end };
		uint64_t number;

		if ((size_t)(end - comm) < strlen(word) ||
		    memcmp(comm, word, strlen(word)) != 0)
			continue;
		s.at += strlen(word);
		skip_blanks(&s);
		if (!take_digits(&s, &number))
			continue;
		skip_blanks(&s);
		comm = s.at;
	}
	/* Samples without a chain are indented, but so are frames, and these have no time. */
	timed |= size && is_gap(*line);
	*ret = (struct printed_head){ 0 };
	/* Nothing but a time can stand where the comm is missing; then behind each word. */
	for (at = comm; at < end;) {
		struct scan s = { at, end };

		skip_blanks(&s);
		if (take_numbers(&s, timed || at == comm, ret)) {
			ret->comm = (struct printed_part){ comm, (size_t)(at - comm) };
			take_event(&s, ret);
			return true;
		}
		if (ret->has_tid || ret->has_cpu)
			*ret = (struct printed_head){ 0 };
		while (at < end && is_gap(*at))
			at++;
		while (at < end && !is_gap(*at))
			at++;
	}
	if (timed)
		return false;
	/* "comm event:", without any number. */
	while (end > comm && is_gap(end[-1]))
		end--;
	for (at = end; at > comm && !is_gap(at[-1]);)
		at--;
	if (end - at < 2 || end[-1] != ':')
		return false;
	*ret = (struct printed_head){ .event = { at, (size_t)(end - 1 - at) },
				      .rest = { end, 0 } };
	while (at > comm && is_gap(at[-1]))
		at--;
	ret->comm = (struct printed_part){ comm, (size_t)(at - comm) };
	return ret->comm.size > 0;
}

/* Where the object's bracket opens that the line ends in; NULL: it ends in none. */
static const char *find_module_bracket(const char *text, const char *end)
{
	const char *last = NULL;
	int depth = 0;

	if (end == text || end[-1] != ')')
		return NULL;
	for (const char *p = end; p-- > text;) {
		depth += *p == ')';
		depth -= *p == '(';
		if (*p != '(' || (p > text && p[-1] != ' '))
			continue;
		if (!last)
			last = p;
		/* "(/tmp/a (deleted))" */
		if (depth == 0)
			return p;
	}
	/* An object may have brackets that do not match. */
	return last;
}

bool printed_frame_parse(const char *line, size_t size, struct printed_frame *ret)
{
	static const char inlined[] = "(inlined)";
	const char *end = line + size, *at = line, *digits, *object;

	*ret = (struct printed_frame){ 0 };
	while (end > line && is_gap(end[-1]))
		end--;
	while (at < end && is_gap(*at))
		at++;
	if (at == end)
		return false;
	digits = at;
	while (at < end && isxdigit((unsigned char)*at))
		at++;
	if (at > digits && (at == end || is_gap(*at)))
		ret->address = (struct printed_part){ digits, (size_t)(at - digits) };
	else
		at = digits;
	while (at < end && is_gap(*at))
		at++;
	object = find_module_bracket(at, end);
	if (object) {
		ret->inlined = (size_t)(end - object) == sizeof(inlined) - 1 &&
			       memcmp(object, inlined, sizeof(inlined) - 1) == 0;
		if (!ret->inlined)
			ret->module = (struct printed_part){ object + 1,
							     (size_t)(end - object) - 2 };
		end = object;
		while (end > at && is_gap(end[-1]))
			end--;
	}
	/* "+0x1c" at the end of a name. */
	for (digits = end; digits > at && isxdigit((unsigned char)digits[-1]);)
		digits--;
	if (digits < end && digits - at >= 3 && memcmp(digits - 3, "+0x", 3) == 0)
		end = digits - 3;
	ret->name = (struct printed_part){ at, (size_t)(end - at) };
	return true;
}

/* Behind " |OP LOAD|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A", which -F +data_src prints behind a number;
 * @text where there is nothing of that kind. */
static const char *behind_data_source(const char *text, const char *end)
{
	static const char begin[] = " |OP ";
	const char *last = memmem(text, (size_t)(end - text), "|LCK ", 5);
	struct scan s = { last, end };

	if (!last || memcmp(text, begin, sizeof(begin) - 1) != 0)
		return text;
	/* The words of its last parts are none of hexadecimal digits alone. */
	for (const char *word; s.at < end; s.at = word) {
		skip_blanks(&s);
		word = s.at;
		while (word < end && isxdigit((unsigned char)*word))
			word++;
		if (word > s.at && word < end && is_gap(*word))
			return s.at;
		while (word < end && !is_gap(*word))
			word++;
	}
	return text;
}

/* An address of 16 columns, blanks included, that begin at @text or behind a blank there: where its digits
 * begin; NULL: there is none. Functions called "add" are not as wide. */
static const char *find_wide_address(const char *text, const char *end)
{
	struct scan s = { text, end };
	const char *digits;

	skip_blanks(&s);
	digits = s.at;
	while (s.at < end && isxdigit((unsigned char)*s.at))
		s.at++;
	return digits > text && s.at > digits && s.at < end && is_gap(*s.at) &&
			       (s.at - text == 16 || s.at - text == 17)
		       ? digits
		       : NULL;
}

/*
 * Where the frame begins that stands behind an event, and what fields before it that -F adds:
 *
 *	call		  55d1 f+0x3 (/x)				flags
 *		   7ffe	  55d1 f+0x3 (/x)				addr, weight
 *		   7ffe [unknown] ([stack])	  55d1 f+0x3 (/x)	addr of a page fault
 *	     1e05080021 |OP N/A|...|BLK  N/A	  55d1 f+0x3 (/x)	data_src
 */
static const char *own_frame_begin(const char *text, const char *end)
{
	struct scan s = { text, end };

	for (const char *word; s.at < end; s.at = word) {
		const char *next;
		bool hex = true, flag = true;

		skip_blanks(&s);
		for (word = s.at; word < end && !is_gap(*word); word++) {
			hex &= isxdigit((unsigned char)*word) != 0;
			flag &= islower((unsigned char)*word) || *word == '(' ||
				*word == ')';
		}
		if (!hex && !flag)
			return s.at;
		if (!hex)
			continue;
		next = behind_data_source(word, end);
		if (next == word)
			next = find_wide_address(word, end);
		for (const char *p = word; !next && p < end; p++) {
			next = *p == ')' ? find_wide_address(p + 1, end) : NULL;
			/* What phys_addr prints there has no file behind it. */
			if (next && !memchr(next, '(', (size_t)(end - next)))
				next = NULL;
		}
		if (!next)
			return s.at;
		word = next;
	}
	return s.at;
}

bool printed_own_frame_parse(const char *text, size_t size, struct printed_frame *ret)
{
	static const char *const behind[] = { ") 0x",  ") insn:", ") ABI:", ") ilen:",
					      ")  0x", ")   ",	  ") => ",  ") N/A",
					      ") 4K",  ") 2M",	  ") 1G" };
	const char *begin = own_frame_begin(text, text + size);

	size -= (size_t)(begin - text);
	for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++) {
		const char *p = memmem(begin, size, behind[i], strlen(behind[i]));

		size = p ? (size_t)(p + 1 - begin) : size;
	}
	return printed_frame_parse(begin, size, ret) && ret->address.size;
}

bool printed_is_tracepoint(const struct printed_part *event)
{
	const char *colon = event->size ? memchr(event->text, ':', event->size) : NULL;
	size_t behind = colon ? event->size - (size_t)(colon + 1 - event->text) : 0;

	if (!colon || memchr(event->text, '/', event->size))
		return false;
	for (size_t i = 0; i < behind; i++)
		if (!memchr("ukhpPGHSDIWeb", colon[1 + i], 13))
			return true;
	return false;
}

bool printed_is_unnamed(const struct printed_part *name)
{
	static const char unknown[] = "[unknown]";

	return name->size == 0 || (name->size == sizeof(unknown) - 1 &&
				   memcmp(name->text, unknown, name->size) == 0);
}

/* What stands before the next end of a line, which *@at goes behind; NULL: nothing is left. */
static struct printed_part next_printed(const char **at)
{
	const char *text = *at, *end = text ? strchr(text, '\n') : NULL;

	*at = end ? end + 1 : NULL;
	return (struct printed_part){ text, end ? (size_t)(end - text) : strlen(text) };
}

void printed_frame_split(const char *text, struct printed_frame *ret)
{
	*ret = (struct printed_frame){ .name = next_printed(&text) };
	if (text)
		ret->module = next_printed(&text);
	while (text) {
		struct printed_part more = next_printed(&text);

		if (more.size == 0 || (*more.text != '@' && *more.text != '='))
			ret->inlined = true;
		else if (*more.text == '@')
			ret->address =
				(struct printed_part){ more.text + 1, more.size - 1 };
		else
			ret->file = (struct printed_part){ more.text + 1, more.size - 1 };
	}
}

bool printed_is_label(const struct printed_frame *frame)
{
	return frame->module.size >= sizeof(PRINTED_LABEL) &&
	       memcmp(frame->module.text, PRINTED_LABEL, sizeof(PRINTED_LABEL) - 1) ==
		       0 &&
	       frame->file.text;
}

bool printed_is_kernel(const struct printed_part *module)
{
	/* What lies in brackets and is a user's; all others are the kernel, or modules. */
	static const char *const users[] = { "[vdso",	 "[vsyscall", "[unknown",
					     "[heap",	 "[stack",    "[anon",
					     "[uprobes", "[jit",      "[JIT" };

	if (module->size >= 7 &&
	    memcmp(module->text + module->size - 7, "vmlinux", 7) == 0)
		return true;
	if (module->size >= 3 &&
	    (memcmp(module->text + module->size - 3, ".ko", 3) == 0 ||
	     memmem(module->text, module->size, ".ko.", 4)))
		return true;
	if (module->size >= 8 && memcmp(module->text, "bpf_prog", 8) == 0)
		return true;
	if (module->size == 0 || *module->text != '[')
		return false;
	for (size_t i = 0; i < sizeof(users) / sizeof(*users); i++)
		if (module->size >= strlen(users[i]) &&
		    memcmp(module->text, users[i], strlen(users[i])) == 0)
			return false;
	return true;
}
