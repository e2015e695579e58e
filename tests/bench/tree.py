#!/usr/bin/env python3
"""Folded text of a tree with exactly NODES nodes: tree.py NODES. Always the same text.

Each stack keeps the beginning of the one before and goes on with new frames, as the
stacks of a program do; names come from 20,000 functions, the frequent ones first."""
import random
import sys


def main():
    nodes = int(sys.argv[1])
    rng = random.Random(1)
    words = "read write parse emit alloc free lock wait hash sort map node list page".split()
    names = [f"{rng.choice(words)}_{rng.choice(words)}_{i:x}" for i in range(20000)]
    stack, children, out = ["all"], [set()], sys.stdout
    made = 1
    while made < nodes:
        back = rng.randint(0, 6) if len(stack) < 40 else rng.randint(10, 39)
        keep = max(1, len(stack) - back)
        del stack[keep:], children[keep:]
        for _ in range(min(rng.randint(1, 6), nodes - made)):
            name = names[int(len(names) * rng.random() ** 3)]
            while name in children[-1]:
                name = rng.choice(names)
            children[-1].add(name)
            stack.append(name)
            children.append(set())
            made += 1
        out.write(f"{';'.join(stack)} {int(1 / (rng.random() + 1e-4))}\n")


main()
