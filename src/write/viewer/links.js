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

const nameIn = ({ functions, func }, box) => functions[func[box]].name;
const namesTo = (graph, box) => pathOf(graph, box).map((one) => nameIn(graph, one));

/* To the boxes below @box; those of one name are told apart by their number. */
function stepsBelow(graph, box) {
	const seen = new Map();

	return graph.steps[box] ??= boxesIn(graph, box).map((one) => {
		const name = nameIn(graph, one), n = seen.get(name) ?? 0;

		seen.set(name, n + 1);
		return stepTo(n ? `${name};${n}` : name);
	});
}

/* { z: the way, n: the last three names }, or {} at the root. */
function linkTo(graph, box) {
	const { row, parent, first } = graph;

	return row[box] ? {
		z: (row[box] < 0 ? "~" : "") + pathOf(graph, box).map((one) =>
			stepsBelow(graph, parent[one])[one - first[parent[one]]]).join(""),
		n: namesTo(graph, box).slice(-3).join(";"),
	} : {};
}

/* The box a link leads to. Where there is none such any more, the one with the same last
 * names, or the nearest on the way; then `moved` is set. */
function boxOfLink(graph, { z = "", n = "" }) {
	const steps = z.match(/\w{4}/g) ?? [];
	let box = z[0] === "~" && graph.kind === aroundOne ? 1 : 0;

	for (const step of steps) {
		const k = stepsBelow(graph, box).indexOf(step);

		if (k < 0)
			return {
				moved: true,
				box: boxOfNames(graph, n.split(";")) || graph.row[box] && box,
			};
		box = graph.first[box] + k;
	}
	return { box: graph.row[box] && box };
}

function boxOfNames(graph, last) {
	const { kind, functions, trie: { count, funcs, parents, ends, sums: [sum] } } = graph;
	let best = 0, most = 0;

	for (let i = 1; i < count && kind === callersFirst; i++) {
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
			boxesIn(graph, box).forEach((one) => todo.push(one));
		}
	}
	return found.find((box) => graph.row[box] === (down ? row : deepest - row)) ?? 0;
}
