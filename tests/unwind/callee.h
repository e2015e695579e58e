#ifndef CALLEE_H
#define CALLEE_H

unsigned callee_a(unsigned n);
unsigned callee_b(unsigned n);
unsigned callee_c(unsigned n);

#endif
