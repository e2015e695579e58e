#!/usr/bin/env bats
# The picture holds all that it was made of: it reads back, is small, and is a picture
# everywhere.
bats_require_minimum_version 1.5.0

load here

setup_file()
{
	cd "$BATS_FILE_TMPDIR" || exit 1
	python3 "$root/tests/bench/tree.py" 20000 >calls.folded
	python3 "$root/tests/bench/tree.py" 20000 random >random.folded
	printf 'main;a;b 60\nmain;c 40\n' >small.folded
}

setup()
{
	cd "$BATS_FILE_TMPDIR" || exit 1
}

# round OPTION... FILE: folded text of the picture is that of the file, and a picture of
# the picture is the same picture.
round()
{
	local file=${!#}

	"$FLAMEFOLD" graph --quiet -o one.svg "$@"
	"$FLAMEFOLD" fold --quiet "$file" >there
	"$FLAMEFOLD" fold --quiet one.svg >back
	cmp there back
	"$FLAMEFOLD" graph --quiet -o two.svg "${@:1:$#-1}" one.svg
	cmp one.svg two.svg
}

@test "folded text comes back" {
	for file in small.folded calls.folded random.folded; do
		round "$file"
	done
}

@test "folded text comes back whatever the picture looks like" {
	for options in --reverse --inverted --colors=hot --hash --colors=java --no-js \
		"--minwidth 5" "--width 800" "--colors=chain" "--countname bytes"; do
		# shellcheck disable=SC2086 # some are two words
		round $options calls.folded || return 1
	done
}

@test "decimals, empty stacks and differences come back" {
	printf 'a;b 1.5\na;c 0.25\na 2\n 3\n' >decimals.folded
	round decimals.folded
	printf 'a;b 5 7\na;c 0 3\nd 5 0\n' >difference.folded
	round difference.folded
	printf 'a 0\nb;c 0\nd;e 1\nd;f 0\n' >zeros.folded
	round zeros.folded
	printf 'only 18446744073709551615\n' >large.folded
	round large.folded
}

@test "a flame chart comes back in its order" {
	printf 'b;x 1\na;c 2\nb 3\nb;x 4\nb;x 1\nb 2\nb;y 3\n' >chart.folded
	round --flamechart chart.folded
}

@test "chains come back as they were" {
	printf 'a;--;b 3\na;b 4\na;--;--;c;-- 2\na;-- 1\nx_[w];y 3\n--;a 2\n' >chain.folded
	round --colors=chain chain.folded
	printf 'a;--;b 3\na;--;b;c 1\na;--;b 2\nx 1\nx;y 1\nx 1\n' >chart.folded
	round --colors=chain --flamechart chart.folded
}

@test "names come back byte for byte" {
	printf '%s\n' '</script><script>alert(1)</script> 3' ']]>&"'"'"'<x onload="y"> 2' \
		'</metadata>;<data> 2' >names.folded
	printf 'bad\xff\xc3;\xe2\x80\xae;\x01\x1b[31m 4\n' >>names.folded
	printf '%070000d;x 5\n' 7 >>names.folded
	round names.folded
	[ "$(grep -c alert names.folded)" -eq 1 ]
}

@test "what a recording says of itself comes back" {
	python3 -c 'import struct' || skip "no python3"
	"$root/tests/perfdata/build" -o perf.data "$(find "$root/tests/perfdata/cases" -name kernel_and_user.pd)"
	"$FLAMEFOLD" graph --quiet -o one.svg perf.data
	"$FLAMEFOLD" graph --quiet -o two.svg one.svg
	cmp one.svg two.svg
	for options in "" --all --kernel --jit; do
		"$FLAMEFOLD" fold --quiet $options perf.data >there
		"$FLAMEFOLD" fold --quiet $options one.svg | cmp there -
	done
	"$FLAMEFOLD" fold --quiet --count=samples perf.data >there
	"$FLAMEFOLD" fold --quiet --count=samples one.svg | cmp there -
}

@test "pages, packed pictures and pipes are read" {
	"$FLAMEFOLD" graph --quiet -o one.html calls.folded
	"$FLAMEFOLD" graph --quiet -o one.svg calls.folded
	"$FLAMEFOLD" fold calls.folded >there
	"$FLAMEFOLD" fold one.html | cmp there -
	gzip -c one.svg >one.svg.gz
	"$FLAMEFOLD" fold one.svg.gz | cmp there -
	"$FLAMEFOLD" fold - <one.svg | cmp there -
	cat one.svg | "$FLAMEFOLD" fold - | cmp there -
}

@test "pictures are added up with other inputs" {
	"$FLAMEFOLD" graph --quiet -o small.svg small.folded
	"$FLAMEFOLD" fold small.svg small.folded small.svg >sum
	[ "$(cat sum)" = $'main;a;b 180\nmain;c 120' ]
}

@test "info knows what it is" {
	"$FLAMEFOLD" graph --quiet -o small.svg small.folded
	run "$FLAMEFOLD" info small.svg
	[ "$status" -eq 0 ]
	[[ $output == *"flame graph"* ]]
}

@test "what needs single samples is refused" {
	"$FLAMEFOLD" graph --quiet -o small.svg small.folded
	run "$FLAMEFOLD" fold --only comm=x small.svg
	[ "$status" -ne 0 ]
	[[ $output == *"a flame graph has no single samples"* ]]
	run "$FLAMEFOLD" fold --event cycles small.svg
	[ "$status" -ne 0 ]
	[[ $output == *"holds what was counted"* ]]
}

@test "the same bytes with any number of threads" {
	"$FLAMEFOLD" graph --quiet --threads 1 -o one.svg calls.folded
	"$FLAMEFOLD" graph --quiet --threads 5 -o two.svg calls.folded
	cmp one.svg two.svg
}

@test "no part of a picture is a picture with data" {
	"$FLAMEFOLD" graph --quiet --no-js -o small.svg small.folded
	size=$(stat -c %s small.svg)
	for n in $(seq 1 97 $((size - 20))) $((size - 40)); do
		head -c "$n" small.svg >part
		grep -q '</metadata>' part && continue
		run "$FLAMEFOLD" fold part
		[ "$status" -eq 1 ] || { echo "$n bytes: $output"; return 1; }
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "pictures and pages are well-formed, whatever the names" {
	command -v xmllint >/dev/null || skip "no xmllint"
	printf 'bad\xff\xc3;\xe2\x80\xae;\x01\x1b[31m 4\n]]>;</script>;"&\x27;\xef\xbf\xbf 9\n' >names.folded
	printf '%070000d;x 5\n' 7 >>names.folded
	for options in "" --no-js --static --colors=hot --reverse --inverted "--minwidth 0"; do
		for file in names.folded calls.folded; do
			# shellcheck disable=SC2086
			"$FLAMEFOLD" graph --quiet $options --title '<&">' -o one.svg $file
			xmllint --noout one.svg
		done
	done
	"$FLAMEFOLD" graph --quiet --subtitle 'a--b' -o one.html names.folded
	[ "$(grep -c '<script' one.html)" -eq 1 ]
}

@test "a picture of stacks without weight" {
	printf 'b! 0\n 3\n' >weightless.folded
	"$FLAMEFOLD" graph --quiet -o weightless.svg weightless.folded
	xmllint --noout weightless.svg
}

@test "the picture alone cannot be read back" {
	"$FLAMEFOLD" graph --quiet --static -o alone.svg small.folded
	run "$FLAMEFOLD" fold alone.svg
	[ "$status" -eq 1 ]
	[[ $output == *"or --static"* ]]
}

@test "it renders without a browser" {
	command -v rsvg-convert >/dev/null || skip "no rsvg-convert"
	"$FLAMEFOLD" graph --quiet -o one.svg calls.folded
	"$FLAMEFOLD" graph --quiet --static -o two.svg calls.folded
	rsvg-convert one.svg -o one.png 2>warnings
	[ ! -s warnings ]
	read -r width height <<<"$(python3 -c 'import struct
print(*struct.unpack(">II", open("one.png", "rb").read(24)[16:]))')"
	[ "$width" -eq 1200 ]
	[ "$height" -gt 200 ]
	# Colours of the frames, black text and the white canvas are all there.
	python3 - one.png <<'EOF'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
at, idat = 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    idat += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
    at += 12 + size
raw = zlib.decompress(idat)
width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
step = {2: 3, 6: 4}[colour]
line, colours, before = width * step, set(), bytes(width * step)
for y in range(height):
    kind, row = raw[y * (line + 1)], bytearray(raw[y * (line + 1) + 1:(y + 1) * (line + 1)])
    for i in range(line):
        a = row[i - step] if i >= step else 0
        b, c = before[i], before[i - step] if i >= step else 0
        if kind == 1: row[i] = row[i] + a & 255
        elif kind == 2: row[i] = row[i] + b & 255
        elif kind == 3: row[i] = row[i] + (a + b) // 2 & 255
        elif kind == 4:
            p = a + b - c
            best = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[i] = row[i] + best & 255
    before = bytes(row)
    colours.update(bytes(row[x:x + 3]) for x in range(0, line, step))
import re
frames = set(re.findall("<rect x=[^>]* width=\"[0-9]{2,}\"[^>]* fill=\"#([0-9a-f]{6})\" class", open("one.svg").read()))
assert len(frames) > 10, frames
for wanted in "ffffff", "000000", *frames:
    assert bytes.fromhex(wanted) in colours, wanted
EOF
}

@test "files are small" {
	python3 "$root/tests/bench/tree.py" 100000 >large.folded
	"$FLAMEFOLD" graph --quiet -o large.svg large.folded
	[ "$(stat -c %s large.svg)" -le 700000 ]
	"$FLAMEFOLD" graph --quiet -o large.html large.folded
	[ "$(stat -c %s large.html)" -le 716000 ]
	[ "$("$FLAMEFOLD" fold large.svg | cksum)" = "$("$FLAMEFOLD" fold large.folded | cksum)" ]
}

@test "a picture with its data in base64, as format 2 has it, is read" {
	command -v python3 >/dev/null || skip "no python3"
	python3 "$root/tests/bench/tree.py" 3000 >large.folded
	for folded in small large; do
		"$FLAMEFOLD" graph --quiet -o now.svg $folded.folded
		PYTHONPATH=$BATS_TEST_DIRNAME python3 - <<'EOF'
import base64, re
from payload import decoded, found
picture = open("now.svg").read()
now, _ = found(picture)
packed = decoded(re.sub("<[^>]*>", "", now[2]))
text = base64.encodebytes(packed).decode()
middle = len(text) // 3
head = now[1].replace('data-format="3"', 'data-format="2"')
assert head != now[1]
open("before.svg", "w").write(f'<svg><metadata id="flamefold-data"{head}><data>{text[:middle]}</data>\n'
                              f'<data>\n{text[middle:]}</data></metadata></svg>')
EOF
		"$FLAMEFOLD" fold before.svg | cmp - <("$FLAMEFOLD" fold $folded.folded)
		sed 's/data-format="2"/data-format="4"/' before.svg >later.svg
		run "$FLAMEFOLD" fold later.svg
		[ "$status" -eq 1 ]
		[ "$output" = "flamefold: 'later.svg': its data is in format 4, and this flamefold knows formats 1 to 3" ]
		sed 's/data-format="2"/data-format="3"/' before.svg >mixed.svg
		run "$FLAMEFOLD" fold mixed.svg
		[ "$status" -eq 1 ]
		[[ $output == "flamefold: 'mixed.svg': the data of the picture is damaged: "* ]]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "a few bytes that stand for many are refused, or cost little" {
	command -v python3 >/dev/null || skip "no python3"
	! grep -aq '__[at]san_init' "$FLAMEFOLD" || skip "sanitizers take more than the limit for themselves"
	cat >bomb.py <<'EOF'
import base64, sys, zlib
from varints import encoded as varint
def picture(columns, more=0):
    directory = varint(len(columns)) + b"".join(varint(i) + varint(len(c)) for i, c in columns)
    payload = directory + b"".join(c for _, c in columns)
    packed = zlib.compress(payload, 9)
    return (f'<svg><metadata id="flamefold-data" data-format="1" data-packing="zlib" data-bytes='
            f'"{len(payload) + more}"><data>{base64.b64encode(packed).decode()}</data></metadata></svg>')
def tree(nodes, name=b"a"):
    counts = b"".join(map(varint, (1, 1, 1, nodes, 1, 1, 0, 0)))
    return [(1, counts), (2, b"\0"), (3, name + b"\0"), (4, b"\0"), (5, b"\0"), (6, b"\0"), (7, b"\0"),
            (8, b"\0"), (11, varint(nodes - 2)), (13, varint(0) + varint(2) + varint(nodes - 3)),
            (14, bytes(nodes - 3)), (15, b"\0\0"), (16, b"\0\0"), (32, b"\1"), (33, bytes(nodes - 1))]
def names(count, size):
    starts = b"\0" + varint(size) * (count - 1)
    rests = b"x" * size + b"\0" + b"".join(b"%d\0" % i for i in range(1, count))
    counts = b"".join(map(varint, (count, 1, 1, 3, 1, 1, 0, 0)))
    columns = tree(3)
    columns[0:3] = [(1, counts), (2, starts), (3, rests)]
    return columns
open("deep.svg", "w").write(picture(tree(500000)))
open("deeper.svg", "w").write(picture(tree(50000000)))
open("names.svg", "w").write(picture(names(30000, 30000)))
open("more.svg", "w").write(picture(tree(5), 1 << 40))
EOF
	PYTHONPATH=$BATS_TEST_DIRNAME python3 bomb.py
	run --separate-stderr bash -c 'ulimit -v 400000; ulimit -t 20; "$1" fold --memory=350M deep.svg | wc -c' - "$FLAMEFOLD"
	[ "$output" -eq 1000000 ] || { echo "$output $stderr"; return 1; }
	for file in deeper names more; do
		run bash -c 'ulimit -v 400000; ulimit -t 20; "$1" fold "$2.svg"' - "$FLAMEFOLD" "$file"
		[ "$status" -eq 1 ] || { echo "$file: $status"; return 1; }
		[[ $output == *"$file.svg"* ]] || { echo "$output"; return 1; }
		[ "${#lines[@]}" -eq 1 ]
	done
}

# reports: NAME.svg is small.svg with what the python below says of its recording.
reports()
{
	"$FLAMEFOLD" graph --quiet -o small.svg small.folded
	cat >reports.py <<'EOF'
import re, zlib
from payload import encoded, found
from varints import Reader, encoded as varint
picture = open("small.svg").read()
old, payload = found(picture)
assert 'data-packing="none"' in old[1]
r = Reader(payload)
directory = []
for _ in range(r.number()):
    column, size = r.number(), r.number()
    assert column != 38
    directory.append((column, size))
def entry(*fields):
    return varint(len(fields)) + b"".join(f.encode() + b"\0" for f in fields)
def write(name, report):
    columns = directory + [(38, len(report))]
    whole = varint(len(columns)) + b"".join(varint(c) + varint(n) for c, n in columns) + payload[r.at:] + report
    head = old[1].replace('"none"', '"zlib"')
    head = re.sub('data-bytes="[0-9]*"', f'data-bytes="{len(whole)}"', head)
    data = encoded(zlib.compress(whole))
    new = f'<metadata id="flamefold-data"{head}><data>{data}</data></metadata>'
    open(name, "w").write(picture[:old.start()] + new + picture[old.end():])
write("many.svg", b"".join(entry("finding", f"kind{i}", f"cause {i}", "", "1", "2") for i in range(200000)))
odd = "\033[31m\007"
write("odd.svg", entry("text", "command", odd) + entry("text", "host", odd) + entry("text", "damage", odd) +
      entry("event", odd, "3", "3", "99") + entry("process", "7", odd, "3") +
      entry("object", odd, "0", odd, odd, odd, odd, "0", "0", "5", "5", "1", "1", "7") +
      entry("finding", "lost", odd, odd, "1", "3"))
lists = ["", "sh", "cc1", "7", "1", "5", "1", "2", "1", "10", "20", "5"]
write("processes.svg", entry("processes", "3", "3", *lists))
for name, fields in (("more", ["4", "3", *lists]), ("names", ["3", "9", *lists]), ("none", ["3", "2", *lists[1:]]),
                     ("minus", ["-1", "3", *lists]), ("huge", ["3", "18446744073709551615", *lists]), ("empty", [])):
    write(f"bad-{name}.svg", entry("processes", *fields))
for i in "12":
    write(f"part{i}.svg", entry("finding", "frame_pointers", f"cause {i}", "", i, "4"))
EOF
	PYTHONPATH=$BATS_TEST_DIRNAME python3 reports.py
}

@test "what a picture says of a recording cannot take long, nor reach a terminal raw" {
	command -v python3 >/dev/null || skip "no python3"
	reports
	run bash -c 'ulimit -t 30; "$1" info many.svg | grep -c "^  cause "' - "$FLAMEFOLD"
	[ "$output" -eq 200000 ] || { echo "$output"; return 1; }
	for options in "" "--symbols" "-v" "-f json"; do
		# shellcheck disable=SC2086 # some are two words
		"$FLAMEFOLD" info $options odd.svg >said 2>&1
		grep -q . said
		! grep -q "$(printf '[\033\007]')" said || { cat -v said; return 1; }
	done
}

@test "processes are lists of numbers, and what is not one of each is refused" {
	command -v python3 >/dev/null || skip "no python3"
	reports
	"$FLAMEFOLD" info -f json processes.svg >said
	[ "$(python3 -c 'import json; print([(p["pid"], p["comm"], p["samples"]) for p in json.load(open("said"))["processes"]])')" = \
		"[(8, 'cc1', 20), (7, 'sh', 10), (13, 'sh', 5)]" ]
	# The same when it is written again.
	"$FLAMEFOLD" graph --quiet -o again.svg processes.svg
	"$FLAMEFOLD" info -f json again.svg >again
	diff <(grep -A20 '"processes"' said) <(grep -A20 '"processes"' again)
	for bad in more names none minus huge empty; do
		run -1 "$FLAMEFOLD" info bad-$bad.svg
		[[ $output == *"'bad-$bad.svg': the data of the picture is damaged: what it says of the recording is cut"* ]]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "of two pictures each says what is wrong with it" {
	command -v python3 >/dev/null || skip "no python3"
	reports
	"$FLAMEFOLD" graph --quiet -o both.svg part1.svg part2.svg
	grep -q '25.0 % begins in the middle: no frame pointers. 50.0 % begins in the middle: no frame pointers. ' both.svg
	# Beside what says nothing of itself, too.
	"$FLAMEFOLD" graph -o both.svg small.folded part2.svg 2>said
	grep -q 'cause 2' said
	grep -q '50.0 % begins in the middle: no frame pointers. ' both.svg
}
