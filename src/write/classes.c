#include "write/classes.h"

#include <string.h>

#include "input/input.h"

/*
 * Found by search: the least distance of two of them (CIE 1976, in L*a*b*) in normal vision
 * and in protan-, deuteran- and tritanopia (Machado, Oliveira, Fernandes 2009) is as large as
 * it gets with these hues. Inlined functions have a shade of their module's colour.
 */
/* clang-format off */
const struct class_colours class_colours[CLASSES] = {
	[CLASS_TEXT] = { { 0xd9, 0xd6, 0xd0 }, { 0x4a, 0x48, 0x44 } },
	[CLASS_UNNAMED] = { { 0xb4, 0xb7, 0xbd }, { 0x5d, 0x60, 0x66 } },
	[CLASS_USER] = { { 0xfa, 0xe1, 0xb8 }, { 0x7f, 0x49, 0x0c } },
	[CLASS_USER + 1] = { { 0xbd, 0xf9, 0xf5 }, { 0x26, 0x7d, 0x7f } },
	[CLASS_USER + 2] = { { 0x97, 0xe7, 0xf3 }, { 0x27, 0x5a, 0x69 } },
	[CLASS_USER + 3] = { { 0xa5, 0xc0, 0xe5 }, { 0x2a, 0x68, 0xb7 } },
	[CLASS_USER + 4] = { { 0xe3, 0xb8, 0x42 }, { 0x6b, 0x64, 0x3b } },
	[CLASS_USER + 5] = { { 0xd1, 0xc8, 0x67 }, { 0x89, 0x71, 0x3a } },
	[CLASS_USER + 6] = { { 0xc1, 0xe7, 0x90 }, { 0x6c, 0x76, 0x0a } },
	[CLASS_USER + 7] = { { 0xdc, 0xa2, 0xff }, { 0x76, 0x6e, 0x95 } },
	[CLASS_INLINED] = { { 0xd7, 0xc2, 0x9e }, { 0x5f, 0x37, 0x09 } },
	[CLASS_INLINED + 1] = { { 0xa3, 0xd6, 0xd3 }, { 0x1d, 0x5e, 0x5f } },
	[CLASS_INLINED + 2] = { { 0x82, 0xc7, 0xd1 }, { 0x1d, 0x44, 0x4f } },
	[CLASS_INLINED + 3] = { { 0x8e, 0xa5, 0xc5 }, { 0x20, 0x4e, 0x89 } },
	[CLASS_INLINED + 4] = { { 0xc3, 0x9e, 0x39 }, { 0x50, 0x4b, 0x2c } },
	[CLASS_INLINED + 5] = { { 0xb4, 0xac, 0x59 }, { 0x67, 0x55, 0x2c } },
	[CLASS_INLINED + 6] = { { 0xa6, 0xc7, 0x7c }, { 0x51, 0x59, 0x08 } },
	[CLASS_INLINED + 7] = { { 0xbd, 0x8b, 0xdb }, { 0x59, 0x53, 0x70 } },
	[CLASS_KERNEL] = { { 0xde, 0x79, 0x49 }, { 0x62, 0x1d, 0x19 } },
	[CLASS_MODULE] = { { 0xce, 0x87, 0x1b }, { 0x74, 0x4f, 0x20 } },
	[CLASS_MODULE + 1] = { { 0x95, 0x72, 0x56 }, { 0x59, 0x3c, 0x00 } },
	[CLASS_MODULE + 2] = { { 0xb3, 0x61, 0x39 }, { 0x69, 0x3a, 0x1b } },
	[CLASS_JIT] = { { 0x98, 0xc0, 0x6d }, { 0x42, 0x54, 0x30 } },
	[CLASS_JIT + 1] = { { 0x69, 0xa1, 0x7d }, { 0x59, 0x71, 0x4f } },
	[CLASS_JIT + 2] = { { 0x62, 0xd0, 0xa4 }, { 0x42, 0x60, 0x4b } },
	[CLASS_JIT + 3] = { { 0x8d, 0xa1, 0x6a }, { 0x2d, 0x44, 0x2c } },
	[CLASS_JIT + 4] = { { 0x37, 0xa6, 0x9a }, { 0x03, 0x46, 0x4b } },
	[CLASS_JIT + 5] = { { 0x83, 0xd4, 0x94 }, { 0x44, 0x74, 0x62 } },
	[CLASS_WAKER] = { { 0xf4, 0xa6, 0xc0 }, { 0x8a, 0x33, 0x58 } },
	[CLASS_SEPARATOR] = { { 0xa0, 0xa0, 0xa0 }, { 0x6e, 0x6e, 0x6e } },
	[CLASS_LIGHT_SEPARATOR] = { { 0xc8, 0xc8, 0xc8 }, { 0x55, 0x55, 0x55 } },
};
/* clang-format on */

static const char mark_letters[] = "kjiw";

/* The letter of a mark at the end, "_[k]", or 0. */
static char mark_of(const char *name, size_t size)
{
	const char *mark = name + size - 4;

	return size >= 4 && mark[0] == '_' && mark[1] == '[' && mark[3] == ']' &&
			       strchr(mark_letters, mark[2])
		       ? mark[2]
		       : 0;
}

static uint8_t text_kind(char mark)
{
	return mark == 'k'   ? SAVED_KERNEL
	       : mark == 'j' ? SAVED_JIT
	       : mark == 'i' ? SAVED_USER | SAVED_INLINED
			     : SAVED_USER;
}

/* /lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz, [ext4] and ext4 are one. */
static const char *module_name(const char *module, size_t *size)
{
	const char *slash = strrchr(module, '/'), *end;
	const char *name = slash && slash[1] ? slash + 1 : module;

	*size = strlen(name);
	if (*size > 2 && name[0] == '[' && name[*size - 1] == ']') {
		*size -= 2;
		return name + 1;
	}
	end = strstr(name, ".ko");
	if (end && (end[3] == '\0' || end[3] == '.'))
		*size = (size_t)(end - name);
	return name;
}

static bool is_identifier(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/*
 * What a name says of where it comes from:
 *
 *	libc.so.6`malloc    [libc.so.6]    java/util/HashMap.get    net/http.(*conn).serve
 *	std::vector<int>::push_back        <alloc::vec::Vec<T> as core::ops::Drop>::drop
 */
static const char *name_group(const char *name, size_t size, size_t *ret)
{
	const char *end = name + size, *at, *slash = NULL;

	at = memchr(name, '`', size);
	if (at && at > name) {
		*ret = (size_t)(at - name);
		return name;
	}
	if (size > 2 && name[0] == '[' && end[-1] == ']') {
		*ret = size - 2;
		return name + 1;
	}
	while (name < end && (*name == '<' || *name == '&'))
		name++;
	for (at = name; at < end && is_identifier(*at); at++)
		;
	if (at > name && end - at > 2 && at[0] == ':' && at[1] == ':') {
		*ret = (size_t)(at - name);
		return name;
	}
	for (at = name; at < end && *at != '(' && *at != ' ' && *at != '<'; at++)
		if (*at == '/' && at + 1 < end)
			slash = at;
	if (!slash || slash == name)
		return NULL;
	*ret = (size_t)(slash - name);
	return name;
}

/* FNV-1a, and its bits spread. */
static uint32_t hash(const char *bytes, size_t size)
{
	uint32_t h = 0x811c9dc5;

	for (size_t i = 0; i < size; i++)
		h = (h ^ (uint8_t)bytes[i]) * 0x01000193;
	return (h ^ h >> 15) * 0x9e3779b1 >> 8;
}

struct known {
	uint8_t kind;
	size_t size; /* of the name without a mark */
	char mark;
};

static struct known look_at(const struct class_subject *s)
{
	struct known k = { s->kind, strlen(s->name), 0 };

	if ((s->kind & SAVED_KIND) != SAVED_TEXT)
		return k;
	k.mark = mark_of(s->name, k.size);
	k.size -= k.mark ? 4 : 0;
	if (k.mark || s->only_text)
		k.kind = text_kind(k.mark);
	if (s->only_text && k.size > 1 && s->name[0] == '[' && s->name[k.size - 1] == ']')
		k.kind |= SAVED_UNNAMED;
	return k;
}

static const char *group_of(const struct class_subject *s, const struct known *k,
			    size_t *size)
{
	unsigned kind = k->kind & SAVED_KIND;

	/* The code a runtime makes is all in one place, which has a new name every time. */
	if (*s->module && kind != SAVED_JIT)
		return module_name(s->module, size);
	return name_group(s->name, k->size, size);
}

static bool is_kernel_itself(const char *group, size_t size)
{
	static const char *const names[] = { "kernel", "vmlinux" };

	for (size_t i = 0; group && i < sizeof(names) / sizeof(names[0]); i++)
		if (size >= strlen(names[i]) &&
		    memcmp(group, names[i], strlen(names[i])) == 0)
			return true;
	return !group;
}

uint8_t class_of(const struct class_subject *s)
{
	struct known k = look_at(s);
	size_t size;
	const char *group = group_of(s, &k, &size);
	uint32_t number = group ? hash(group, size) : hash(s->name, k.size);

	if (strcmp(s->name, "--") == 0)
		return CLASS_SEPARATOR;
	if (strcmp(s->name, "-") == 0)
		return CLASS_LIGHT_SEPARATOR;
	if (k.mark == 'w')
		return CLASS_WAKER;
	if (k.kind & SAVED_UNNAMED)
		return CLASS_UNNAMED;
	switch (k.kind & SAVED_KIND) {
	case SAVED_USER:
		return (uint8_t)((k.kind & SAVED_INLINED ? CLASS_INLINED : CLASS_USER) +
				 number % CLASS_USERS);
	case SAVED_KERNEL:
		return (uint8_t)(is_kernel_itself(group, size)
					 ? CLASS_KERNEL
					 : CLASS_MODULE + number % CLASS_MODULES);
	case SAVED_JIT:
		return (uint8_t)(CLASS_JIT + number % CLASS_JITS);
	}
	return CLASS_TEXT;
}

const char *class_group(const struct class_subject *s, size_t *size)
{
	struct known k = look_at(s);
	const char *group = group_of(s, &k, size);

	if ((k.kind & SAVED_KIND) == SAVED_KERNEL && is_kernel_itself(group, *size)) {
		*size = strlen("kernel");
		return "kernel";
	}
	return (k.kind & SAVED_KIND) == SAVED_TEXT ? NULL : group;
}

void class_colour_add(struct text *t, struct colour c)
{
	text_printf(t, "#%02x%02x%02x", c.r, c.g, c.b);
}

void classes_style(struct text *t, const char *selector)
{
	for (int i = 0; i < CLASSES; i++) {
		text_printf(t, "%s .c%d{fill:", selector, i);
		class_colour_add(t, class_colours[i].dark);
		text_printf(t, "}%s .t%d{stroke:", selector, i);
		class_colour_add(t, class_colours[i].dark);
		text_char(t, '}');
	}
}

void classes_list(struct text *t, bool dark)
{
	for (int i = 0; i < CLASSES; i++) {
		if (i)
			text_char(t, ' ');
		class_colour_add(t,
				 dark ? class_colours[i].dark : class_colours[i].light);
	}
}
