// The data of a file, as tests/viewer/encode.mjs makes it, read back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "./encode.mjs";
import { load } from "./load.mjs";
import { encoded } from "./payload.mjs";
import { profileOf, trieMap } from "./profiles.mjs";
import { pathMap, randomStacks, readFolded } from "./stacks.mjs";

const { fromText, readProfile, unpack, withCommas, percent } = load("fromText",
	"readProfile", "unpack", "withCommas", "percent");

test("every stack is there with its value", () => {
	for (const stacks of [
		readFolded("a;b;c 3\na;b 2\na;d;b;c 5\ne 7\na;b;c;b 1\n"),
		randomStacks(1, 500), randomStacks(2, 3000, { names: 400, depth: 30 }),
		[[Array.from({ length: 3000 }, (_, i) => `deep${i}`), 1]],
	]) {
		const profile = profileOf(stacks);

		assert.deepEqual(trieMap(profile, profile.trie), pathMap(stacks));
	}
});

test("a tree that is only a root has no nodes but that", () => {
	const { trie } = profileOf([]);

	assert.equal(trie.count, 1);
	assert.deepEqual([...trie.sums[0]], [0, 0]);
});

test("names of any bytes are read, and what cannot be shown is replaced", () => {
	const names = ["</script><script>", "]]>", "\"onload=", "a\u202Eb", "tab\tnul", "ключ", "名前", "x".repeat(65536)];
	const profile = profileOf(names.map((name) => [[name], 1]));

	assert.deepEqual(profile.functions.slice(1).map(({ name }) => name).sort(), names
		.map((name) => name.replace(/[\t\u202E]/g, "\ufffd")).sort());
});

test("what joins letters of a script that joins, or pictures, stays; anywhere else it is replaced", () => {
	const stays = ["\u2764\ufe0f\u200d\u{1f525}", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}", "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
		"\u0915\u094d\u200d", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"];
	const goes = ["mal\u200dloc", "\u200cfree", "\u0645\u200c\u200c", "a\u061cb", "\u0645\u200f"];
	const profile = profileOf([...stays, ...goes].map((name) => [[name], 1]));

	assert.deepEqual(new Set(profile.functions.slice(1).map(({ name }) => name)), new Set([...stays,
		"mal\ufffdloc", "\ufffdfree", "\u0645\u200c\ufffd", "a\ufffdb", "\u0645\ufffd"]));
});

test("bytes that are not UTF-8 are replaced", () => {
	const payload = Buffer.from(encode([[["a"], 1]]));

	payload[payload.indexOf("a\0")] = 0xff;
	assert.equal(readProfile(new Uint8Array(payload), {}).functions[1].name, "\ufffd");
});

test("marks of flamegraph.pl say what a frame of text is, and are not shown", () => {
	const { functions } = profileOf(["f_[k]", "f_[j]", "f_[i]", "f_[w]", "f_[x]"].map((name) => [[name], 1]));

	assert.deepEqual(functions.slice(1).map(({ name, kind }) => [name, kind]),
			 [["f", 5], ["f", 3], ["f", 2], ["f", 6], ["f_[x]", 0]]);
});

test("functions have modules, kinds and flags", () => {
	const frames = [
		{ name: "read", module: "/usr/lib/libc.so.6", kind: 1 },
		{ name: "inlined", module: "/usr/lib/libc.so.6", kind: 1 | 16 },
		{ name: "[gone]", module: "/opt/gone", kind: 1 | 8 },
		{ name: "vfs_read_[k]", module: "[kernel.kallsyms]", kind: 2 },
	];
	const { functions } = profileOf([[frames, 5]]);

	assert.deepEqual(functions.slice(1).map(({ name, module, kind, unnamed }) =>
		[name, module, kind, Boolean(unnamed)]), [
		["[gone]", "/opt/gone", 1, true],
		["inlined", "/usr/lib/libc.so.6", 5, false],
		["read", "/usr/lib/libc.so.6", 1, false],
		["vfs_read_[k]", "[kernel.kallsyms]", 2, false],
	]);
});

test("a file and a line behind a name are its file", () => {
	const { functions } = profileOf([[["main:/src/a.c:12", "std::go"], 1]]);

	assert.deepEqual(functions.slice(1).map(({ file }) => file), ["/src/a.c:12", ""]);
});

test("a file with a line and a column behind a blank is V8's", () => {
	const { functions } = profileOf([[["JS:*f /src/a.js:1:20", "JS:^ node:zlib:3:4", "f(int, a:3) b"], 1]]);

	assert.deepEqual(functions.slice(1).map(({ file }) => file), ["/src/a.js:1:20", "node:zlib:3:4", ""]);
});

test("columns say where functions are declared", () => {
	const places = { main: ["/src/a.c", 3], "f:b.c:9": ["/src/c.c", 700], g: ["/src/a.c", 40000] };
	const profile = profileOf([[["main", "f:b.c:9", "h", "g"], 1]], { places });

	/* What the name says is more. */
	assert.deepEqual(profile.functions.slice(1).map(({ name, file }) => [name, file]),
			 [["f:b.c:9", "b.c:9"], ["g", "/src/a.c:40000"], ["h", ""], ["main", "/src/a.c:3"]]);
	assert.deepEqual(trieMap(profile, profile.trie), pathMap([[["main", "f:b.c:9", "h", "g"], 1]]));
});

test("samples and values before are columns", () => {
	const stacks = [[["a", "b"], 1000, 2, 700], [["a"], 500, 1, 0]];
	const two = profileOf(stacks, { samples: 2, before: true }, { "data-before": "700" });

	assert.equal(two.samples, 1);
	assert.equal(two.trie.sums[1].at(-1), 3);
	assert.equal(two.trie.sums[two.before].at(-1), 700);

	const one = profileOf([[["a"], 5]], { samples: 1, unit: 1000 });

	assert.deepEqual([one.samples, one.perSample, one.trie.sums[0].at(-1)], [0, 1000, 5000]);
	assert.equal(profileOf([[["a"], 5]]).samples, -1);
});

test("values can have decimals and be large", () => {
	assert.equal(profileOf([[["a"], 25]], { decimals: 1 }).divisor, 10);
	assert.equal(profileOf([[["a"], 2 ** 52]]).trie.sums[0].at(-1), 2 ** 52);
});

test("gaps of a flame chart are nothing of their own", () => {
	const gap = { name: "", module: "", kind: 4 };
	const profile = profileOf([[["a", gap], 3], [["a", "b"], 2]], {}, { "data-chart": "1" });

	assert.deepEqual(trieMap(profile, profile.flat), pathMap([[["a"], 3], [["a", "b"], 2]]));
});

test("what is packed is unpacked, with white space in it, too", async () => {
	const { deflateSync } = await import("node:zlib");
	const payload = Buffer.from("some bytes"), packed = encoded(deflateSync(payload));

	assert.equal(Buffer.from(await unpack(`\n${encoded(payload)}\n`, "none")).toString(), "some bytes");
	assert.equal(Buffer.from(await unpack(packed, "zlib")).toString(), "some bytes");
	assert.equal(Buffer.from(await unpack(packed.split("").join("\n"), "zlib")).toString(), "some bytes");
});

test("bytes of all lengths are those that were encoded", () => {
	for (let length = 0; length <= 100; length++) {
		const bytes = Array.from({ length }, (_, i) => i * 37 + length * 101 & 255);

		assert.deepEqual([...fromText(encoded(bytes))], bytes);
		assert.deepEqual([...fromText(`\n${encoded(bytes).replace(/../, "$&\n")}\n`)], bytes);
	}
	assert.deepEqual([...fromText(encoded(new Array(13).fill(255)))], new Array(13).fill(255));
});

test("numbers are printed as flamegraph.pl prints them", () => {
	assert.deepEqual([0, 0.5, 1.5, 2.5, 999, 1000, 1234567].map(withCommas),
			 ["0", "0", "2", "2", "999", "1,000", "1,234,567"]);
	assert.equal(percent(1, 3), "33.33%");
	assert.equal(percent(1, 0), "0.00%");
	/* printf's: halves to the even digit. */
	assert.deepEqual([1, 3, 5, 7, -1, -3, 799].map((part) => percent(part, 800)),
			 ["0.12%", "0.38%", "0.62%", "0.88%", "-0.12%", "-0.38%", "99.88%"]);
	assert.deepEqual([1, 3, 5, 7].map((part) => percent(part, 400, 1)), ["0.2%", "0.8%", "1.2%", "1.8%"]);
	assert.deepEqual([[67, 800], [1, 200], [201, 20000], [2, 3]].map(([part, whole]) => percent(part, whole)),
			 ["8.38%", "0.50%", "1.00%", "66.67%"]);
});
