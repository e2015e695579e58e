#!/usr/bin/env python3
"""chart.py chrome|speedscope FILE: the spans of a chart, by the rules of the format, a line each.

    THREAD: DEPTH BEGIN-END NAME [CATEGORY] [xSAMPLES]

Threads in the order of their tracks; times in ns. A file that breaks a rule (spans of a thread that
overlap without one being in the other, closes that match no open, times that go back) fails.
"""

import json
import sys


def fail(*words):
    sys.exit("chart.py: " + " ".join(str(word) for word in words))


def ns(microseconds):
    """Numbers are read as text: a float would not hold them."""
    whole, _, part = microseconds.partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


def chrome(text):
    trace = json.loads(text, parse_float=str, parse_int=str)
    names, order, spans = {}, {}, {}
    for event in trace["traceEvents"]:
        key = (int(event["pid"]), int(event["tid"]))
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                names[key] = event["args"]["name"]
            elif event["name"] == "thread_sort_index":
                order[key] = int(event["args"]["sort_index"])
        elif event["ph"] == "X":
            begin, length = ns(event["ts"]), ns(event["dur"])
            if length <= 0:
                fail("a span of", length, "ns")
            more = f" {event['cat']}"
            if "args" in event:
                more += f" x{event['args']['samples']}"
            spans.setdefault(key, []).append((begin, begin + length, event["name"] + more))
        else:
            fail("phase", event["ph"])
    if set(spans) - set(names):
        fail("threads without a name", set(spans) - set(names))
    for key in sorted(spans, key=order.get):
        # What is longer contains; of two that are as long the one that was closed later does.
        found = sorted(enumerate(spans[key]), key=lambda s: (s[1][0], -s[1][1], -s[0]))
        open_until = []
        for _, (begin, end, name) in found:
            while open_until and open_until[-1] <= begin:
                open_until.pop()
            if open_until and end > open_until[-1]:
                fail(names[key], name, "ends at", end, "and what it is in at", open_until[-1])
            print(f"{names[key]}: {len(open_until)} {begin}-{end} {name}")
            open_until.append(end)


def speedscope(text):
    file = json.loads(text)
    frames = file["shared"]["frames"]
    for profile in file["profiles"]:
        if profile["type"] != "evented":
            fail("profile", profile["type"])
        at, opened, spans = profile["startValue"], [], []
        for event in profile["events"]:
            if event["at"] < at:
                fail(profile["name"], event["at"], "is before", at)
            at = event["at"]
            if event["type"] == "O":
                opened.append(len(spans))
                spans.append([len(opened) - 1, at, None, frames[event["frame"]]["name"]])
            else:
                span = spans[opened.pop()]
                if span[3] != frames[event["frame"]]["name"]:
                    fail(profile["name"], "closes", frames[event["frame"]]["name"], "for", span[3])
                span[2] = at
        if opened or at > profile["endValue"]:
            fail(profile["name"], len(opened), "spans are open at the end", at)
        for depth, begin, end, name in spans:
            print(f"{profile['name']}: {depth} {begin}-{end} {name}")


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        {"chrome": chrome, "speedscope": speedscope}[sys.argv[1]](file.read())
