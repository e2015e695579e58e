"""What the strip of time costs: bytes of a picture, and how soon a browser does what it is asked in it."""
import os
import re
import subprocess
import sys
import zlib

sys.path.append(os.path.join(os.path.dirname(__file__), "../cli"))
from payload import found
from varints import Reader, encoded


def pictures(bench, path):
    """The same recording without the strip and with it: two files."""
    made = []
    for option in "--no-heat", "--heat":
        made.append(path.replace(".data", f"{option}.svg"))
        subprocess.run([bench.FLAMEFOLD, "-q", option, "-o", made[-1], path], check=True)
    return made


def entries(report):
    """Of what a picture says of its recording each entry, as a list of texts."""
    reader = Reader(report)
    while reader.left():
        texts = []
        for _ in range(reader.number()):
            end = report.index(b"\0", reader.at)
            texts.append(report[reader.at:end])
            reader.at = end + 1
        yield texts


def one_by_one(entry):
    """Processes as pictures of format 2 have them, each an entry of its own; the others as they are."""
    if entry[0] != b"processes":
        return [entry]
    count, names = int(entry[1]), int(entry[2])
    lists = entry[3 + names:]
    pid, pids = 0, []
    for step in lists[:count]:
        pid += int(step)
        pids.append(pid)
    processes = zip(pids, (entry[3 + int(k)] for k in lists[count:2 * count]), lists[2 * count:])
    return [[b"process", b"%d" % pid, name, samples]
            for pid, name, samples in sorted(processes, key=lambda one: (-int(one[2]), one[0]))]


def in_format_2(picture):
    """How many bytes a picture would have whose data is in format 2, the one from before there was a strip."""
    with open(picture, encoding="utf-8") as file:
        text = file.read()
    element, payload = found(text)
    reader = Reader(payload)
    directory = [(reader.number(), reader.number()) for _ in range(reader.number())]
    columns, at = {}, reader.at
    for column, size in directory:
        columns[column], at = payload[at:at + size], at + size
    report = columns.get(38, b"")
    before = b"".join(encoded(len(one)) + b"".join(text + b"\0" for text in one)
                      for entry in entries(report) for one in one_by_one(entry))
    characters = len("".join(re.sub("<[^>]*>", "", element[2]).split()))
    packed = characters * 13 // 16 + len(zlib.compress(before, 9)) - len(zlib.compress(report, 9))
    return len(text.encode()) - characters + -(-packed // 3) * 4


def sizes(bench, files, samples):
    """Bytes beyond those of a picture without it, and a sample."""
    plain, strip = map(os.path.getsize, files)
    print(f"\nthe strip of time, {samples:,} samples: {plain / 1e3:,.0f} kB without it, {strip / 1e3:,.0f} kB with it, "
          f"{strip / plain:.2f} times as many")
    bench.limit("bytes more, a sample", (strip - plain) / samples, 2)
    return strip


def shown(said, picture, thing):
    """Milliseconds until a browser shows it, of what viewer.mjs says of a picture."""
    block = said.split(f"\n{os.path.basename(picture)}: ", 1)[1].split("\n\n")[0]
    return float(re.search(rf"^  {re.escape(thing)} +(\d+)", block, re.M).group(1))


def of_few_samples(bench, path, rate):
    """100,000 of them: at a high rate they are few cells that have many, at a low one many that have few."""
    samples, _ = bench.record_samples(path, bench.number("HEAT_FEW_SAMPLES", 100000), rate)
    if not samples:
        return False
    print(f"\n{rate} Hz", end="")
    files = pictures(bench, path)
    bench.limit("times the bytes of one in format 2 without it", sizes(bench, files, samples) / in_format_2(files[0]), 1.3)
    return True


def run(bench):
    few, many = (os.path.join(bench.DIR, f"heat-{name}.data") for name in ("few", "many"))
    if not all(of_few_samples(bench, few, rate) for rate in (15000, bench.number("HEAT_RATE", 999))):
        print("bench: skipped: no recording for the strip of time")
        return
    samples, _ = bench.record_samples(many, bench.number("HEAT_SAMPLES", 1000000))
    if not samples:
        return
    files = pictures(bench, many)
    sizes(bench, files, samples)
    said = bench.in_browser("viewer.mjs", *files)
    if said:
        print(said)
        for thing in "brush", "brush, another time", "all time", "when a frame ran":
            bench.limit(f"ms until it is shown: {thing}", shown(said, files[1], thing), 100)
