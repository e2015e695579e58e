#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include <flamefold.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/context.h"
#include "base/perf_abi.h"
#include "base/text.h"

/*
 * This machine, now -> bytes of records.
 *
 * perf events are opened, their rings mapped and drained, and what they give is handed out
 * as perf writes it to a pipe: records as the kernel made them, and at the end of each pass
 * over all rings the word that a round is over. What ran before is told by records of the
 * same kinds, made from /proc; they come before the first round ends.
 *
 *	ring 0   S S M S     drained at least every 100 ms
 *	ring 1   S C S       -->  K K K S S M S S C S |round| S S X ...
 */

/* How one of the events is recorded, where the options of all do not say it. */
struct live_asked {
	bool every; /* each time it happens */
	bool no_chain;
	bool is_apart; /* the same event is asked for once more, for others of them */
	const char *filter; /* in the kernel's words: others are left out; "": none are */
	/* Fields of it that name threads: where it is of no use unless one of them is of a thread
	 * that was asked for. NULL: it is told by its own thread, or not at all. */
	const char *threads[2];
	bool any_thread; /* it is of use whomever it names, but for us */
	bool optional; /* where it is not permitted the run does without; not all */
	/* Of a uprobe: bits 0 to 5: the function's arguments, bit 6: what it returns. */
	uint8_t registers;
};

enum { LIVE_USUAL_RATE = 99 }; /* samples a second, where none was asked for */
struct live_probed;

/* What was asked for; borrowed until live_close(). */
struct live_options {
	struct ff_record_options record; /* of a mode, with the events that it needs */
	const struct live_asked *asked; /* of each event; NULL: as the options say */
	const struct live_probed *probed; /* NULL: looked for, where an event needs it */
	/* Events are opened on whole processors, whoever was asked for: live_asked_for() */
	bool everywhere;
	/* Two events are one group: the second one is counted, and read with each sample of the
	 * first one. Where the kernel has none of such, each is sampled on its own. */
	bool group;
	bool switches; /* when threads go on a processor, and off it: SWITCH records */
	uint32_t readers; /* threads that empty rings; 0: by the number of processors */
};

/* The fields that every event of a live run has; those of them at the end of other records,
 * in this order: u32 pid, tid; u64 time; u32 cpu, 0; u64 id. */
#define LIVE_SAMPLE_TYPE                                                                 \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |  \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* And where a sample has its time, behind head, u64 id, ip and u32 pid, tid. */
enum { LIVE_SAMPLE_TIME = RECORD_HEAD + 24 };

struct live_trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

/*
 * A line of a process's perf-PID.map that was written over code which had run, as a record: an MMAP2 of
 * memory without a file, "//anon", as perf has it, and behind that name the line's. The inode is
 * where the line ends in the file, and the generation says that it is one.
 */
#define LIVE_LINE_GENERATION 0x656e696c2070616dull /* "map line" */
struct live_line {
	uint32_t pid;
	uint64_t time; /* ns of CLOCK_MONOTONIC */
	uint64_t start, size; /* of the code */
	uint64_t offset; /* in the file, behind its end */
	const char *name;
	size_t name_size; /* a longer one than the kernel's paths is cut */
};
struct bytes;
/* Appends it; bytes.failed where there is no memory. */
void live_add_line(struct bytes *to, const struct live_line *line);

/* An event as it was opened. */
struct live_opened {
	struct perf_event_attr attr;
	const char *name;
	const uint64_t *ids;
	size_t id_count;
	bool is_probe; /* whose registers are values */
};

/* What can be said at any time. */
struct live_counts {
	uint64_t records, bytes;
	uint64_t lost; /* records the kernel dropped; once the run is over: all of them */
	size_t cpu_count; /* one more than the highest number of a processor */
	uint64_t rounds;
	unsigned
		fullest; /* percent: the fullest a ring was when it was drained, lately */
	unsigned left; /* percent of the fullest ring when the events were stopped */
	size_t ring_size;
	size_t rings;
};

struct live;

/* Opens events and maps rings; a command is forked and held. Nothing runs yet. Less than
 * was asked for is said with warn(). */
int live_open(struct context *ctx, const struct live_options *options, struct live **ret);
void live_close(struct live *l); /* NULL is fine */

/* The events, valid until live_close(); their ids until live_adapt(). */
const struct live_opened *live_events(const struct live *l, size_t *count);

/* With live_options.everywhere: the threads that were asked for, as they were at the beginning.
 * False: all of them. */
bool live_asked_for(const struct live *l, const pid_t **ret, size_t *count);

/* With live_options.everywhere: thread @tid has begun, one that @counts or another one. True: filters of the kernel
 * leave out what it does, or soon will what others do that count. */
bool live_leaves_out(const struct live *l, pid_t tid, bool counts);

/* Filters of the kernel let all threads pass from now on. Between two passes. 1: the ids of live_events() are
 * more; 0, or a negative errno. */
int live_widen(struct context *ctx, struct live *l);

/* What "libc" is in the names of probes, "uprobe:libc:malloc": files of who is asked for. 0, or
 * -ENOMEM. */
int live_probed_find(struct context *ctx, const struct ff_record_options *options,
		     struct live_probed **ret);
void live_probed_free(struct live_probed *probed); /* NULL is fine */
/* The next file after @path, NULL: the first one; NULL: there are no more. */
const char *live_probed_next(const struct live_probed *probed, const char *path);

/* Is there such an event? 1; 0 with a sentence, or a negative errno. @probed: NULL is fine. */
int live_has_event(struct context *ctx, const char *words,
		   const struct live_probed *probed);

/* Samples hold what is needed to find the caller of a leaf, and chains do not have it. */
bool live_fixes_leaves(const struct live *l);

/* How stacks are recorded, which FF_RECORD_AUTO leaves open; and the bytes that are copied of each. */
enum ff_record_chain live_chain(const struct live *l, uint32_t *stack_size);

/* Samples a second that are aimed at now; 0: there is a fixed period. */
uint64_t live_frequency(const struct live *l);

/* Enables the events, lets the command run, and starts to read what is there already. */
int live_start(struct context *ctx, struct live *l);

/* Samples of @time (ns of CLOCK_MONOTONIC) and later are not handed out: where they come faster
 * than they are used, live_stop() is called long after that. */
void live_until(struct live *l, uint64_t time);

/*
 * A thread of its own watches for the end: when the time of live_until() has come, or @wake
 * (an fd) is readable, the events are stopped at once, whatever the caller is busy with.
 * Where samples come faster than they are used its turn may not come for a minute. With
 * @end_command, what makes @wake readable ends the command as well. After live_start().
 */
int live_watch(struct context *ctx, struct live *l, int wake, bool end_command);

/* Every event is stopped: what is in the rings is the rest. Safe to call twice. */
void live_stop(struct live *l);

enum live_kind { LIVE_RECORD, LIVE_ROUND };
struct live_record {
	enum live_kind kind;
	const uint8_t *bytes; /* LIVE_RECORD, with its head; until the next call */
	uint32_t size;
};

/*
 * 1 and what comes next; 0 where nothing is there now, and live_wait() should be called;
 * or a negative errno. Once live_stop() was called 0 is the end.
 */
int live_next(struct context *ctx, struct live *l, struct live_record *ret);

/* Until a ring is worth draining, @ms have gone by, or @wake (an fd, -1: none) is readable. */
int live_wait(struct context *ctx, struct live *l, int ms, int wake);

/* The command has ended, or none of the processes is left. */
bool live_ended(struct live *l);

/* Tells the command to end, by SIGTERM, unless it was told. */
void live_end_command(struct live *l);

/* A command that was told to end is waited for, a second at the most. Its pid where it goes
 * on all the same, else 0. */
pid_t live_unended_command(struct live *l);

/* Of the command that has ended; as a shell says it. -1: there is none, or it runs. */
int live_exit_status(const struct live *l);

void live_count(const struct live *l, struct live_counts *ret);
uint64_t live_lost_on(const struct live *l, size_t cpu); /* of those that were lost */

/*
 * Records are lost: asks for less, by the next rung of a ladder, and says so with warn():
 *
 *	1. rings four times as large, as far as the kernel allows, up to 64 MiB each
 *	2. half the bytes of each stack, down to 1 KiB (FF_RECORD_DWARF, FF_RECORD_AUTO)
 *	3. half the rate, down to 10 Hz, of events whose rate was not asked for between slashes
 *
 * The second and the third open events anew, which is for all processes or a cgroup only: the
 * ids of live_events() are more then. 0, -ERANGE where nothing is left, which is said once, or
 * another negative errno.
 */
int live_adapt(struct context *ctx, struct live *l);

/*
 * Processors that went offline and came back, or came anew, are sampled from now on, and that is
 * said with warn(). About once a second, between two passes. 1: the ids of live_events() are more.
 */
int live_keep_cpus(struct context *ctx, struct live *l);

/* Says which are away when the run ends. */
void live_tell_away(struct context *ctx, struct live *l);

/* Records were lost, and @samples were not: adds what would lose fewer to @ret, as options of
 * the command, or nothing. Only what is left to ask less of; @adapting: live_adapt() was used
 * already. */
void live_remedies(const struct live *l, uint64_t samples, bool adapting,
		   struct text *ret);

/* @needed files have to be open at once: the command that allows them, in @room. */
#define FILES_HINT_ROOM 64
const char *live_files_hint(size_t needed, char room[FILES_HINT_ROOM]);

#endif
