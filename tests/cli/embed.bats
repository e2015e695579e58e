#!/usr/bin/env bats
# The build's step that takes comments and indentation out of the viewer leaves what it
# does as it is.
bats_require_minimum_version 1.5.0

load here

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	embed=$BATS_FILE_TMPDIR/embed
	[ -x "$embed" ] || cc -o "$embed" "$root"/scripts/embed*.c
}

# words FILE: all there are, so that no name becomes shorter.
words()
{
	{
		echo let
		grep -oE '[A-Za-z_$][A-Za-z0-9_$]*' "$1"
	} >words || true
}

# same FILE: prints the same before and after.
same()
{
	command -v node >/dev/null || skip "no node"
	words "$1"
	"$embed" js words "$1" >small.js
	node "$1" >there
	[ -s there ]
	node small.js | diff there -
	[ "$(wc -c <small.js)" -lt "$(($(wc -c <"$1") + 30))" ]
}

refused()
{
	printf '%s\n' "$1" >wrong.js
	words wrong.js
	run "$embed" js words wrong.js
	[ "$status" -ne 0 ]
	[[ $output == *"wrong.js:$2: $3"* ]] || { echo "$1: $output"; return 1; }
}

@test "strings, templates and regular expressions stay as they are" {
	cat >hard.js <<-'EOF'
		// a comment with 'quotes' and `ticks`
		const out = [], a = [[1]], i = 3; /* another // one */
		out.push("// no", '/* no */', `a ${"}" + `${1 + 2 /* yes */}`} // no`);
		out.push(/[/"]\/'/.test('/"/\''), /\//g.source, [/a  b/, / {2}/].map(String));
		out.push("a\
		b", `\`${`\${`}`, "\\", '\'');
		const f = () => `
		  keep   this
		`;
		out.push(f());
		if (i) /x/.test("x"), out.push("condition");
		while (!i) /x/.test("y");
		for (const x of /a/g[Symbol.split]("bab")) out.push(x);
		out.push(((x) => x + 1)(2), true, false, Infinity > 1);
		console.log(JSON.stringify(out));
	EOF
	same hard.js
}

@test "signs that would join do not" {
	cat >signs.js <<-'EOF'
		let i = 3, a = [0, [1]];
		const out = [i-- > 0, i - -1, i + +1, +i + + +i, i++ + ++i, i - --i, a[[0]] > 0, a[a[0]] > 1,
			     1 < !--i, typeof /re/ in {}, void 0, 8 / 2, (8) / 2, a[1] / 1, 5
			/ 2, i
			- 1];
		out.push(((a) => a / 2)(4), { in: 4, of: 2 }.in / 2);
		console.log(JSON.stringify(out));
	EOF
	same signs.js
}

@test "names become short, and those of others stay" {
	cat >names.js <<-'EOF'
		class Counter {
			constructor(start) { this.amount = start; }
			increase(difference = 1) { this.amount += difference; return this; }
			get double() { return 2 * this.amount; }
		}
		const counter = new Counter(3), options = { difference: 4, amount: `${counter.amount}` };
		const { difference, amount: renamed } = options;
		const byName = ["amount"].map((key) => counter[key]);
		console.log(counter.increase().increase(difference).double, renamed, byName, "difference");
	EOF
	command -v node >/dev/null || skip "no node"
	echo "class constructor this return get let new console log map" >words
	"$embed" js words names.js >small.js
	node names.js >there
	node small.js | diff there -
	! grep -q 'increase\|Counter\|renamed' small.js
}

@test "properties and variables have names of their own" {
	cat >both.js <<-'EOF'
		const point = { width: 1, height: 2, depth: 3 }, { width, depth: deep } = point;
		function area({ width, height = 5 }, list) {
			const of = (value) => value * 2;
			let sum = 0;

			for (const one of [width, height])
				sum += of(one);
			return { sum, width, [list]: of(height) };
		}
		const made = area(point, "other");
		console.log(made.sum, made.width, made.other, width, deep, point.height, "depth");
	EOF
	command -v node >/dev/null || skip "no node"
	printf '%s\n' "let for return console log" ". height" "- depth" >words
	"$embed" js words both.js >small.js
	node both.js >there
	[ -s there ]
	node small.js | diff there -
	grep -qE '\.height\>' small.js
	run -1 grep -E 'width|sum|deep|[{,]depth|let height|\<of=' small.js
}

@test "what it cannot tell apart stops the build" {
	refused '{ a }/b/c' 1 "'/' behind '}': a division or a regular expression?"
	refused '"abc' 1 "a string does not end"
	refused '`a${1}' 2 "a template does not end"
	refused '/* a' 2 "a comment does not end"
	refused 'x = /ab' 1 "a regular expression does not end"
	refused '(a]' 1 "a bracket of another kind was opened"
	refused $'\n)' 2 "a bracket was not opened"
	refused 'f(' 2 "a bracket is not closed"
}

@test "style keeps its meaning" {
	cat >a.css <<-'EOF'
		/* what */
		a :hover > b, .x  .y { color : red ; content: "/* a  b */" }
		@media (prefers-color-scheme: dark) and (min-width: 3px) {
			c { margin: 1px  -2px; }
		}
		:is(d > e) + f { width: calc(10.5em + 0.5px); opacity: 0.25 !important; } /* last */
	EOF
	expected='a :hover>b,.x .y{color :red;content:"/* a  b */"}@media (prefers-color-scheme:dark) and '
	expected+='(min-width:3px){c{margin:1px -2px}}:is(d > e)+f{width:calc(10.5em + .5px);opacity:.25!important}'
	[ "$("$embed" css a.css)" = "$expected" ]
}

@test "the script's hash is in the page that has it" {
	printf 'a 1\n' | "$FLAMEFOLD" graph -q -o page.html -
	sed -n '/^<script>/,/^<\/script>/p' page.html | sed '1s/^<script>//; $d' >script
	[ -s script ]
	hash=$(sha256sum script | python3 -c 'import base64
print(base64.b64encode(bytes.fromhex(input()[:64])).decode())')
	grep -qF "script-src 'sha256-$hash'" page.html
}

@test "functions become arrows, and declarations one" {
	cat >arrows.js <<-'EOF'
		const first = 1;
		const second = 2;
		function add(one, { other = [second, ")"] } = {}) {
			const sum = one + other[0];
			const text = `${sum}}`;

			return { sum, text };
		}
		function twice(what) {
			return [what, what];
		}
		async function later() {
			return await add(first);
		}
		const last = () => {
			function inner() {
				return "}";
			}
			return inner();
		};
		later().then((all) => console.log(JSON.stringify([all, twice(last())])));
	EOF
	same arrows.js
	[ "$(grep -o 'function' small.js | wc -l)" -eq 0 ]
	[ "$(grep -o 'let' small.js | wc -l)" -eq 3 ]
}

@test "a function's own names are as short as others'" {
	cat >own.js <<-'EOF'
		const { first, second: other, rest: [third] } = { first: 1, second: 2, rest: [3] };
		const [fourth, { fifth = 5 }] = [4, {}];
		const shared = { amount: 6, label: "seven" };
		function show(amount, { label } = shared, ...others) {
			const local = () => {
				const inner = amount + others.length;

				return `${label}${inner}`;
			};

			return { amount, local: local(), sum: [first, other, third, fourth, fifth, ...others] };
		}
		function twice(value, label) {
			const both = [value, label];

			for (const entry of both)
				label += entry;
			return { ...shared, both, label, value };
		}
		const counted = (list) => list.reduce((sum, one) => sum + (one === "two" ? 0.5 : 10.05), 0);
		const { amount, local: { length }, sum } = show(8, shared, 9, 10);
		const all = [amount, length, sum, twice(11, "twelve").both, twice(1, "2").label, counted(["one", "two"])];
		console.log(all.map(String).join(" "), amount !== "eight");
	EOF
	command -v node >/dev/null || skip "no node"
	echo "let return const function for of new console log length reduce map join String amount label both value" >words
	"$embed" js words own.js >small.js
	node own.js >there
	[ -s there ]
	node small.js | diff there -
	# local, inner, others; both; list: one letter each. "one" is in a string, too.
	run -1 grep -E '\<(local|inner|others|entry|list|shared|fourth|other|third)\>' small.js
	run -1 grep -E '\<[a-z]{2}\>' <(sed -E 's/\<(of|in|if)\>//g; s/"[^"]*"//g' small.js)
	grep -qF '?.5:10.05' small.js
	grep -qF '!="eight"' small.js
}
