// Ratios of two columns: what a payload and its header say, and what is made of them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { load } from "./load.mjs";

const { ratioAt, ratioIn, sayRatio, stepOfRatio } = load("ratioAt", "ratioIn", "sayRatio", "stepOfRatio");

const ratio = {
	name: "CPI", low: 0.5, middle: 1, high: 4, least: 5,
	over: { column: 0, scale: 1 }, under: { column: 2, scale: 1 },
};

test("a ratio is not known of few samples, and of nothing", () => {
	const of = (...sums) => ratioIn({ ratio, samples: 1 }, (column) => sums[column]);

	assert.equal(of(30, 5, 20), 1.5);
	assert.equal(of(30, 4, 20), NaN);
	assert.equal(of(30, 5, 0), NaN);
	assert.equal(ratioIn({ ratio: null, samples: 1 }, () => 1), NaN);
});

test("a scale has its middle in the middle, and ends", () => {
	assert.deepEqual([0.1, 0.5, 0.75, 1, 2.5, 4, 9].map((value) => stepOfRatio(ratio, value, 13)),
			 [0, 0, 3, 6, 9, 12, 12]);
	assert.deepEqual([-1, -0.5, 0, 0.5, 1].map((part) => ratioAt(ratio, part)), [0.5, 0.75, 1, 2.5, 4]);
});

test("ratios of times are times, those by times are rates", () => {
	const say = (value, over, under, isShare) => sayRatio({
		isShare, over: { unit: over }, under: { unit: under },
	}, value);

	assert.equal(say(1.423, "cycles", "instructions"), "1.42");
	assert.equal(say(123.4, "cycles", "instructions"), "123");
	assert.equal(say(12345, "ns", "faults"), "12.3 µs");
	assert.equal(say(0, "faults", "ns"), "0 /s");
	assert.equal(say(2e-8, "faults", "ns"), "20.0 /s");
	assert.equal(say(1.5, "ns", "ns"), "1.50");
	assert.equal(say(0.375, "ns", "ns", true), "37.5 %");
});
