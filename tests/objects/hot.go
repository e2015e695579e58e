// Works for a while in a function of a known name: hot SECONDS
package main

import (
	"os"
	"strconv"
	"time"
)

var sum uint64

//go:noinline
func knownWork(n uint64) {
	for i := uint64(0); i < n; i++ {
		sum += i ^ n
	}
}

//go:noinline
func caller(until time.Time) {
	for time.Now().Before(until) {
		knownWork(1000000)
	}
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	caller(time.Now().Add(time.Duration(seconds * 1e9)))
}
