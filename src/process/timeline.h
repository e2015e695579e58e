#ifndef PROCESS_TIMELINE_H
#define PROCESS_TIMELINE_H

#include "process/jit.h"
#include "process/maps.h"
#include "process/namespaces.h"
#include "process/process.h"
#include "process/ranges.h"

/*
 * What the timeline is made of. process.c adds to it, questions.c asks it, and forget.c
 * takes out of a growing one what nobody will ask for.
 */
enum {
	NONE = UINT32_MAX,
	ANCESTORS_MOST =
		1024, /* forks looked through for a map; only hostile files have more */
	NEAR_ANCESTORS = 8, /* forks looked through for code that a map covers */
	SWAPPER = 0,
	MANY_MAPS = 256, /* worth a look which of them are covered */
	MANY_NAMES = 16,
	EXEC_CODES = 3, /* maps of code an exec makes: program, interpreter, vdso */
	EXEC_MAPS = 32, /* the same with those of data, which some recorders see, too */
};

/* Where the kernel's half of the addresses begins. */
#define KERNEL_HALF (1ull << 63)

/* A while in which a process had one address space: from a fork or exec to the next. */
struct address_space {
	uint64_t from;
	uint32_t parent; /* whose maps it began with, or NONE */
	uint32_t parent_maps; /* how many of them there were */
	uint32_t before; /* the space that an exec ended, or NONE */
	uint32_t settled; /* maps that were left when covered ones were last dropped */
	uint32_t epoch; /* while it had no maps */
	uint32_t layout; /* since the newest map */
	struct maps maps;
	struct ranges code; /* where executable maps are or were */
	struct jit_images jit;
	/* Code of runtimes, as maps: they count where no file is mapped. */
	struct maps codes;
	uint32_t parent_codes; /* how many of them the parent had */
	struct claim claim; /* growing: for so many maps */
	size_t maps_allowed;
};

struct process {
	ARRAY(uint32_t) spaces; /* in time order */
	bool forked_by_perf; /* and has not got a name of its own yet */
	/* Growing: it lives as long as one of its threads does, which need not be the first. */
	uint32_t program; /* tells apart what a pid was, and what it runs */
	uint32_t others; /* threads of that beside the first */
	bool first_ended;
};

struct name_at {
	uint64_t time;
	uint32_t name, label;
};

struct thread {
	ARRAY(struct name_at) names; /* in time order */
};

/* Something that ended: what is kept of it goes when nobody asks about that time. */
struct ended {
	uint64_t time;
	uint32_t pid, tid;
	uint32_t space; /* the newest of those that go, or NONE */
	bool name; /* the thread's name goes, too */
	size_t size; /* bytes that are kept for it, roughly */
};

/* Items of an array that can be used again. */
struct free_list {
	uint32_t *v;
	size_t count, room;
};

/* A jitdump that may still grow. */
struct growing_dump {
	uint32_t space, image;
	size_t taken; /* of its codes */
};

struct processes {
	enum processes_kind kind;
	bool as_printed; /* labels are */
	const struct recording *rec;
	ARRAY(struct growing_dump) dumps;
	uint64_t version;
	uint32_t epochs; /* given away so far */
	struct images *images;
	struct intern *strings;
	struct classifier *classifier;
	bool comm_exec;
	ARRAY(struct address_space) spaces;
	ARRAY(struct process) list;
	ARRAY(struct thread) threads;
	struct hash_map by_pid, by_tid; /* index in list, in threads */
	struct namespaces namespaces;
	struct hash_map cgroups; /* by id: string ids */
	/* Growing: what ended, in time order, and places of it that can be used again. */
	ARRAY(struct ended) ended;
	struct hash_map others; /* by pid << 32 | tid: process.program that it is of */
	uint32_t programs; /* given away so far */
	size_t ended_before; /* how many of them are left from before the last forgetting */
	size_t ended_size; /* sum of their sizes */
	struct free_list free_spaces, free_processes, free_threads;
	uint64_t forgotten; /* nobody asks about times before this */
	uint64_t copies_left; /* of maps, for children */
	uint64_t copies_cut; /* those that they have not got for it */
	struct claim claim; /* growing: for so many processes, threads and the like */
	size_t items_allowed;
	struct maps kernel;
	uint32_t kernel_map; /* the first in it of the kernel proper, or NONE */
	uint32_t kernel_settled; /* as of a space */
};

/* NULL where nothing is known of it. */
static inline const struct process *find_process(const struct processes *ps, uint32_t pid)
{
	const uint32_t *index = hash_map_get(&ps->by_pid, pid);

	return index ? &ps->list.v[*index] : NULL;
}

static inline const struct thread *find_thread(const struct processes *ps, uint32_t tid)
{
	const uint32_t *index = hash_map_get(&ps->by_tid, tid);

	return index ? &ps->threads.v[*index] : NULL;
}

/* label.c: what a name is in folded text. 0, or -ENOMEM. */
int label_of(struct processes *ps, uint32_t tid, uint32_t name, uint32_t *ret);

/*
 * remap.c: @rec replaces a part of a program's text by a copy of it in huge pages, so that
 * the map that is there goes on to say what the addresses are.
 */
/* Notes whether answers for code change with a map that was just added. */
void lay_out(struct processes *ps, struct address_space *space, struct map *map);

bool is_moved_text(const struct processes *ps, const struct address_space *space,
		   const struct record *rec);
/* The same where such maps were only listed: the newest map of @space may be the rest of
 * a text whose middle has moved. 0, or -ENOMEM. */
int rejoin_moved_text(struct processes *ps, struct address_space *space);

/* jit_code.c: code of runtimes. Is a map the mark of a jitdump? */
bool is_jit_mark(const struct processes *ps, const struct record *rec);
/* The space gets the code of the dump that @rec is the mark of. 0, or -ENOMEM. */
int add_jit_dump(struct processes *ps, struct address_space *space,
		 const struct record *rec, const struct jit_origin *origin);
/* Code that was added to those of the space from number @first on may be older than others, and than
 * maps: begins new whiles. */
void put_code_in_order(struct processes *ps, struct address_space *space, size_t first);
/* map_lines.c: the space gets the code of a line, whose image is @image. 0, or -ENOMEM. */
int add_map_line(struct processes *ps, struct address_space *space,
		 const struct record *rec, uint32_t image);
/* The space has ended. */
void drop_jit_dumps(struct processes *ps, uint32_t space);
/* Reads what has come to dumps since. 0, or -ENOMEM. */
int read_jit_dumps(struct processes *ps);

/* questions.c: how many of a thread's names it had got by @time. */
size_t thread_names_at(const struct thread *t, uint64_t time);

/* forget.c, of a growing timeline only: drops names, and what changes have covered; and notes
 * that something has ended. */
void drop_names(struct processes *ps, struct thread *t);
bool drop_covered(struct processes *ps, struct maps *maps, uint32_t *settled);
int note_ended(struct processes *ps, const struct record *rec, uint32_t space);
/* Likewise: a program begins with its first thread alone; has another one, by a FORK or COMM; and
 * loses one, by an EXIT: the last that it had? */
void begin_threads(struct processes *ps, struct process *p);
int note_thread(struct processes *ps, struct process *p, const struct record *rec);
bool thread_was_last(struct processes *ps, struct process *p, const struct record *rec);

#endif
