/*
 * What is seen, as a link: graph.svg#z=...&s=malloc. A place is named by the functions on
 * the way to it, so that a link holds in a profile that was made anew.
 */

/* Four letters for a box on the way. */
function stepTo(name) {
	let hash = 0x811c9dc5;

	for (let i = 0; i < name.length; i++)
		hash = imul(hash ^ name.charCodeAt(i), 0x01000193);
	return (hash >>> 0).toString(36).slice(-4).padStart(4, "0");
}

const namesTo = (graph, box) =>
	pathOf(graph, box).map((one) => graph.functions[graph.func[one]].name);

/* { z: the way, n: the last three names }, or {} at the root. */
function linkTo(graph, box) {
	const names = namesTo(graph, box);

	return names.length ? {
		z: (graph.row[box] < 0 ? "~" : "") + names.map(stepTo).join(""),
		n: names.slice(-3).join(";"),
	} : {};
}

/* The box a link leads to. Where there is none such any more, the one with the same last
 * names, or the nearest on the way; then `moved` is set. */
function boxOfLink(graph, { z = "", n = "" }) {
	const steps = z.match(/\w{4}/g) ?? [];
	let box = z[0] === "~" && graph.kind === "around" ? 1 : 0;

	for (const step of steps) {
		const next = boxesIn(graph, box).find((one) =>
			stepTo(graph.functions[graph.func[one]].name) === step);

		if (!next)
			return {
				moved: true,
				box: boxOfNames(graph, n.split(";")) || graph.row[box] && box,
			};
		box = next;
	}
	return { box: graph.row[box] && box };
}

function boxOfNames(graph, last) {
	const { kind, functions, trie: { count, funcs, parents, ends, sums: [sum] } } = graph;
	let best = 0, most = 0;

	for (let i = 1; i < count && kind === "callers"; i++) {
		let steps = 0;

		for (let up = i; up && functions[funcs[up]].name === last.at(-1 - steps);
		     up = parents[up])
			steps++;

		/* The more names the better, then the heavier. */
		const worth = steps && steps + (sum[ends[i]] - sum[i]) / (sum[count] + 1);

		if (worth > most) {
			best = i;
			most = worth;
		}
	}
	return boxOfNode(graph, best);
}

/* flamegraph.pl's links: the left edge and the top of a box in its picture, in pixels. */
function boxOfOldLink(graph, left, top, { wide, rowHeight, fontSize, subtitle, down }) {
	const unit = (wide - 20) / graph.total[0];
	const row = floor((top - (subtitle && !down ? 5 : 3) * fontSize) / rowHeight);
	const todo = [0], found = [];
	let deepest = 0;

	while (todo.length) {
		const box = todo.pop();

		if (graph.total[box] * unit >= 0.1) {
			deepest = max(deepest, graph.row[box]);
			if (abs(10 + graph.x[box] * unit - left) < 0.06)
				found.push(box);
			todo.push(...boxesIn(graph, box));
		}
	}
	return found.find((box) => graph.row[box] === (down ? row : deepest - row)) ?? 0;
}
