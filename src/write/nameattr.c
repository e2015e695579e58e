/*
 * flamegraph.pl's --nameattr: a line of the file is a function, and attributes for the elements
 * of its frames, with tabs between. Values are somebody's own: they are quoted anew where they
 * are printed (xml.h).
 */
#include "write/nameattr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "write/xml.h"

#define FILE_SIZE_MAX (256u << 20)

/* In the order in which they are printed. */
static const struct attribute_key {
	const char *name;
	const char *attribute; /* NULL: the value is attributes */
	bool of_link;
} attribute_keys[NAMEATTR_KEYS] = {
	[NAMEATTR_HREF] = { "href", "xlink:href", true },
	[NAMEATTR_TARGET] = { "target", "target", true },
	[NAMEATTR_A_EXTRA] = { "a_extra", NULL, true },
	[NAMEATTR_ID] = { "id", "id", false },
	[NAMEATTR_CLASS] = { "class", "class", false },
	[NAMEATTR_G_EXTRA] = { "g_extra", NULL, false },
	[NAMEATTR_TITLE] = { "title", NULL, false },
};

/* Names of attributes that an element has. XML allows each of them once only. */
struct attribute_names {
	struct attribute_name {
		const char *text;
		size_t size;
	} v[32];
	size_t count;
};

/* One that no other has, and whose prefix the picture knows: else it is no XML. */
static bool add_attribute_name(struct attribute_names *n, const char *name, size_t size)
{
	static const char *const prefixes[] = { "xlink:", "xml:" };
	bool known = !memchr(name, ':', size);

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		known |= strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
	for (size_t i = 0; i < n->count; i++)
		if (n->v[i].size == size && memcmp(n->v[i].text, name, size) == 0)
			return false;
	if (!known || n->count == sizeof(n->v) / sizeof(n->v[0]))
		return false;
	n->v[n->count++] = (struct attribute_name){ name, size };
	return true;
}

/* Whether all that is said of a function can be one element's. */
static bool fit_together(const struct nameattr *attr)
{
	struct attribute_names names = { 0 };
	bool link = attr->values[NAMEATTR_HREF];

	for (int i = 0; i < NAMEATTR_TITLE; i++) {
		const char *name = attribute_keys[i].attribute, *p = attr->values[i];
		bool given = p || (link && i == NAMEATTR_TARGET);

		if (!given || (attribute_keys[i].of_link && !link))
			continue;
		if (name) {
			if (!add_attribute_name(&names, name, strlen(name)))
				return false;
			continue;
		}
		while (*(p += strspn(p, " "))) {
			size_t size = strcspn(p, "=");

			if (!add_attribute_name(&names, p, size))
				return false;
			/* The list has passed xml_are_attributes(), so there is a quote
			 * behind '=' and another one. */
			p = strchr(p + size + 2, p[size + 1]) + 1;
		}
	}
	return true;
}

static int add_nameattr_line(struct context *ctx, struct nameattrs *n, char *line,
			     const char *path, unsigned number)
{
	char *rest = strchr(line, '\t');
	struct nameattr *attr;
	uint32_t id;

	if (!rest)
		return fail(ctx, -EINVAL, "'%s': line %u has no tab", path, number);
	/* Names and values stay where they are in the file's bytes, which nameattrs
	 * owns. */
	*rest++ = '\0';
	if (intern_add(&n->names, line, strlen(line), &id) < 0)
		return fail_memory(ctx);
	while (n->list.count <= id)
		if (!array_add(&n->list))
			return fail_memory(ctx);
	/* A later line about the same function counts, and all of it. */
	attr = &n->list.v[id];
	*attr = (struct nameattr){ 0 };
	for (char *pair; (pair = strsep(&rest, "\t"));) {
		char *value = strchr(pair, '=');

		if (!value)
			continue;
		*value++ = '\0';
		for (int i = 0; i < NAMEATTR_KEYS; i++)
			if (strcmp(attribute_keys[i].name, pair) == 0)
				attr->values[i] = *value ? value : NULL;
	}
	for (int i = 0; i < NAMEATTR_TITLE; i++)
		if (!attribute_keys[i].attribute && attr->values[i] &&
		    !xml_are_attributes(attr->values[i]))
			return fail(ctx, -EINVAL,
				    "'%s': line %u: '%s' is not a list of attributes",
				    path, number, attr->values[i]);
	if (!fit_together(attr))
		return fail(
			ctx, -EINVAL,
			"'%s': line %u: an attribute is there twice, has a prefix that "
			"is not known, or there are more than 32",
			path, number);
	return 0;
}

int nameattrs_read(struct context *ctx, const char *path, struct nameattrs *ret)
{
	struct nameattrs n = { 0 };
	unsigned number = 0;
	size_t size;
	char *rest;
	int err;

	err = intern_init(&n.names) < 0
		      ? fail_memory(ctx)
		      : file_slurp(ctx, path, FILE_SIZE_MAX, &n.bytes, &size);
	rest = err < 0 ? NULL : n.bytes;
	for (char *line; err == 0 && (line = strsep(&rest, "\n"));)
		/* A newline at the end of the file begins no further line. */
		if (rest || *line)
			err = add_nameattr_line(ctx, &n, line, path, ++number);
	if (err < 0)
		nameattrs_release(&n);
	else
		*ret = n;
	return err;
}

void nameattrs_release(struct nameattrs *n)
{
	free(n->bytes);
	intern_release(&n->names);
	array_release(&n->list);
}

const struct nameattr *nameattrs_find(const struct nameattrs *n, const char *name,
				      size_t size)
{
	uint64_t hash = hash_bytes(name, size), i = hash_start(hash);
	uint32_t id;

	/* Looked up without being added, for most frames have no line. */
	while ((id = hash_find(&n->names.ids, hash, &i)) != HASH_NONE)
		if (id < n->list.count && strcmp(intern_text(&n->names, id), name) == 0)
			return &n->list.v[id];
	return NULL;
}

void nameattr_open(struct text *t, const struct nameattr *attr)
{
	const char *href = attr ? attr->values[NAMEATTR_HREF] : NULL;
	size_t before;

	text_string(t, href ? "<a" : "<g");
	before = t->size;
	for (int i = 0; attr && i < NAMEATTR_TITLE; i++) {
		const char *value = attr->values[i];

		/* Links would open inside an <object> that shows the picture. */
		if (href && i == NAMEATTR_TARGET && !value)
			value = "_top";
		if (!value || (attribute_keys[i].of_link && !href))
			continue;
		text_char(t, ' ');
		if (!attribute_keys[i].attribute) {
			/* Attributes as they are: xml_are_attributes() has looked at them. */
			text_string(t, value);
			continue;
		}
		text_string(t, attribute_keys[i].attribute);
		text_string(t, "=\"");
		xml_requoted(t, value);
		text_char(t, '"');
	}
	/* flamegraph.pl leaves a blank where there are none. */
	text_string(t, t->size == before ? " >\n" : ">\n");
}

void nameattr_close(struct text *t, const struct nameattr *attr)
{
	text_string(t, attr && attr->values[NAMEATTR_HREF] ? "</a>\n" : "</g>\n");
}
