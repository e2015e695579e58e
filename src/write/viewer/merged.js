/*
 * What is drawn: a graph of boxes that grows where one looks. A box stands for nodes of the
 * trie, at[box], and has their weight together. There are three kinds:
 *
 *	callers   from the root to what it calls; every box is one node
 *	callees   from every function with a value of its own to its callers
 *	around    from the outermost nodes of marked functions to their callees and, with
 *	          negative rows, from box 1, which is the same as box 0, to their callers
 *
 * Below a box are boxes first[box] up to, but not including, first[box] + grow(box). Towards
 * callers a box has the weight of the nodes starts[box]; from each of them at[box] went up.
 * Of a side of a difference a box stands for all that it does in the other, too: `there` is where both are.
 */
function makeGraph({ functions, inOrder }, trie, { kind, marks, widest, least = 0 }) {
	const { count, funcs, parents, ends, sums, there = sums[0] } = trie;
	const func = [], parent = [], row = [], x = [], total = [], self = [];
	const first = [], kids = [], at = [], starts = [];

	const own = (node, c = 0) => sums[c][node + 1] - sums[c][node];
	const whole = (node, c = 0) => sums[c][ends[node]] - sums[c][node];
	const atStart = kind === calleesFirst ? own : whole;
	const callerOf = (box, node) => box || marks ? parents[node] : node;

	/* @nodes: those of the box; @from: where they went up from; nothing towards callees. */
	function add({ func: its, nodes, from, weight }, up, itsRow, left) {
		at.push(nodes);
		starts.push(from);
		func.push(its);
		parent.push(up);
		row.push(itsRow);
		x.push(left);
		total.push(weight);
		self.push(0);
		first.push(0);
		kids.push(-1);
	}

	/* What is below a box: nodes of the same function become one. What is left is its own. */
	function boxesBelow(box) {
		const up = starts[box], nodes = at[box], below = [], known = [];
		const put = (node, weight, start) => {
			let one = known[funcs[node]];

			if (!one || !up && !nodes[1]) {
				one = { func: funcs[node], nodes: [], from: up && [], weight: 0 };
				known[one.func] = one;
				below.push(one);
			}
			one.nodes.push(node);
			one.weight += weight;
			if (up)
				one.from.push(start);
		};

		nodes.forEach((node, k) => {
			const weight = up ? atStart(up[k]) : own(node);

			if (up && callerOf(box, node))
				put(callerOf(box, node), weight, up[k]);
			else
				self[box] += weight;
			for (let i = node + 1; i < ends[node] && !up; i = ends[i])
				if (there[ends[i]] - there[i])
					put(i, whole(i));
		});
		if (widest || !inOrder)
			below.sort((a, b) => widest && b.weight - a.weight || a.func - b.func);
		return below;
	}

	function grow(box) {
		if (kids[box] < 0) {
			const below = boxesBelow(box);
			const step = marks && starts[box] ? -1 : 1;
			let left = x[box] + self[box];

			first[box] = at.length;
			for (const one of below) {
				if (functions[one.func].kind === gap)
					self[box] += one.weight;
				else if (one.weight)
					add(one, box, row[box] + step, left);
				left += one.weight;
			}
			kids[box] = at.length - first[box];
		}
		return kids[box];
	}

	const inside = marks && markBelow(trie, marks);
	const nodes = [];

	for (let i = 0; i < count; i++)
		if (kind === callersFirst ? !i
		    : marks ? marks[funcs[i]] && !inside[parents[i]] && there[ends[i]] - there[i]
			: there[i + 1] - there[i])
			nodes.push(i);

	const same = nodes.every((node) => funcs[node] === funcs[nodes[0]]);
	const root = {
		func: marks && same && funcs[nodes[0]] || 0,
		nodes,
		from: kind === calleesFirst && nodes,
		weight: marks ? nodes.reduce((sum, node) => sum + whole(node), 0)
			: max(least, whole(0)),
	};

	add(root, 0, 0, 0);
	if (marks)
		add({ ...root, from: nodes }, 0, 0, 0);
	return {
		functions, trie, kind, func, parent, row, x, total, self, first, at, starts,
		grow, atStart, changes: [], compared: [], ratios: [], steps: [], says: [],
		/* The weight of a box in another column. */
		weigh: (box, c) => (starts[box] || at[box]).reduce((sum, node) =>
			sum + (starts[box] ? atStart : whole)(node, c), 0),
		ownOf: (box, c) => at[box].reduce((sum, node) => sum + own(node, c), 0),
	};
}

/* The boxes from the root to @box, without the root. */
function pathOf({ row, parent }, box) {
	const path = [];

	for (; row[box]; box = parent[box])
		path.push(box);
	return path.reverse();
}

const boxesIn = ({ grow, first }, box) => times(grow(box), (k) => first[box] + k);

/* The box of a graph of kind "callers" that stands for @node. */
function boxOfNode(graph, node) {
	const way = [];
	let box = 0;

	for (; node; node = graph.trie.parents[node])
		way.push(node);
	while (way.length) {
		const next = way.pop();

		box = boxesIn(graph, box).find((one) => graph.at[one][0] === next) ?? box;
	}
	return box;
}

/* A box of @func: the heaviest one, or callees first the one on the root. 0: none. */
const boxOfFunction = (graph, func) => graph.kind === callersFirst
	? boxOfNode(graph, heaviestNode(graph.trie, func))
	: boxesIn(graph, 0).find((one) =>
		graph.kind === calleesFirst && graph.func[one] === func) ?? 0;

/* The node of @func that weighs most. */
function heaviestNode({ count, funcs, ends, sums: [sum] }, func) {
	let best = 0, most = 0;

	for (let i = 1; i < count; i++)
		if (funcs[i] === func && most < sum[ends[i]] - sum[i]) {
			best = i;
			most = sum[ends[i]] - sum[i];
		}
	return best;
}
