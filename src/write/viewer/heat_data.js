/*
 * When it was. Time is cut into cells of one width; a pair is a node and a cell, with the weight and the
 * samples of that node there. Pairs are by node, and of a node by time:
 *
 *	begins[i]     the first pair of node i; those of all that is below it follow
 *	at[p]         the cell of pair p, among those that have something: cells[at[p]]
 *	weight[p], count[p]
 *
 * A range of time is text, as it is in a link: "3_5.5", seconds from the first sample on; with a second
 * range behind a "~" the two are compared.
 */

/* @owns: the own values of nodes: those that have one are leaves. @parents: of nodes that are in a tree. @first:
 * of the seven columns. */
function readHeat(column, owns, first = 52, parents) {
	const [header, gaps, pairs, , codes, samples, weights] = times(7, (k) => column(first + k));
	const [width, unit, weighs, cellCount, pairCount] = times(5, header.number);
	const cells = integers(cellCount), begins = integers(owns.length + 1), at = integers(pairCount);
	const weight = reals(pairCount), count = reals(pairCount);
	const leaves = [], counts = [], fences = [], depths = integers(owns.length);
	const found = times(3, () => reals(pairCount));
	let p = 0, fence = Infinity;

	for (let k = 0, cell = -1; k < cellCount; k++)
		cells[k] = cell += gaps.number() + 1;
	for (let node = 0; node < owns.length; node++) {
		depths[node] = parents ? depths[parents[node]] + 1 : 0;
		fence = min(fence, depths[node]);
		if (owns[node]) {
			leaves.push(node);
			fences.push(fence);
			counts.push(weighs ? pairs.number() + 1 : round(owns[node] / unit));
			fence = Infinity;
		}
	}
	readPairs(codes, cellCount, counts, fences, !weighs, (cell, leaf, many) => {
		begins[leaves[leaf] + 1]++;
		found[0][p] = cell;
		found[1][p] = leaves[leaf];
		found[2][p++] = many;
	});
	for (let node = 0; node < owns.length; node++)
		begins[node + 1] += begins[node];

	const next = begins.slice();

	for (p = 0; p < pairCount; p++) {
		const to = next[found[1][p]]++;

		at[to] = found[0][p];
		count[to] = found[2][p];
	}
	for (p = 0; p < pairCount; p++) {
		if (weighs)
			count[p] = samples.number();
		weight[p] = unit * (weighs ? weights.number() : count[p]);
	}
	return { width, cells, begins, at, weight, count, end: cells[cellCount - 1] + 1 };
}

/* With what is not said of nodes: phases, and the same by processor, as if each of them were one. Their cells
 * may be wider, then by a whole number. null: all of it ran on one, or it is not known. */
function readTime(column, owns, parents) {
	const heat = readHeat(column, owns, 52, parents), phases = column(59), list = column(194);
	const numbers = [], weights = [];

	heat.phases = [];
	while (phases.more())
		heat.phases.push([phases.number(), phases.number(), readString(phases.string())]);
	for (let next = 0; list.more(); next++) {
		numbers.push(next += list.number());
		weights.push(list.number());
	}
	heat.processors = numbers[1] ? { ...readHeat(column, weights, 195), numbers } : null;
	return heat;
}

/* [from, to) in cells. null: it is none. */
function rangeOf({ width, end }, string) {
	const [from, to] = string.split("_").map((time) => round(time * 1e9 / width));

	return from >= 0 && from < to && from < end ? [from, min(to, end)] : null;
}

const toRange = ({ width }, cells) => cells.map((cell) => +(cell * width / 1e9).toFixed(6)).join("_");

/* Own weights, and numbers of samples, of nodes in a range. */
function ownsIn({ cells, begins, at, weight, count }, [from, to]) {
	const nodes = begins.length - 1, owns = reals(nodes), samples = reals(nodes);
	const first = firstThat(cells.length, (k) => cells[k] >= from);
	const last = firstThat(cells.length, (k) => cells[k] >= to);

	for (let node = 0; node < nodes; node++)
		for (let p = begins[node]; p < begins[node + 1]; p++)
			if (at[p] >= first && at[p] < last) {
				owns[node] += weight[p];
				samples[node] += count[p];
			}
	return [owns, samples];
}

/* The profile of a range, as if nothing else had been recorded; of two, what the second one has more than
 * the first one. What is not known of a part of time, such as ratios, is 0. The last column has what all of
 * the recording has, so that no step drops a node whose time is looked for. */
function profileOfTime(all, string) {
	const [range, base] = string.split("~").map((one) => rangeOf(all.heat, one));
	const { trie, samples, perSample } = all;
	const [owns, counts] = ownsIn(all.heat, range), nothing = reals(trie.count + 1);
	const sums = trie.sums.map(() => nothing);
	const facts = { ...all.facts, "data-duration": (range[1] - range[0]) * all.heat.width };

	for (const name of ["lost", "truncated", "unknown", "findings"])
		delete facts[`data-${name}`];
	sums[0] = runningSum(owns);
	if (samples > 0)
		sums[samples] = runningSum(counts);

	const made = { ...all, facts, time: string, range, base, ratio: base ? null : all.ratio };

	if (base) {
		const [was, seenBefore] = ownsIn(all.heat, base), is = owns;
		const sum = (of) => of.reduce((all, one) => all + one, 0);
		/* Where one of them has nothing, all is new or gone. */
		const scale = sum(was) && sum(is) / sum(was) || 1;

		made.before = sums.push(runningSum(was)) - 1;
		made.change = {
			scale, errors: reals(trie.count), digits: octets(trie.count).fill(untested), sure: -1, level: 0.05,
			/* As many as a sample weighs: their number is as uncertain as its root is large. */
			noise: sum(is) / sum(counts) || sum(was) / (sum(seenBefore) || 1), reach: 0, after: sums.push(sums[0]) - 1,
		};
		sums[0] = runningSum(is.map((own, i) => max(own, scale * was[i])));
		facts["data-a"] = `${base.map((cell) => sayTime(all, cell)).join(" – ")}`;
		facts["data-b"] = `${range.map((cell) => sayTime(all, cell)).join(" – ")}`;
	}
	sums.push(trie.sums[0]);
	/* What was found out about another time is not true of this one. */
	trie.ends.moves = null;
	made.trie = { ...trie, sides: null, isPart: true, sums, inferred: new Map() };
	made.flat = all.flat === trie ? made.trie : withoutGaps(made, made.trie);
	made.whole = sums[0].at(-1);
	made.wholeOfAll = all.whole;
	return made;
}

/* Seconds, or minutes, hours and seconds where there are so many. */
function sayTime({ heat: { width, end } }, cell) {
	const all = end * width / 1e9, time = cell * width / 1e9;
	const digits = width < 1e8 ? 2 : width < 1e9 ? 1 : 0, two = (part) => String(floor(part)).padStart(2, "0");
	const seconds = (time % 60).toFixed(digits);

	return all < 120 ? `${time.toFixed(digits)} s`
		: `${all < 3600 ? "" : `${floor(time / 3600)}:`}${two(time / 60 % 60)}:${
			seconds.padStart(digits ? digits + 3 : 2, "0")}`;
}

/* By node of the graph's trie: the stacks of a box end there. */
function nodesOfBox({ trie: { ends, count }, at, starts, kind }, box) {
	const inside = octets(count);

	if (starts[box] && kind === calleesFirst)
		for (const node of starts[box])
			inside[node] = 1;
	else
		for (const node of starts[box] || at[box])
			inside.fill(1, node, ends[node]);
	return inside;
}

/* By cell with something. @inside: by node of a trie that was made of the recorded one; @from: by node of that, where it went. */
function heatOfNodes({ cells, begins, at, weight }, from, inside) {
	const sum = reals(cells.length);

	for (let node = 0; node < begins.length - 1; node++)
		if (!inside || inside[from ? from[node] : node])
			for (let p = begins[node]; p < begins[node + 1]; p++)
				sum[at[p]] += weight[p];
	return sum;
}

/*
 * What is drawn: columns of time, each cut into as many cells, bottom up. Cells of the data are as
 * narrow as these or narrower.
 */
const scales = [[2e7, 50], [1e8, 50], [1e9, 60], [5e9, 60], [6e10, 60], [3.6e12, 24], [8.64e13, 10]];

function gridOf({ width, end }, wide) {
	const fits = ([cell, high]) => cell >= width && cell % width === 0 &&
		end * width / (cell * high) <= max(2, wide / 2);
	const [cell, high] = scales.find(fits) ?? [width * Math.ceil(end / 10 / (wide / 2)), 10];
	const per = cell / width;

	return { per, high, column: per * high, columns: Math.ceil(end / (per * high)) };
}

/* Sums of cells of the data in those of the grid, column by column. */
function sumsInGrid({ cells }, { per, high, columns }, values) {
	const sum = reals(columns * high);

	for (let k = 0; k < cells.length; k++)
		sum[floor(cells[k] / per)] += values[k];
	return sum;
}
