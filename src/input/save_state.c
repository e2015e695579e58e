/*
 * The records are kept one behind the other, in time order. A child has the maps of the
 * process that forked it until it runs a program, so who has ended is needed as long as
 * one of its descendants lives. Both are found backwards: the newest record of a thread
 * says whether it lives, and a child is forked before it forks.
 */
#include "input/save_state.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/perf_abi.h"

/* What a process is, by its pid. */
enum { ALIVE, ENDED };

struct task {
	uint32_t pid, parent, tid;
};

struct pruning {
	struct hash_map by_pid;
	struct hash_map seen; /* threads, by pid << 32 | tid */
	struct hash_map begun; /* by pid: a program of it that is newer than what comes */
	ARRAY(size_t) at; /* offsets of the records */
};

void save_state_release(struct save_state *s)
{
	bytes_release(&s->records);
}

void save_state_add(struct save_state *s, const uint8_t *bytes, uint32_t size)
{
	static const bool lasts[] = {
		[PERF_RECORD_MMAP] = true,    [PERF_RECORD_MMAP2] = true,
		[PERF_RECORD_COMM] = true,    [PERF_RECORD_FORK] = true,
		[PERF_RECORD_EXIT] = true,    [PERF_RECORD_NAMESPACES] = true,
		[PERF_RECORD_KSYMBOL] = true, [PERF_RECORD_BPF_EVENT] = true,
		[PERF_RECORD_CGROUP] = true,
	};
	struct perf_event_header head;

	memcpy(&head, bytes, sizeof(head));
	if (head.type < sizeof(lasts) / sizeof(*lasts) && lasts[head.type] &&
	    size >= RECORD_HEAD + sizeof(struct task))
		bytes_add(&s->records, bytes, size);
}

static struct perf_event_header head_at(const struct save_state *s, size_t at)
{
	struct perf_event_header head;

	memcpy(&head, s->records.v + at, sizeof(head));
	return head;
}

/* FORK and EXIT have all three; of the others only the pid means what it says. */
static struct task task_at(const struct save_state *s, size_t at)
{
	struct task task;

	memcpy(&task, s->records.v + at + RECORD_HEAD, sizeof(task));
	return task;
}

static bool is_needed(const struct pruning *p, uint32_t pid)
{
	const uint32_t *state = hash_map_get(&p->by_pid, pid);

	return !state || *state == ALIVE;
}

/* What the newest record of a thread says of its process. */
static bool see_thread(struct pruning *p, const struct perf_event_header *head,
		       const struct task *task)
{
	uint64_t thread = (uint64_t)task->pid << 32 | task->tid;
	bool ended = head->type == PERF_RECORD_EXIT;

	if (hash_map_get(&p->seen, thread))
		return true;
	if (task->tid != task->pid && hash_map_get(&p->begun, task->pid))
		return true; /* of an older program: who calls exec ends all others */
	if (!hash_map_set(&p->seen, thread, 0))
		return false;
	/* The first thread may end before the others: the process ends with the last. */
	if (!ended)
		return hash_map_set(&p->by_pid, task->pid, ALIVE);
	return task->tid != task->pid || hash_map_get(&p->by_pid, task->pid) ||
	       hash_map_set(&p->by_pid, task->pid, ENDED);
}

/* Which processes are needed, from the newest record to the oldest. */
static int find_needed(const struct save_state *s, struct pruning *p)
{
	for (size_t i = p->at.count; i-- > 0;) {
		struct perf_event_header head = head_at(s, p->at.v[i]);
		struct task task = task_at(s, p->at.v[i]);
		bool forks = head.type == PERF_RECORD_FORK && task.pid != task.parent;
		bool executes = head.type == PERF_RECORD_COMM &&
				head.misc & PERF_RECORD_MISC_COMM_EXEC;
		bool ok = true;

		/* A COMM has the tid where FORK and EXIT have the parent. */
		if (head.type == PERF_RECORD_COMM)
			task.tid = task.parent;
		if (head.type == PERF_RECORD_FORK || head.type == PERF_RECORD_EXIT ||
		    head.type == PERF_RECORD_COMM)
			ok = see_thread(p, &head, &task);
		/* A program begins with either, of which the process has one thread then. */
		if (forks || executes)
			ok = ok && hash_map_set(&p->begun, task.pid, 0);
		if (forks && is_needed(p, task.pid))
			ok = ok && hash_map_set(&p->by_pid, task.parent, ALIVE);
		if (!ok)
			return -ENOMEM;
	}
	return 0;
}

int save_state_forget(struct save_state *s)
{
	struct pruning p = { 0 };
	size_t kept = 0;
	int err = -ENOMEM;

	if (s->records.failed)
		return -ENOMEM;
	for (size_t at = 0; at < s->records.count; at += head_at(s, at).size) {
		size_t *item = array_add(&p.at);

		if (!item)
			goto out;
		*item = at;
	}
	err = find_needed(s, &p);
	if (err < 0)
		goto out;
	for (size_t i = 0; i < p.at.count; i++) {
		struct perf_event_header head = head_at(s, p.at.v[i]);
		/* These are of the kernel, whoever runs. */
		bool of_kernel = head.type == PERF_RECORD_KSYMBOL ||
				 head.type == PERF_RECORD_BPF_EVENT ||
				 head.type == PERF_RECORD_CGROUP;

		if (!of_kernel && !is_needed(&p, task_at(s, p.at.v[i]).pid))
			continue;
		memmove(s->records.v + kept, s->records.v + p.at.v[i], head.size);
		kept += head.size;
	}
	s->records.count = kept;
out:
	hash_map_release(&p.by_pid);
	hash_map_release(&p.seen);
	hash_map_release(&p.begun);
	array_release(&p.at);
	return err;
}
