// truth: GO111MODULE=off go build -o $BIN $SRC
// truth stripped: GO111MODULE=off go build -ldflags '-s -w' -o $BIN $SRC
// truth pie: GO111MODULE=off go build -buildmode=pie -o $BIN $SRC
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

var (
	lock  sync.Mutex
	times = map[string]int64{}
	sink  uint64
)

func now() int64 {
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

func add(stack string, ns int64) {
	lock.Lock()
	times[stack] += ns
	lock.Unlock()
}

//go:noinline
func leaf(n uint64) uint64 {
	s := n
	for i := uint64(0); i < n; i++ {
		s ^= i * s
	}
	return s
}

//go:noinline
func framed(n uint64) uint64 {
	var room [16]uint64
	for i := uint64(0); i < n; i++ {
		room[i&15] += i
	}
	return room[n&15]
}

//go:noinline
func outer(n uint64) uint64 {
	return leaf(n) + 1
}

type worker struct{ n uint64 }

//go:noinline
func (w *worker) work() uint64 {
	return framed(w.n) + 1
}

type does interface{ work() uint64 }

//go:noinline
func calls(d does) uint64 {
	return d.work() + 1
}

func goroutine(done chan bool) {
	runtime.LockOSThread()
	for i := 0; i < 30; i++ {
		begin := now()
		sink += outer(10000000)
		add("main.goroutine;main.outer;main.leaf", now()-begin)
	}
	done <- true
}

func main() {
	runtime.LockOSThread()
	done := make(chan bool)
	go goroutine(done)
	w := &worker{10000000}
	for i := 0; i < 30; i++ {
		begin := now()
		sink += calls(w)
		middle := now()
		sink += leaf(10000000)
		add("main.main;main.calls;main.(*worker).work;main.framed", middle-begin)
		add("main.main;main.leaf", now()-middle)
	}
	<-done
	f, _ := os.Create(os.Getenv("TRUTH"))
	for stack, ns := range times {
		fmt.Fprintln(f, stack, ns)
	}
	f.Close()
}
