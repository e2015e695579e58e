#!/usr/bin/env python3
"""simulate.py [NAME=VALUE...]: how long flamefold-mpi would take for many recordings on many nodes, and what bounds
it. How fast a core folds (make bench, BENCH=archive) and how trees grow was measured on one machine; all other rates
are assumed, and are to be replaced by those of a cluster. Each rank's and each message's time is computed; sizes vary
by a generator of fixed seed, so the same numbers come out each time."""
import heapq
import random
import sys

RATES = {
    "recordings": 100_000,
    "bytes": 180_000,  # of one, on average
    "cores": 16,  # a node: a rank each
    # Measured: bytes a second and core, with all that a small recording costs.
    "fold": 53e6,
    # Assumed:
    "read": 1.0e9,  # bytes a second that a node reads from the shared file system
    "storage": 20e9,  # and all of them together
    "start": 0.4,  # seconds: to open the objects and symbols that recordings name, once a rank and thousand
    "merge": 12e6,  # nodes of profile files a second and core, read, merged and written
    "wire": 1.2e9,  # bytes a second between two nodes
    "latency": 50e-6,
    "fan": 8,
    # Of n recordings together: measured of 1 to 1,000 of them, 921 and 161,551 nodes; assumed to go on so.
    "nodes1": 921, "nodes_power": 0.75,
    "file1": 5490, "file_power": 0.61,
}


def simulate(r, machines):
    """{what: seconds}. A rank waits for who is below it, takes them as they come, and sends what it has then."""
    rng, ranks, n = random.Random(1), machines * r["cores"], r["recordings"]
    sizes = sorted((r["bytes"] * rng.lognormvariate(-0.125, 0.5) for _ in range(n)), reverse=True)
    share, count = [0.0] * ranks, [0] * ranks
    for i, size in enumerate(sizes):
        turn = i % (2 * ranks)
        rank = min(turn, 2 * ranks - 1 - turn)
        share[rank] += size
        count[rank] += 1
    per_core = min(r["read"], r["storage"] / machines) / r["cores"]
    read = max(share) / per_core
    fold = max(s / r["fold"] + r["start"] * -(-c // 1000) for s, c in zip(share, count))
    # Reading goes on beside folding: whichever is slower.
    ready = [max(s / per_core, s / r["fold"] + r["start"] * -(-c // 1000)) for s, c in zip(share, count)]
    done, wire, merge, root = ready[:], 0.0, 0.0, 0.0
    for rank in reversed(range(ranks)):
        below = [b for b in range(r["fan"] * rank + 1, r["fan"] * rank + r["fan"] + 1) if b < ranks]
        coming = [(done[b], b) for b in below]
        heapq.heapify(coming)
        at, nodes = ready[rank], r["nodes1"] * count[rank] ** r["nodes_power"]
        total = count[rank]
        for since, b in (heapq.heappop(coming) for _ in below):
            same_node = b // r["cores"] == rank // r["cores"]
            sent = r["latency"] + (0 if same_node else r["file1"] * count[b] ** r["file_power"] / r["wire"])
            at = max(at, since) + sent
            wire = max(wire, sent * len(below))
            nodes += r["nodes1"] * count[b] ** r["nodes_power"]
            total += count[b]
        step = nodes / r["merge"] if below else 0
        merge = max(merge, step)
        root = step
        count[rank], done[rank] = total, at + step
    return {"read": read, "fold": fold, "network": wire, "merge": merge, "root": root, "all": done[0],
            "tree": done[0] - max(ready)}


def main():
    rates = dict(RATES)
    for word in sys.argv[1:]:
        name, _, value = word.partition("=")
        if name not in rates or not value:
            sys.exit(f"simulate.py: NAME=VALUE with one of {', '.join(rates)}, not '{word}'")
        rates[name] = type(rates[name])(float(value))
    print("| nodes | ranks | reading | folding | merging up the tree | of that, the root | network | all | bound by |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for machines in 1, 16, 256:
        t = simulate(rates, machines)
        bounds = {"folding": t["fold"], "reading": t["read"], "the tree": t["tree"]}
        print(f"| {machines} | {machines * rates['cores']} | {t['read']:.2f} s | {t['fold']:.2f} s | {t['tree']:.2f} s "
              f"| {t['root']:.2f} s | {t['network'] * 1000:.2f} ms | {t['all']:.2f} s | {max(bounds, key=bounds.get)} |")


main()
