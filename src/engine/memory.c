/* What was left out because memory is limited: by how much and how to have it. */
#include "engine/memory.h"

#include <inttypes.h>

#include "engine/profile.h"

static void put_size(struct text *t, uint64_t bytes)
{
	static const char units[] = "KMGT";
	double size = (double)bytes / 1024;
	int unit = 0;

	for (; size >= 1024 && units[unit + 1]; unit++)
		size /= 1024;
	text_printf(t, "%.*f%c", size < 10 && size != (double)(int)size, size,
		    units[unit]);
}

void memory_limit(struct ff_profile *p, struct frames *frames, struct trie *trie)
{
	frames_limit(frames, &p->budget, p->memory_limit);
	trie_limit(trie, &p->budget);
}

int memory_add_stack(struct frames *all, struct trie *t, const uint32_t *frames,
		     size_t count, uint32_t *ret)
{
	struct frame limit = { .image = IMAGE_ID_NAMES, .address = all->limit };
	bool cut = false;
	uint32_t frame;
	int err;

	for (size_t i = 0; all->limit_frame && i < count && !cut; i++)
		if (frames[i] == all->limit_frame - 1) {
			count = i + 1;
			cut = true;
		}
	err = trie_add(t, frames, count, ret);
	if (err <= 0 || *ret)
		return err == 0 && cut ? 1 : err;
	if (frames_add(all, &limit, &frame) < 0)
		return -ENOMEM;
	trie_allow_one(t);
	err = trie_add(t, &frame, 1, ret);
	return err < 0 ? err : 1;
}

bool memory_tell(const struct ff_profile *p, struct text *cause, struct text *remedy)
{
	const struct budget *b = &p->budget;
	uint64_t cut = p->sum.cut, whole = p->sum.kept;

	if (b->refused == 0 && cut == 0)
		return false;
	if (cut)
		text_printf(cause,
			    "%s%.1f %% of the weight is on stacks that had to be cut",
			    cut * 1000.0 < whole ? "< " : "",
			    cut * 1000.0 < whole ? 0.1 : 100.0 * cut / whole);
	if (cut && b->refused)
		text_string(cause, ", and ");
	if (b->refused)
		text_printf(cause, "%s", b->first);
	if (b->refused > 1)
		text_printf(cause, " and %" PRIu64 " more", b->refused - 1);
	if (b->refused)
		text_string(cause, " had to be left out");
	text_string(cause, ": what is read may take ");
	put_size(cause, b->most);
	text_string(cause, " of memory");
	text_string(remedy, "--memory=SIZE with more");
	return true;
}
