/*
 * Lines that runtimes write into their maps over code which has run (process/map_tail.c). Each becomes
 * a record, which is read as those from the rings are, and saved with them: who reads the saved
 * file has the same timeline.
 */
#include "engine/map_lines.h"

#include <time.h>

#include "base/bytes.h"
#include "live/live.h"

static int hold_growth(void *arg, const struct map_growth *growth)
{
	struct stream_run *s = arg;
	uint64_t time = growth->time;

	/* A look is at what was written since the last one. */
	if (time < s->looked)
		time = s->looked;
	/* What was delivered has gone: a line before it could not be put in order any
	 * more. */
	if (time < s->rounds.delivered)
		time = s->rounds.delivered;
	return rounds_add(&s->rounds, time, TAG_GROWTH, growth, sizeof(*growth));
}

int map_lines_look(struct stream_run *s)
{
	struct ff_profile *p = s->job->p;
	struct timespec now = { 0 };

	/* Kernels before 4.1 have another one for samples. */
	if (s->job->rec->events.v[0].clock != CLOCK_MONOTONIC)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (images_look_at_maps(&p->images, hold_growth, s) < 0)
		return fail_memory(&p->ctx);
	/* The time before the look, not after it: what is written meanwhile belongs to
	 * the next one. */
	s->looked = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	return 0;
}

static int deliver_map_line(void *arg, const struct map_line *line, const char *name,
			    size_t size)
{
	struct stream_run *s = arg;
	struct ff_profile *p = s->job->p;
	struct stream_item item;
	struct bytes bytes = { 0 };
	int err;

	/* As bytes of a record, so that there is one way in for both, and the saved file
	 * has the same. */
	live_add_line(&bytes, &(struct live_line){ .pid = line->owner,
						   .time = line->time,
						   .start = line->start,
						   .size = line->end - line->start,
						   .offset = line->offset,
						   .name = name,
						   .name_size = size });
	err = bytes.failed ? fail_memory(&p->ctx)
			   : input_take(&p->ctx, s->job->in, bytes.v,
					(uint32_t)bytes.count, &item);
	if (err > 0)
		err = processes_apply(s->job->processes, &item.record) < 0
			      ? fail_memory(&p->ctx)
			      : 0;
	if (err == 0)
		err = stream_run_save_bytes(s, bytes.v, (uint32_t)bytes.count);
	bytes_release(&bytes);
	return err;
}

int map_lines_deliver(struct stream_run *s, const struct round_item *item)
{
	const struct frames *frames = &s->worker.collected.frames;
	struct ff_profile *p = s->job->p;
	struct map_growth growth;
	int err;

	/* Which code has run: each of its addresses is a frame. */
	for (; s->frames_noted < frames->list.count; s->frames_noted++) {
		const struct frame *frame = &frames->list.v[s->frames_noted];

		if (images_ran(&p->images, frame->image, frame->address) < 0)
			return fail_memory(&p->ctx);
	}
	memcpy(&growth, item->bytes, sizeof(growth));
	growth.time = item->time;
	err = images_take_lines(&p->images, &growth, deliver_map_line, s);
	return err == -ENOMEM ? fail_memory(&p->ctx) : err;
}
