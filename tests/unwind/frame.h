/* What the programs here share: functions that stay functions, and something to do. */
#ifndef FRAME_H
#define FRAME_H

/* A frame of its own: not inlined, not cloned, and AFTER_CALL keeps the last call from
 * becoming a jump. */
#ifdef __clang__
#define FRAME __attribute__((noinline))
#else
#define FRAME __attribute__((noinline, noclone))
#endif
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

/* gcc gives a leaf a frame only where somebody asks for it, with -DLEAF_FRAME here. */
#ifdef LEAF_FRAME
#define LEAF() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))
#else
#define LEAF() (void)0
#endif

/* Of what takes time; few where each instruction is looked at. */
#ifndef ROUNDS
#define ROUNDS 3000
#endif

/* Some nanoseconds a round, without touching the stack. */
static inline unsigned busy(unsigned rounds)
{
	unsigned x = rounds;

	for (unsigned i = 0; i < rounds; i++) {
		x = x * 1103515245 + 12345;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

#endif
