#!/usr/bin/env python3
"""measure.py COMMAND...: runs it, without its output, and prints the seconds of processor time that it took, how many
MiB of memory it had at most, and its exit status."""
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[1:], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{used.ru_utime + used.ru_stime:.2f} {used.ru_maxrss >> 10} {status}")
