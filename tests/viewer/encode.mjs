// Folded text -> the data of an SVG, after Documentation/svg-format.md and nothing else: what
// the writer and the viewer do is compared with this.

class Bytes {
	list = [];

	number(value) {
		let rest = BigInt(value);

		while (rest > 127n) {
			this.list.push(Number(rest & 127n) | 128);
			rest >>= 7n;
		}
		this.list.push(Number(rest));
	}

	text(bytes) {
		for (const byte of bytes)
			this.list.push(byte);
	}
}

// A frame is a text, or { name, module, kind }.
function keyOf(frame) {
	return typeof frame === "string" ? `${frame}\0\0${0}` : `${frame.name}\0${frame.module}\0${frame.kind}`;
}

function sortedFunctions(stacks) {
	const keys = new Set(stacks.flatMap(([frames]) => frames.map(keyOf)));

	return [...keys].map((key) => {
		const [name, module, kind] = key.split("\0");

		return { key, name: Buffer.from(name), module, kind: Number(kind) };
	}).sort((a, b) => Buffer.compare(a.name, b.name) ||
		Buffer.compare(Buffer.from(a.module), Buffer.from(b.module)) || a.kind - b.kind);
}

function makeNode(func, parent) {
	return { func, parent, self: 0, samples: 0, before: 0, children: [] };
}

function treeOf(stacks, numbers, chart) {
	const root = makeNode(0, null);

	for (const [frames, value, samples = 0, before = 0] of stacks) {
		let node = root;

		for (const frame of frames) {
			const func = numbers.get(keyOf(frame));
			const candidates = chart ? node.children.slice(-1) : node.children;
			let child = candidates.find((one) => one.func === func);

			if (!child) {
				child = makeNode(func, node);
				node.children.push(child);
			}
			node = child;
		}
		node.self += value;
		node.samples += samples;
		node.before += before;
	}
	return root;
}

function inPreorder(root, chart) {
	const nodes = [], todo = [root];

	while (todo.length) {
		const node = todo.pop();

		nodes.push(node);
		todo.push(...chart ? [...node.children].reverse()
			: [...node.children].sort((a, b) => b.func - a.func));
	}
	return nodes;
}

function encodeNames(columns, functions) {
	const names = [...new Set(functions.map(({ name }) => name.toString("latin1")))]
		.map((name) => Buffer.from(name, "latin1"));
	const modules = ["", ...new Set(functions.map(({ module }) => module).filter(Boolean))];
	let before = Buffer.alloc(0), at = 0;

	for (const name of names) {
		let shared = 0;

		while (shared < Math.min(name.length, before.length) && name[shared] === before[shared])
			shared++;
		columns[2].number(shared);
		columns[3].text([...name.subarray(shared), 0]);
		before = name;
	}
	for (const module of modules)
		columns[4].text([...Buffer.from(module), 0]);
	for (const { name, module, kind } of functions) {
		const index = names.findIndex((one) => one.equals(name));

		columns[5].number(index - at);
		at = index;
		columns[6].number(modules.indexOf(module));
		columns[7].text([kind]);
		columns[9].text([(module.length * 7 + kind) % 32]);
	}
	return [names.length, modules.length];
}

// @places: { name: [file, line] }
function encodePlaces(columns, functions, places) {
	const files = [...new Set(Object.values(places).map(([file]) => file))];

	for (const file of files)
		columns[17].text([...Buffer.from(file), 0]);
	for (const { name } of functions) {
		const [file, line] = places[name] ?? ["", 0];

		columns[18].number(files.indexOf(file) + 1);
		columns[19].number(line);
	}
}

function encodeShape(columns, nodes) {
	const leaves = nodes.filter((node, i) => i && !node.children.length);
	let begin = 1;

	leaves.forEach((leaf, k) => {
		const at = nodes.indexOf(leaf, begin);

		columns[11].number(at - begin);
		if (k + 1 < leaves.length) {
			let up = 0;

			for (let node = leaf.parent; node !== nodes[at + 1].parent; node = node.parent)
				up++;
			columns[12].number(up);
		}
		begin = at + 1;
	});
	return leaves.length;
}

function encodeFunctions(columns, nodes, count) {
	const lists = Array.from({ length: count + 1 }, () => []);
	const short = Array.from({ length: 9 }, () => []);
	const steps = nodes.slice(1).map((node) => {
		const list = lists[node.parent.func];
		const index = list.indexOf(node.func), { length } = list;

		if (index < 0)
			list.push(node.func);
		else if (length <= 8)
			short[length].push(index);
		return { func: node.func, index, length };
	});
	const news = new Array(count + 1).fill(0);

	for (const { func, index } of steps)
		news[func] += index < 0;

	const levels = news.map((n) => Math.min(255, n ? Math.floor(2 * Math.log2(n)) + 1 : 0));
	const ranks = [...levels.keys()].slice(1).sort((a, b) => levels[b] - levels[a] || a - b);
	let isNew = false, run = 0;

	columns[8].text(levels.slice(1));
	for (const { func, index, length } of steps) {
		if (index < 0 !== isNew) {
			columns[13].number(run);
			run = 0;
			isNew = !isNew;
		}
		run++;
		if (isNew) {
			columns[15].text([ranks.indexOf(func) & 255]);
			columns[16].number(ranks.indexOf(func) >> 8);
		} else if (length > 8) {
			columns[14].number(index);
		}
	}
	columns[13].number(run);
	short.forEach((indexes, base) => {
		const inByte = Math.floor(8 / Math.log2(base) + 1e-9);

		for (let i = 0; base > 1 && i < indexes.length; i += inByte)
			columns[40 + base].text([indexes.slice(i, i + inByte).reduceRight((sum, index) => sum * base + index, 0)]);
	});
}

function encodeWeights(columns, nodes, key, ids) {
	nodes.forEach((node, i) =>
		columns[ids[i && !node.children.length ? 0 : 1]].number(node[key]));
}

// @inferred: "a;b" -> of the value of that node.
function encodeInferred(column, nodes, functions, inferred) {
	const paths = new Map([[nodes[0], ""]]);
	let last = 0;

	nodes.slice(1).forEach((node, i) => {
		const up = paths.get(node.parent), path = `${up}${up && ";"}${functions[node.func - 1].name}`;

		paths.set(node, path);
		if (inferred[path]) {
			column.number(i + 1 - last);
			column.number(inferred[path]);
			last = i + 1;
		}
	});
}

// @stacks: [[frames, value, samples, before], ...]; @chart: they stay in their order.
export function encode(stacks, {
	samples = 0, decimals = 0, unit = 1, before = false, chart = false, places, inferred = {},
} = {}) {
	const columns = Object.fromEntries([...Array.from({ length: 19 }, (_, i) => i + 1),
		32, 33, 34, 35, 36, 37, 39, 42, 43, 44, 45, 46, 47, 48].map((id) => [id, new Bytes()]));
	const functions = sortedFunctions(stacks);
	const numbers = new Map(functions.map(({ key }, i) => [key, i + 1]));
	const nodes = inPreorder(treeOf(stacks, numbers, chart), chart);
	const [names, modules] = encodeNames(columns, functions);
	const leaves = encodeShape(columns, nodes);

	if (places)
		encodePlaces(columns, functions, places);
	encodeFunctions(columns, nodes, functions.length);
	encodeWeights(columns, nodes, "self", [32, 33]);
	if (samples === 2)
		encodeWeights(columns, nodes, "samples", [34, 35]);
	if (before)
		encodeWeights(columns, nodes, "before", [36, 37]);
	encodeInferred(columns[39], nodes, functions, inferred);
	for (const count of [names, modules, functions.length, nodes.length, leaves, unit, decimals, samples])
		columns[1].number(count);
	return join(columns);
}

function join(columns) {
	const used = Object.entries(columns).filter(([, { list }]) => list.length);
	const head = new Bytes();

	head.number(used.length);
	for (const [id, { list }] of used) {
		head.number(id);
		head.number(list.length);
	}
	return Buffer.concat([Buffer.from(head.list), ...used.map(([, { list }]) => Buffer.from(list))]);
}
