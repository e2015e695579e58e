/*
 * Of many recordings the tree is in memory in parts. What grows with their number is stacks; frames, and
 * what is known of code, come to an end. So when stacks have become many, they go to a temporary file, and
 * those of the next recordings begin anew, with the same frames, walker and binaries:
 *
 *	recordings   1 2 3 4 | 5 6 7 | 8 9 ...
 *	stacks        part     part    part       in a file, by numbers of frames
 *	names        ------ once, of all ------
 *	              tree     tree    tree       one at a time, each a profile file
 *	             ------ merged as streams --
 *
 * A profile file of many is what files of each add up to, so that of parts is the same.
 */
#include <errno.h>
#include <flamefold_store.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/profile.h"
#include "store/store.h"

/* Nodes and cells, of some 40 bytes each. Parts repeat what their recordings have in common, and each is
 * written, read and merged: of a thousand recordings there are ten, which takes some hundredths of the time. */
enum { PART_MOST = 1 << 17 };

/* Nobody else has numbers of nodes when a recording has been read, and nothing is to be done to stacks
 * when frames have their names. */
static bool may_spill(const struct ff_profile *p)
{
	const struct collected *c = &p->collected;

	return profile_reads_many(p) && !(p->options.flags & FF_APART) &&
	       !c->samples.list.count && !c->chart.runs.count && !c->heat.cells.count &&
	       !c->blocks.grid.grows && !profile_rule(p) && !p->wall.weight &&
	       !filters_ask_frames(p->filters);
}

static int spill_stacks(struct ff_profile *p)
{
	uint64_t *start = array_add(&p->spill.starts);
	off_t end;
	int err;

	if (!start)
		return fail_memory(&p->ctx);
	if (p->spill.starts.count == 1) {
		p->spill.fd = store_temporary(&p->ctx);
		if (p->spill.fd < 0) {
			p->spill.starts.count = 0;
			return p->spill.fd;
		}
	}
	end = lseek(p->spill.fd, 0, SEEK_END);
	*start = (uint64_t)end;
	err = end < 0 ? -errno : collected_spill(&p->collected, p->spill.fd);
	if (err == -ENOMEM)
		return fail_memory(&p->ctx);
	return err < 0 ? fail(&p->ctx, err, "cannot write a temporary file: %s",
			      strerror(-err))
		       : 0;
}

int spill_some(struct ff_profile *p)
{
	const struct collected *c = &p->collected;
	size_t most = p->parts.stacks ? p->parts.stacks : PART_MOST;

	return may_spill(p) && c->trie.count + c->blocks.cells.count > most
		       ? spill_stacks(p)
		       : 0;
}

int spill_rest(struct ff_profile *p)
{
	if (!p->spill.starts.count)
		return 0;
	/* No frame comes any more. */
	hash_release(&p->collected.frames.by_key);
	return trie_is_empty(&p->collected.trie) ? 0 : spill_stacks(p);
}

/* One of the parts in place of the profile's tree, and to a temporary file. */
static int write_part(struct ff_profile *p, size_t i, const struct tree_source *in,
		      const struct store_facts *facts, struct store_merge_file *ret)
{
	uint64_t at = p->spill.starts.v[i];
	int err = collected_unspill(&p->collected, p->spill.fd, &at), copy;
	FILE *out = NULL;
	struct stat st;

	if (err < 0 && err != -ENOMEM)
		return fail(&p->ctx, err, "cannot read a temporary file: %s",
			    strerror(-err));
	if (err == 0)
		err = make_named(p, NULL, 1);
	if (err == 0)
		err = place_samples(p, NULL);
	if (err < 0)
		return fail_memory(&p->ctx);
	/* It is in the file of its own. */
	trie_release(&p->collected.trie);
	*ret = (struct store_merge_file){ .path = "a temporary file",
					  .fd = store_temporary(&p->ctx) };
	if (ret->fd < 0)
		return ret->fd;
	copy = dup(ret->fd);
	out = copy < 0 ? NULL : fdopen(copy, "w");
	if (!out) {
		if (copy >= 0)
			close(copy);
		return fail_memory(&p->ctx);
	}
	err = store_write_tree(&p->ctx, in, facts, out);
	if (fclose(out) != 0 && err == 0)
		err = fail(&p->ctx, -errno, "cannot write a temporary file: %s",
			   strerror(errno));
	if (fstat(ret->fd, &st) == 0)
		ret->size = (uint64_t)st.st_size;
	return err;
}

int spill_write(struct ff_profile *p, const struct tree_source *in,
		const struct store_facts *facts, FILE *out)
{
	static const struct store_origin none;
	struct store_facts of_part = *facts;
	struct store_merge_job job = { .origin = facts->origin,
				       .strings = facts->strings,
				       .threads = 1,
				       .plain = facts->plain };
	struct named own = p->named;
	int err = 0;

	of_part.origin = &none;
	of_part.plain = true;
	job.files = calloc(p->spill.starts.count, sizeof(*job.files));
	if (!job.files)
		return fail_memory(&p->ctx);
	p->named = (struct named){ 0 };
	while (job.count < p->spill.starts.count && err == 0) {
		job.files[job.count].fd = -1;
		err = write_part(p, job.count, in, &of_part, &job.files[job.count]);
		named_release(&p->named);
		time_blocks_clear(&p->collected.blocks);
		job.count++;
	}
	trie_release(&p->collected.trie);
	p->named = own;
	if (err == 0)
		err = store_merge(&p->ctx, &job, out);
	for (size_t i = 0; i < job.count; i++) {
		if (job.files[i].fd >= 0)
			close(job.files[i].fd);
		free(job.files[i].why);
	}
	free(job.files);
	return err;
}

void spill_release(struct ff_profile *p)
{
	if (p->spill.starts.count)
		close(p->spill.fd);
	array_release(&p->spill.starts);
}
