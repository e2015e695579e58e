// truth: GO111MODULE=off CGO_CFLAGS="-O2 -fno-omit-frame-pointer -I$HERE" go build -o $BIN $SRC
// truth O2 (nofp): GO111MODULE=off CGO_CFLAGS="-O2 -I$HERE" go build -o $BIN $SRC
package main

/*
#include "truth.h"

TRUTH_NOINLINE static void c_leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void c_work(unsigned long n)
{
	c_leaf(n);
	TRUTH_STAY();
}

static void c_entry(unsigned long n)
{
	TRUTH("main.main;main.work;...;c_entry|*_Cfunc_c_entry;c_work;c_leaf", c_work(n));
}
static int c_more(void) { return truth_more(); }
static void c_write(void) { truth_write(); }
*/
import "C"
import "runtime"

//go:noinline
func work() {
	C.c_entry(10000000)
}

func main() {
	runtime.LockOSThread()
	for C.c_more() != 0 {
		work()
	}
	C.c_write()
}
