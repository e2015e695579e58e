/* Sums over the whole trie. What calls itself counts once. */

/* Own value, value with callees and number of nodes, by function. */
function sumFunctions({ count, funcs, ends, sums, there = sums[0] }, length, column = 0) {
	const sum = sums[column];
	const selves = reals(length), totals = reals(length);
	const nodes = integers(length);
	const until = integers(length); /* nodes before this are below one that counted */

	for (let i = 0; i < count; i++) {
		const func = funcs[i];

		/* Of a part of time there are those alone that ran in it. */
		nodes[func] += there[ends[i]] > there[i];
		selves[func] += sum[i + 1] - sum[i];
		if (i >= until[func]) {
			until[func] = ends[i];
			totals[func] += sum[ends[i]] - sum[i];
		}
	}
	return { selves, totals, nodes };
}

/* What a search found: the number of `hits`, `before[i]` of them before node i; the weight
 * of all stacks with one, and of those that end in one. */
function sumHits(trie, marks) {
	const { count, funcs, parents, ends, sums: [sum] } = trie;
	const inside = markBelow(trie, marks);
	const before = integers(count + 1);
	let weight = 0, self = 0;

	for (let i = 0; i < count; i++) {
		const hit = marks[funcs[i]] && sum[ends[i]] > sum[i];

		before[i + 1] = before[i] + hit;
		if (hit) {
			self += sum[i + 1] - sum[i];
			if (!inside[parents[i]])
				weight += sum[ends[i]] - sum[i];
		}
	}
	return { marks, inside, before, weight, self, hits: before[count] };
}

/* The weight of the stacks of a box that have a hit there or behind it. */
function hitsInBox({ trie, at, starts, atStart }, box, { marks, inside }) {
	const { funcs, ends, sums: [sum] } = trie;
	let weight = 0;

	at[box].forEach((node, k) => {
		if (starts[box])
			weight += inside[node] && atStart(starts[box][k]);
		else
			for (let i = node; i < ends[node];)
				if (marks[funcs[i]]) {
					weight += sum[ends[i]] - sum[i];
					i = ends[i];
				} else {
					i++;
				}
	});
	return weight;
}

/* Half the width of the 95 % interval of a share that was seen in @samples of @all. */
function uncertainty(samples, all) {
	const share = samples / all;

	return 1.96 * sqrt(share * (1 - share) / all);
}
