/*
 * libflamefold: when it was. A profile that keeps how much of each stack is in which cell of its time
 * writes pictures with a map of that time, tells where its behaviour changed, and can be written in
 * slices.
 *
 *	options.flags |= FF_HEAT;
 *	ff_profile_new(&p, &options);
 *	ff_profile_read(p, "perf.data");
 *	ff_profile_finish(p);
 *	ff_write(p, ff_format_find("svg"), NULL, stdout);
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef FLAMEFOLD_TIME_H
#define FLAMEFOLD_TIME_H

#include <flamefold.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A flag of struct ff_options: keep how much of each stack is in which cell of a recording's time. A
 * cell is 20 ms, or longer where more than a million pairs of a cell and a stack would have to be kept.
 * Pictures of recordings of FF_HEAT_LEAST ns and more show it. */
enum { FF_HEAT = 1 << 21 };
/* With FF_HEAT: phases are found, ff_profile_phases(), and pictures say them, too. */
enum { FF_PHASES = 1 << 22 };
#define FF_HEAT_LEAST UINT64_C(2000000000)

/* With FF_HEAT, before anything is read: cells are exactly as long. 0, or -EINVAL. */
FF_API int ff_profile_slice(struct ff_profile *p, uint64_t nanoseconds);

/* Before anything is read: the inputs that will be, in this order. Recordings of which it is certain that
 * one clock timed them get one axis of time, whose 0 is the first sample of all; otherwise each has its own,
 * as without this call, and the profile has no times. They are looked through for it, and what is wrong
 * with them is said when they are read. 0, or -EINVAL, or -ENOMEM. */
FF_API int ff_profile_expect(struct ff_profile *p, const char *const *paths,
			     size_t count);

/* Of a finished profile, folded text of each slice that has samples, behind a line that says when it
 * begins and ends, in seconds from the first sample on: "# 3.000000000,4.000000000". -EOPNOTSUPP with a
 * sentence where the profile has no times; -EIO and the like where @out fails. */
FF_API int ff_write_slices(struct ff_profile *p, FILE *out);

/* A part of a recording's time in which it did much the same. */
struct ff_phase {
	uint64_t start, end; /* ns from the first sample on */
	uint64_t weight; /* in it */
	const char *
		name; /* the function that tells it from the others; "" where none does */
	double share; /* of its weight that has this function on the stack, 0 to 1 */
};

/* Of a finished profile with FF_PHASES, in order of time, from the first to the last of what it has. How
 * many there are; 0 where the profile has no times. *@ret: until the profile is freed. */
FF_API size_t ff_profile_phases(const struct ff_profile *p, const struct ff_phase **ret);

/* Why a finished profile has no times, in words; NULL: it has. */
FF_API const char *ff_profile_untimed(const struct ff_profile *p);

/* Why pictures of a finished profile have no map of its time, likewise: that, or it is too short. */
FF_API const char *ff_profile_unmapped(const struct ff_profile *p);

#ifdef __cplusplus
}
#endif

#endif
