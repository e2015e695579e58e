# truth 312 (nofp): python3.12 --version
# run 312: exec python3.12 -X perf $SRC
# truth 313 (nofp): python3.13 --version
# run 313: exec python3.13 -X perf $SRC
# truth 313-jitdump (nofp): python3.13 --version
# run 313-jitdump: exec python3.13 -X perf_jit $SRC
import os
import time

times = {}


def leaf(n):
    s = 0
    while n:
        s ^= n
        n -= 1
    return s


def work(n):
    return leaf(n) + 1


def other(n):
    return work(n) + 1


def measured(stack, function, n):
    begin = time.thread_time_ns()
    function(n)
    times[stack] = times.get(stack, 0) + time.thread_time_ns() - begin


def main():
    while sum(times.values()) < 1e9:
        measured("py::main:*;...;py::measured:*;...;py::work:*;...;py::leaf:*;...", work, 200000)
        measured("py::main:*;...;py::measured:*;...;py::other:*;...;py::work:*;...;py::leaf:*;...", other, 200000)


main()
with open(os.environ["TRUTH"], "w", encoding="utf-8") as file:
    file.write(f"# {os.getpid()}\n")
    for name, ns in times.items():
        file.write(f"{name} {ns}\n")
