/*
 * The name that a sample's process goes by. For stackcollapse-perf.pl's sake it can be
 * cut as that script cuts it, which finds names in lines of perf script by a regular
 * expression.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

#include "base/text.h"
#include "process/timeline.h"

/* Is this "  123 ", "  1/2 ": what is taken for a thread? */
static bool is_thread(const char *p)
{
	if (!isspace((unsigned char)*p))
		return false;
	while (isspace((unsigned char)*p))
		p++;
	if (!isdigit((unsigned char)*p))
		return false;
	while (isdigit((unsigned char)*p))
		p++;
	while (*p == '/')
		p++;
	while (isdigit((unsigned char)*p))
		p++;
	return isspace((unsigned char)*p);
}

/*
 * With '_' for spaces: a name must not end a field of folded text.
 *
 * perf script's lines begin "NAME   123 ", and stackcollapse-perf.pl takes for the name at
 * least two characters, up to the first number: "thread 5" is "thread", "X" is "X ". What no
 * number follows then is whole.
 */
int label_of(struct processes *ps, uint32_t tid, uint32_t name, uint32_t *ret)
{
	const char *text = intern_text(ps->strings, name);
	size_t size = strlen(text);
	struct text label = { 0 };
	int err = -ENOMEM;

	if (!ps->as_printed && !memchr(text, ' ', size)) {
		*ret = name;
		return 0;
	}
	text_add(&label, text, size);
	if (ps->as_printed && size > 0) {
		size_t end = 2;

		text_printf(&label, " %5" PRIu32 " ", tid);
		while (end < label.size && !is_thread(label.bytes + end))
			end++;
		if (!label.failed)
			label.size = end < label.size ? end : size;
	}
	for (size_t i = 0; i < label.size; i++)
		if (label.bytes[i] == ' ')
			label.bytes[i] = '_';
	if (!label.failed)
		err = intern_add(ps->strings, label.size ? label.bytes : "", label.size,
				 ret);
	text_release(&label);
	return err;
}
