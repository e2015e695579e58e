#!/usr/bin/env python3
"""peak.py COMMAND...: runs it, and prints on the last line of standard error how many MiB it had at most."""
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[1:], check=False).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, file=sys.stderr)
sys.exit(status if status >= 0 else 128 - status)
