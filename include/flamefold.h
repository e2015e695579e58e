/*
 * libflamefold: perf samples in, flame graph out.
 *
 * A profile is one analysis: its options, its inputs and the tree they make. Everything the library
 * returns belongs to the profile and is valid until ff_profile_free(). Functions return 0, or a negative
 * errno; ff_profile_error() then says what went wrong, with the file and the offset. The library
 * keeps no global state, prints nothing and never exits: use one profile per thread.
 *
 *	ff_profile_new(&p, &options);
 *	ff_profile_read(p, "perf.data");	any number of inputs: they are added up
 *	ff_profile_finish(p);			addresses get their names
 *	ff_write_svg(p, NULL, stdout);
 *	ff_profile_free(p);
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef FLAMEFOLD_H
#define FLAMEFOLD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FF_API __attribute__((visibility("default")))
#else
#define FF_API
#endif

struct ff_profile;
struct ff_input;
struct ff_node;
struct ff_event;
struct ff_object;
struct ff_sample;
struct ff_process;
struct ff_finding;

/* Of this header, and of the library that the program runs with: who needs them to be the
 * same compares the two. */
#define FF_VERSION "0.1.0"
FF_API const char *ff_version(void);

/* Names and paths are bytes as somebody recorded them, in UTF-8 or not: how many of them are
 * the character that @text begins with. 0 where it begins with none, at its end, too. */
FF_API size_t ff_utf8_size(const char *text);

/* How far the words are apart, for those who ask "did you mean ...?": letters left out, added,
 * replaced or swapped with their neighbour. Case does not count; UINT_MAX where a word has more
 * than 64 bytes. */
FF_API unsigned ff_edit_distance(const char *a, size_t a_size, const char *b,
				 size_t b_size);

/*
 * For a program: libdw, which reads debug information, may crash where there is no memory, or at
 * what was made to make it crash. With this, which sets handlers for SIGSEGV, SIGBUS, SIGFPE and
 * SIGABRT where there are none, an access next to address 0 there costs the functions that were
 * inlined in one object, with a warning, and anything else ends the process with a sentence and
 * _exit(1). Elsewhere these signals do what they did before.
 */
FF_API void ff_catch_crashes(void);

/* What a sample adds to its stack. */
enum ff_count {
	FF_COUNT_PERIOD, /* the event's period: cycles, nanoseconds */
	FF_COUNT_SAMPLES, /* 1 */
};

/* The name of the process frame at the root of every stack. */
enum ff_root {
	FF_ROOT_COMM, /* comm */
	FF_ROOT_PID, /* comm-PID */
	FF_ROOT_TID, /* comm-PID/TID */
};

enum ff_flag {
	/* Frames without a symbol show the recorded pc, of files the offset: [libc.so.6 <8e2f1>]. */
	FF_ADDRS = 1 << 0,
	/* Append _[k] to kernel frames, _[j] to frames of JIT code. */
	FF_MARK_KERNEL = 1 << 1,
	FF_MARK_JIT = 1 << 2,
	/* Names exactly as stackcollapse-perf.pl cuts and brackets them. */
	FF_COMPAT_STACKCOLLAPSE = 1 << 3,
	/* Keep the order of folded text and join equal neighbours only. */
	FF_FLAMECHART = 1 << 4,
	/* Append :file:line where debug information has it. */
	FF_SRCLINE = 1 << 5,
	/* Take the time that unwinding needs: FF_TOTAL_UNWIND_TIME, FF_TOTAL_TABLE_TIME. */
	FF_TIMED = 1 << 6,
	/* Functions whose code was put into another one's. They are in the tree where their
	 * debug information is on this machine; with FF_COMPAT_STACKCOLLAPSE only for
	 * recordings with stack dumps, as in perf 6.1, or where FF_INLINE asks for them. */
	FF_INLINE = 1 << 7,
	FF_NO_INLINE = 1 << 8,
	FF_MARK_INLINED = 1 << 9, /* append _[i] to their names */
	/* Use perf-PID.map and jit-PID.dump whoever owns them, not only the caller's, root's
	 * and the process's owner's. */
	FF_TRUST_MAPS = 1 << 10,
	/* What compilers append where they make several functions of one is left out of
	 * names: f.isra.0, f.part.0, f.constprop.0, f.cold, f.llvm.1 and f.lto_priv.0 are f. */
	FF_MERGE_CLONES = 1 << 11,
	/* Read where functions are declared, for ff_write_svg(); not with FF_NO_INLINE. */
	FF_PLACES = 1 << 12,
	/* Keep each sample of the tree for ff_sample_next(), in 48 bytes; not of live runs. */
	FF_SAMPLES = 1 << 13,
	/* Leave out callers that were not recorded and that the code tells, which are put in otherwise,
	 * and marks where others are missing: FF_INPUT_CALLERS_INFERRED, FF_INPUT_FRAMES_SKIPPED.
	 * FF_COMPAT_STACKCOLLAPSE never has them. */
	FF_NO_INFER = 1 << 14,
	FF_FORCE = 1 << 15, /* take files that provably are not the recorded ones, too */
	FF_LABELS = 1 << 17, /* labels of pprof's samples, as frames at their end */
	FF_VALUES = 1 << 23, /* all values of pprof's samples, to write as pprof */
};

/* What becomes of stacks that do not reach their root: cut by the recorder, or not to be
 * unwound any further. */
enum ff_truncated {
	FF_TRUNCATED_MARK, /* they are below a frame [truncated], next to the process's */
	FF_TRUNCATED_MERGE, /* they are among the others */
	FF_TRUNCATED_DROP, /* their weight is lost: FF_TOTAL_WEIGHT_LOST_TRUNCATED */
};

/* Mangled names: C++, Rust, D. */
enum ff_demangle {
	/* Without parameters, and without arguments of the C++ library's templates that are the
	 * defaults: std::vector<int>::push_back, std::string::append. */
	FF_DEMANGLE_SHORT,
	FF_DEMANGLE_FULL, /* with them, and with what templates return */
	FF_DEMANGLE_NO, /* as they are */
};

/* Code without a symbol, such as that of stripped files. */
enum ff_unnamed {
	/* [libx.so+0x1c40]: the address in the file at which its function begins, where call
	 * frame information says that; else, and with FF_COMPAT_STACKCOLLAPSE, [libx.so]. */
	FF_UNNAMED_FUNCTION,
	FF_UNNAMED_OBJECT, /* [libx.so] */
	FF_UNNAMED_ADDRESS, /* as FF_ADDRS */
};

/* Strings are copied. NULL and 0 are the defaults. */
struct ff_options {
	size_t size; /* of this struct, for compatibility */
	enum ff_count count;
	enum ff_root root;
	unsigned flags; /* of enum ff_flag */
	unsigned threads; /* 0: one per processor */
	unsigned max_stack; /* frames kept of a call chain, leaf first; 0: all */
	const char *event; /* name, pattern or "all"; NULL: the family of the first */
	const char *symfs; /* look for object files below this directory */
	const char *kallsyms; /* NULL: the recording's, or /proc/kallsyms if that fits */
	const char *vmlinux;
	const char *debug_dir; /* NULL: /usr/lib/debug */
	/* One line without newline: a warning, or a note about what was left out. */
	void (*log)(void *arg, const char *line);
	/* @done of @total of @what, called now and then, by one thread at a time: mostly the
	 * one that called the library; @total 0: not known, @done is in bytes. */
	void (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
	void *arg; /* for both */
	/* perf's build-id cache; NULL: ~/.debug, or with symfs .debug below that; "": none */
	const char *build_id_dir;
	/* With FF_COMPAT_STACKCOLLAPSE they are not marked. */
	enum ff_truncated truncated;
	/* Where perf-PID.map and jit-PID.dump of runtimes are; NULL: where they put them. */
	const char *map_dir;
	enum ff_demangle demangle;
	enum ff_unnamed unnamed;
	/* Ask the servers of $DEBUGINFOD_URLS for files that are not here, up to so many seconds
	 * for one; 0: never. Nothing else uses a network. */
	unsigned debuginfod;
	/* Bytes of memory for what the inputs, and files that they name, make large; beyond it the
	 * object, map, process or stack is left out or cut, and FF_FINDING_KIND "memory" tells. Of
	 * this profile alone: who has several gives each its part. 0: a quarter of what there
	 * is for the process. */
	uint64_t memory;
	/* What a stack weighs: the name of an ff_mode, or a rule of one's own (modes.md), which goes
	 * before it. Both NULL: the event's period. Mode wall asks who else runs of the scope:
	 * "process" (NULL), "cgroup", "selected" or "system". "CPI=cycles/instructions": the colour. */
	const char *mode, *pair, *scope, *ratio;
};
/* clang-format off */
#ifdef __cplusplus
#define FF_OPTIONS_INIT { sizeof(struct ff_options) }
#else
#define FF_OPTIONS_INIT { .size = sizeof(struct ff_options) }
#endif
/* clang-format on */

/* What a stack can weigh, from NULL to NULL: they live as long as the program. */
struct ff_mode;
FF_API const struct ff_mode *ff_mode_next(const struct ff_mode *previous);
FF_API const char *ff_mode_name(const struct ff_mode *mode);
FF_API const char *ff_mode_title(const struct ff_mode *mode); /* of a picture */
FF_API const char *ff_mode_question(const struct ff_mode *mode); /* that it answers */
FF_API const char *ff_mode_rule(const struct ff_mode *mode); /* "" of cpu */
FF_API const char *ff_mode_colors(const struct ff_mode *mode); /* a palette */

/* The profile, also where it fails for the options: ff_profile_error() says why.
 * *@ret is NULL only without memory. */
FF_API int ff_profile_new(struct ff_profile **ret, const struct ff_options *options);
FF_API void ff_profile_free(struct ff_profile *p); /* p may be NULL */

/* "" while nothing failed. */
FF_API const char *ff_profile_error(const struct ff_profile *p);

/*
 * Filters, "KEY=VALUE", before the first input is read. Keys: comm, event, cgroup (its
 * path), symbol, dso (PCRE2, unanchored), pid, tid, cpu (lists and ranges, "1,5-9"), time
 * ("START,END" in seconds from the first sample, or "100ms,2s", or "10%-20%"); of a mode state
 * ("DS", as ps has them), duration ("1ms..", "..2s"), kthread ("0", "1"). The same key again: or.
 * Different keys: and. -EINVAL for one that cannot be understood.
 * symbol and dso ask the frames of a stack, when all have their names: one that matches is
 * enough. Of inputs without samples only these can be asked. Processes are not counted
 * anew then, and of FF_TOTAL_SAMPLES_TRUNCATED the reasons are not known any more.
 */
FF_API int ff_profile_only(struct ff_profile *p, const char *filter);
FF_API int ff_profile_drop(struct ff_profile *p, const char *filter);

/*
 * Adds an input: a perf.data or folded text, told apart by content; "-" is standard
 * input. -ENOENT, -EACCES and the like for a file that cannot be read, -EBADMSG for
 * one that is no profile or is damaged beyond use. A damaged one of which something
 * was readable is 0, and a warning.
 */
FF_API int ff_profile_read(struct ff_profile *p, const char *path);

/*
 * The same of what is in memory, or behind a descriptor. @name is what the input is called
 * in messages and by FF_INPUT_PATH; no file of that name is looked for. NULL: "memory",
 * "descriptor 5".
 *
 * The memory is read during the call only. A descriptor stays the caller's: it is not
 * closed. A regular file is read from its beginning, wherever the descriptor stands, which
 * stays there; everything else (a pipe, a socket) from where it stands to its end, and what
 * has to be read twice is kept in an unlinked file in $TMPDIR meanwhile.
 */
FF_API int ff_profile_read_memory(struct ff_profile *p, const void *bytes, size_t size,
				  const char *name);
FF_API int ff_profile_read_fd(struct ff_profile *p, int fd, const char *name);

/* 1 for a perf.data of any form, or a part of one that is a directory: who writes over it has
 * lost it. Told by its first bytes, packed or not. 0: something else, or nothing that could
 * be read. */
FF_API int ff_is_recording(const char *path);

/*
 * Where a file is to be written: its directory, open (O_PATH), and its name there, behind all
 * symbolic links. Who goes on from there (openat, renameat) cannot be led elsewhere by a link
 * that is put in the way meanwhile.
 */
struct ff_place {
	int directory;
	char *name;
	int follow; /* it is a link of /proc, to what has no path: a pipe of a shell's, say */
};

/* 0, nothing need lie there; or a negative errno, and *@why in words: -EACCES for a symbolic
 * link of another user in a directory where everybody may make some. */
FF_API int ff_place_open(const char *path, struct ff_place *ret, const char **why);
FF_API void ff_place_close(struct ff_place *place);

/* For the file that takes the place of what is there: the mode of that where it is the
 * caller's own; else nobody may more than there, and than @usual. */
FF_API unsigned ff_place_mode(const struct ff_place *place, unsigned usual);

/* A descriptor of what is there and no regular file, to write to it; or a negative errno, and
 * *@why: -EACCES for a FIFO of another user in a directory of everybody. */
FF_API int ff_place_open_special(const struct ff_place *place, const char **why);

/* Whom a live run samples. */
enum ff_record_who {
	FF_RECORD_SYSTEM,
	FF_RECORD_PROCESSES,
	FF_RECORD_THREADS,
	FF_RECORD_USER, /* all processes of one */
	FF_RECORD_CGROUP,
	FF_RECORD_COMMAND, /* and its children */
};

/* How it gets at stacks. */
enum ff_record_chain {
	/* Copies of the stack, unwound here, and frame pointers where those end; frame pointers
	 * alone for processes all of whose code keeps them. */
	FF_RECORD_AUTO,
	FF_RECORD_FRAME_POINTER,
	FF_RECORD_DWARF, /* registers and a copy of the stack, unwound here */
	FF_RECORD_LBR, /* the processor's record of branches */
	FF_RECORD_NO_CHAIN, /* none: addresses only */
};

enum ff_record_flag {
	/* Frame pointers miss the caller of a function that has set up no frame of its own;
	 * it is found with registers and the top of the stack (x86-64, aarch64). Not so. */
	FF_RECORD_NO_LEAF_FIX = 1 << 0,
	FF_RECORD_ALL_KERNEL = 1 << 1, /* only what runs in the kernel */
	FF_RECORD_ALL_USER = 1 << 2, /* only what does not */
	/* Where the kernel drops records, ask for less: Documentation/record.md. */
	FF_RECORD_ADAPT = 1 << 3,
	/* What output() is given is of the time since the last call, not since the start. */
	FF_RECORD_WINDOWS = 1 << 4,
	/* ff_record_stop() ends the command, too: by SIGTERM, and it is waited for, a
	 * second at the most. */
	FF_RECORD_END_COMMAND = 1 << 5,
	/* Samples of tracepoints have their fields, so that what is saved has them. */
	FF_RECORD_RAW_SAMPLES = 1 << 6,
};

/* How a live run is getting on. */
struct ff_record_status {
	double seconds; /* since it began */
	uint64_t samples, lost; /* of the kernel's rings: records that were dropped */
	uint64_t frequency; /* now; 0: a fixed period */
	uint64_t stacks; /* nodes of the tree of addresses */
	unsigned fullest; /* percent of the fullest ring when it was emptied */
};

/* NULL and 0 are the defaults. All of it is borrowed until ff_profile_record() returns. */
struct ff_record_options {
	size_t size; /* of this struct */
	enum ff_record_who who;
	const char *whom; /* "1,2" (pids, tids), a user's name or id, a cgroup's path */
	const char *cpus; /* "0-3,5"; NULL: all that are online */
	char *const *command; /* and its arguments, NULL at the end; of _COMMAND */
	const char *const *events; /* in perf's words; NULL: cycles, or cpu-clock */
	size_t event_count;
	uint64_t frequency,
		period; /* samples a second, or one every so many; both 0: 99 Hz. UINT64_MAX
			   a second: as many as the kernel allows */
	enum ff_record_chain chain;
	unsigned stack_size; /* bytes of each; 0: 8192, or what the rate allows (_AUTO) */
	unsigned ring_size; /* bytes for each processor; 0: as the rate needs it */
	unsigned flags; /* of enum ff_record_flag */
	double seconds; /* 0: until the command or all processes end, or ff_record_stop() */
	double every; /* seconds from output to output; 0: none on the way */
	const char *save; /* a perf.data to write as well; NULL: none */
	unsigned save_level; /* of zstd, 1 to 22; 0: not compressed */
	const char *const *arguments; /* of the caller, for the saved file */
	size_t argument_count;
	/* About once a second. */
	void (*tick)(void *arg, const struct ff_record_status *status);
	/* Every @every seconds: the profile is as after ff_profile_finish() and can be asked
	 * and written, during the call only. Less than 0 ends the run with that error. */
	int (*output)(void *arg, struct ff_profile *p);
	void *arg; /* for both */
	/* Seconds before samples count; what @seconds says begins then. */
	double delay;
	/* Seconds after which the saved file is finished, and another one begun whose name
	 * save_name() says, until its next call; NULL ends saving. 0: one file. */
	double save_every;
	const char *(*save_name)(void *arg);
};
/* clang-format off */
#ifdef __cplusplus
#define FF_RECORD_OPTIONS_INIT { sizeof(struct ff_record_options) }
#else
#define FF_RECORD_OPTIONS_INIT { .size = sizeof(struct ff_record_options) }
#endif
/* clang-format on */

/*
 * Samples what runs on this machine, as the only input of the profile; returns when it is
 * over, and the profile is as after ff_profile_read(). -EACCES, -EPERM where the kernel does
 * not permit it, -ENOENT, -ESRCH, -EINVAL for events and targets that are not there.
 */
FF_API int ff_profile_record(struct ff_profile *p,
			     const struct ff_record_options *options);

/* Prints the perf record that records what ff_profile_record() would with a mode; -EINVAL: none. */
FF_API int ff_record_print_perf(struct ff_profile *p,
				const struct ff_record_options *options, FILE *f);

/* Ends a live run as if its time were over; for any thread, and for signal handlers. */
FF_API void ff_record_stop(struct ff_profile *p);

/* How the command of the live run ended, as a shell says it: 128 + signal. -1: there was
 * none, or it still runs. */
FF_API int ff_record_exit_status(const struct ff_profile *p);

/* With FF_RECORD_AUTO: how stacks were recorded, why and at what cost, one sentence; NULL where
 * nothing was chosen. */
FF_API const char *ff_record_stacks(const struct ff_profile *p);

/* What became of the saved file: 0, or -EIO where it could not be written to its end, which
 * has been said. */
FF_API int ff_record_saved(const struct ff_profile *p);

/* Names all addresses and makes the tree, which is not there before; inputs are complete. */
FF_API int ff_profile_finish(struct ff_profile *p);

/* Conservation: READ = TREE + all LOST. */
enum ff_total {
	FF_TOTAL_SAMPLES_READ,
	FF_TOTAL_SAMPLES_TREE,
	FF_TOTAL_SAMPLES_NO_CHAIN, /* of those in the tree: one frame only */
	/* Its root is not reached (FF_TRUNCATED_DROP leaves them out); then, why. */
	FF_TOTAL_SAMPLES_TRUNCATED,
	FF_TOTAL_SAMPLES_CUT_CHAIN, /* the chain is as long as the kernel's limit */
	FF_TOTAL_SAMPLES_ODD_CHAIN, /* the chain goes on with a value that is no address */
	FF_TOTAL_SAMPLES_MAX_STACK, /* more frames than were asked for */
	FF_TOTAL_SAMPLES_CUT_DUMP, /* the stack goes on behind what was copied of it */
	FF_TOTAL_SAMPLES_OTHER_STACK, /* the next frame is on another stack */
	FF_TOTAL_SAMPLES_NO_CFI, /* nothing says how to leave a function */
	FF_TOTAL_SAMPLES_BAD_ADDRESS, /* a return address at which there is no code */
	FF_TOTAL_SAMPLES_TOO_DEEP, /* more frames than any stack has */
	FF_TOTAL_SAMPLES_REPEATED, /* a frame that leads back */
	FF_TOTAL_SAMPLES_NO_CALL, /* the chain goes on with an address behind no call */
	FF_TOTAL_SAMPLES_NO_START, /* the chain ends in a function that has a caller */
	FF_TOTAL_SAMPLES_USER_STACK, /* of those in the tree: a stack dump not unwound */
	FF_TOTAL_SAMPLES_UNWOUND, /* from their registers and stack dumps */
	FF_TOTAL_FRAMES_UNWOUND, /* of these samples */
	FF_TOTAL_REPLAYS, /* times that unwinding began again with all registers */
	FF_TOTAL_SAMPLES_JOINED, /* whose recorded chain went on where the dump was cut */
	FF_TOTAL_UNWIND_TIME, /* ns of all threads, tables apart; 0 without FF_TIMED */
	FF_TOTAL_TABLE_TIME, /* likewise, to find objects and compile unwind tables */
	FF_TOTAL_WEIGHT_READ,
	FF_TOTAL_WEIGHT_TREE,
	FF_TOTAL_WEIGHT_LOST_EVENT, /* of events that were not asked for */
	FF_TOTAL_WEIGHT_LOST_FILTER, /* filtered out */
	FF_TOTAL_WEIGHT_LOST_DAMAGED, /* not understood, or 2^62 and more; counted as 1 */
	FF_TOTAL_WEIGHT_LOST_TRUNCATED, /* of stacks that do not reach their root */
	FF_TOTAL_WEIGHT_UNNAMED, /* in the tree: leaf has no symbol */
	FF_TOTAL_FRAMES, /* distinct addresses */
	FF_TOTAL_NODES, /* of the tree */
	/* Of ff_options.mode: what its events came to. modes.md says which add up to which. */
	FF_TOTAL_PAIR_EVENTS,
	FF_TOTAL_PAIR_PAIRED,
	FF_TOTAL_PAIR_OPEN_AT_START,
	FF_TOTAL_PAIR_OPEN_AT_END,
	FF_TOTAL_PAIR_CANCELLED,
	FF_TOTAL_PAIR_RESTARTED,
	FF_TOTAL_PAIR_BROKEN,
	FF_TOTAL_PAIR_NEGATIVE,
	FF_TOTAL_PAIR_WITHOUT_WAKER,
	FF_TOTAL_PAIR_WOKEN_AGAIN,
	FF_TOTAL_PAIR_NOT_WAITED,
	FF_TOTAL_PAIR_STALE,
	FF_TOTAL_PAIR_STARTS,
	FF_TOTAL_PAIR_ENDS,
	FF_TOTAL_PAIR_OBJECTS,
	FF_TOTAL_PAIR_RELEASED,
	FF_TOTAL_WALL_EVENTS, /* likewise, of mode wall */
	FF_TOTAL_WALL_REPAIRS,
	FF_TOTAL_WALL_BROKEN,
	FF_TOTAL_WALL_GAP_TIME,
	FF_TOTAL_WALL_UNPLACED,
	FF_TOTALS,
};
FF_API uint64_t ff_profile_total(const struct ff_profile *p, enum ff_total which);

/* The tree. The root stands for all samples and has no name. Children are ordered by
 * name, then module. */
FF_API const struct ff_node *ff_profile_root(const struct ff_profile *p);
FF_API const struct ff_node *ff_node_parent(const struct ff_profile *p,
					    const struct ff_node *n); /* NULL: the root */
FF_API const struct ff_node *ff_node_child(const struct ff_profile *p,
					   const struct ff_node *n); /* NULL: a leaf */
FF_API const struct ff_node *ff_node_next(const struct ff_profile *p,
					  const struct ff_node *n); /* NULL: the last */
FF_API const char *ff_node_name(const struct ff_profile *p, const struct ff_node *n);
/* The file its code is from, as recorded; "" for FF_NODE_TEXT. */
FF_API const char *ff_node_module(const struct ff_profile *p, const struct ff_node *n);
enum ff_node_kind {
	FF_NODE_TEXT, /* no code: a process, a mark like [truncated], a frame of folded text */
	FF_NODE_USER,
	FF_NODE_KERNEL, /* its modules and BPF, too */
	FF_NODE_JIT, /* code that a runtime made */
	/* Its code was put into its caller's. Only with FF_MARK_INLINED, which keeps such calls
	 * apart from others of the same function; else it is of its caller's kind. */
	FF_NODE_INLINED,
	FF_NODE_GAP, /* FF_FLAMECHART: time that is its parent's own, at that place */
};
/* The root is FF_NODE_TEXT. */
FF_API enum ff_node_kind ff_node_kind(const struct ff_profile *p,
				      const struct ff_node *n);
/* Where its function is declared, with FF_PLACES and where debug information says so: NULL
 * and 0 where it does not. */
FF_API const char *ff_node_file(const struct ff_profile *p, const struct ff_node *n);
FF_API unsigned ff_node_line(const struct ff_profile *p, const struct ff_node *n);
FF_API uint64_t ff_node_self(const struct ff_profile *p, const struct ff_node *n);
FF_API uint64_t ff_node_total(const struct ff_profile *p, const struct ff_node *n);
/* Of its total, the part where no chain has it and the code tells that it was there. */
FF_API uint64_t ff_node_inferred(const struct ff_profile *p, const struct ff_node *n);

/* What an input says about itself. The first input, and the one after @in; NULL at the end. */
FF_API const struct ff_input *ff_input_next(const struct ff_profile *p,
					    const struct ff_input *in);
enum ff_input_text {
	FF_INPUT_PATH,
	FF_INPUT_FORMAT, /* "perf.data v2", "folded text" */
	FF_INPUT_COMMAND, /* command line of the recorder */
	FF_INPUT_HOST,
	FF_INPUT_KERNEL,
	FF_INPUT_RECORDER, /* version of perf */
	FF_INPUT_ARCH,
	FF_INPUT_CPU,
	FF_INPUT_DAMAGE, /* what is wrong with it, one sentence */
	FF_INPUT_FORM, /* "file", "pipe", "directory", "live" */
	FF_INPUT_BYTE_ORDER, /* "little", "big" */
	FF_INPUT_CLOCK, /* "monotonic"; "perf": the kernel's own for samples */
	FF_INPUT_TITLE, /* of a picture, where that was chosen or is a file's name */
	FF_INPUT_TEXTS
};
/* NULL where the input does not say. */
FF_API const char *ff_input_text(const struct ff_input *in, enum ff_input_text which);

enum ff_input_count {
	FF_INPUT_BYTES,
	FF_INPUT_RECORDS,
	FF_INPUT_SAMPLES,
	FF_INPUT_CHAINS, /* samples with a call chain that is not empty */
	FF_INPUT_USER_STACKS, /* samples with a user stack dump */
	FF_INPUT_LOST, /* records the kernel dropped: LOST */
	FF_INPUT_LOST_SAMPLES, /* LOST_SAMPLES */
	FF_INPUT_THROTTLED,
	FF_INPUT_FIRST_TIME, /* of the samples, ns; both 0 without times */
	FF_INPUT_LAST_TIME,
	FF_INPUT_PROCESSORS, /* online when it was recorded */
	FF_INPUT_UNKNOWN_RECORDS, /* of types this version skips */
	FF_INPUT_TRUNCATED_AT, /* offset of the first byte not understood; 0: whole */
	FF_INPUT_DELIVERED, /* samples, when groups of counters (:S) are split */
	FF_INPUT_BARE, /* samples with neither a call chain nor a stack dump */
	FF_INPUT_CHAINS_BROKEN, /* that end at a value that is no address; of kept samples */
	FF_INPUT_CHAINS_CUT, /* with as many frames as the kernel would record */
	FF_INPUT_USER_STACKS_CUT, /* stack dumps that hold only part of the stack */
	FF_INPUT_BRANCH_STACKS, /* samples with branch records */
	FF_INPUT_KERNEL_SAMPLES, /* taken in the kernel */
	FF_INPUT_GUEST_SAMPLES, /* taken in a guest */
	FF_INPUT_AUX_LOST, /* AUX records that say that data was lost */
	FF_INPUT_LATE_RECORDS, /* of a stream: came after newer ones had been used */
	FF_INPUT_COMPRESSED, /* 1: its records are, or the whole input is */
	/* 1: samples of the kernel, whose place was not recorded (kptr_restrict). */
	FF_INPUT_KERNEL_HIDDEN,
	/* 1: it changed while it was read, and not all of it was found again: another run may
	 * give something else. FF_TOTAL_WEIGHT_LOST_DAMAGED has what is missing. */
	FF_INPUT_CHANGED,
	/* Of kept samples: with a caller that their call chain lacks, and the code tells; and with a mark
	 * [skipped] in their stack, where the code says that frames are missing. See FF_NO_INFER. */
	FF_INPUT_CALLERS_INFERRED,
	FF_INPUT_FRAMES_SKIPPED,
	FF_INPUT_UNTIMED, /* samples that were added up over all of the recording */
	FF_INPUT_COUNTS
};
FF_API uint64_t ff_input_count(const struct ff_input *in, enum ff_input_count which);

/*
 * What can be said of inputs and profiles, described once for all who show it: who wants all that
 * the command shows goes over a view of it.
 */
enum ff_fact_kind {
	FF_FACT_TEXT, /* of enum ff_input_text */
	FF_FACT_COUNT, /* of enum ff_input_count */
	FF_FACT_TOTAL, /* of enum ff_total */
};
enum ff_fact_unit {
	FF_UNIT_TEXT,
	FF_UNIT_NUMBER,
	FF_UNIT_BYTES,
	FF_UNIT_NANOSECONDS,
	FF_UNIT_FLAG, /* 0 or 1 */
};
struct ff_fact {
	enum ff_fact_kind kind;
	unsigned which; /* of the enum of its kind */
	enum ff_fact_unit unit;
	const char *key; /* for programs, as "info --format=json" has it; NULL: none */
	const char *
		label; /* for people, in a table; two blanks before parts of what is above */
	const char *sentence; /* the label of a line of its own; NULL: there is none */
};
enum ff_fact_view {
	FF_VIEW_JSON, /* info --format=json */
	FF_VIEW_INFO, /* info: lines, kinds of samples, why stacks are not whole */
	FF_VIEW_STATS, /* --stats */
	FF_VIEW_PICTURE, /* what a picture carries of the recording that it was made of */
	FF_VIEWS
};
/* Those of one kind that a view shows, in its order; the first for NULL, NULL at the end. */
FF_API const struct ff_fact *ff_fact_next(enum ff_fact_view view, enum ff_fact_kind kind,
					  const struct ff_fact *f);
/* NULL: there is none. */
FF_API const struct ff_fact *ff_fact_find(enum ff_fact_kind kind, unsigned which);

/* Records of one type; types are the kernel's and perf's numbers. */
FF_API uint64_t ff_input_records(const struct ff_input *in, unsigned type);
FF_API const char *ff_record_name(unsigned type); /* NULL: no such type */

FF_API const struct ff_event *ff_event_next(const struct ff_input *in,
					    const struct ff_event *e);
FF_API const char *ff_event_name(const struct ff_event *e);
FF_API uint64_t ff_event_samples(const struct ff_event *e);
enum ff_event_count {
	FF_EVENT_FREQUENCY, /* samples a second that were aimed at; 0: a fixed period */
	FF_EVENT_PERIOD, /* fixed; 0: by frequency */
	FF_EVENT_MAX_STACK, /* frames that a chain has at the most; 0: the kernel's limit */
	FF_EVENT_USER_STACK, /* bytes of the user stack to dump; 0: none */
	/* Samples of it when groups of counters are split; its samples where there are none. */
	FF_EVENT_DELIVERED,
};
FF_API uint64_t ff_event_count(const struct ff_event *e, enum ff_event_count which);
/* The name of bit @bit of perf_event_attr.sample_type, "CALLCHAIN", where it is set, or
 * NULL. */
FF_API const char *ff_event_field(const struct ff_event *e, unsigned bit);

/* Where a field of a tracepoint lies in its samples' raw data. */
struct ff_raw_field {
	const char *name; /* valid until ff_profile_free() */
	unsigned offset, size; /* bytes */
	unsigned element; /* bytes of each, of an array; else as size */
	unsigned flags; /* enum ff_raw_flag */
};
enum ff_raw_flag {
	FF_RAW_SIGNED = 1 << 0,
	FF_RAW_ARRAY = 1 << 1,
	FF_RAW_TEXT = 1 << 2, /* of characters */
	/* What lies there says where it is: u16 offset, u16 size, as a u32; the offset is from
	 * the start of the raw data (__data_loc), or from the field's end (__rel_loc). */
	FF_RAW_DYNAMIC = 1 << 3,
	FF_RAW_RELATIVE = 1 << 4,
};
/* Field @i of those of its format, which came with the recording: 1, or 0 where there are no more. */
FF_API int ff_event_raw_field(const struct ff_event *e, unsigned i,
			      struct ff_raw_field *ret);

/* Object files that samples hit (after ff_profile_finish()), largest weight first. */
FF_API const struct ff_object *ff_object_next(const struct ff_profile *p,
					      const struct ff_object *o);
FF_API const char *ff_object_path(const struct ff_object *o); /* as recorded */
FF_API const char *ff_object_build_id(const struct ff_object *o); /* hex; "" if unknown */
FF_API const char *ff_object_file(const struct ff_object *o); /* read; NULL: none */
/* What completes it: a separate debug file, or the part of the file itself that holds
 * more symbols; NULL: none. */
FF_API const char *ff_object_debug_file(const struct ff_object *o);
FF_API const char *ff_object_problem(const struct ff_object *o); /* NULL: all is well */
enum ff_object_kind {
	FF_OBJECT_FILE, /* a program or a library */
	FF_OBJECT_KERNEL,
	FF_OBJECT_MODULE, /* of the kernel */
	FF_OBJECT_VDSO,
	FF_OBJECT_RUNTIME, /* code that a runtime made: ff_object_runtime() */
	FF_OBJECT_OTHER, /* code of no file: unknown, of the kernel's own making, of guests */
};
FF_API enum ff_object_kind ff_object_kind(const struct ff_object *o);
enum ff_object_names {
	FF_NAMES_NONE, /* of none of its functions */
	FF_NAMES_EXPORTED, /* only of those that it exports: it is stripped */
	FF_NAMES_ALL,
};
FF_API enum ff_object_names ff_object_names(const struct ff_object *o);
/* 1: there is debug information for it, which has inlined functions and lines. */
FF_API int ff_object_has_debug_info(const struct ff_object *o);
FF_API uint64_t ff_object_weight(const struct ff_object *o); /* of leaf frames in it */
FF_API uint64_t ff_object_weight_unnamed(const struct ff_object *o); /* no symbol */
FF_API uint64_t ff_object_addresses(const struct ff_object *o); /* distinct, in stacks */
FF_API uint64_t ff_object_addresses_unnamed(const struct ff_object *o);
/* 1: a file was there, but provably is not the recorded one: FF_FORCE. */
FF_API int ff_object_refused(const struct ff_object *o);
/* The process whose runtime made this code; 0: it is no such code. */
FF_API uint32_t ff_object_runtime(const struct ff_object *o);
/* How many functions the map or dump of that runtime names. */
FF_API uint64_t ff_object_entries(const struct ff_object *o);

/* Processes with samples, most samples first. */
FF_API const struct ff_process *ff_process_next(const struct ff_profile *p,
						const struct ff_process *pr);
FF_API uint32_t ff_process_pid(const struct ff_process *pr);
FF_API const char *ff_process_comm(const struct ff_process *pr); /* its newest */
FF_API uint64_t ff_process_samples(const struct ff_process *pr);

/*
 * What makes the graph worse than it could be (after ff_profile_finish()), each thing once:
 * for people, but the kind, which Documentation/info-json.md lists.
 */
FF_API const struct ff_finding *ff_finding_next(const struct ff_profile *p,
						const struct ff_finding *f);
enum ff_finding_text {
	FF_FINDING_KIND, /* "frame_pointers" */
	FF_FINDING_CAUSE, /* a sentence, with its share */
	/* What mends it, as it can be typed; FILE in it stands for the input. NULL: nothing. */
	FF_FINDING_REMEDY,
};
FF_API const char *ff_finding_text(const struct ff_finding *f,
				   enum ff_finding_text which);
/* Its share, part of whole; both 0 where it has none. */
FF_API uint64_t ff_finding_part(const struct ff_finding *f);
FF_API uint64_t ff_finding_whole(const struct ff_finding *f);

/*
 * The samples that are in the tree, one by one: with FF_SAMPLES, after ff_profile_finish(),
 * input by input and in order of time. The one after @s, the first one for NULL; NULL at the
 * end. Their weights add up to the tree's. Folded text and pictures have none, and so has a
 * live run: read what it saved. Of a sample that came with several counters there is one for
 * each that has gone on.
 *
 * Next to the 48 bytes of each sample, which are there until ff_profile_free(), it costs
 * ff_profile_finish() a sort, and to walk over them costs next to nothing.
 */
FF_API const struct ff_sample *ff_sample_next(const struct ff_profile *p,
					      const struct ff_sample *s);
enum ff_sample_number {
	/* ns of the recording's clock, FF_INPUT_CLOCK; what has no time itself is just behind the
	 * record before it, and what stands behind all others (off-CPU sums) is above 2^63. */
	FF_SAMPLE_TIME,
	FF_SAMPLE_WEIGHT, /* in the tree */
	FF_SAMPLE_PID,
	FF_SAMPLE_TID,
	FF_SAMPLE_CPU, /* UINT64_MAX: not recorded */
};
FF_API uint64_t ff_sample_number(const struct ff_sample *s, enum ff_sample_number which);
/* The name that its thread had then. */
FF_API const char *ff_sample_comm(const struct ff_profile *p, const struct ff_sample *s);
/* Its stack: this node, its parent and so on. */
FF_API const struct ff_node *ff_sample_node(const struct ff_profile *p,
					    const struct ff_sample *s);
FF_API const struct ff_input *ff_sample_input(const struct ff_profile *p,
					      const struct ff_sample *s);
FF_API const struct ff_event *ff_sample_event(const struct ff_profile *p,
					      const struct ff_sample *s);

/*
 * What a finished profile is written as. The first one is what is written where nobody asks
 * for another.
 */
struct ff_format;
FF_API const struct ff_format *ff_format_next(const struct ff_format *f);
FF_API const struct ff_format *ff_format_find(const char *name); /* NULL: none has it */
enum ff_format_text {
	FF_FORMAT_NAME, /* "svg" */
	/* How names of its files end, with a blank between two: ".html .htm". The first one is
	 * usual; one without a dot in front is how a word behind the last dot may end. */
	FF_FORMAT_SUFFIXES,
	FF_FORMAT_DESCRIPTION, /* a few words for people */
};
FF_API const char *ff_format_text(const struct ff_format *f, enum ff_format_text which);
enum ff_format_trait {
	FF_FORMAT_PICTURE = 1 << 0, /* for a browser: by struct ff_graph_options */
	FF_FORMAT_LINES = 1 << 1, /* lines of text, which a terminal can show */
	FF_FORMAT_FRAMES = 1 << 2, /* for programs: FF_PLACES, FF_MARK_INLINED */
	FF_FORMAT_LABELS = 1 << 3, /* and FF_LABELS, FF_VALUES */
};
FF_API unsigned ff_format_traits(const struct ff_format *f);
/* stackcollapse-perf.pl's format: one line a stack, sorted. */
FF_API int ff_write_folded(struct ff_profile *p, FILE *out);

/*
 * flamegraph.pl's options under their names. NULL and 0 are its defaults, but for: colors
 * (by module and kind, "module"), width (of the page), countname (what the event counts)
 * and minwidth, which says what the static picture shows only: the file holds all frames.
 */
struct ff_graph_options {
	size_t size; /* of this struct */
	const char *title, *subtitle, *notes;
	const char *fonttype, *countname, *nametype;
	const char *colors, *bgcolors; /* -EINVAL for a palette that does not exist */
	const char *minwidth; /* "0.1": pixels, "0.1%": of the total */
	const char *nameattr; /* file */
	const char *palette_map; /* file to read and rewrite: --cp */
	const char *encoding;
	unsigned width, height; /* of the picture, of a frame; pixels */
	double fontsize, fontwidth;
	double total, factor;
	unsigned flags; /* of enum ff_graph_flag */
	const char *theme; /* "light", "dark", or "auto": that of who looks at it */
};
enum ff_graph_flag {
	FF_GRAPH_HASH = 1 << 0,
	FF_GRAPH_RANDOM = 1 << 1,
	FF_GRAPH_REVERSE = 1 << 2,
	FF_GRAPH_INVERTED = 1 << 3,
	FF_GRAPH_NEGATE = 1 << 4,
	FF_GRAPH_NO_SCRIPT = 1 << 5, /* picture and data, no viewer */
	FF_GRAPH_STATIC = 1 << 6, /* the picture alone */
	FF_GRAPH_HTML = 1 << 7, /* ff_write_svg() writes html: a page around it */
};
/* clang-format off */
#ifdef __cplusplus
#define FF_GRAPH_OPTIONS_INIT { sizeof(struct ff_graph_options) }
#else
#define FF_GRAPH_OPTIONS_INIT { .size = sizeof(struct ff_graph_options) }
#endif
/* clang-format on */

/* In any format; @options, which may be NULL, are for pictures. -ENODATA: the tree is empty, and
 * what was written is a picture that says so. */
FF_API int ff_write(struct ff_profile *p, const struct ff_format *f,
		    const struct ff_graph_options *options, FILE *out);

/* The format svg: Documentation/svg-format.md says what is in it; ff_profile_read() reads it
 * back. */
FF_API int ff_write_svg(struct ff_profile *p, const struct ff_graph_options *options,
			FILE *out);

#ifdef __cplusplus
}
#endif

#endif
