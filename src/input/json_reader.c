/*
 * A reader of JSON by what its caller expects next. Debian's libraries do not fit: json-c and jansson make a
 * tree of the whole text, which takes ten times its memory before anybody can say no, and yajl, which does
 * not, has had no release since 2015 and its faults (CVE-2022-24795, CVE-2023-33460) are mended by
 * distributions alone. What is needed is little: lists, numbers, strings, and to pass over a value.
 */
#include "input/json_reader.h"

#include <math.h>
#include <string.h>

enum {
	DEPTH_MOST = 512, /* lists in lists that are passed over */
	POWER_MOST = 4000, /* of ten: far more than a double has */
};

struct json_reader json_reader_of(const char *text, size_t size)
{
	return (struct json_reader){ .at = text, .end = text + size };
}

void json_fail(struct json_reader *j, const char *why)
{
	if (!j->why)
		j->why = why;
}

/* The next byte that is no blank; 0 at the end. */
static char skip_space(struct json_reader *j)
{
	while (j->at < j->end &&
	       (*j->at == ' ' || *j->at == '\n' || *j->at == '\r' || *j->at == '\t'))
		j->at++;
	return j->at < j->end && !j->why ? *j->at : 0;
}

char json_peek(struct json_reader *j)
{
	char c = skip_space(j);

	return c >= '0' && c <= '9' ? '-' : c;
}

bool json_begin(struct json_reader *j, char open)
{
	if (skip_space(j) != open) {
		json_fail(j, open == '{' ? "an object is missing" : "a list is missing");
		return false;
	}
	j->at++;
	j->first = true;
	return true;
}

/* Over a string, to what stands between its quotes. */
static bool pass_string(struct json_reader *j, const char **text, size_t *size)
{
	const char *p = ++j->at;

	while (p < j->end && *p != '"' && (unsigned char)*p >= ' ')
		p += *p == '\\' && j->end - p > 1 ? 2 : 1;
	if (p >= j->end || *p != '"') {
		json_fail(j, "a string has no end");
		return false;
	}
	*text = j->at;
	*size = (size_t)(p - j->at);
	j->at = p + 1;
	return true;
}

bool json_next(struct json_reader *j, char close)
{
	char c = skip_space(j);
	bool first = j->first;

	j->first = false;
	if (c == close) {
		j->at++;
		return false;
	}
	if (!first && c == ',') {
		j->at++;
		c = skip_space(j);
	} else if (!first) {
		json_fail(j, "a list has no end");
		return false;
	}
	if (close == ']')
		return c != 0;
	if (c != '"') {
		json_fail(j, "a key is missing");
		return false;
	}
	if (!pass_string(j, &j->key, &j->key_size))
		return false;
	if (skip_space(j) != ':') {
		json_fail(j, "a key has no value");
		return false;
	}
	j->at++;
	return true;
}

bool json_key_is(const struct json_reader *j, const char *key)
{
	return j->key_size == strlen(key) && memcmp(j->key, key, j->key_size) == 0;
}

static bool digit_at(const struct json_reader *j, const char *p)
{
	return p < j->end && *p >= '0' && *p <= '9';
}

/* No strtod(): who uses the library may have set a locale with another point. */
double json_read_number(struct json_reader *j)
{
	bool negative = json_peek(j) == '-' && *j->at == '-', behind = false, down;
	const char *p = j->at + negative, *start = p;
	bool is_number = !j->why && digit_at(j, p);
	long double value;
	uint64_t digits = 0;
	int power = 0, more = 0;

	for (; is_number && (digit_at(j, p) || (!behind && p < j->end && *p == '.'));
	     p++) {
		if (*p == '.') {
			behind = true;
			start = p + 1;
		} else if (digits < UINT64_MAX / 10 - 1) {
			digits = digits * 10 + (uint64_t)(*p - '0');
			power -= behind;
		} else if (power < POWER_MOST) {
			/* There is no more room: it only moves the point. */
			power += !behind;
		}
	}
	is_number &= p > start;
	if (is_number && p < j->end && (*p | 0x20) == 'e') {
		down = p + 1 < j->end && p[1] == '-';
		start = p + (down || (p + 1 < j->end && p[1] == '+') ? 2 : 1);
		for (p = start; digit_at(j, p); p++)
			more = more < POWER_MOST ? more * 10 + (*p - '0') : more;
		power += down ? -more : more;
	}
	value = digits;
	if (digits && power)
		value = power < 0 ? value / powl(10, -power) : value * powl(10, power);
	if (!is_number || p == start || !isfinite((double)value)) {
		json_fail(j, "a number is missing");
		return 0;
	}
	j->at = p;
	return negative ? -(double)value : (double)value;
}

/* Four hexadecimal digits; -1: they are not there. */
static long hex4(const char *p, const char *end)
{
	long value = 0;

	for (int i = 0; i < 4; i++) {
		char c = p + i < end ? p[i] : 0;
		const char *digits = "0123456789abcdef";
		const char *at =
			c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;

		if (!at)
			return -1;
		value = value << 4 | (at - digits);
	}
	return value;
}

static void add_utf8(struct text *t, unsigned long c)
{
	if (c < 0x80) {
		text_char(t, (char)c);
		return;
	}
	if (c >= 0x10000) {
		text_char(t, (char)(0xf0 | c >> 18));
		text_char(t, (char)(0x80 | (c >> 12 & 0x3f)));
	} else if (c >= 0x800) {
		text_char(t, (char)(0xe0 | c >> 12));
	}
	if (c >= 0x800)
		text_char(t, (char)(0x80 | (c >> 6 & 0x3f)));
	else
		text_char(t, (char)(0xc0 | c >> 6));
	text_char(t, (char)(0x80 | (c & 0x3f)));
}

void json_read_string(struct json_reader *j, struct text *ret)
{
	static const char escapes[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
	const char *p, *end;
	size_t size;

	text_clear(ret);
	if (skip_space(j) != '"') {
		json_fail(j, "a string is missing");
		return;
	}
	if (!pass_string(j, &p, &size))
		return;
	for (end = p + size; p < end; p++) {
		const char *escape;
		long c, low;

		if (*p != '\\') {
			text_char(ret, *p);
			continue;
		}
		p++;
		escape = *p ? strchr(escapes, *p) : NULL;
		if (escape) {
			text_char(ret, plain[escape - escapes]);
			continue;
		}
		c = *p == 'u' ? hex4(p + 1, end) : -1;
		if (c < 0) {
			json_fail(j, "an escape in a string is none");
			return;
		}
		p += 4;
		/* What is beyond U+FFFF comes as two halves; half of one is nothing. */
		low = (c & 0xfc00) == 0xd800 && end - p > 6 && p[1] == '\\' && p[2] == 'u'
			      ? hex4(p + 3, end)
			      : -1;
		if ((low & 0xfc00) == 0xdc00 && low > 0) {
			c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
			p += 6;
		} else if ((c & 0xf800) == 0xd800) {
			c = 0xfffd;
		}
		add_utf8(ret, (unsigned long)c);
	}
}

void json_read_past(struct json_reader *j)
{
	static const char *const words[] = { "true", "false", "null" };
	char open[DEPTH_MOST];
	size_t depth = 0;

	do {
		char c = json_peek(j);
		const char *text;
		size_t size;

		if (depth == DEPTH_MOST) {
			json_fail(j, "lists are too deep in each other");
		} else if (c == '{' || c == '[') {
			open[depth++] = c == '{' ? '}' : ']';
			j->at++;
			j->first = true;
		} else if (c == '"') {
			pass_string(j, &text, &size);
		} else if (c == '-') {
			json_read_number(j);
		} else {
			bool found = false;

			for (size_t i = 0; i < 3 && !found; i++) {
				size = strlen(words[i]);
				found = (size_t)(j->end - j->at) >= size &&
					memcmp(j->at, words[i], size) == 0;
				j->at += found ? size : 0;
			}
			if (!found)
				json_fail(j, "a value is missing");
		}
		while (depth && !j->why && !json_next(j, open[depth - 1]))
			depth--;
	} while (depth && !j->why);
}
