// The strip of time: what is drawn of any length, and sums of what is chosen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { gridOf, rangeOf, toRange, ownsIn, heatOfNodes, sumsInGrid, makeReader, readTime, rowsOfProcessors, sumsOfGroups, record } =
	load("gridOf", "rangeOf", "toRange", "ownsIn", "heatOfNodes", "sumsInGrid", "makeReader", "readTime", "rowsOfProcessors",
	     "sumsOfGroups", "record: (one) => { recorded = one; }");

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

// Node 0 has 12 in cells 2 and 5, node 2 has 9 in cell 5; processor 3 has 12 in cell 2, and 70 has 9 in cell 5.
test("processors are read behind what nodes have", () => {
	const columns = {
		52: [100, 3, 0, 2, 3], 53: [2, 2], 56: [157, 119, 9, 250, 0], 59: [2, 6, 0x61, 0],
		194: [3, 12, 66, 9], 195: [100, 3, 0, 2, 2], 196: [2, 2], 199: [132, 207, 137, 250, 0],
	};
	const column = (id) => makeReader(Uint8Array.from(columns[id] ?? []));
	const heat = readTime(column, [12, 0, 9], [0, 0, 1]), { processors } = heat;

	assert.deepEqual([...heat.weight], [3, 9, 9]);
	assert.deepEqual(heat.phases, [[2, 6, "a"]]);
	assert.deepEqual(processors.numbers, [3, 70]);
	for (const [name, expected] of Object.entries({ cells: [2, 5], begins: [0, 1, 2], at: [0, 1], weight: [12, 9], count: [4, 3] }))
		assert.deepEqual([...processors[name]], expected, name);
	/* Of one there is nothing to choose, and of others nothing is known. */
	Object.assign(columns, { 194: [3, 21], 199: [47, 255, 128, 0] });
	assert.equal(readTime(column, [12, 0, 9], [0, 0, 1]).processors, null);
	delete columns[194];
	assert.equal(readTime(column, [12, 0, 9], [0, 0, 1]).processors, null);
});

// Of node 0 a wait begins in cell 2, where it has no sample.
test("weights are those that are said where samples do not say them", () => {
	const columns = {
		52: [100, 3, 1, 2, 3], 53: [2, 2], 54: [1, 0], 56: [63, 171, 192, 84], 57: [0, 3, 3], 58: [1, 3, 3],
	};
	const heat = readTime((id) => makeReader(Uint8Array.from(columns[id] ?? [])), [12, 0, 9], [0, 0, 1]);

	assert.deepEqual([...heat.cells], [2, 5]);
	assert.deepEqual([...heat.begins], [0, 2, 2, 3]);
	assert.deepEqual([...heat.at], [0, 1, 1]);
	assert.deepEqual([...heat.weight], [3, 9, 9]);
	assert.deepEqual([...heat.count], [0, 3, 3]);
});

test("rows are processors, several of many, and their cells may be wider than those of nodes", () => {
	const numbers = Array.from({ length: 40 }, (_, k) => 2 * k), pairs = 40 * 30;
	const processors = {
		width: 1e8, numbers, cells: Float64Array.from({ length: 30 }, (_, k) => k), weight: new Float64Array(pairs),
		begins: numbers.map((_, k) => 30 * k).concat(pairs), at: Uint32Array.from({ length: pairs }, (_, p) => p % 30),
	};

	record({ heat: { width: 2e7, end: 150 } });
	for (let p = 0; p < pairs; p++)
		processors.weight[p] = 1 + p;

	const rows = rowsOfProcessors(processors), grid = { column: 10, columns: 15, high: rows.shown.length };
	const sums = sumsOfGroups(rows, grid), expected = new Float64Array(sums.length);

	assert.equal(rows.shown.length, 14);
	assert.deepEqual([rows.shown[0], rows.shown[12], rows.shown[13]], ["CPU 0–4", "CPU 72–76", "CPU 78"]);
	/* The first row is at the top; a column has two cells of processors. */
	for (let p = 0; p < pairs; p++)
		expected[Math.floor(p % 30 / 2) * 14 + 13 - Math.floor(p / 30 / 3)] += 1 + p;
	assert.deepEqual([...sums], [...expected]);
	for (const count of [2, 16, 17, 64, 4096]) {
		const { shown, row } = rowsOfProcessors({ numbers: Array.from({ length: count }, (_, k) => k) });

		assert.ok(shown.length <= 16 && shown.length === row[count - 1] + 1);
	}
	assert.deepEqual(rowsOfProcessors({ numbers: [0, 1, 5] }).shown, ["CPU 0", "CPU 1", "CPU 5"]);
});
