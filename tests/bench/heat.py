"""What the strip of time costs: bytes of a picture, and how soon a browser does what it is asked in it."""
import os
import re
import subprocess


def pictures(bench, path):
    """The same recording without the strip and with it: two files."""
    made = []
    for option in "--no-heat", "--heat":
        made.append(path.replace(".data", f"{option}.svg"))
        subprocess.run([bench.FLAMEFOLD, "-q", option, "-o", made[-1], path], check=True)
    return made


def sizes(bench, files, samples):
    """Bytes by those of a picture without it, and a sample."""
    plain, strip = map(os.path.getsize, files)
    print(f"\nthe strip of time, {samples:,} samples: {plain / 1e3:,.0f} kB without it, {strip / 1e3:,.0f} kB with it")
    bench.limit("bytes more, a sample", (strip - plain) / samples, 2)
    return strip / plain


def shown(said, picture, thing):
    """Milliseconds until a browser shows it, of what viewer.mjs says of a picture."""
    block = said.split(f"\n{os.path.basename(picture)}: ", 1)[1].split("\n\n")[0]
    return float(re.search(rf"^  {re.escape(thing)} +(\d+)", block, re.M).group(1))


def run(bench):
    few, many = (os.path.join(bench.DIR, f"heat-{name}.data") for name in ("few", "many"))
    wanted = bench.number("HEAT_FEW_SAMPLES", 100000)
    samples, _ = bench.record_samples(few, wanted, bench.number("HEAT_RATE", 999))
    if not samples:
        print("bench: skipped: no recording for the strip of time")
        return
    bench.limit("times the bytes without it", sizes(bench, pictures(bench, few), samples), 1.3)
    samples, _ = bench.record_samples(many, bench.number("HEAT_SAMPLES", 1000000))
    if not samples:
        return
    files = pictures(bench, many)
    print(f"  {sizes(bench, files, samples):.2f} times the bytes without it")
    said = bench.in_browser("viewer.mjs", *files)
    if said:
        print(said)
        for thing in "brush", "brush, another time", "all time", "when a frame ran":
            bench.limit(f"ms until it is shown: {thing}", shown(said, files[1], thing), 100)
