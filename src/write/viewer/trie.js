/*
 * The trie, and others made from it. Nodes are in preorder, node 0 is the root; what is
 * below node i is i + 1 up to, but not including, ends[i]. A column of weights is a
 * running sum over the nodes, so that one array answers three questions:
 *
 *	sums[c][i]                      what lies to the left of node i
 *	sums[c][i + 1] - sums[c][i]     its own value
 *	sums[c][ends[i]] - sums[c][i]   its value with all that it calls
 */
function makeTrie(funcs, parents, selves, inferred) {
	const count = funcs.length;
	const ends = integers(count);

	for (let i = count - 1; i >= 0; i--) {
		ends[i] ||= i + 1;
		ends[parents[i]] = max(ends[parents[i]], ends[i]);
	}
	return { count, funcs, parents, ends, sums: selves.map(runningSum), inferred };
}

function runningSum(selves) {
	const sum = reals(selves.length + 1);

	for (let i = 0; i < selves.length; i++)
		sum[i + 1] = sum[i] + selves[i];
	return sum;
}

/* How many nodes from one on weigh something: of a part of time, and of a side of a difference, others do not. */
function weighingIn(trie, node) {
	const { ends, sums: [sum], isPart } = trie;
	const all = isPart && (trie.weighing ||= runningSum(ends.map((end, i) => sum[end] > sum[i])));

	return all ? all[ends[node]] - all[node] : ends[node] - node;
}

/*
 * Another trie from this one, node by node, callers first:
 *
 *	place(i, to, made)   node i goes below node `to` of the one that is made, as a
 *	                     function; -1: it is no node of its own, its value is that of `to`
 *	weighs(i)            its own value counts
 *	starts(i)            it goes below the root, wherever its caller went
 */
function rebuild({ inOrder, heat }, { count, funcs, parents, sums, inferred, from, isPart }, { place, weighs, starts }) {
	const goes = integers(count);
	const made = {
		count: 1,
		funcs: integers(count),
		parents: integers(count),
		folded: new Uint16Array(count),
	};
	const selves = sums.map(() => reals(count));
	const child = childTable(made, count, inOrder);

	for (let i = 0; i < count; i++) {
		let to = starts?.(i) ? 0 : goes[parents[i]];

		if (i) {
			const func = place ? place(i, to, made) : funcs[i];

			if (func >= 0)
				to = child(to, func);
		}
		goes[i] = to;
		if (!weighs || weighs(i))
			sums.forEach((sum, c) => selves[c][to] += sum[i + 1] - sum[i]);
	}
	const { became, ...trie } = inPreorder(made, selves, moved(inferred, goes));

	trie.isPart = isPart;

	/* By node as it was recorded: where it is now. What does not weigh is nowhere. */
	if (heat)
		trie.from = (from ?? goes).map((node, i) => {
			const at = from ? node : i;

			return at < count && (!weighs || weighs(at)) ? became[goes[at]] : count;
		});
	return trie;
}

/* Values of nodes, where these are now. */
function moved(values, goes) {
	const there = new Map();

	for (const [node, value] of values)
		there.set(goes[node], (there.get(goes[node]) ?? 0) + value);
	return there;
}

/* child(parent, func): that node of `made`, which it may have to add. In a flame chart
 * only neighbours become one. */
function childTable(made, most, inOrder) {
	const shift = 31 - ceil(Math.log2(most + 1));
	const slots = integers(inOrder ? most : 2 ** (32 - shift));
	const isOther = (node, parent, func) =>
		made.parents[node] !== parent || made.funcs[node] !== func;

	return (parent, func) => {
		let at = parent;

		if (!inOrder) {
			at = imul(imul(parent, 0x9e3779b1) ^ func, 0x85ebca6b) >>> shift;
			while (slots[at] && isOther(slots[at], parent, func))
				at = (at + 1) % slots.length;
		}
		if (!slots[at] || isOther(slots[at], parent, func)) {
			made.parents[made.count] = parent;
			made.funcs[made.count] = func;
			slots[at] = made.count++;
		}
		return slots[at];
	};
}

/* The same nodes in preorder, without those that weigh nothing. Every node follows its
 * parent; siblings stay in the order in which they were made. */
function inPreorder({ count, parents, funcs, folded }, selves, inferred) {
	const first = integers(count), next = integers(count);
	const became = integers(count), sorted = integers(count);
	const weights = reals(count);
	let length = 0;

	for (let i = count - 1; i >= 0; i--) {
		const parent = parents[i];

		for (const self of selves)
			weights[i] += self[i];
		if (i && weights[i]) {
			weights[parent] += weights[i];
			next[i] = first[parent];
			first[parent] = i;
		}
	}
	for (let i = 0, done = false; i || !done;) {
		if (!done) {
			sorted[length] = i;
			became[i] = length++;
		}
		if (!done && first[i]) {
			i = first[i];
		} else {
			done = !next[i];
			i = next[i] || parents[i];
		}
	}

	const pick = (all) => {
		const picked = new all.constructor(length);

		for (let k = 0; k < length; k++)
			picked[k] = all[sorted[k]];
		return picked;
	};

	return {
		...makeTrie(pick(funcs), pick(parents).map((parent) => became[parent]),
			    selves.map(pick), moved(inferred, became)),
		folded: pick(folded), became,
	};
}
