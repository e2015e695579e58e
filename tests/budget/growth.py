#!/usr/bin/env python3
"""growth.py SECONDS MIB ONE TWO COMMAND...: what COMMAND takes for an input, and for one twice as large.

Runs COMMAND with the file ONE behind it, and then with TWO; {} in COMMAND is the file instead. Prints seconds of
processor time a MB of TWO, how many times that of ONE it is, and the most memory. Fails above SECONDS a MB, above MIB, and
where twice the input takes more than three times as long, three times in a row; below half a second that
says nothing. $STATUS is the exit status that is to be (0); $OVER: what is added to the size of a file, as of
a second one that is read with it."""
import os
import resource
import subprocess
import sys

NOISE = 0.5  # seconds
MOST_GROWTH = 3


def take(command, path):
    """Processor time in seconds."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    with open("/dev/null", "r+b") as null:
        words = [word.replace("{}", path) for word in command]
        words += [] if words != command else [path]
        done = subprocess.run(words, stdin=null, stdout=null, stderr=subprocess.PIPE, check=False)
    if done.returncode != int(os.environ.get("STATUS", 0)):
        sys.exit(f"exit status {done.returncode} of {' '.join(words)}: {done.stderr[-500:].decode(errors='replace')}")
    return used() - before


def main():
    seconds, most = float(sys.argv[1]), int(sys.argv[2])
    one, two, command = sys.argv[3], sys.argv[4], sys.argv[5:]
    megabytes = (os.path.getsize(two) + int(os.environ.get("OVER", 0))) / 1e6
    first, second = take(command, one), take(command, two)
    for _ in range(2):
        if second > MOST_GROWTH * max(first, NOISE / 2):
            first, second = min(first, take(command, one)), min(second, take(command, two))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    print(f"{megabytes:.2f} MB: {second / megabytes:.2f} s/MB, {second / first:.1f} times, {peak} MiB")
    if second / megabytes > seconds:
        sys.exit(f"{second:.2f} s are more than {seconds} s a MB")
    if second > NOISE and second > MOST_GROWTH * max(first, NOISE / 2):
        sys.exit(f"twice the input takes {second:.2f} s, and half of it {first:.2f} s")
    if peak > most and not os.environ.get("SANITIZED"):
        sys.exit(f"{peak} MiB are more than {most}")


main()
