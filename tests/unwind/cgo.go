// main.main -> main.work -> cgocall -> asmcgocall, on the thread's stack: c_entry -> leaf
package main

/*
#include "frame.h"

FRAME static unsigned leaf(unsigned n)
{
	LEAF();
	return busy(n);
}

static unsigned c_entry(unsigned n)
{
	unsigned x = leaf(n);

	AFTER_CALL();
	return x;
}
*/
import "C"

//go:noinline
func work(n int) C.uint {
	return C.c_entry(C.uint(n))
}

func main() {
	x := C.uint(0)
	for i := 0; i < 10000; i++ {
		x += work(20000)
	}
	if x == 1 {
		println("no sum")
	}
}
