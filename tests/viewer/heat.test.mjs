// The strip of time: what is drawn of any length, and sums of what is chosen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { gridOf, rangeOf, toRange, ownsIn, heatOfNodes, sumsInGrid } =
	load("gridOf", "rangeOf", "toRange", "ownsIn", "heatOfNodes", "sumsInGrid");

test("whatever the length, all of it is drawn, in columns that can be seen", () => {
	for (const width of [2e7, 1e8, 1e9, 5e9, 6e10, 3.6e12, 8.64e13])
		for (const end of [1, 2, 99, 100, 101, 4320000, 2 ** 32 - 2])
			for (const wide of [100, 300, 1180, 3840]) {
				const { per, high, column, columns } = gridOf({ width, end }, wide);

				assert.ok(Number.isInteger(per) && per >= 1 && column === per * high);
				assert.ok(columns * column >= end && (columns - 1) * column < end);
				assert.ok(columns <= Math.max(2, wide / 2) + 1, `${columns} of ${wide}`);
			}
});

test("a range is the same text again", () => {
	for (const width of [2e7, 1e8, 5e9, 8.64e13])
		for (const range of [[0, 1], [3, 4], [4319999, 4320000]])
			assert.deepEqual(rangeOf({ width, end: 4320000 }, toRange({ width }, range)), range);
	for (const bad of ["", "x", "3", "4_3", "-1_2", "3_3", "999999999_9999999999"])
		assert.equal(rangeOf({ width: 2e7, end: 100 }, bad), null);
});

// A million pairs of 2,000 nodes, in 50,000 cells.
test("ranges of a million pairs add up to all, and are there at once", () => {
	const nodes = 2000, each = 500, cells = Float64Array.from({ length: 50000 }, (_, k) => 2 * k);
	const begins = Uint32Array.from({ length: nodes + 1 }, (_, k) => k * each);
	const at = Uint32Array.from({ length: nodes * each }, (_, p) => p % each * 100 + (p / each | 0) % 100);
	const weight = Float64Array.from(at, (_, p) => 1 + p % 7), count = new Float64Array(at.length).fill(1);
	const heat = { width: 2e7, end: 100000, cells, begins, at, weight, count };
	const sum = (list) => {
		let all = 0;

		for (const one of list)
			all += one;
		return all;
	};
	const times = [0, 1, 33333, 99999, 100000], start = process.cpuUsage();
	const parts = times.slice(1).map((to, k) => ownsIn(heat, [times[k], to]));
	const took = process.cpuUsage(start).user / 1000 / parts.length;

	const expected = [0, 0, 0, 0];
	let third = 0;

	for (let p = 0; p < at.length; p++) {
		expected[times.findLastIndex((time) => time <= cells[at[p]])] += weight[p];
		third += (p / each | 0) % 3 ? 0 : weight[p];
	}
	assert.deepEqual(parts.map(([owns]) => sum(owns)), expected);
	assert.equal(sum(parts.map(([, samples]) => sum(samples))), at.length);

	const inside = Uint8Array.from({ length: nodes }, (_, k) => k % 3 === 0);
	const values = heatOfNodes(heat, null, inside), grid = gridOf(heat, 1180);

	assert.equal(sum(sumsInGrid(heat, grid, values)), third);
	/* Of processor time, for others may run meanwhile: some 10 ms. */
	assert.ok(took < 100, `${took} ms`);
});
