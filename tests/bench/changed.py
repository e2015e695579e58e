#!/usr/bin/env python3
"""Folded text of what may come after FILE: changed.py FILE. Weights differ by a fifth, and a stack in ten
calls one more function. Always the same text."""
import random
import sys

rng = random.Random(2)
with open(sys.argv[1]) as lines:
    for line in lines:
        stack, _, count = line.rpartition(" ")
        if rng.random() < 0.1:
            stack += ";added"
        print(stack, max(1, int(int(count) * rng.uniform(0.8, 1.2) + rng.random())))
