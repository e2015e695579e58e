/*
 * What people draw flame graphs of, each a rule (rule.h) over events that perf record knows. States
 * of sched_switch: include/trace/events/sched.h; the end of a sleep is asked before its beginning, for
 * one switch is both.
 */
#include <string.h>

#include "weight/rule.h"

#define SWITCH_IN "end sched:sched_switch key next_pid if next_pid;"
#define BLOCKED_OUT                                                                      \
	"start sched:sched_switch key prev_pid if blocked(prev_state) && prev_pid;"      \
	"cancel sched:sched_switch key prev_pid if !blocked(prev_state) && prev_pid;"
/* Who is dead. */
#define GONE                                                                             \
	"forget sched:sched_switch key prev_pid if "                                     \
	"!blocked(prev_state) && !runnable(prev_state) && prev_pid;"
#define WAKING "wake sched:sched_waking key pid;"
#define NANOSECONDS "weight t; unit ns;"
/* What threads do, all of their time. Only where samples are is asked of these, so a rate that is not the
 * same for all is as good. */
#define LIFE(names)                                                                      \
	SWITCH_IN "start sched:sched_switch key prev_pid if prev_pid && "                \
		  "(blocked(prev_state) || runnable(prev_state));" GONE WAKING           \
		  "sample cpu-clock* | task-clock* | cycles* | "                         \
		  "cpu_core/cycles*,cpu_atom/cycles* key tid if tid != 0;"               \
		  "between [on-CPU];"                                                    \
		  "weight blocked(start.prev_state) * (t - t.run) as [off-CPU];"         \
		  "weight blocked(start.prev_state) * t.run + "                          \
		  "runnable(start.prev_state) * t as [runqueue];"                        \
		  "names " names "; stack start; open count; unit ns;"                   \
		  "ratio on-CPU% = [on-CPU]/weight"
#define CALLS(side)                                                                      \
	"syscalls:sys_" side "_read,syscalls:sys_" side "_pread64,syscalls:sys_" side    \
	"_readv,syscalls:sys_" side "_preadv,syscalls:sys_" side                         \
	"_preadv2,syscalls:sys_" side "_write,syscalls:sys_" side                        \
	"_pwrite64,syscalls:sys_" side "_writev,syscalls:sys_" side                      \
	"_pwritev,syscalls:sys_" side "_pwritev2,syscalls:sys_" side                     \
	"_fsync,syscalls:sys_" side "_fdatasync,syscalls:sys_" side                      \
	"_sync_file_range,syscalls:sys_" side "_sendfile64,syscalls:sys_" side           \
	"_copy_file_range"
/* What joins a request in front of it moves that to another sector, where it ends. The disk is that of a
 * part, whose number is among its 16, or the part itself has a disk's number. */
#define REQUEST_JOINS                                                                    \
	"cancel block:block_rq_merge key dev, sector;"                                   \
	"move block:block_bio_frontmerge key dev, sector + nr_sector to dev, sector;"    \
	"move block:block_bio_frontmerge key dev & ~15, sector + nr_sector "             \
	"to dev & ~15, sector if dev & 15;"
/* A flush has no sectors: it is under sector 0, where others may be under way as well. It asks for nothing of
 * the disk itself: "FF" does, which the kernel makes of all that wait at the time. The last one that began
 * ends first, so one whose end is missing has no part in the others, and their sum is what it is. */
#define REQUEST_BEGINS "start block:block_io_start key dev, sector lifo;"
#define REQUEST_ENDS "end block:block_io_done key dev, sector if rwbs != 'FF';"
/* Before 6.5 a request is seen when it is queued, and when it is issued; of a disk without a scheduler
 * only then. It may end in parts. A flush is seen when it is made, under the number of the disk's
 * part, if so, whose major is mostly the disk's; where it ends nothing tells more of it. */
#define OF_A_PART "size nr_sector to dev, sector + nr_sector if nr_sector;"
#define OLD_REQUEST_BEGINS                                                               \
	"start block:block_rq_insert | nothing key dev, sector size nr_sector lifo "     \
	"if nr_sector;"                                                                  \
	"start block:block_rq_issue | nothing key dev, sector size nr_sector "           \
	"if nr_sector; first;"                                                           \
	"start block:block_getrq | nothing key dev >> 20, -2 lifo if !nr_sector;"
#define OLD_REQUEST_ENDS                                                                 \
	"end block:block_rq_complete key dev, sector " OF_A_PART                         \
	"end block:block_rq_complete key dev >> 20, -2 "                                 \
	"if nr_sector == 0 && sector == 0 && rwbs != 'FF';"
#define OF_A_LOCK "key tid, lock_addr ^ (!tid * cpu << 48);"
/* clang-format off */
/* Probes of our own, or what perf probe makes of a function: two of one that has a stub, too. */
#define LIBC(f) "uprobe:libc:" f " | probe_libc:" f ",probe_libc:" f "_1 | nothing "
#define RETURN(f) \
	"uretprobe:libc:" f " | probe_libc:" f "__return,probe_libc:" f "__return_1 | nothing "
/* What each asks for. A product that wraps to 0 is not asked for nothing. */
#define ALLOCATIONS(takes) \
	"start " LIBC("malloc") "value arg1;" \
	"start " LIBC("calloc") "value arg1 * arg2;" \
	"start " LIBC("realloc") "value arg2" takes ";" \
	"start " LIBC("reallocarray") "value arg2 * arg3 + (arg2 && arg3 && !(arg2 * arg3))" takes ";" \
	"start " LIBC("aligned_alloc") "value arg2;" \
	"start " LIBC("memalign") "value arg2;" \
	"start " LIBC("valloc") "value arg1;" \
	"start " LIBC("pvalloc") "value arg1;"
#define EACH_RETURN(what) \
	"end " RETURN("malloc") what \
	"end " RETURN("calloc") what \
	"end " RETURN("realloc") what \
	"end " RETURN("reallocarray") what \
	"end " RETURN("aligned_alloc") what \
	"end " RETURN("memalign") what \
	"end " RETURN("valloc") what \
	"end " RETURN("pvalloc") what
#define MALLOC \
	ALLOCATIONS("") EACH_RETURN("value ret != 0;") \
	"start " LIBC("posix_memalign") "value arg3;" \
	"end " RETURN("posix_memalign") "value ret == 0; nested;" \
	"weight start.value * end.value; unit bytes; stack end"
/* posix_memalign() puts the address into memory. Who becomes another program has other memory. */
#define LEAK \
	ALLOCATIONS(" object pid, arg1") EACH_RETURN("value ret != 0 object pid, ret;") \
	"release " LIBC("free") "key pid, arg1;" \
	"leave sched:sched_process_exec key pid; nested;" \
	"weight start.value * end.value; unit bytes; stack end; open report"
/* clang-format on */

const struct mode modes[] = {
	{ "cpu", "Flame Graph", "which code runs? (samples, by their periods)", "",
	  "hot" },
	{ "wall", "Wall-Clock Time",
	  "what does the user wait for? (time, shared out among all that runs at once)",
	  "ratio parallelism=cpu/weight", "ratio" },
	{ "wall-instant", "Wall-Clock Time",
	  "likewise, by how many run at the sample (as perf report --latency)", "",
	  "hot" },
	{ "cpi", "Cycles per Instruction",
	  "which code waits for memory? (cycles, by those that an instruction takes)",
	  "ratio CPI=cycles/instructions", "ratio" },
	{ "offcpu", "Off-CPU Time", "where do threads block, and for how long?",
	  /* What perf record --off-cpu has measured itself. */
	  SWITCH_IN BLOCKED_OUT NANOSECONDS
	  "stack start; or; sample offcpu-time; weight period; unit ns",
	  "io" },
	{ "runq", "Run Queue Time", "where do threads wait for a processor?",
	  SWITCH_IN "start sched:sched_switch key prev_pid if prev_pid && "
		    "(blocked(prev_state) || runnable(prev_state));" GONE WAKING
		    "weight blocked(start.prev_state) * t.run + "
		    "runnable(start.prev_state) * t; unit ns; stack start",
	  "io" },
	{ "hotcold", "Hot/Cold", "what do threads do with all of their time?",
	  LIFE("root"), "ratio" },
	{ "hotcold-mixed", "Hot/Cold", "where does the same code run, block and wait?",
	  LIFE("leaf"), "ratio" },
	{ "hotcold-integrated", "Hot/Cold",
	  "how much of its time does each function run?", LIFE("none"), "ratio" },
	{ "schedlat", "Scheduler Latency", "how long does who was woken wait to run?",
	  "end sched:sched_switch key next_pid if next_pid;"
	  "cancel sched:sched_switch key prev_pid if prev_pid;"
	  "start sched:sched_waking key pid; first;" NANOSECONDS "stack start",
	  "io" },
	{ "wakeup", "Wakeup Time", "who ends the waits of whom?",
	  "end sched:sched_waking key pid;" BLOCKED_OUT
	  "cancel sched:sched_switch key next_pid if next_pid;" NANOSECONDS
	  "stack wakeup",
	  "wakeup" },
	{ "offwake", "Off-Wake Time", "where do threads block, and who wakes them?",
	  SWITCH_IN BLOCKED_OUT WAKING NANOSECONDS "stack offwake", "chain" },
	{ "chain", "Chain Graph", "who wakes the waker?",
	  SWITCH_IN GONE BLOCKED_OUT WAKING NANOSECONDS "stack chain", "chain" },
	{ "fileio", "File I/O Time", "which code waits for files, and how long?",
	  "start " CALLS("enter") "; end " CALLS("exit") ";" NANOSECONDS "stack end",
	  "io" },
	{ "filebytes", "File I/O Bytes", "which code reads and writes how much?",
	  "start " CALLS("enter") "; end " CALLS(
		  "exit") ";"
			  "weight max(0, end.ret); unit bytes; stack end",
	  "io" },
	{ "syscalls", "System Call Time", "which code is in system calls, and how long?",
	  /* Who becomes another program has the first thread's number from then on, which never
	   * came back from what it was in. */
	  "start raw_syscalls:sys_enter | syscalls:sys_enter_*;"
	  "end raw_syscalls:sys_exit | syscalls:sys_exit_*;"
	  "cancel sched:sched_process_exec key pid if pid != old_pid;" NANOSECONDS
	  "stack end",
	  "io" },
	{ "blockio", "Block I/O Time",
	  "which code causes I/O of disks, and how long is it?",
	  REQUEST_BEGINS REQUEST_ENDS REQUEST_JOINS NANOSECONDS
	  "stack start; or;" OLD_REQUEST_BEGINS OLD_REQUEST_ENDS REQUEST_JOINS NANOSECONDS
	  "stack start",
	  "io" },
	{ "blockqueue", "Block I/O Queue Time", "how long do requests wait for the disk?",
	  "start block:block_io_start | block:block_rq_insert key dev, sector lifo if "
	  "nr_sector;"
	  "end block:block_rq_issue key dev, sector if nr_sector;" REQUEST_JOINS
		  NANOSECONDS "stack start",
	  "io" },
	{ "blockdevice", "Block I/O Device Time", "how long does the disk take?",
	  "start block:block_rq_issue key dev, sector size nr_sector lifo if nr_sector;"
	  "end block:block_rq_complete key dev, sector " OF_A_PART
	  "cancel block:block_rq_requeue key dev, sector if nr_sector;"
	  /* What the disk is asked for to flush. */
	  "start block:block_rq_issue key dev, -2 lifo if rwbs == 'FF';"
	  "end block:block_rq_complete key dev, -2 if rwbs == 'FF';"
	  "cancel block:block_rq_requeue key dev, -2 if rwbs == 'FF';" NANOSECONDS
	  "stack start",
	  "io" },
	{ "iocount", "Block I/O Requests",
	  "which code causes how many requests to disks?",
	  "sample block:block_io_start; weight 1; unit requests; or;" OLD_REQUEST_BEGINS
		  OLD_REQUEST_ENDS REQUEST_JOINS
	  "weight 1; unit requests; stack start; or;"
	  "sample block:block_rq_insert | block:block_rq_issue; weight 1; unit requests",
	  "io" },
	{ "iobytes", "Block I/O Bytes", "which code causes how much I/O of disks?",
	  /* A request is told with what it begins with: what joins it later has events of its
	   * own, but is in it when it is issued. A discard tells the disk what it need not keep, and
	   * moves none of it. */
	  "sample "
	  "block:block_io_start,block:block_bio_backmerge,block:block_bio_frontmerge "
	  "| block:block_rq_issue | block:block_rq_insert if rwbs != 'D' && "
	  "rwbs != 'DS' && rwbs != 'DE' && rwbs != 'DES';"
	  "weight nr_sector * 512; unit bytes",
	  "io" },
	{ "locks", "Kernel Lock Time", "which code waits for locks of the kernel?",
	  /* Who has spun for a mutex and sleeps now begins again. All idle threads are number 0, one
	   * a processor. */
	  "start lock:contention_begin " OF_A_LOCK "end lock:contention_end " OF_A_LOCK
	  "first;" NANOSECONDS "stack start",
	  "io" },
	{ "futex", "Futex Time", "which code waits for mutexes and conditions?",
	  /* FUTEX_WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2; & 127: without flags */
	  "start syscalls:sys_enter_futex if (op & 127) == 0 || (op & 127) == 6 || "
	  "(op & 127) == 9 || (op & 127) == 11 || (op & 127) == 13;"
	  "end syscalls:sys_exit_futex;" NANOSECONDS "stack end",
	  "io" },
	{ "faults", "Page Faults", "which code touches memory for the first time?",
	  "sample page-faults* | exceptions:page_fault_*; weight period; unit faults",
	  "mem" },
	{ "brk", "Heap Growth", "which code makes the heap larger?",
	  /* A new program asks where its heap is: that of the one before is no beginning. */
	  "cancel syscalls:sys_enter_brk key pid if !brk;"
	  "end syscalls:sys_exit_brk key pid; start syscalls:sys_exit_brk key pid;"
	  "weight max(0, end.ret - start.ret); unit bytes; stack end",
	  "mem" },
	{ "mmap", "Mapped Memory", "which code maps how much memory?",
	  "start syscalls:sys_enter_mmap;"
	  "end syscalls:sys_exit_mmap if ret >= 0 || ret < -4095;"
	  "cancel syscalls:sys_exit_mmap if ret < 0 && ret >= -4095;"
	  "weight page_round(start.len); unit bytes; stack end",
	  "mem" },
	{ "malloc", "Allocated Memory", "which code asks malloc for how much?", MALLOC,
	  "mem" },
	{ "leak", "Memory Not Freed", "which code asks malloc for what is never freed?",
	  LEAK, "mem" },
	{ "kmem", "Kernel Memory", "which code makes the kernel allocate how much?",
	  "sample kmem:kmalloc*,kmem:kmem_cache_alloc* if ptr; weight bytes_alloc;"
	  "unit bytes",
	  "mem" },
	{ "kmemleak", "Kernel Memory Not Freed",
	  "what did the kernel allocate and not free again?",
	  "start kmem:kmalloc*,kmem:kmem_cache_alloc* key ptr if ptr;"
	  "end kmem:kfree,kmem:kmem_cache_free key ptr;"
	  "weight start.bytes_alloc; unit bytes; stack start; open report",
	  "mem" },
	{ NULL, NULL, NULL, NULL, NULL },
};

enum wall_weight mode_wall(const struct mode *mode)
{
	return strcmp(mode->name, "wall") == 0		 ? WALL_EXACT
	       : strcmp(mode->name, "wall-instant") == 0 ? WALL_INSTANT
							 : WALL_NONE;
}

const struct mode *mode_find(const char *name)
{
	for (const struct mode *m = modes; m->name; m++)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}
