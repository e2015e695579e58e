#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "find/find.h"
#include "input/input.h"
#include "jit/jit.h"

/*
 * What ran where: processes, their maps and names as a timeline.
 *
 * Nothing is ever removed. Every change has its time, and a question names the
 * time it is about. A map covers its addresses until a later map of the same
 * process does, so the map of an address is the newest one not newer than the
 * question that contains it; no map is ever cut:
 *
 *	address
 *	  ^    +---- libb.so ----------
 *	  |  +-|---- liba.so --+            question (t, a): the newest map
 *	  |    +-------------- | -----      at or before t that contains a
 *	  +---------------------------> time
 *
 * A fork refers to the parent's maps at the time of the fork, and an exec starts
 * with none: both begin a new space of their process.
 */

/* Objects that can hold code; shared by all inputs of a profile. */
enum image_kind {
	IMAGE_LABEL, /* no object: the address is a string id, or a process label */
	IMAGE_UNKNOWN, /* no map there */
	IMAGE_FILE,
	IMAGE_KERNEL,
	IMAGE_MODULE, /* of the kernel */
	IMAGE_KSYMBOL, /* code the kernel made: BPF, trampolines; named by its path */
	IMAGE_VDSO,
	IMAGE_VSYSCALL,
	IMAGE_ANON, /* memory without a file: JIT code, [heap], [stack], most memfds */
	IMAGE_JIT, /* code that a runtime made and put into its jitdump */
	IMAGE_GUEST, /* not of this machine: never looked up here */
	IMAGE_HYPERVISOR, /* below this machine: as little */
};

/* A process that had an image mapped, and where; pid 0: not known. */
struct image_user {
	uint32_t pid;
	uint32_t host,
		kernel; /* string ids: where it was recorded, as uname -n and -r say
				  it; 0: not known */
	uint64_t start, end;
	uint64_t began, ended; /* when it was recorded: time of day, ns; 0: not known */
};

/*
 * Addresses in an image: IMAGE_FILE and _VDSO: offset in the file. _JIT: likewise, where
 * the jitdump has the bytes of that code, so that code which lay at one address at two
 * times is told apart. _KERNEL, _MODULE, _KSYMBOL, _VSYSCALL, _ANON, _GUEST, _HYPERVISOR:
 * the address as recorded.
 */
/* What is known of the process that had code of a runtime. */
struct jit_origin {
	uint64_t started; /* when its program began, ns of the recording; 0: not known */
	uint64_t seen; /* when the code's memory was mapped; 0: not known */
	uint32_t pid_namespace; /* inode; 0: not known */
};

struct image {
	enum image_kind kind;
	uint32_t path; /* as recorded, with what perf adds: "[kernel.kallsyms]" */
	uint8_t build_id_size; /* 0: not known */
	uint8_t build_id[BUILD_ID_MAX];
	bool id_of_path; /* the id is that of the file which had the path when the
			    recording ended; no part of what tells it from others */
	uint32_t maj, min;
	uint64_t ino, generation;
	/* IMAGE_KERNEL: the symbol whose address was recorded ("_text"), and that
	 * address; 0 where it was hidden from the recorder. _MODULE: where it began. */
	uint32_t reference;
	uint64_t reference_address;
	/* IMAGE_KERNEL, _VDSO: the recorded kernel's release, as uname -r says it; 0: not
	 * known. */
	uint32_t release;
	uint32_t
		arch; /* IMAGE_VDSO: the recorded machine, as uname -m says it; 0: not known */
	bool is_32bit; /* IMAGE_VDSO: of a task with 32-bit addresses */
	/* IMAGE_ANON: the process whose map names the code in it (perf-PID.map); 0: it is
	 * no code. forked_from: the image that its parent has there, or 0: what the process's own
	 * map does not name, that of its parent may. IMAGE_JIT: whose dump it is. */
	uint32_t owner, forked_from;
	uint32_t dump; /* IMAGE_JIT: index in the images' dumps */
	/* IMAGE_ANON: what a line of the map called the code, a string id, where it was written
	 * over other code that had run: all that has this image has this name. 0: the map says. */
	uint32_t code;
	struct jit_origin origin; /* of code, and no part of what tells it from others */
	/* Of a file, and no part of what tells it from others: the first and the last of
	 * those that had it, either of which may live longer than most. */
	struct image_user first, last;
};

/* The jitdump of a process. */
struct jit_dump {
	struct jitdump dump; /* .fd -1: it cannot be used */
	struct text path; /* that was read */
	struct text problem; /* "": none */
	bool trouble; /* the problem is worth a warning */
	bool timed; /* its clock is that of the samples; else the newest code counts */
	uint32_t owner; /* pid */
	int unwind; /* an object with its call frame information; -1: none */
	int beginning; /* its file as long as that has no whole header; -1: it is no such */
};

/* A line of a perf-PID.map that was written over code which had run. */
struct map_line {
	uint32_t owner; /* pid */
	uint64_t time; /* ns: when it appeared */
	uint64_t offset; /* in the file, behind its end */
	uint64_t start, end;
};

/* More only hostile processes write, and recordings have. */
enum { MAP_LINES_MOST = 1 << 16 };

/* Fixed ids, made by images_init(). */
enum {
	IMAGE_ID_NAMES,
	IMAGE_ID_UNKNOWN,
	IMAGE_ID_GUEST,
	IMAGE_ID_HYPERVISOR,
};

struct images {
	ARRAY(struct image) list; /* by id */
	struct hash_set by_key;
	struct intern *strings; /* what their paths and names are ids of; outlives them */
	ARRAY(struct jit_dump *) dumps;
	ARRAY(struct map_line) lines; /* in time order, no more than MAP_LINES_MOST */
	/* Where a memfd is looked for, to tell a program from JIT code; NULL: nowhere.
	 * Set by the caller, outlives it. */
	const struct search_dirs *dirs;
	bool as_perf; /* perf script reads no jitdumps. Set by the caller */
	struct kept *kept; /* files held open; NULL: none */
	struct claim claim; /* for so many of the list */
	size_t allowed;
};

int images_init(struct images *im, struct intern *strings);
void images_release(struct images *im);
/* The id of @key, which is added where it is not known; where it is, @key->last is taken
 * over. IMAGE_ID_UNKNOWN where the budget of the search directories has nothing left for it. 0, or -ENOMEM. */
int images_add(struct images *im, const struct image *key, uint32_t *ret);

/*
 * Live: the file of a map is opened and held until images_release(), one for each file, so
 * that it can be looked at when its path leads to it no more. Records of other kinds, and
 * files past the limit of those that may be open, are passed over; the soft limit is raised
 * as far as may be useful. 1 where a file was new, 0, or -ENOMEM.
 */
int images_keep(struct images *im, const struct record *rec);

/*
 * As many are held as may be, and none of them can be found again; or deleted ones fill a GiB
 * of somebody's disk. What was sampled is to be named now, for images_close_oldest() lets go of the
 * oldest, as many as it takes, of those that were mapped until @time.
 */
bool images_over_limit(const struct images *im);
void images_close_oldest(struct images *im, uint64_t time);

/* How many files had no room when they were mapped, and cannot be found by their path. */
size_t images_refused(const struct images *im);

/*
 * Likewise the perf-PID.map of each process that has code of a runtime, which may be gone with
 * its container. Runtimes make it some time after their code, so it is to be called once a
 * second: it looks for those that were not there yet. 0, or -ENOMEM.
 */
int images_keep_maps(struct images *im);

/* The same of processes that are young and have a /tmp of their own: at little cost, once a
 * pass. */
void images_look_for_maps(struct images *im);

/*
 * Likewise: code of @image was sampled at @address. What its map says of that is known, or will be; if
 * a line comes later that covers the address, it is about other code. 0, or -ENOMEM.
 */
int images_ran(struct images *im, uint32_t image, uint64_t address);

/*
 * The maps that are open are looked at once a pass: a stat each. Calls @grown for those that have
 * got longer, at about @time (ns of CLOCK_MONOTONIC). When all that was sampled before has been told to
 * images_ran(), images_take_lines() reads on up to @until, and calls @take for each line that covers
 * code which ran already. 0, or a negative errno: that of a call, or -ENOMEM.
 */
struct map_growth {
	uint32_t map; /* number */
	uint64_t time, until;
};
typedef int map_growth_call(void *arg, const struct map_growth *growth);
int images_look_at_maps(struct images *im, map_growth_call *grown, void *arg);

typedef int map_line_call(void *arg, const struct map_line *line, const char *name,
			  size_t size);
int images_take_lines(struct images *im, const struct map_growth *growth,
		      map_line_call *take, void *arg);

/* What is later than other code in the map of an image's process, which is open as @fd: adds to the
 * question .later, to be freed, and .until. 0, or -ENOMEM. */
int images_later_lines(const struct images *im, uint32_t image, int fd,
		       struct perf_map_question *ret);

/* Replaces *@ret by what is kept of the image's process, or leaves it. 0, or -ENOMEM. */
int image_open_kept_map(const struct images *im, uint32_t image, struct jit_file *ret);

/*
 * The object that holds what was mapped of @image, and its debug file where that adds
 * something of @need (of enum object_need). For IMAGE_FILE and IMAGE_VDSO, and for
 * IMAGE_JIT where NEED_UNWIND alone is asked for: its object has no names. Others have
 * none. 0, also where there is none: ret->object.elf is NULL then, and the problem says
 * why. -ENOMEM. May be asked by many threads at once, while no image is added.
 */
int image_find_object(const struct search_dirs *dirs, const struct images *images,
		      uint32_t image, unsigned need, struct found *ret);

/* The process that code of a runtime is of: what its map or dump is looked for by. */
struct jit_process image_jit_process(const struct intern *strings,
				     const struct image *image);

struct processes;

/*
 * A whole timeline is made before it is asked, by any number of threads, and keeps
 * everything. A growing one is asked in between, by one thread; what a process had is
 * dropped when it has ended and processes_forget() says that nobody will ask any more.
 */
enum processes_kind { PROCESSES_WHOLE, PROCESSES_GROWING };

int processes_new(struct context *ctx, const struct recording *rec, struct images *images,
		  enum processes_kind kind, struct processes **ret);
void processes_free(struct processes *ps); /* NULL is fine */

/* Before the first record: labels are what stackcollapse-perf.pl cuts out of a line of perf
 * script for a name. */
void processes_label_as_printed(struct processes *ps);

/* In time order. */
int processes_apply(struct processes *ps, const struct record *rec);

/*
 * Questions will be about @time and later only. What has ended since is kept, up to
 * ENDED_MOST bytes: above that the oldest goes first, but nothing that has ended since
 * the last call.
 */
enum { ENDED_MOST = 64 << 20 };
int processes_forget(struct processes *ps, uint64_t time);

/* How many maps processes have not got from those that forked them, as there were too many to
 * copy: with PROCESSES_GROWING only. */
uint64_t processes_maps_cut(const struct processes *ps);

/* Grows with every change: answers that were kept from before may have another end. */
uint64_t processes_version(const struct processes *ps);

/* How a process saw memory for a while: no map of it changed between from and until, and
 * no code was made. */
struct space {
	uint32_t epoch; /* no two such whiles have the same */
	/* Whiles with the same one have the same maps of code: most new maps are data's,
	 * and cover none. */
	uint32_t layout;
	uint32_t files; /* likewise, whatever code runtimes have made in between */
	uint32_t index; /* of the space */
	uint32_t maps, codes; /* how many it had */
	uint64_t from, until; /* ns, until exclusive */
};

/* Answers change only between two spaces; keep one for each pid and ask again when
 * the time leaves it. */
void processes_space(const struct processes *ps, uint32_t pid, uint64_t time,
		     struct space *ret);
/* The kernel's. */
void processes_kernel_space(const struct processes *ps, uint64_t time, struct space *ret);

struct location {
	uint32_t image;
	uint64_t address; /* in the image, see struct image */
	uint64_t start; /* where its map begins */
	bool executable;
};

/* False where no map covers @ip. */
bool processes_locate(const struct processes *ps, const struct space *space, uint64_t ip,
		      struct location *ret);
/*
 * The same in the program that a process ran before its last exec, while the kernel is
 * not done with that: it still shows the user address that exec was called from.
 */
bool processes_locate_before_exec(const struct processes *ps, const struct space *space,
				  uint64_t ip, struct location *ret);
/* Where the map of code begins that has the lowest addresses: mostly the program's. False where
 * there is none. */
bool processes_lowest_code(const struct processes *ps, const struct space *space,
			   uint64_t *ret);
/* The files that code was mapped from, also where others have covered it since, each one once: how many there
 * are; @most + 1: there may be more. */
size_t processes_code_files(const struct processes *ps, const struct space *space,
			    uint32_t *ret, size_t most);
/* Kernel addresses that no map covers are those of the kernel itself. */
bool processes_locate_kernel(const struct processes *ps, const struct space *space,
			     uint64_t ip, struct location *ret);

/* The name of a thread, and from when until when (exclusive) it holds. A thread that
 * has none goes by that of its process. */
struct comm {
	uint32_t name; /* string id; 0: not known */
	uint32_t label; /* the same with '_' for spaces */
	uint64_t from, until;
};
void processes_comm(const struct processes *ps, uint32_t pid, uint32_t tid, uint64_t time,
		    struct comm *ret);

/*
 * The namespaces of a process, by enum namespace_kind; NULL where they were not
 * recorded. Valid until the next change. Those of pid and mnt are of the innermost
 * container.
 */
const struct namespace_id *processes_namespaces(const struct processes *ps, uint32_t pid,
						uint64_t time);

/* The path of a cgroup: a string id; that of "" where it was not recorded. */
uint32_t processes_cgroup(const struct processes *ps, uint64_t id);

#endif
