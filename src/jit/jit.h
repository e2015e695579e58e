#ifndef JIT_JIT_H
#define JIT_JIT_H

/*
 * What runtimes say of the code they made: maps of names, dumps with code, times and call frame
 * information.
 */
#include "jit/file.h"
#include "jit/jitdump.h"
#include "jit/perf_map.h"
#include "jit/unwind.h"

#endif
