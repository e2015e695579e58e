/*
 * The second pass over a file: its samples, in chunks, by any number of workers. Which chunk
 * a worker gets is chance, and what they have together is the same whatever they got.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "engine/job.h"

static int take_chunk(void *arg, size_t chunk, size_t worker)
{
	struct input_job *j = arg;
	struct worker *w = &j->workers[worker];
	uint64_t damaged = 0;
	struct sample sample;
	int err;

	chunk += j->first_chunk;
	err = sample_reader_start(&w->ctx, w->reader, chunk);
	if (err < 0)
		return err;
	while ((err = sample_next(&w->ctx, w->reader, &sample, &damaged)) > 0) {
		w->found += sample_times(&sample);
		err = worker_take(w, &sample);
		if (err < 0)
			break;
	}
	weight_sum_damaged(&w->collected.sum, damaged);
	w->found += damaged;
	/* The least of all chunks: chunks come to workers in any order. */
	if (sample_reader_damaged_at(w->reader) < w->damaged_at)
		w->damaged_at = sample_reader_damaged_at(w->reader);
	atomic_fetch_add(&j->chunks_done, 1);
	/* The caller's thread is worker 0. */
	if (worker == 0)
		show_progress(j->p, "reading samples", atomic_load(&j->chunks_done),
			      input_chunks(j->in));
	return err;
}

/*
 * No sample is left to be read that is older than @until. What was deferred before that is settled among
 * the first worker's stacks, so that what waits is no more than the recorder's rounds overlap,
 * and what workers read at once.
 */
static int settle_so_far(struct input_job *j, uint64_t until)
{
	struct collected *first = &j->workers[0].collected;

	for (size_t i = 1; i < j->threads; i++) {
		struct worker *w = &j->workers[i];
		size_t more = w->collected.trie.count - w->handed.count;

		if (!array_reserve(&w->handed, more))
			return fail_memory(&j->p->ctx);
		memset(w->handed.v + w->handed.count, 0, more * sizeof(*w->handed.v));
		w->handed.count += more;
		if (collected_hand_over(first, &w->collected, w->handed.v) < 0)
			return fail_memory(&j->p->ctx);
	}
	return settle_deferred(j, first, until);
}

int read_samples(struct input_job *j)
{
	enum { OF_SEVERAL = 8 };
	size_t threads = profile_threads(j->p), chunks = input_chunks(j->in);
	size_t at_once = chunks;
	uint64_t found = 0, damaged_at = UINT64_MAX;
	int err = 0;

	/* A worker without a chunk would only cost its memory; one there is, if only to
	 * be merged. */
	j->threads = threads < chunks ? threads : chunks ? chunks : 1;
	j->workers = calloc(j->threads, sizeof(*j->workers));
	if (!j->workers)
		return fail_memory(&j->p->ctx);
	for (size_t i = 0; i < j->threads && err == 0; i++)
		err = worker_start(j, &j->workers[i]);
	if (err < 0)
		return err;
	/* Those that are read before what they have deferred is settled, as far as that can be. Each
	 * time the workers wait for each other, so several have more of them. */
	if (j->pairing.is_bound && !j->pairing.rule.of_samples)
		at_once = j->threads > 1 ? j->threads * OF_SEVERAL : 1;
	while (err == 0 && j->first_chunk < chunks) {
		size_t count = chunks - j->first_chunk;

		count = at_once < count ? at_once : count;
		err = parallel_run(j->threads, count, take_chunk, j);
		j->first_chunk += count;
		if (err == 0 && j->first_chunk < chunks)
			err = settle_so_far(j, input_oldest_from(j->in, j->first_chunk));
	}
	/* The first worker that failed says why. */
	for (size_t i = 0; i < j->threads && err < 0; i++)
		if (j->workers[i].ctx.error[0]) {
			memcpy(j->p->ctx.error, j->workers[i].ctx.error,
			       sizeof(j->p->ctx.error));
			break;
		}
	if (err < 0)
		return err;
	for (size_t i = 0; i < j->threads; i++) {
		worker_finish(&j->workers[i]);
		found += j->workers[i].found;
		if (j->workers[i].damaged_at < damaged_at)
			damaged_at = j->workers[i].damaged_at;
	}
	/* Both passes have read the same; else it is said, and what this one has not found is
	 * lost, as other damaged records are. */
	if (found == j->rec->samples &&
	    (damaged_at == UINT64_MAX || j->rec->truncated_at))
		return 0;
	j->input->changed = true;
	if (found < j->rec->samples)
		weight_sum_damaged(&j->workers[0].collected.sum, j->rec->samples - found);
	return input_note_change(&j->p->ctx, j->in, found, damaged_at);
}

void workers_release(struct input_job *j)
{
	for (size_t i = 0; j->workers && i < j->threads; i++)
		worker_release(&j->workers[i]);
	free(j->workers);
	j->workers = NULL;
}
