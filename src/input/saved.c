/*
 * The picture is not parsed. Our element is looked for as bytes, in a window that moves
 * over the file, and from there on only the form that we write is understood: attributes
 * of one tag, then base91 up to the closing tag, decoded as it comes; older formats have
 * base64 there.
 *
 *	... <metadata id="flamefold-data" data-format="3" ...> <data>_;$v...</data> ...
 *	    ^ looked for                  header                     packed
 *
 * What it claims to unpack to is compared with what our packing can reach, and claimed
 * of the budget, before memory is taken.
 */
#include "input/saved.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/base91.h"
#include "base/bytes.h"
#include "base/deflate.h"
#include "input/perf.h"

enum {
	WINDOW = 1 << 18,
	HEADER_MOST = 1 << 16,
	PACKED_MOST = 1 << 30,
};

bool saved_begins(const uint8_t *bytes, size_t size)
{
	static const char *const begins[] = { "<?xml", "<svg", "<!doctype", "<html",
					      "<!--" };
	static const uint8_t mark[] = { 0xef, 0xbb, 0xbf };

	if (size >= sizeof(mark) && memcmp(bytes, mark, sizeof(mark)) == 0) {
		bytes += sizeof(mark);
		size -= sizeof(mark);
	}
	for (; size && isspace(*bytes); size--)
		bytes++;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (size >= strlen(begins[i]) &&
		    strncasecmp((const char *)bytes, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* The file from a place on, in windows. */
struct picture_scan {
	struct input *in;
	uint8_t *bytes;
	size_t start, end; /* not yet looked at */
	uint64_t offset; /* in the file, of what is read next */
	bool ended;
};

/* What is not looked at moves to the front, and the window is filled behind it. */
static int scan_more(struct context *ctx, struct picture_scan *s)
{
	size_t got;
	int err;

	memmove(s->bytes, s->bytes + s->start, s->end - s->start);
	s->end -= s->start;
	s->start = 0;
	err = file_read(ctx, &s->in->file,
			(struct file_part){ s->offset, WINDOW - s->end },
			s->bytes + s->end, &got);
	s->offset += got;
	s->end += got;
	s->ended = got == 0;
	return err;
}

int input_picture_fail(struct context *ctx, const struct input *in, int err,
		       const char *why)
{
	if (err == -ENOMEM)
		return fail_memory(ctx);
	if (err == -EFBIG)
		return fail(ctx, -EFBIG,
			    "'%s': the data of the picture takes more memory than what "
			    "is read may: --memory=SIZE with more",
			    in->path);
	return fail(ctx, err, "'%s': the data of the picture is damaged: %s", in->path,
		    why);
}

static int is_damaged(struct context *ctx, const struct picture_scan *s, const char *why)
{
	return input_picture_fail(ctx, s->in, -EBADMSG, why);
}

static int is_large(struct context *ctx, const struct picture_scan *s)
{
	return input_picture_fail(ctx, s->in, -EFBIG, NULL);
}

/* Up to the element, whose name is passed. */
static int find_element(struct context *ctx, struct picture_scan *s)
{
	static const char element[] = "<metadata id=\"flamefold-data\"";
	const size_t size = sizeof(element) - 1;

	for (;;) {
		uint8_t *found =
			memmem(s->bytes + s->start, s->end - s->start, element, size);
		int err;

		if (found) {
			s->start = (size_t)(found - s->bytes) + size;
			return 0;
		}
		if (s->ended)
			return fail(ctx, -EBADMSG,
				    "'%s' is a picture or other XML without flamefold's "
				    "data in it: another program made it, it was cut, or "
				    "--static",
				    s->in->path);
		/* Its beginning may be what came last. */
		if (s->end - s->start >= size)
			s->start = s->end - (size - 1);
		err = scan_more(ctx, s);
		if (err < 0)
			return err;
	}
}

/* An attribute's value as it was written: references are the characters that they stand
 * for. */
static int plain_text(const char *p, const char *end, struct bytes *ret)
{
	static const struct {
		const char *name;
		char c;
	} references[] = { { "&amp;", '&' },
			   { "&lt;", '<' },
			   { "&gt;", '>' },
			   { "&quot;", '"' },
			   { "&#13;", '\r' } };

	ret->count = 0;
	while (p < end) {
		char c = *p;
		size_t size = 1;

		for (size_t i = 0; i < sizeof(references) / sizeof(references[0]); i++) {
			size_t length = strlen(references[i].name);

			if ((size_t)(end - p) < length ||
			    memcmp(p, references[i].name, length) != 0)
				continue;
			c = references[i].c;
			size = length;
			break;
		}
		bytes_u8(ret, (uint8_t)c);
		p += size;
	}
	bytes_u8(ret, '\0');
	return ret->failed ? -ENOMEM : 0;
}

/* The attributes, and what they say of the packing. */
struct saved_header {
	struct saved_picture picture;
	uint64_t bytes;
	bool is_zlib;
};

struct attribute {
	const char *name;
	size_t at; /* a member of struct saved_header */
	enum { NUMBER, TEXT, FLAG, PACKING } kind;
};

#define AT(field) offsetof(struct saved_header, field)
static const struct attribute attributes[] = {
	{ "data-format", AT(picture.format), NUMBER },
	{ "data-packing", AT(is_zlib), PACKING },
	{ "data-bytes", AT(bytes), NUMBER },
	{ "data-unit", AT(picture.unit), TEXT },
	{ "data-samples", AT(picture.samples), NUMBER },
	{ "data-event", AT(picture.events), TEXT },
	{ "data-frequency", AT(picture.frequency), NUMBER },
	{ "data-period", AT(picture.period), NUMBER },
	{ "data-duration", AT(picture.duration), NUMBER },
	{ "data-lost", AT(picture.lost), NUMBER },
	{ "data-truncated", AT(picture.truncated), NUMBER },
	{ "data-command", AT(picture.command), TEXT },
	{ "data-recorded", AT(picture.recorded), NUMBER },
	{ "data-title", AT(picture.title), TEXT },
	{ "data-ratio", AT(picture.ratio), TEXT },
	{ "data-ratio-names", AT(picture.ratio_columns), TEXT },
	{ "data-ratio-least", AT(picture.ratio_least), NUMBER },
	{ "data-ratio-share", AT(picture.ratio_share), FLAG },
	{ "data-chart", AT(picture.chart), FLAG },
	{ "data-chain", AT(picture.chain), FLAG },
};

/* Puts the value into its member. 0, -EBADMSG where it is none of its kind, or
 * -ENOMEM. */
static int set_attribute(struct picture_scan *s, const struct attribute *a,
			 const char *text, struct saved_header *h)
{
	void *member = (char *)h + a->at;
	char *end;

	switch (a->kind) {
	case NUMBER:
		errno = 0;
		*(uint64_t *)member = strtoull(text, &end, 10);
		return isdigit((unsigned char)*text) && *end == '\0' && errno == 0
			       ? 0
			       : -EBADMSG;
	case FLAG:
		*(bool *)member = strcmp(text, "1") == 0;
		return 0;
	case PACKING:
		*(bool *)member = strcmp(text, "zlib") == 0;
		return *(bool *)member || strcmp(text, "none") == 0 ? 0 : -EBADMSG;
	case TEXT:
		break;
	}
	return intern_add(s->in->strings, text, strlen(text), member);
}

/* name="value": 1, or 0 at the end of the tag. */
static int next_attribute(struct picture_scan *s, const char **p, const char *end,
			  struct bytes *value, struct saved_header *h)
{
	const char *name, *stop;
	size_t size;

	while (*p < end && isspace((unsigned char)**p))
		++*p;
	if (*p == end)
		return 0;
	name = *p;
	stop = memchr(name, '=', (size_t)(end - name));
	if (!stop || end - stop < 2 || stop[1] != '"')
		return -EBADMSG;
	size = (size_t)(stop - name);
	*p = stop + 2;
	stop = memchr(*p, '"', (size_t)(end - *p));
	if (!stop)
		return -EBADMSG;
	if (plain_text(*p, stop, value) < 0)
		return -ENOMEM;
	*p = stop + 1;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (strlen(attributes[i].name) == size &&
		    memcmp(attributes[i].name, name, size) == 0) {
			int err = set_attribute(s, &attributes[i], (const char *)value->v,
						h);

			return err < 0 ? err : 1;
		}
	return 1;
}

/* The attributes of the element, up to the end of its tag. */
static int read_header(struct context *ctx, struct picture_scan *s,
		       struct saved_header *h)
{
	struct bytes value = { 0 };
	const char *p, *end = NULL;
	int err = 0;

	if (!s->ended && s->end - s->start < HEADER_MOST)
		err = scan_more(ctx, s);
	if (err < 0)
		return err;
	p = (const char *)s->bytes + s->start;
	/* No value holds a '>': it would be a reference. */
	end = memchr(p, '>',
		     s->end - s->start < HEADER_MOST ? s->end - s->start : HEADER_MOST);
	if (!end)
		return is_damaged(ctx, s, "its header has no end");
	while ((err = next_attribute(s, &p, end, &value, h)) > 0)
		;
	bytes_release(&value);
	s->start = (size_t)((const uint8_t *)end - s->bytes) + 1;
	if (err == -ENOMEM)
		return fail_memory(ctx);
	if (err < 0)
		return is_damaged(ctx, s, "its header cannot be understood");
	if (h->picture.format < SAVED_FIRST_FORMAT || h->picture.format > SAVED_FORMAT)
		return fail(ctx, -EBADMSG,
			    "'%s': its data is in format %llu, and this flamefold knows "
			    "formats %d to %d",
			    s->in->path, (unsigned long long)h->picture.format,
			    SAVED_FIRST_FORMAT, SAVED_FORMAT);
	return 0;
}

/* What stands between tags until </metadata>, decoded. */
struct packed_text {
	struct bytes bytes;
	bool is_base64;
	struct base64 base64;
	struct base91 base91;
	struct claim claim;
};

/* A tag: 1 if it was the last one, 0, or -EBADMSG where it is not one of ours. */
static int pass_tag(struct context *ctx, struct picture_scan *s)
{
	static const struct {
		const char *text;
		int is_last;
	} tags[] = { { "<data>", 0 }, { "</data>", 0 }, { "</metadata>", 1 } };
	int err = 0;

	if (s->end - s->start < 16 && !s->ended)
		err = scan_more(ctx, s);
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]) && err == 0; i++) {
		size_t size = strlen(tags[i].text);

		if (s->end - s->start < size ||
		    memcmp(s->bytes + s->start, tags[i].text, size) != 0)
			continue;
		s->start += size;
		return tags[i].is_last;
	}
	return err < 0 ? err : is_damaged(ctx, s, "there is something else in it");
}

static int is_other_text(struct context *ctx, const struct picture_scan *s,
			 const struct packed_text *p)
{
	return is_damaged(ctx, s, p->is_base64 ? "it is not base64" : "it is not base91");
}

/* A text between tags, or as much of it as the window has, behind those before it. */
static int decode_packed(struct context *ctx, const struct picture_scan *s,
			 struct packed_text *p, size_t size)
{
	const uint8_t *text = s->bytes + s->start;
	uint8_t *to;
	size_t decoded;
	bool is_good;

	if (p->bytes.count + size > PACKED_MOST)
		return is_other_text(ctx, s, p);
	if (!claim_add(&p->claim, ctx->budget, size))
		return is_large(ctx, s);
	if (!bytes_reserve(&p->bytes, size + 1))
		return fail_memory(ctx);
	to = p->bytes.v + p->bytes.count;
	is_good = p->is_base64 ? base64_decode(&p->base64, text, size, to, &decoded)
			       : base91_decode(&p->base91, text, size, to, &decoded);
	if (!is_good)
		return is_other_text(ctx, s, p);
	p->bytes.count += decoded;
	return 0;
}

static int read_packed(struct context *ctx, struct picture_scan *s, struct packed_text *p)
{
	for (;;) {
		const uint8_t *text = s->bytes + s->start;
		const uint8_t *tag = memchr(text, '<', s->end - s->start);
		size_t size = tag ? (size_t)(tag - text) : s->end - s->start;
		int err = size ? decode_packed(ctx, s, p, size) : 0;

		if (err < 0)
			return err;
		s->start += size;
		if (!tag && s->ended)
			return is_damaged(ctx, s, "it has no end");
		err = tag ? pass_tag(ctx, s) : scan_more(ctx, s);
		if (err != 0)
			return err < 0 ? err : 0;
	}
}

/* The last byte may be there only now that no text follows. */
static int finish_packed(struct context *ctx, const struct picture_scan *s,
			 struct packed_text *p)
{
	uint8_t last;
	size_t decoded;

	if (p->is_base64)
		return base64_whole(&p->base64) ? 0
						: is_damaged(ctx, s, "its base64 is cut");
	if (!base91_end(&p->base91, &last, &decoded))
		return is_damaged(ctx, s, "its base91 is cut");
	if (decoded)
		bytes_u8(&p->bytes, last);
	return p->bytes.failed ? fail_memory(ctx) : 0;
}

/* The payload is as long as the header says, or the picture is damaged. How much zlib
 * can make of the bytes there are is known before it is asked to. */
static int unpack_payload(struct context *ctx, struct picture_scan *s,
			  struct saved_header *h, struct packed_text *p)
{
	size_t size = p->bytes.count;
	int err;

	if (!h->is_zlib) {
		if (h->bytes != size)
			return is_damaged(ctx, s,
					  "its size is not the one that it states");
		h->picture.payload = p->bytes.v;
		p->bytes = (struct bytes){ 0 };
		return 0;
	}
	if (h->bytes > DEFLATE_FREE && h->bytes / DEFLATE_RATIO > size)
		return is_damaged(ctx, s, "it unpacks to more than flamefold writes");
	if (!claim_add(&p->claim, ctx->budget, h->bytes))
		return is_large(ctx, s);
	err = inflate_bytes(p->bytes.v, size, (size_t)h->bytes, &h->picture.payload);
	if (err == -ENOMEM)
		return fail_memory(ctx);
	return err < 0 ? is_damaged(ctx, s, "it cannot be unpacked") : 0;
}

int saved_open(struct context *ctx, struct input *in)
{
	struct picture_scan s = { .in = in, .bytes = malloc(WINDOW) };
	struct saved_header header = { 0 };
	struct packed_text packed = { 0 };
	struct saved_picture *p = &header.picture;
	int err = s.bytes ? find_element(ctx, &s) : fail_memory(ctx);

	if (err == 0)
		err = read_header(ctx, &s, &header);
	packed.is_base64 = header.picture.format <= SAVED_BASE64_FORMAT;
	if (err == 0)
		err = read_packed(ctx, &s, &packed);
	if (err == 0)
		err = finish_packed(ctx, &s, &packed);
	if (err == 0)
		err = unpack_payload(ctx, &s, &header, &packed);
	free(s.bytes);
	bytes_release(&packed.bytes);
	if (err < 0) {
		claim_release(&packed.claim);
		return err;
	}
	p->size = (size_t)header.bytes;
	p->claim = packed.claim;
	in->rec.format = "flame graph";
	if (input_set_picture(in, p) == 0)
		return 0;
	free(p->payload);
	claim_release(&p->claim);
	return fail_memory(ctx);
}

int input_set_picture(struct input *in, const struct saved_picture *p)
{
	struct recording *rec = &in->rec;

	in->picture = malloc(sizeof(*in->picture));
	if (!in->picture)
		return -ENOMEM;
	*in->picture = *p;
	rec->command = p->command;
	rec->lost_samples = p->lost;
	rec->samples = p->samples;
	rec->last_time = p->duration;
	rec->recorded = p->recorded;
	return 0;
}

void input_drop_payload(struct input *in)
{
	free(in->picture->payload);
	in->picture->payload = NULL;
	claim_release(&in->picture->claim);
}

void saved_close(struct input *in)
{
	if (in->picture)
		input_drop_payload(in);
	free(in->picture);
	in->picture = NULL;
}

const struct saved_picture *input_picture(const struct input *in)
{
	return in->picture;
}
