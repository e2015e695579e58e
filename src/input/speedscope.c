/*
 * speedscope's files are JSON: a list of frames that profiles share, and profiles, mostly one of each
 * thread. Keys come in any order, so places of values are looked up first, and read then.
 *
 *	"shared": {"frames": [{"name", "file", "line"}, ...]}	-> locations, of one frame each
 *	"profiles": [{"type": "sampled", "samples": [[0, 1], ...], "weights": [...]},
 *		     {"type": "evented", "events": [{"type": "O" | "C", "frame", "at"}, ...]}]
 *
 * Stacks begin at the root. Between two events passes time, which is the weight of what is open then: an
 * opened frame is a node below the one that was, so stacks share what they have in common. What a profile
 * is called is the name of its thread, where there are several.
 */
#include "input/speedscope.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "input/json_reader.h"

enum {
	OPEN_MOST = 1 << 12, /* frames in each other, of those that open and close */
	EVENTS_UNITS = 3, /* counts, time, bytes */
	FIRST_THREAD = 1, /* threads have no numbers in such files */
};

/* Of weights and times: what a double tells from more. */
static const double MOST = 1e18;

enum value_unit { UNIT_COUNT, UNIT_TIME, UNIT_BYTES };

struct speedscope_reader {
	struct input *in;
	struct listed *listed;
	struct json_reader json; /* where something is wrong, if there is */
	struct text name;
	size_t frames; /* that are shared: locations */
	uint64_t left_out; /* samples that weigh less than nothing, or rounded nothing */
	int event_of[EVENTS_UNITS]; /* -1: none yet */
	/* Of the profile at hand. */
	uint32_t thread;
	uint16_t event;
	double scale; /* a value is so many of the event's unit */
	bool is_timed;
};

/* A list of keys, and where their values begin. */
struct json_place {
	const char *key, *at;
};

static void find_places(struct json_reader *j, struct json_place *places, size_t count)
{
	for (bool more = json_begin(j, '{'); more && json_next(j, '}') && !j->why;) {
		json_peek(j);
		for (size_t i = 0; i < count; i++)
			if (json_key_is(j, places[i].key))
				places[i].at = j->at;
		json_read_past(j);
	}
}

static struct json_reader reader_at(const struct json_reader *j, const char *at)
{
	return json_reader_of(at, (size_t)(j->end - at));
}

bool speedscope_begins(const char *text, size_t size)
{
	struct json_reader j = json_reader_of(text, size);

	return json_peek(&j) == '{' && json_begin(&j, '{') && json_next(&j, '}');
}

static int refuse_speedscope(struct context *ctx, const struct speedscope_reader *r)
{
	const char *why = r->json.why ? r->json.why : "it is cut";

	return fail(ctx, -EBADMSG,
		    "'%s' is not a whole profile of speedscope: %s at byte %zu",
		    r->in->file.path, why,
		    (size_t)((const uint8_t *)r->json.at - r->listed->bytes));
}

/* What is wrong is remembered where it was found. */
static bool went_wrong(struct speedscope_reader *r, const struct json_reader *j)
{
	if (!j->why)
		return false;
	r->json = *j;
	return true;
}

static int read_shared_frames(struct context *ctx, struct speedscope_reader *r,
			      struct json_reader j)
{
	struct text file = { 0 };
	int err = 0;

	for (bool more = json_begin(&j, '['); more && err == 0 && json_next(&j, ']');) {
		struct listed_frame frame = { 0 };
		uint32_t number;
		double line = 0;

		text_clear(&r->name);
		text_clear(&file);
		for (bool in = json_begin(&j, '{'); in && json_next(&j, '}') && !j.why;) {
			if (json_key_is(&j, "name"))
				json_read_string(&j, &r->name);
			else if (json_key_is(&j, "file") && json_peek(&j) == '"')
				json_read_string(&j, &file);
			else if (json_key_is(&j, "line") && json_peek(&j) == '-')
				line = json_read_number(&j);
			else
				json_read_past(&j);
		}
		if (j.why)
			break;
		frame.name = (struct printed_part){ r->name.bytes, r->name.size };
		frame.file = (struct printed_part){ file.bytes, file.size };
		frame.line = line > 0 && line < INT32_MAX ? (uint64_t)line : 0;
		err = listed_add_location(ctx, r->in, &number);
		if (err == 0)
			err = listed_add_frame(ctx, r->in, &frame);
	}
	text_release(&file);
	r->frames = r->listed->locations.count;
	return went_wrong(r, &j) ? refuse_speedscope(ctx, r) : err;
}

/* The frame's location; what is not among the shared ones is wrong. */
static uint32_t read_frame_number(struct speedscope_reader *r, struct json_reader *j)
{
	double number = json_read_number(j);

	if (number >= 0 && number < (double)r->frames && number == floor(number))
		return (uint32_t)number;
	json_fail(j, "a frame is not among the shared ones");
	return 0;
}

static int add_weight(struct context *ctx, struct speedscope_reader *r, uint32_t node,
		      double weight, double at)
{
	struct listed_sample sample = {
		.node = node,
		.thread = r->thread,
		.event = r->event,
		.times = 1,
		.time = !r->is_timed ? r->listed->samples.count
			: at > 0     ? (uint64_t)fmin(round(at * r->scale), MOST)
				     : 0,
	};

	/* Where nothing runs nothing weighs. */
	if (node == 0 || weight == 0)
		return 0;
	weight = round(weight * r->scale);
	if (weight < 1) {
		r->left_out++;
		return 0;
	}
	if (weight > MOST)
		return fail(ctx, -EBADMSG,
			    "'%s' is not a profile of speedscope: a weight is too large",
			    r->in->file.path);
	sample.weight = (uint64_t)weight;
	return listed_add_sample(ctx, r->in, &sample);
}

static int read_sampled(struct context *ctx, struct speedscope_reader *r,
			struct json_reader samples, struct json_reader weights, double at)
{
	bool more = json_begin(&samples, '[') && json_begin(&weights, '[');
	int err = 0;

	while (more && err == 0 && json_next(&samples, ']')) {
		uint32_t node = 0;
		double weight;

		if (!json_next(&weights, ']')) {
			json_fail(&samples, "there are fewer weights than samples");
			break;
		}
		weight = json_read_number(&weights);
		for (bool in = json_begin(&samples, '[');
		     in && err == 0 && json_next(&samples, ']');) {
			uint32_t location = read_frame_number(r, &samples);

			if (samples.why)
				break;
			err = listed_add_node(ctx, r->in,
					      (struct listed_node){ node, location },
					      &node);
		}
		if (samples.why || weights.why)
			break;
		if (err == 0)
			err = add_weight(ctx, r, node, weight, at);
		at += weight;
	}
	if (err < 0)
		return err;
	if (!samples.why && !weights.why && json_next(&weights, ']'))
		json_fail(&weights, "there are more weights than samples");
	return went_wrong(r, &samples) || went_wrong(r, &weights)
		       ? refuse_speedscope(ctx, r)
		       : 0;
}

static int read_evented(struct context *ctx, struct speedscope_reader *r,
			struct json_reader j, double start)
{
	struct listed *l = r->listed;
	uint32_t node = 0, too_deep = 0, depth = 0;
	double before = start;
	int err = 0;

	for (bool more = json_begin(&j, '['); more && err == 0 && json_next(&j, ']');) {
		double at = NAN;
		char type = 0;
		uint32_t location = 0;
		bool has_frame = false;

		for (bool in = json_begin(&j, '{'); in && json_next(&j, '}') && !j.why;) {
			if (json_key_is(&j, "type")) {
				json_read_string(&j, &r->name);
				type = r->name.size == 1 ? *r->name.bytes : 0;
			} else if (json_key_is(&j, "frame")) {
				location = read_frame_number(r, &j);
				has_frame = true;
			} else if (json_key_is(&j, "at")) {
				at = json_read_number(&j);
			} else {
				json_read_past(&j);
			}
		}
		if (!j.why && (!(at >= before) || (type != 'O' && type != 'C')))
			json_fail(&j, !(at >= before)
					      ? "an event is before the last one"
					      : "an event neither opens nor closes");
		if (!has_frame)
			json_fail(&j, "an event has no frame");
		if (!j.why && type == 'C' &&
		    (!node || (!too_deep && l->nodes.v[node].location != location)))
			json_fail(&j, "an event closes what is not open");
		if (j.why)
			break;
		err = add_weight(ctx, r, node, at - before, before);
		before = at;
		if (err < 0)
			break;
		if (type == 'O' && depth == OPEN_MOST) {
			too_deep++;
		} else if (type == 'O') {
			err = listed_add_node(ctx, r->in,
					      (struct listed_node){ node, location },
					      &node);
			depth++;
		} else if (too_deep) {
			too_deep--;
		} else {
			node = l->nodes.v[node].parent;
			depth--;
		}
	}
	return went_wrong(r, &j) ? refuse_speedscope(ctx, r) : err;
}

/* The event that its values are of. */
static int choose_unit(struct context *ctx, struct speedscope_reader *r,
		       struct json_reader *j)
{
	static const struct {
		const char *name;
		enum value_unit unit;
		double scale;
	} units[] = {
		{ "none", UNIT_COUNT, 1 },	    { "nanoseconds", UNIT_TIME, 1 },
		{ "microseconds", UNIT_TIME, 1e3 }, { "milliseconds", UNIT_TIME, 1e6 },
		{ "seconds", UNIT_TIME, 1e9 },	    { "bytes", UNIT_BYTES, 1 },
	};
	static const char *const names[] = { "samples", "time", "space" };
	static const char *const unit_names[] = { "samples", "ns", "bytes" };
	size_t i = 0;
	int err = 0;

	json_read_string(j, &r->name);
	while (i < sizeof(units) / sizeof(*units) &&
	       strcmp(r->name.bytes ? r->name.bytes : "", units[i].name) != 0)
		i++;
	if (i == sizeof(units) / sizeof(*units)) {
		json_fail(j, "a unit is unknown");
		return 0;
	}
	r->scale = units[i].scale;
	r->is_timed = units[i].unit == UNIT_TIME;
	r->in->rec.has_no_times &= !r->is_timed;
	if (r->event_of[units[i].unit] < 0) {
		const char *name = names[units[i].unit];

		err = listed_add_event(ctx, r->in,
				       (struct printed_part){ name, strlen(name) },
				       unit_names[units[i].unit]);
		r->event_of[units[i].unit] = (int)r->in->rec.events.count - 1;
	}
	r->event = (uint16_t)r->event_of[units[i].unit];
	return err;
}

enum {
	PLACE_TYPE,
	PLACE_NAME,
	PLACE_UNIT,
	PLACE_START,
	PLACE_SAMPLES,
	PLACE_WEIGHTS,
	PLACE_EVENTS,
	PLACES
};

/* @alone: there is no other one, so its name is no thread's. */
static int read_profile(struct context *ctx, struct speedscope_reader *r,
			struct json_place *places, bool alone)
{
	struct json_reader *j = &r->json, value;
	double start = 0;
	int err;

	if (!places[PLACE_UNIT].at ||
	    !(places[PLACE_EVENTS].at ||
	      (places[PLACE_SAMPLES].at && places[PLACE_WEIGHTS].at))) {
		json_fail(j, "a profile has no unit, samples and weights, or events");
		return refuse_speedscope(ctx, r);
	}
	value = reader_at(j, places[PLACE_UNIT].at);
	err = choose_unit(ctx, r, &value);
	r->thread = LISTED_NOBODY;
	if (err == 0 && !alone && places[PLACE_NAME].at) {
		struct listed_thread thread = { 0 };
		struct json_reader name = reader_at(j, places[PLACE_NAME].at);

		json_read_string(&name, &r->name);
		if (went_wrong(r, &name))
			return refuse_speedscope(ctx, r);
		thread.tid = thread.pid =
			FIRST_THREAD + (uint32_t)r->listed->threads.count;
		if (r->name.size &&
		    listed_add_name(ctx, r->in,
				    (struct printed_part){ r->name.bytes, r->name.size },
				    &thread.comm) < 0)
			return -ENOMEM;
		err = listed_add_thread(ctx, r->in, thread, &r->thread);
	}
	if (went_wrong(r, &value))
		return refuse_speedscope(ctx, r);
	if (err < 0)
		return err;
	if (places[PLACE_START].at) {
		value = reader_at(j, places[PLACE_START].at);
		start = json_read_number(&value);
	}
	if (went_wrong(r, &value))
		return refuse_speedscope(ctx, r);
	if (places[PLACE_EVENTS].at)
		return read_evented(ctx, r, reader_at(j, places[PLACE_EVENTS].at), start);
	return read_sampled(ctx, r, reader_at(j, places[PLACE_SAMPLES].at),
			    reader_at(j, places[PLACE_WEIGHTS].at), start);
}

/* In files of flamefold the first profile is that of all, and the others are parts of it. */
static bool is_of_all(struct speedscope_reader *r, const struct json_place *exporter,
		      const struct json_place *name)
{
	struct json_reader j;
	bool ours;

	if (!exporter->at || !name->at)
		return false;
	j = reader_at(&r->json, exporter->at);
	json_read_string(&j, &r->name);
	ours = !j.why && r->name.size >= 9 && memcmp(r->name.bytes, "flamefold", 9) == 0;
	j = reader_at(&r->json, name->at);
	json_read_string(&j, &r->name);
	return ours && !j.why && r->name.size == 3 &&
	       memcmp(r->name.bytes, "all", 3) == 0;
}

static int parse_speedscope(struct context *ctx, struct input *in, struct listed *l)
{
	struct json_place tops[] = { { "shared", NULL },
				     { "profiles", NULL },
				     { "exporter", NULL } };
	struct json_place frames = { "frames", NULL };
	struct speedscope_reader r = { .in = in,
				       .listed = l,
				       .event_of = { -1, -1, -1 } };
	struct json_reader list, ahead;
	bool all = false;
	int err = 0;

	r.json = json_reader_of((const char *)l->bytes, l->size);
	find_places(&r.json, tops, 3);
	if (!r.json.why && !(tops[0].at && tops[1].at))
		json_fail(&r.json, "it has no frames or no profiles");
	if (!r.json.why) {
		ahead = reader_at(&r.json, tops[0].at);
		find_places(&ahead, &frames, 1);
		if (!frames.at)
			json_fail(&ahead, "there is no list of frames");
		went_wrong(&r, &ahead);
	}
	if (r.json.why)
		return refuse_speedscope(ctx, &r);
	err = read_shared_frames(ctx, &r, reader_at(&r.json, frames.at));
	list = reader_at(&r.json, tops[1].at);
	for (bool more = json_begin(&list, '['), first = true;
	     more && err == 0 && !all && json_next(&list, ']'); first = false) {
		struct json_place places[PLACES] = {
			{ "type", NULL },	{ "name", NULL },    { "unit", NULL },
			{ "startValue", NULL }, { "samples", NULL }, { "weights", NULL },
			{ "events", NULL },
		};
		bool alone;

		find_places(&list, places, PLACES);
		if (list.why)
			break;
		all = first && is_of_all(&r, &tops[2], &places[PLACE_NAME]);
		alone = all || (first && json_peek(&list) == ']');
		/* A chart is one of threads. */
		alone &= !in->tells_switches;
		err = read_profile(ctx, &r, places, alone);
	}
	text_release(&r.name);
	if (err == 0 && went_wrong(&r, &list))
		err = refuse_speedscope(ctx, &r);
	if (err == 0 && r.left_out)
		warn(ctx,
		     "'%s': left out %llu samples whose weights are below zero, or "
		     "nearer "
		     "to zero than to one",
		     in->file.path, (unsigned long long)r.left_out);
	return err;
}

int speedscope_open(struct context *ctx, struct input *in, bool *is)
{
	struct json_place tops[] = { { "shared", NULL }, { "profiles", NULL } };
	struct json_reader j;
	struct listed *l;
	int err = listed_read(ctx, in, &l);

	*is = false;
	if (err < 0)
		return err;
	/* It may be anything in JSON. One that is cut has told by then. */
	j = json_reader_of((const char *)l->bytes, l->size);
	find_places(&j, tops, 2);
	*is = (tops[0].at && tops[1].at) ||
	      memmem(l->bytes, l->size, "speedscope.app/file-format-schema", 33);
	if (!*is) {
		listed_free(l);
		return 0;
	}
	l->parse = parse_speedscope;
	in->rec.format = "profile of speedscope";
	in->rec.has_no_times = true; /* until a profile has a unit of time */
	return listed_open(ctx, in, l);
}
