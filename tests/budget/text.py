#!/usr/bin/env python3
"""text.py KIND BYTES FILE: text made to take long, of about so many bytes."""
import sys

# Folded text.


def deep(size):
    """One function that calls itself."""
    return b"f;" * (size // 2) + b" 1\n"


def long_line(size):
    """One stack, no two frames of which are the same."""
    return b";".join(b"%x" % i for i in range(size // 6)) + b" 1\n"


def distinct(size):
    return b"".join(b"main;%x 1\n" % i for i in range(size // 13))


def staircase(size):
    """Each stack ends where the one before went on."""
    depth = int(size ** 0.5)
    return b"".join(b"f;" * i + b"f 1\n" for i in range(depth))


def long_name(size):
    return b"x" * size + b" 1\n"


def prefixes(size):
    """Names that differ in their last bytes alone."""
    return b"".join(b"x" * 1000 + b"%05d 1\n" % i for i in range(size // 1008))


def comb(size):
    """Deep stacks that differ at the leaf."""
    stem = b"a;b;c;d;e;f;g;h;" * 60
    return b"".join(stem + b"%x 1\n" % i for i in range(size // 968))


def roots(size):
    """And at the root."""
    stem = b";a;b;c;d;e;f;g;h" * 60
    return b"".join(b"%x" % i + stem + b" 1\n" for i in range(size // 968))


def turns(size):
    """Two functions call each other: no two nodes are alike, and all have one of two names."""
    lines = (("".join("ab"[i >> k & 1] + ";" for k in range(16))[:-1] + " 1\n").encode() for i in range(size // 34))
    return b"".join(lines)


def annotated(size):
    return b"".join(b"%x_[k];%x_[j];%x_[i]_[j]_[k]_[w] 1\n" % (i, i, i) for i in range(size // 45))


def broken(size):
    """No UTF-8."""
    return b"".join(b"\xf0\x9f%c\xff\xc0\xed\xa0\x80;%x\xe2\x82 1\n" % (128 + i % 64, i) for i in range(size // 22))


def digits(size):
    return b"a;b " + b"1" * size + b"\nmain 1\n"


def counts(size):
    """With decimals, and twice."""
    return b"".join(b"a;%x %d.%06d %d\n" % (i, i, i, i) for i in range(size // 30))


def blanks(size):
    return b"a;b" + b" " * size + b"1\n" + b"main 1\n"


def semicolons(size):
    return b";" * size + b" 1\nmain 1\n"


def comments(size):
    return b"main 1\n" + b"# \n" * (size // 3)


def markup(size):
    """What XML has to say in more letters."""
    return b"".join(b"<&\"'>\x01\x1b%x;<&> 1\n" % i for i in range(size // 20))


def templates(size):
    return b"".join(b"a<" * 200 + b"%x" % i + b">" * 200 + b" 1\n" for i in range(size // 610))


def one_template(size):
    return b"a<" * (size // 3) + b">" * (size // 3) + b" 1\n"


def parentheses(size):
    return b"".join(b"(" * 400 + b"%x" % i + b")" * 200 + b" 1\n" for i in range(size // 610))


def paths(size):
    return b"".join(b"a/b/c::d.e.f/g::(h)::%x` 1\n" % i for i in range(size // 30))


KINDS = {f.__name__: f for f in (
    deep, long_line, distinct, staircase, long_name, prefixes, comb, roots, turns, annotated, broken, digits, counts, blanks,
    semicolons, comments, markup, templates, one_template, parentheses, paths)}
if __name__ == "__main__":
    with open(sys.argv[3], "wb") as out:
        out.write(KINDS[sys.argv[1]](int(sys.argv[2])))
