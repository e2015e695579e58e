#ifndef TESTS_WEIGHT_PAIRED_H
#define TESTS_WEIGHT_PAIRED_H

#include "weight/weight.h"

/*
 * A recording of events out, in, wake and call, which have the fields common_flags, common_pid, a, b
 * and c, and of one that has none. What is settled is folded text: "app;-;k 5".
 */
enum { OUT, IN, WAKE, CALL, PLAIN, EVENTS };

enum { HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40, RESCHED = 0x25 };

/* What a worker has. */
struct worked {
	struct trie trie;
	struct frames frames;
	struct weight_sum sum;
	struct sample_log log;
	struct pair_counts pairs;
	struct deferred_queue deferred[DEFERRED_KINDS];
};

extern struct context paired_ctx;
extern struct intern paired_strings;
extern struct recording paired_rec;
extern struct pairing paired_pairing;
extern struct event_choice paired_choice;
extern struct weigher paired_weigher;
extern struct worked paired; /* by all */
extern uint64_t paired_period; /* of samples that are taken: 1 */

void paired_work_begin(struct worked *w);
void paired_work_end(struct worked *w);
struct weight_target paired_target_of(struct worked *w);

/* Of a test: its .init and .fini. */
void paired_begin(void);
void paired_end(void);

/* "time=..." and what else is asked of intervals; before paired_bind(). */
void paired_filter(enum filter_side side, const char *text);

void paired_bind(const char *rule);

/* "app;-;k": the first frame is a process, "-" a mark, others are code. */
uint32_t paired_node_of(struct worked *w, const char *stack);

/* What a sample says: the fields a, b and c, common_flags, and that a filter leaves it out. */
enum { A, B, C, FLAGS, FILTERED, SAID };

void paired_take_as(uint16_t event, uint64_t time, uint32_t tid, const char *stack,
		    const int32_t *said);
#define paired_take(event, time, tid, stack, ...)                                        \
	paired_take_as(event, time, tid, stack, (const int32_t[SAID]){ __VA_ARGS__ })

/* Records were lost meanwhile. */
void paired_lose(uint64_t from, uint64_t to);

void paired_settle(void);

/* Settles the rest; all that was ever begun has ended in one way. */
void paired_finish(uint64_t last);

/* The tree as lines, sorted, with '|' between them; until the next call. */
const char *paired_folded(void);

/* The key is a; b says whether it waits. */
#define SLEEP "start s:out key a if b; cancel s:out key a if !b; end s:in key a;"

#endif
