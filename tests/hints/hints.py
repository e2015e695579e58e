#!/usr/bin/env python3
"""Sentences that say what helps, as they are compiled.

hints.py list                 every literal of the objects below $O/src that names a remedy
hints.py check TABLE BATS...  each matches one row of the table, and each row a literal and a test
hints.py said TABLE ID        standard input has that literal of the row, whatever its values are:
                              prints the sentence, from its first word to its last

A literal is a string that ends with a 0 in a section of constants: what the compiler has joined
is whole there. What --help prints, a shell reads, and the page of a picture are no messages. A row with the whole of a literal is
of that one only."""
import glob
import os
import re
import subprocess
import sys

# What users of other tools type is answered by cli/habits, and tests/cli/habits.bats follows that; a title is
# made from the options that a recorder was given, and a format has suffixes that begin with a dash.
NO_MESSAGES = {"cli/options", "cli/help", "cli/habits", "cli/completion", "write/formats", "write/page", "write/title"}

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src")

# What a remedy cannot be said without: a command, an option, or a verb that asks for something.
REMEDY = re.compile(r"""
      \bsudo\b | \bsysctl\b | \bulimit\b | \bprlimit\b | \binstall\b | \bmount\s-t | CAP_[A-Z]
    | (?:^|[\s'(:,/])--?[a-zA-Z][a-z-]*(?=[\s=,.)'%;:]|$) | -XX: | -X\s | [A-Z_]{8,}=1
    | \b(?:flamefold|perf|simpleperf)\s(?:record|info|fold|archive|inject|graph|help)\b
    | \bjcmd\b | \brecord\s(?:with|after|to|as|it)\b | \bcopy\s | \bcompile\b | \bbuild\sit\b
    | \b(?:see|try|use|run)\s['"a-z-] | \bhelps?\b | '\sallows\s | loses\sfewer
    """, re.X)


def literals(wanted=REMEDY):
    """{text: {name of its source}}"""
    found = {}
    base = os.path.join(os.environ.get("O", "build"), "src")
    paths = glob.glob(base + "/**/*.o", recursive=True)
    paths = {path: os.path.relpath(path, base)[:-2] for path in sorted(paths)}
    # A source that has gone may have left its object.
    paths = {path: source for path, source in paths.items()
             if source not in NO_MESSAGES and os.path.exists(os.path.join(SOURCES, source + ".c"))}
    # "File: PATH" is before the sections of each.
    sections = subprocess.run(["readelf", "-SW", *paths], capture_output=True, text=True, check=True).stdout
    for of in re.split(r"^File: ", sections, flags=re.M)[1:]:
        path = of.split("\n", 1)[0]
        with open(path, "rb") as file:
            data = file.read()
        for offset, size in re.findall(r"\] \.rodata\S* +PROGBITS +\S+ (\S+) (\S+)", of):
            part = data[int(offset, 16):int(offset, 16) + int(size, 16)]
            for text in part.split(b"\0"):
                if len(text) < 8 or any(c < 32 and c != 10 or c > 126 for c in text):
                    continue
                text = text.decode()
                if wanted.search(text):
                    found.setdefault(text, set()).add(paths[path])
    return found


def rows(path):
    """[(id, how, words, reason)]"""
    table = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#") or not line.strip():
                continue
            fields = line.rstrip("\n").split("\t")
            if len(fields) not in (3, 4) or fields[1] not in ("run", "part", "else", "not", "none"):
                sys.exit(f"{path}:{number}: not ID, run|part|else|not|none, WORDS and a reason, between tabs")
            if (fields[1] != "run") != (len(fields) == 4):
                sys.exit(f"{path}:{number}: a reason is for what is not run, and only for that")
            table.append((fields + [""])[:4])
    return table


def tested(paths):
    """The ids that tests are named after: @test "first, second: what is seen"."""
    ids = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for names in re.findall(r'^@test "([a-z0-9_, ]+): ', file.read(), re.M):
                ids += names.split(", ")
    return ids


def is_of(row, text, every):
    return row[2] == text if row[2] in every else row[2] in text


def is_elsewhere(reason, beside):
    """FILE: words of the title of a test in it"""
    name, _, words = reason.partition(": ")
    try:
        with open(os.path.join(os.path.dirname(beside), name), encoding="utf-8") as file:
            return bool(words) and re.search('^@test "[^\n]*' + re.escape(words), file.read(), re.M) is not None
    except OSError:
        return False


def check(table, bats):
    found, faults = literals(), []
    if not found:
        sys.exit("no compiled literals")
    table, ids, every = rows(table), tested(bats), literals(re.compile(""))
    for text, sources in sorted(found.items()):
        of = [row[0] for row in table if is_of(row, text, every)]
        if not of:
            faults.append(f"{', '.join(sorted(sources))}: its remedy is in no row: {text!r}")
        elif len(of) > 1:
            faults.append(f"rows {', '.join(of)} are all about {text!r}")
    for name, how, words, reason in table:
        if not any(words in text for text in every):
            faults.append(f"{name}: no message has the words {words!r}")
        if how in ("run", "part") and name not in ids:
            faults.append(f"{name}: no test is named after it")
        if how == "else" and not is_elsewhere(reason, bats[0]):
            faults.append(f"{name}: there is no test {reason!r}")
        if how in ("else", "not", "none") and name in ids:
            faults.append(f"{name}: there is a test, so it is not {how!r}")
    for name in ids:
        if name not in [row[0] for row in table]:
            faults.append(f"{name}: a test without a row")
    for name in {row[0] for row in table if [r[0] for r in table].count(row[0]) > 1}:
        faults.append(f"{name}: more than one row")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


def pattern(text):
    """A format as what it can print."""
    parts = re.split(r"(%[-+ #0]*[0-9*]*(?:\.[0-9*]+)?(?:hh|h|ll|l|z|j)?[a-zA-Z%])", text)
    made = ""
    for part in parts:
        if part == "%%":
            made += "%"
        elif part.startswith("%") and len(part) > 1:
            made += r"-?[0-9a-fx]+" if part[-1] in "diuxX" else r"[^\n]*?"
        else:
            # Of what was found in a recording FILE is that.
            made += re.escape(part).replace("FILE", r"\S+")
    return made


def said(table, name):
    words = [row[2] for row in rows(table) if row[0] == name]
    if len(words) != 1:
        sys.exit(f"'{name}' is in {len(words)} rows")
    every = literals(re.compile(""))
    texts = [text for text in every if is_of(("", "", words[0]), text, every)]
    if not texts:
        sys.exit(f"no message has the words {words[0]!r}")
    heard = sys.stdin.read()
    for text in texts:
        # A value at the end goes on to the end of the line.
        match = re.search(pattern(text) + ("[^\n]*" if text.endswith("%s") else ""), heard)
        if match:
            print(match.group(0))
            return
    sys.exit(f"not said: {texts[0]!r}\nbut: {heard}")


def main():
    match sys.argv[1:]:
        case ["list"]:
            for text, sources in sorted(literals().items(), key=lambda item: sorted(item[1])):
                print(f"{', '.join(sorted(sources))}\t{text!r}")
        case ["check", table, *bats]:
            check(table, bats)
        case ["said", table, name]:
            said(table, name)
        case _:
            sys.exit(__doc__)


main()
