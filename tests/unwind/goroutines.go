// Stacks that no one but Go's runtime begins: runtime.goexit, main.work, main.outer,
// main.middle, main.leaf.
//
// usage: goroutines TIMES
package main

import (
	"os"
	"strconv"
)

//go:noinline
func leaf(n int) int {
	s := n
	for i := 0; i < n; i++ {
		s = s*31 + i
	}
	return s
}

//go:noinline
func middle(n int) int {
	return leaf(n) + 1
}

//go:noinline
func outer(n int) int {
	return middle(n) + 2
}

func work(done chan int, times int) {
	sum := 0
	for i := 0; i < times; i++ {
		sum += outer(20000)
	}
	done <- sum
}

func main() {
	times, _ := strconv.Atoi(os.Args[1])
	done := make(chan int)
	for i := 0; i < 4; i++ {
		go work(done, times)
	}
	sum := 0
	for i := 0; i < 4; i++ {
		sum += <-done
	}
	if sum == 0 {
		println(sum)
	}
}
