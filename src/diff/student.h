#ifndef DIFF_STUDENT_H
#define DIFF_STUDENT_H

/* Student's t distribution. @freedom: degrees, more than 0; INFINITY: the normal one. */

/* How probable it is that a value lies as far from 0 as @t, or farther, on either side. */
double student_two_sided(double t, double freedom);

/* The value that this is the probability of, from above 0 to 1. */
double student_critical(double probability, double freedom);

#endif
