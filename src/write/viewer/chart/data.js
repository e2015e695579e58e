/*
 * The chart's columns -> threads with their runs. Documentation/svg-format.md says what is where.
 *
 * A run is a stack from when to when. What stands in place of a function is a node behind those of the
 * tree: nodes + what.
 */
const whats = ["[no frames]", "[not sampled]", "[waiting]", "[runqueue]"];
const sampled = 0, unsampled = 1, waiting = 2, runnable = 3;

let chart; /* { threads, length, cell, coarse, func, parent, level, functions, nodes } */

const isNegative = (coded) => coded % 2;

/* Runs of all threads are in four columns, one thread behind the other, from the one numbered @first on. */
function readThreads(column, first, level) {
	const [head, gaps, lengths, nodes, whatOf] = times(5, (k) => column(first + k));
	const read = { length: head.number(), cell: head.number(), whole: head.number(), threads: [] };
	const count = head.number();

	for (let k = 0; k < count; k++) {
		const name = readString(head.string());
		const [, , ran, runs] = times(4, head.number);
		const begin = reals(runs), end = reals(runs), node = integers(runs);
		const what = octets(runs), samples = integers(runs);
		let at = 0, last = 0, high = 0;

		for (let i = 0; i < runs; i++) {
			const coded = nodes.number(), kind = whatOf.number();

			begin[i] = at += gaps.number();
			end[i] = at += lengths.number();
			node[i] = last += isNegative(coded) ? -(coded + 1) / 2 : coded / 2;
			what[i] = kind % 4;
			samples[i] = floor(kind / 4);
			high = max(high, level[last] + (what[i] !== sampled || !level[last]));
		}
		read.threads.push({ name, ran, high, index: k, runs: { count: runs, begin, end, node, what, samples } });
	}
	return read;
}

const cellOf = (head) => {
	head.number();
	return head.number();
};

function readChart(payload) {
	const column = readColumns(payload), counts = column(1);
	const numbers = times(8, counts.number), [, , , nodes, leaves] = numbers;
	const functions = readFunctions(column, numbers);
	const [parent] = readShape(column(11), column(12), nodes, leaves);
	const func = readNodeFunctions(column, parent, functions);
	const level = integers(nodes);

	/* How many frames there are from the root on. The process is none: it is the thread. */
	for (let i = 1; i < nodes; i++) {
		const { kind, module } = functions[func[i]];

		level[i] = parent[i] || kind || module ? level[parent[i]] + 1 : 0;
	}
	/* Of many runs there are two levels. What shows all of the time needs the coarse one only. */
	const coarse = column(187).more() && readThreads(column, 187, level);
	let read = !coarse && readThreads(column, 182, level);
	const fine = () => read ||= readThreads(column, 182, level);
	const made = { ...coarse || read };

	for (const thread of made.threads)
		Object.assign(thread, { coarse: coarse && thread.runs, fine: () => fine().threads[thread.index].runs });
	return { functions, parent, func, level, nodes, ...made, coarse: coarse && coarse.cell, cell: cellOf(column(182)) };
}

const functionAt = (node) => chart.functions[chart.func[node]];
const nameAt = (node) => node < chart.nodes ? functionAt(node).name : whats[node - chart.nodes];

/* The first run that ends behind a moment. */
function firstRun({ end, count }, at) {
	let low = 0, high = count;

	while (low < high) {
		const middle = low + high >> 1;

		if (end[middle] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * Spans of a thread between two moments, those that are narrower than @least joined with neighbours that
 * are, too: { node, what, depth, begin, end, samples, count }, of the longest one if they are several. A
 * parent comes behind its callees.
 */
function spansOf(thread, from, to, least) {
	const runs = thread.coarse && least >= 2 * chart.coarse ? thread.coarse : thread.fine();
	const { begin, end, node, what, samples } = runs, { level, parent, nodes } = chart;
	const open = [], starts = [], sampleSums = [], spans = [], narrow = [];
	let depth = 0, at = -1, kind = -1;

	function flush(level) {
		if (narrow[level])
			spans.push(narrow[level]);
		narrow[level] = null;
	}

	function close(down) {
		while (depth > down) {
			depth--;

			const one = { node: open[depth], what: kind, depth, begin: starts[depth], end: at,
				      samples: sampleSums[depth], count: 1 };
			const wide = one.end - one.begin, run = narrow[depth];

			if (depth)
				sampleSums[depth - 1] += one.samples;
			if (wide >= least) {
				flush(depth);
				spans.push(one);
			} else if (run && one.begin - run.end < least) {
				run.end = at;
				run.count++;
				run.sum += wide;
				run.samples += one.samples;
				if (wide > run.longest)
					Object.assign(run, { longest: wide, node: one.node, what: kind });
			} else {
				flush(depth);
				narrow[depth] = Object.assign(one, { longest: wide, sum: wide });
			}
		}
	}

	for (let i = firstRun(runs, from); i < runs.count && begin[i] < to; i++) {
		const leaf = node[i], frames = level[leaf], kindNow = what[i];
		const pseudo = kindNow !== sampled || !frames;
		const total = frames + pseudo;
		let shared = 0;

		if (kindNow === kind && begin[i] === at) {
			/* Up from the leaf to what is open already. */
			let up = leaf, depthUp = frames;

			while (depthUp && !(depthUp <= depth && open[depthUp - 1] === up)) {
				up = parent[up];
				depthUp--;
			}
			shared = depthUp;
			if (shared === frames && pseudo && depth > frames && open[frames] === nodes + kindNow)
				shared = total;
		}
		close(shared);
		kind = kindNow;
		if (pseudo && shared < total)
			open[total - 1] = nodes + kindNow;
		for (let up = leaf, k = frames; k > shared; k--, up = parent[up])
			open[k - 1] = up;
		for (; depth < total; depth++) {
			starts[depth] = begin[i];
			sampleSums[depth] = 0;
		}
		sampleSums[total - 1] += samples[i];
		at = end[i];
	}
	close(0);
	for (let k = 0; k < narrow.length; k++)
		flush(k);
	return spans;
}
