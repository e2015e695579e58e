# truth fp: gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && nim c --hints:off -d:release --nimcache:nimcache --passC:-fno-omit-frame-pointer --passL:truth.o -o:$BIN $SRC
# truth O2 (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && nim c --hints:off -d:release --nimcache:nimcache --passL:truth.o -o:$BIN $SRC
proc truthStart() {.importc: "truth_start".}
proc truthStop(stack: cstring) {.importc: "truth_stop".}
proc truthGoOn(): cint {.importc: "truth_go_on".}

var sink {.volatile.}: int

proc leaf(n: int) {.noinline.} =
  for i in 1 .. n:
    sink = sink + i

proc outer(n: int) {.noinline.} =
  leaf(n)
  sink = 1

type Shape = ref object of RootObj
method draw(s: Shape, n: int) {.base, noinline.} =
  outer(n)
  sink = 2

proc run() {.noinline.} =
  let s = Shape()
  while truthGoOn() != 0:
    truthStart()
    outer(6000000)
    truthStop("run__*;outer__*;leaf__*")
    truthStart()
    s.draw(6000000)
    truthStop("run__*;draw__*;outer__*;leaf__*")

run()
