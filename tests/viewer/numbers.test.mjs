// Figures as people read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { figuresLike, middleOf, share } = load("figuresLike", "middleOf", "share");
const alone = (value, name) => figuresLike(value, name)(value);

test("a time, a size and a count have the unit that they need", () => {
	for (const [value, name, figure] of [
		[62.012e9, "ns", "62.0 s"], [250e3, "ns", "250 µs"], [1.2e6, "ns", "1.20 ms"], [7, "ns", "7 ns"], [999.9e6, "ns", "1.00 s"],
		[3600e9, "ns", "3,600 s"], [4e13, "ns", "11.1 h"], [7401023, "us", "7.40 s"], [1500, "ms", "1.50 s"], [90, "s", "90.0 s"],
		[1, "samples", "1 sample"], [0, "samples", "0 samples"], [9999, "samples", "9,999 samples"], [12345, "samples", "12.3 k samples"],
		[512e3, "samples", "512 k samples"], [1.3e6, "samples", "1.3 M samples"], [4.2e9, "cycles", "4.2 G cycles"],
		[999_960, "calls", "1.0 M calls"], [100, "bytes", "100 bytes"], [1536, "bytes", "1.5 KiB"], [300 * 1024 ** 2, "bytes", "300 MiB"],
	])
		assert.equal(alone(value, name), figure);
});

test("the figures of one line have one unit and as many decimals, and none becomes nothing", () => {
	assert.deepEqual([62e9, 1.234e9, 8e6, 0, -2e9].map(figuresLike(62e9, "ns")), ["62.0 s", "1.2 s", "<0.1 s", "0.0 s", "-2.0 s"]);
	assert.deepEqual([1.3e6, 7].map(figuresLike(1.3e6, "samples")), ["1.3 M samples", "<0.1 M samples"]);
});

test("shares have one decimal where they are not whole", () => {
	assert.deepEqual([[629, 1000], [1, 1], [0, 5], [1, 1e6], [1, 0], [-1, 3]].map(([part, whole]) => share(part, whole)),
			 ["62.9 %", "100 %", "0 %", "<0.1 %", "0 %", "-33.3 %"]);
});

test("long names are cut in the middle, and not through a letter", () => {
	assert.equal(middleOf("main", 4), "main");
	assert.equal(middleOf("abcdefghijkl", 10), "abcdef…ijkl");
	assert.equal(middleOf("\u{1f525}".repeat(9), 5), "\u{1f525}…\u{1f525}");
});
