// Stacks -> the viewer's profile, and back.
import { encode } from "./encode.mjs";
import { load } from "./load.mjs";

const { readProfile, makeGraph, boxesIn, markFunctions } = load(
	"readProfile", "makeGraph", "boxesIn", "markFunctions");

export function profileOf(stacks, options, facts = {}) {
	return readProfile(new Uint8Array(encode(stacks, options)), facts);
}

// "a;b" -> its own value, of the nodes that have one.
export function trieMap({ functions }, { count, funcs, parents, sums }, column = 0) {
	const map = new Map(), paths = [""];

	for (let i = 0; i < count; i++) {
		const own = sums[column][i + 1] - sums[column][i];

		if (i) {
			const up = paths[parents[i]];

			paths.push(up + (up && ";") + functions[funcs[i]].name);
		}
		if (own)
			map.set(paths[i], (map.get(paths[i]) ?? 0) + own);
	}
	return new Map([...map].sort());
}

export function graphOf(profile, { kind = "callers", pivot, trie, ...options } = {}) {
	return makeGraph(profile, trie ?? (kind === "callers" ? profile.trie : profile.flat), {
		kind, marks: pivot && markFunctions(profile, pivot, {}), ...options });
}

// "a;b" -> the value of that box, for all boxes; from box 1 those on the other side.
export function graphMap(graph, from = 0) {
	const map = new Map(), todo = [[from, ""]];

	while (todo.length) {
		const [box, path] = todo.pop();

		if (path)
			map.set(path, graph.total[box]);
		for (const one of boxesIn(graph, box))
			todo.push([one, path + (path && ";") + graph.functions[graph.func[one]].name]);
	}
	return map;
}

// The box that names lead to.
export function boxAt(graph, ...names) {
	return names.reduce((box, name) => boxesIn(graph, box).find((one) =>
		graph.functions[graph.func[one]].name === name), 0);
}
