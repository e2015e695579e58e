"""Two sets of stacks, what a program counted of itself and what a profiler saw, compared by weight."""
import functools
import re

# Above the root and between functions of the program: what says that something is missing or unknown.
MARK = re.compile(r"^\[(?!.*(\.so|\+0x))|^0x[0-9a-f]+$|^$")
# What says that a stack is not whole, or not of this file.
SAID = re.compile(r"^\[(truncated|skipped|replaced)")
# The weight without any function of the program that is left out in any case: its start and end, and
# what the machine had of the time that both count.
LEAST_OUTSIDE = 0.02


def read_folded(lines, process=False):
    """{stack: weight}; process: the first frame is the process."""
    stacks = {}
    for line in lines:
        text, _, weight = line.rstrip("\n").rpartition(" ")
        frames = tuple(text.split(";"))[1 if process else 0:]
        stacks[frames] = stacks.get(frames, 0) + int(weight)
    return stacks


def read_perf_script(lines):
    """perf script -F comm,tid,period,ip,sym"""
    stacks, frames, weight = {}, [], 0
    for line in [*lines, ""]:
        frame = re.match(r"\s+([0-9a-f]+) (.*)$", line)
        header = re.match(r"\s*\S.*\s(\d+)\s*$", line) if not frame else None
        if frame and weight:
            frames.append(re.sub(r" \(inlined\)$|\+0x[0-9a-f]+$", "", frame[2].strip()))
        elif header and not line.startswith("\t"):
            weight = int(header[1])
        elif not line.strip() and weight:
            stack = tuple(reversed(frames))
            stacks[stack] = stacks.get(stack, 0) + weight
            frames, weight = [], 0
    return stacks


def without_parameters(name):
    """A name of C++ as it is called: ns::f<int>, of int ns::f<int>(int) const."""
    kept, depth, cut = [], 0, None
    text = name.replace("(anonymous namespace)", "{anonymous}").replace("operator()", "operator{}")
    text = re.sub(r"\(\*([\w.]+)\)", r"{*\1}", text)  # Go: pkg.(*type).method
    for c in text:
        if c == "(":
            depth += 1
            cut = len(kept) if cut is None and depth == 1 else cut
        elif c == ")" and depth:
            depth -= 1
        elif not depth:
            kept.append(c)
    text = "".join(kept)
    if cut is not None:
        text = re.sub(r" (const|volatile)\b", "", text)
        text = re.sub(r"^(?:[^<> ]|<(?:[^<>]|<[^<>]*>)*>)+ (?=\S)", "", text)
    text = re.sub(r"\{\*([\w.]+)\}", r"(*\1)", text)
    return text.replace("{anonymous}", "(anonymous namespace)").replace("operator{}", "operator()")


@functools.lru_cache(maxsize=None)
def plain(name):
    name = re.sub(r" \[clone [^]]*\]|::h[0-9a-f]{16}$", "", name)
    name = re.sub(r"(\.(constprop|isra|part|cold|lto_priv|llvm)(\.\d+)*)+$", "", name)
    return without_parameters(name) if "(" in name else name


class Element:
    """One of a true stack: a name, where * is any text and | is or; ~ before those that are not
    the program's own; ... for any number of functions that are not."""

    def __init__(self, text):
        self.any = text == "..."
        self.own = not self.any and not text.startswith("~")
        pattern = "|".join(".*".join(map(re.escape, name.split("*"))) for name in text.lstrip("~").split("|"))
        self.matches = re.compile(pattern, re.DOTALL).fullmatch


@functools.lru_cache(maxsize=None)
def elements(stack):
    made = []
    for text in stack:
        times = re.fullmatch(r"(.*) x(\d+)", text)
        made += [Element(times[1])] * int(times[2]) if times else [Element(text)]
    return tuple(made)


class Judge:
    """Tells which true stack a measured one is."""

    def __init__(self, truth):
        self.truth = {stack: elements(stack) for stack in truth}
        self.own = [e for made in self.truth.values() for e in made if e.own]
        self.known = {}

    def is_own(self, name):
        if name not in self.known:
            self.known[name] = any(e.matches(name) for e in self.own)
        return self.known[name]

    def foreign(self, name):
        return not MARK.search(name) and not self.is_own(name)

    def same(self, wanted, frames):
        """Do the frames, from the root, make up the elements?"""
        open_ends = {0}
        for e in [*frames, None]:
            # "..." may stand for nothing
            for i in sorted(open_ends):
                while i < len(wanted) and wanted[i].any:
                    i += 1
                    open_ends.add(i)
            if e is None:
                return len(wanted) in open_ends
            ends = set()
            for i in open_ends:
                if i < len(wanted) and wanted[i].any:
                    if self.foreign(e):
                        ends.add(i)
                elif i < len(wanted) and wanted[i].matches(e):
                    ends.add(i + 1)
            open_ends = ends
        return False

    def find(self, frames):
        """The true stack, or None. What is above its root are whole frames of others."""
        frames = [plain(f) for f in frames]
        for stack, wanted in self.truth.items():
            for i, frame in enumerate(frames):
                if wanted[0].matches(frame):
                    if self.same(wanted, frames[i:]):
                        return stack
                    break
                if not self.foreign(frame):
                    break
        return None

    def outside(self, frames):
        return not any(self.is_own(plain(f)) for f in frames)


class Result:
    def __init__(self, right, shares, wrong, left_out):
        self.right, self.shares, self.wrong, self.left_out = right, shares, wrong, left_out
        self.unsaid = sum(part for frames, part in wrong.items() if not any(map(SAID.match, frames)))

    def explain(self, most=12):
        lines = [f"  {100 * true:6.2f} % true {100 * seen:6.2f} % seen  {';'.join(stack)[:200]}"
                 for stack, (true, seen) in self.shares.items()]
        lines += [f"  {100 * part:6.2f} % wrong  {text if len(text) < 400 else text[:150] + ' ... ' + text[-240:]}"
                  for part, text in sorted(((p, ";".join(s)) for s, p in self.wrong.items()), reverse=True)[:most]]
        return "\n".join(lines + [f"  {100 * self.unsaid:6.2f} % wrong without a mark",
                                  f"  {100 * self.left_out:6.2f} % left out, outside of the program's functions"])


def compare(truth, measured):
    """The sum over true stacks of the smaller one of the true and the measured share."""
    judge, seen, wrong, outside = Judge(truth), dict.fromkeys(truth, 0), {}, {}
    for frames, weight in measured.items():
        stack = judge.find(frames)
        if stack is not None:
            seen[stack] += weight
        elif judge.outside(frames):
            outside[frames] = weight
        else:
            wrong[frames] = weight
    total, counted, other = sum(measured.values()), sum(truth.values()), sum(outside.values())
    # What the program does not account for is the runtime's, no more.
    left_out = min(other, LEAST_OUTSIDE * total + max(0, total - counted))
    rest = total - left_out
    if not rest or not counted:
        return Result(0.0, {}, {}, 0.0)
    for frames, weight in outside.items():
        if left_out < other:
            wrong[frames] = weight * (other - left_out) / other
    shares = {s: (truth[s] / counted, seen[s] / rest) for s in truth}
    return Result(sum(map(min, shares.values())), shares, {s: w / rest for s, w in wrong.items()}, left_out / total)
