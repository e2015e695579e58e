/*
 * The chart's columns -> threads with their runs. Documentation/svg-format.md says what is where.
 *
 * A run is a stack from when to when. What stands in place of a function is a node behind those of the
 * tree: nodes + what.
 *
 * Of many runs nobody waits for all: a first picture is drawn of a level of joined spans, which stand before the
 * runs in the data, and the browser has still to read these. The rest is unpacked, and read in steps, while that
 * is looked at: finer levels, then blocks of runs, from which search adds up; and a block at once where somebody
 * looks at it closely.
 */
const whats = ["[no frames]", "[not sampled]", "[waiting]", "[runqueue]"];
const sampled = 0, unsampled = 1, waiting = 2, runnable = 3;
const runsAtOnce = 3 * 4096; /* of a thread, in sight: are drawn in a blink */

/* { threads, length, cell, func, parent, level, functions, nodes, levels: finest last, steps: what is still to
 * be read, arrived: so are the runs, stale: a step will make the picture better, better: called by such a step } */
let chart;

const isNegative = (coded) => coded % 2;
const stepBy = (coded) => isNegative(coded) ? -(coded + 1) / 2 : coded / 2;

/* Threads; their runs are not read yet. */
function readThreads(head, marks) {
	const read = { length: head.number(), cell: head.number(), whole: head.number() }, every = head.number();

	read.threads = times(head.number(), (index) => {
		const name = readString(head.string());
		const [, , ran, high, kinds, count] = times(6, head.number);
		const blocks = times(ceil(count / every), () => times(6, marks.number));
		let at = 0;

		for (const block of blocks)
			at = block[0] += at;
		return { name, ran, high, kinds, index, every, blocks, starts: blocks.map(([from]) => from),
			 runs: { count, known: octets(blocks.length) } };
	});
	return read;
}

/* A block of a thread's runs, once. */
function readBlock({ runs, blocks, every }, number) {
	const [from, before, ...offsets] = blocks[number], { time, hits } = chart;
	const [gaps, lengths, nodes, whatOf] = offsets.map((offset, k) => chart.column(188 + k).from(offset));
	const last = min(runs.count, (number + 1) * every);
	let at = from, node = before;

	if (runs.known[number])
		return;
	runs.known[number] = 1;
	if (!runs.begin)
		assign(runs, { begin: reals(runs.count), end: reals(runs.count), node: integers(runs.count),
				      what: octets(runs.count), samples: integers(runs.count) });
	for (let i = number * every; i < last; i++) {
		const kind = (node += stepBy(nodes.number()), whatOf.number());

		runs.begin[i] = at += gaps.number();
		runs.end[i] = at += lengths.number();
		runs.node[i] = node;
		runs.what[i] = kind % 4;
		runs.samples[i] = floor(kind / 4);
		if (kind % 4 < waiting)
			time[node] += at - runs.begin[i];
		hits[node]++;
	}
}

/* A thread's spans of a level, which stand one behind the other: by depth, and then in order of time. */
function readSpans(head, [timesOf, longestOf, countsOf]) {
	const starts = [0];

	for (let depths = head.number(); depths > 0; depths--)
		starts.push(starts.at(-1) + head.number());

	const count = starts.at(-1);
	const [begin, end, sum, samples, wide] = times(5, () => reals(count));
	const node = integers(count), what = octets(count), counts = integers(count);

	for (let depth = 1; depth < starts.length; depth++)
		for (let i = starts[depth - 1], at = 0, last = 0; i < starts[depth]; i++) {
			begin[i] = at += timesOf.number();
			end[i] = at += timesOf.number();

			const coded = longestOf.number(), more = countsOf.number();

			last += stepBy(floor(coded / 4));
			what[i] = coded % 4;
			node[i] = last || chart.nodes + what[i];
			counts[i] = more + 1;
			samples[i] = countsOf.number();
			sum[i] = more ? countsOf.number() : end[i] - begin[i];
			wide[i] = more ? countsOf.number() : sum[i];
		}
	return { starts, begin, end, sum, samples, wide, node, what, counts };
}

/* Reads the next level in steps, a thread each, then the one after it. */
function readLevel(head, columns) {
	const { threads, levels, steps } = chart, level = { least: head.number(), threads: [] };

	steps.unshift(...threads.map(() => () => level.threads.push(readSpans(head, columns))), () => {
		levels.push(level);
		if (head.more())
			readLevel(head, columns);
		chart.better();
	});
}

/* How much of a payload has to be there for a first picture: all that stands before the runs. */
function firstPart(bytes) {
	const reader = makeReader(bytes);
	const sizes = times(reader.number(), () => [reader.number(), reader.number()]);

	return sizes.some(([id]) => id === 184)
		? reader.at() + sizes.reduce((sum, [id, size]) => sum + (id < 188 ? size : 0), 0) : Infinity;
}

/* What is needed for a first picture; the runs may still be on their way. */
function readChart(payload) {
	const column = readColumns(payload), counts = column(1);
	const numbers = times(8, counts.number), [, , , nodes, leaves] = numbers;
	const functions = readFunctions(column, numbers);
	const [parent] = readShape(column(11), column(12), nodes, leaves);
	const func = readNodeFunctions(column, parent, functions);
	const level = integers(nodes), top = integers(nodes), head = column(184), steps = [];

	/* How many frames there are from the root on. The process is none: it is the thread. */
	for (let i = 1; i < nodes; i++) {
		const { kind, module } = functions[func[i]];

		level[i] = parent[i] || kind || module ? level[parent[i]] + 1 : 0;
		top[i] = level[i] > 1 ? top[parent[i]] : i;
	}
	chart = { functions, parent, func, level, top, nodes, column, steps, time: reals(nodes), hits: integers(nodes),
		  levels: [], stale: false, arrived: false, better() {}, ...readThreads(column(182), column(183)) };
	for (const thread of chart.threads)
		thread.blocks.forEach((_, k) => steps.push(() => readBlock(thread, k)));
	if (!head.more())
		return;
	readLevel(head, [185, 186, 187].map(column));
	while (!chart.levels.length)
		steps.shift()();
}

const functionAt = (node) => chart.functions[chart.func[node]];
const nameAt = (node) => node < chart.nodes ? functionAt(node).name : whats[node - chart.nodes];

/* Of numbers that do not fall, between two indexes: the first one that is larger. */
function firstAbove(list, limit, low, high) {
	while (low < high) {
		const middle = low + high >> 1;

		if (list[middle] > limit)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* In which block a run is that ends behind a moment. */
const blockAt = ({ starts, blocks }, at) => max(0, firstAbove(starts, at, 0, blocks.length) - 1);

/* The first run that ends behind a moment. */
function firstRun(thread, at) {
	const { runs, every } = thread, block = blockAt(thread, at);

	readBlock(thread, block);
	return firstAbove(runs.end, at, block * every, min(runs.count, (block + 1) * every));
}

/*
 * Spans, each behind the one that is before it at its depth: { node, what, depth, begin, end, samples, count, sum,
 * longest }. Those that are narrower than @least are joined with neighbours that are, too, and are then the
 * longest of them.
 */
function makeJoin(least) {
	const spans = [], open = [];

	/* Does a span become a part of what is open? Most do: no object is made of them. */
	function joins(depth, begin, end, longest, node, what) {
		const run = open[depth];

		if (!run || longest >= least || begin - run.end >= least)
			return null;
		run.end = end;
		if (longest > run.longest) {
			run.longest = longest;
			run.node = node;
			run.what = what;
		}
		return run;
	}

	function begin(one) {
		open[one.depth] = one.longest < least ? one : null;
		spans.push(one);
	}

	return {
		spans,
		add(one) {
			const run = joins(one.depth, one.begin, one.end, one.longest, one.node, one.what);

			if (!run) {
				begin(one);
				return;
			}
			run.count += one.count;
			run.sum += one.sum;
			run.samples += one.samples;
		},
		/* A span that is joined with none yet. */
		addOne(depth, from, to, samples, node, what) {
			const wide = to - from, run = joins(depth, from, to, wide, node, what);

			if (!run) {
				begin({ node, what, depth, begin: from, end: to, samples, count: 1, sum: wide, longest: wide });
				return;
			}
			run.count++;
			run.sum += wide;
			run.samples += samples;
		},
	};
}

/* Of what is joined already. */
function joinMore(spans, least) {
	const join = makeJoin(least);

	spans.forEach(join.add);
	return join.spans;
}

function joinLevel(of, from, to, join) {
	const { starts, begin, end, node, what, samples, counts, sum, wide } = of;

	for (let depth = 0; depth + 1 < starts.length; depth++)
		for (let i = firstAbove(end, from, starts[depth], starts[depth + 1]);
		     i < starts[depth + 1] && begin[i] < to; i++)
			join.add({ node: node[i], what: what[i], depth, begin: begin[i], end: end[i], samples: samples[i],
				   count: counts[i], sum: sum[i], longest: wide[i] });
}

/* How far a span reaches that goes on beyond the runs that were looked at. */
function wholeOf(thread, span) {
	const { starts, begin, end, node, samples, counts } = chart.levels.at(-1).threads[thread.index];
	const { depth } = span, last = starts[depth + 1] ?? 0;
	const i = firstAbove(end, span.begin, starts[depth] ?? 0, last);

	return i < last && begin[i] <= span.begin && counts[i] === 1 && node[i] === span.node
		? { ...span, begin: begin[i], end: end[i], samples: samples[i], sum: end[i] - begin[i], longest: end[i] - begin[i] }
		: span;
}

/* From the first run on that has a frame in common with what is to be seen, to the last one. */
function joinRuns(thread, from, to, join) {
	const { runs, every, blocks } = thread, { level, parent, top, nodes, levels } = chart;
	const reach = levels.length ? every : Infinity;
	const first = firstRun(thread, from), behind = min(runs.count, (blockAt(thread, to) + 2) * every);

	for (let k = max(0, floor(first / every) - 1); k * every < behind; k++)
		readBlock(thread, k);

	const { begin, end, node, what, samples } = runs;
	const goesOn = (i) => i > 0 && i < runs.count && runs.known[floor(i / every)] && runs.known[floor((i - 1) / every)] &&
		end[i - 1] === begin[i] && what[i - 1] === what[i] && top[node[i - 1]] === top[node[i]];
	const open = [], starts = [], sampleSums = [];
	let depth = 0, at = -1, kind = -1, low = first, high = firstAbove(begin, to - 0.01, first, behind);

	while (first - low < reach && goesOn(low))
		low--;
	for (const seen = high; high > first && high - seen < reach && goesOn(high); high++);

	const cutBefore = goesOn(low), cutBehind = goesOn(high);

	function close(down) {
		while (depth > down) {
			depth--;

			const begins = starts[depth], sum = sampleSums[depth];

			if (depth)
				sampleSums[depth - 1] += sum;
			if (at <= from || begins >= to)
				continue;
			if (cutBefore && begins === begin[low] || cutBehind && at === end[high - 1])
				join.add(wholeOf(thread, { node: open[depth], what: kind, depth, begin: begins, end: at, samples: sum,
							   count: 1, sum: at - begins, longest: at - begins }));
			else
				join.addOne(depth, begins, at, sum, open[depth], kind);
		}
	}

	for (let i = low; i < high; i++) {
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
}

/* Of a thread, between two moments: of all runs if these are few, else of the coarsest level that is fine enough. */
function spansOf(thread, from, to, least) {
	const { levels, steps, arrived } = chart, join = makeJoin(least);
	const few = !levels.length || (blockAt(thread, to) - blockAt(thread, from) + 1) * thread.every <= runsAtOnce;
	const level = levels.find((one) => one.least <= least);

	if (few && arrived) {
		joinRuns(thread, from, to, join);
	} else {
		chart.stale ||= Boolean(steps.length) && (few || !level);
		joinLevel((level ?? levels.at(-1)).threads[thread.index], from, to, join);
	}
	return join.spans;
}
