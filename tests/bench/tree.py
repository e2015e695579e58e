#!/usr/bin/env python3
"""Folded text of a tree with exactly NODES nodes: tree.py NODES [random]. Always the same
text.

Stacks are walks through a program: a function calls a few others, some of them often, and
names are as long as those of C++ are. With "random" nobody calls anybody in particular:
each stack keeps the beginning of the one before and goes on with functions by chance,
which nothing can pack well."""
import random
import sys

WORDS = "read write parse emit alloc free lock wait hash sort map node list page".split()
SPACES = ["std", "kern", "net::http", "storage::engine", "util", "app::core", "db::query::exec"]


def long_name(rng, i):
    word = lambda: rng.choice(WORDS)
    space = lambda: rng.choice(SPACES) + "::" + word().capitalize()
    if rng.random() < 0.3:
        return f"{word()}_{word()}_{i:x}"
    name = space() + word().capitalize()
    if rng.random() < 0.6:
        name += f"<{space()}_{rng.randint(0, 99)}, {space()}>"
    name += f"::{word()}_{i:x}"
    return name + (f"({space()} const&, unsigned long)" if rng.random() < 0.5 else "")


def walks(nodes, rng, out):
    count = int(nodes ** 0.5 * 20)
    names = [long_name(rng, i) for i in range(count)]
    calls, root, stacks, made = {}, {}, {}, 1

    def callee(function):
        if function not in calls:
            calls[function] = [int(count * rng.random() ** 1.7)
                               for _ in range(1 + min(24, int(rng.paretovariate(1.1))))]
        return calls[function][int(len(calls[function]) * rng.random() ** 2.2)]

    while made < nodes:
        function, node, stack = int(8 * rng.random()), root, []
        for _ in range(max(3, int(rng.gauss(24, 9)))):
            if function not in node:
                if made == nodes:
                    break
                node[function] = {}
                made += 1
            stack.append(names[function])
            node, function = node[function], callee(function)
        line = ";".join(stack)
        stacks[line] = stacks.get(line, 0) + 1
    for line, weight in stacks.items():
        out.write(f"{line} {weight}\n")


def by_chance(nodes, rng, out):
    names = [f"{rng.choice(WORDS)}_{rng.choice(WORDS)}_{i:x}" for i in range(20000)]
    stack, children = ["all"], [set()]
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
        out.write(f"{';'.join(stack)} {1 + int(1 / (rng.random() + 1e-4))}\n")


def main():
    make = by_chance if sys.argv[2:] == ["random"] else walks
    make(int(sys.argv[1]), random.Random(1), sys.stdout)


main()
