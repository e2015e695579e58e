// Search, table, merged graphs and steps against the same done stack by stack.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";
import { boxAt, graphMap, graphOf, profileOf, trieMap } from "./profiles.mjs";
import { callersOf, pathMap, randomStacks, readFolded, search, steps, table, total } from "./stacks.mjs";

const {
	boxesIn, boxOfNode, doStep, exactly, firstThat, heaviestNode, hitsInBox, inferredIn, makeTest,
	markFunctions, pathOf, sumFunctions, sumHits, uncertainty,
} = load("boxesIn", "boxOfNode", "doStep", "exactly", "firstThat", "heaviestNode", "hitsInBox",
	 "inferredIn", "makeTest", "markFunctions", "pathOf", "sumFunctions", "sumHits", "uncertainty");

const recursion = readFolded("a;b;a;b;c 5\na;b 2\nb;a;a 4\nb;c 1\nc;c;c 8\na;c;b;c 3\n");
const samples = [recursion, randomStacks(3, 400), randomStacks(4, 2000, { names: 40, depth: 25 })];

function marksOf(profile, expression, options = {}) {
	return markFunctions(profile, expression, options);
}

test("the table is what the stacks say, recursion counted once", () => {
	for (const stacks of samples) {
		const profile = profileOf(stacks);
		const { selves, totals, nodes } = sumFunctions(profile.trie, profile.functions.length);
		const rows = table(stacks);

		assert.equal(selves.reduce((sum, self) => sum + self), total(stacks));
		profile.functions.slice(1).forEach(({ name }, i) => assert.deepEqual(
			{ self: selves[i + 1], total: totals[i + 1], nodes: nodes[i + 1] }, rows.get(name)));
	}
});

test("a search counts frames, and every stack once", () => {
	for (const stacks of samples)
		for (const text of ["^f1", "a|b", "c", "nothing", "!c", "^"]) {
			const profile = profileOf(stacks);
			const fits = text[0] === "!" ? (name) => !/c/.test(name)
				: (name) => new RegExp(text).test(name);
			const { hits, weight, self } = sumHits(profile.trie, marksOf(profile, text));

			assert.deepEqual({ count: hits, weight, self }, search(stacks, fits), text);
		}
});

test("a search in a zoom counts what is in the zoom", () => {
	const profile = profileOf(recursion), graph = graphOf(profile);
	const found = sumHits(graph.trie, marksOf(profile, "^c$"));
	const within = (...names) => hitsInBox(graph, boxAt(graph, ...names), found);

	assert.equal(within("a"), 8);
	assert.equal(within("a", "b"), 5);
	assert.equal(within("c", "c"), 8);
	assert.equal(within("b", "a"), 0);

	const callees = graphOf(profile, { kind: "callees" });

	assert.equal(hitsInBox(callees, boxAt(callees, "b"), sumHits(callees.trie, marksOf(profile, "^a$"))), 2);
});

test("hits are found by their number", () => {
	const profile = profileOf(recursion);
	const { before, hits } = sumHits(profile.trie, marksOf(profile, "^b$"));
	const nodes = Array.from({ length: hits }, (_, n) =>
		firstThat(profile.trie.count, (i) => before[i + 1] > n));

	assert.deepEqual(nodes.map((node) => profile.functions[profile.trie.funcs[node]].name),
			 Array(hits).fill("b"));
	assert.equal(new Set(nodes).size, hits);
});

test("expressions heed case as one asks for", () => {
	const test = (text, options, name) => makeTest(text, options)(name);

	assert.ok(test("read", {}, "READ"));
	assert.ok(!test("Read", {}, "READ"));
	assert.ok(test("\\Sead", {}, "READ"));
	assert.ok(test("Read", { cases: "i" }, "READ"));
	assert.ok(!test("read", { cases: "c" }, "READ"));
	assert.ok(test("^read$", {}, "read"));
	assert.ok(!test("^read$", {}, "READ"));
	assert.ok(test("^read$", { cases: "i" }, "READ"));
	assert.ok(test("^read", {}, "READ") && test("read$", {}, "READ"));
	assert.ok(!test("samples", {}, "read"));
	assert.ok(test("a.b(", { plain: "1" }, "xa.b(y"));
	assert.ok(!test("a.b(", { plain: "1" }, "xaxb(y"));
	assert.throws(() => makeTest("(", {}), SyntaxError);
	for (const name of ["operator()(int) const", "a|b", "[x]", "f\\g", "^$"])
		assert.ok(makeTest(exactly(name), {})(name) && !makeTest(exactly(name), {})(`${name}x`));
	for (const name of ["ssl_read", "a|b", "c.d"])
		assert.ok(!makeTest(exactly(name), {})(name.toUpperCase()));
});

test("expressions can be about modules and files", () => {
	const profile = profileOf([[[{ name: "read:io.c:3", module: "/lib/libc.so.6", kind: 1 },
				     { name: "main", module: "/bin/cat", kind: 1 }], 1]]);
	const names = (text) => [...marksOf(profile, text)].flatMap((mark, func) =>
		mark ? [profile.functions[func].name] : []);

	assert.deepEqual(names("module:libc"), ["read:io.c:3"]);
	assert.deepEqual(names("!module:libc"), ["main"]);
	assert.deepEqual(names("file:io\\.c"), ["read:io.c:3"]);
	assert.deepEqual(names("file:^$"), ["main"]);
	assert.deepEqual(names("all"), []);
	assert.deepEqual(names(""), []);
});

test("callers first: a box is a node, and its own value is left of its callees", () => {
	for (const stacks of samples) {
		const graph = graphOf(profileOf(stacks));
		let boxes = [0];

		assert.equal(graph.total[0], total(stacks));
		while (boxes.length) {
			for (const box of boxes) {
				let left = graph.x[box] + (graph.grow(box), graph.self[box]);

				for (const one of boxesIn(graph, box)) {
					assert.equal(graph.x[one], left);
					left += graph.total[one];
				}
				assert.equal(left, graph.x[box] + graph.total[box]);
			}
			boxes = boxes.flatMap((box) => boxesIn(graph, box));
		}
	}
});

test("callees first: roots are own values, and nothing is lost", () => {
	for (const stacks of samples) {
		const profile = profileOf(stacks), graph = graphOf(profile, { kind: "callees" });
		const rows = table(stacks);

		assert.equal(graph.total[0], total(stacks));
		for (const box of boxesIn(graph, 0))
			assert.equal(graph.total[box], rows.get(profile.functions[graph.func[box]].name).self);
		assert.deepEqual(new Map([...graphMap(graph)].sort()), new Map([...callersOf(stacks)].sort()));
	}
});

test("merged around a function: outermost frames, callees above, callers below", () => {
	for (const stacks of samples)
		for (const name of ["a", "b", "c", "f1", "f2"]) {
			const rows = table(stacks);

			if (!rows.has(name))
				continue;

			const graph = graphOf(profileOf(stacks), { kind: "around", pivot: `^${name}$` });
			const is = (one) => one === name;
			const callees = new Map();

			for (const [frames, value] of steps.f(stacks, is))
				for (let i = 2; i <= frames.length; i++) {
					const path = frames.slice(1, i).join(";");

					callees.set(path, (callees.get(path) ?? 0) + value);
				}
			assert.equal(graph.total[0], rows.get(name).total, name);
			assert.deepEqual(new Map([...graphMap(graph)].sort()), new Map([...callees].sort()));

			const callers = new Map([...callersOf(stacks, is)].filter(([path]) => path.includes(";"))
				.map(([path, value]) => [path.slice(path.indexOf(";") + 1), value]));

			assert.deepEqual(new Map([...graphMap(graph, 1)].sort()), new Map([...callers].sort()));
			for (const box of boxesIn(graph, 1))
				assert.equal(graph.row[box], -1);
		}
});

test("merged around several functions", () => {
	const graph = graphOf(profileOf(recursion), { kind: "around", pivot: "^[bc]$" });

	assert.equal(graph.total[0], search(recursion, (name) => /^[bc]$/.test(name)).weight);
	assert.equal(graph.func[0], 0);
});

test("boxes have samples, too, whichever way they are merged", () => {
	const profile = profileOf([[["a", "b"], 1000, 2], [["c", "b"], 500, 1]], { samples: 2 });
	const weight = (kind, ...names) => {
		const graph = graphOf(profile, { kind, pivot: kind === "around" && "b" });

		return graph.weigh(boxAt(graph, ...names), 1);
	};

	assert.equal(weight("callers", "a"), 2);
	assert.equal(weight("callees", "b"), 3);
	assert.equal(weight("callees", "b", "c"), 1);
	assert.equal(weight("around"), 3);
});

test("a total that is larger leaves room at the right", () => {
	const graph = graphOf(profileOf([[["a"], 5]]), { least: 8 });

	assert.deepEqual([graph.total[0], graph.total[boxAt(graph, "a")]], [8, 5]);
});

test("the widest come first where that is asked for", () => {
	const graph = graphOf(profileOf(readFolded("a 1\nb 3\nc 2\n")), { widest: "1" });

	assert.deepEqual(boxesIn(graph, 0).map((box) => graph.total[box]), [3, 2, 1]);
});

test("a flame chart keeps its order, and what is apart in it", () => {
	const profile = profileOf(readFolded("b;x 1\nb;y 2\na 3\nb;y 4\nb;x 5\n"), { chart: true },
				  { "data-chart": "1" });
	const graph = graphOf(profile);
	const row = (graph, box) => boxesIn(graph, box).map((one) =>
		`${graph.functions[graph.func[one]].name} ${graph.total[one]}`);

	assert.deepEqual(row(graph, 0), ["b 3", "a 3", "b 9"]);
	assert.deepEqual(row(graph, boxesIn(graph, 0)[2]), ["y 4", "x 5"]);
	/* A step keeps it, too: what becomes a neighbour becomes one. */
	assert.deepEqual(row(graphOf(profile, { trie: doStep(profile, profile.flat, "h:a", {}) }), 0), ["b 12"]);
});

test("every node has its box, and every box its way", () => {
	const graph = graphOf(profileOf(samples[2]));

	for (let node = 0; node < graph.trie.count; node += 7) {
		const box = boxOfNode(graph, node);

		assert.equal(graph.at[box][0], node);
		assert.equal(pathOf(graph, box).length, graph.row[box]);
	}
});

test("the heaviest node of a function", () => {
	const { trie, functions } = profileOf(readFolded("a;b 1\nc;b 5\nd;b;b 4\n"));
	const node = heaviestNode(trie, functions.findIndex(({ name }) => name === "b"));

	assert.equal(functions[trie.funcs[trie.parents[node]]].name, "c");
});

for (const letter of Object.keys(steps))
	test(`step ${letter} is what the same does to folded text`, () => {
		for (const stacks of samples)
			for (const text of ["^(a|f1|f2)$", "^(c|f5)$", "nothing"]) {
				const profile = profileOf(stacks.map(([frames, value]) => [
					frames.map((name) => ({ name, module: name < "f3" ? "m1" : "m2", kind: 1 })), value]));
				const done = doStep(profile, profile.flat, `${letter}:${text}`, {});
				const fits = (name) => new RegExp(text).test(name);
				const boxOf = (name) => name < "f3" ? "[m1]" : "[m2]";

				assert.deepEqual(trieMap(profile, done), pathMap(steps[letter](stacks, fits, boxOf)),
						 `${letter}:${text}`);
			}
	});

test("wrappers that were folded are counted", () => {
	const profile = profileOf(readFolded("a;b;c;d 98\na;b;c;e 2\n"));
	const { folded, count } = doStep(profile, profile.flat, "w:", {});

	assert.deepEqual([count, [...folded]], [4, [0, 2, 0, 0]]);
});

test("a stem is folded though each of its frames has something tiny beside it", () => {
	const profile = profileOf(readFolded("a;b;c;d 9000\na;b;c;e 990\na;b;t 4\na;t 3\na;u 2\na 1\n"));
	const done = doStep(profile, profile.flat, "w:", {});

	assert.deepEqual(trieMap(profile, done), new Map([
		["a", 1], ["a;d", 9000], ["a;e", 990], ["a;t", 7], ["a;u", 2]]));
	assert.equal(done.folded[1], 2);
});

test("steps one after the other, all columns", () => {
	const profile = profileOf(recursion.map(([frames, value]) => [frames, value, 1]), { samples: 2 });
	let trie = profile.flat;

	for (const step of ["h:^b$", "r:", "k:c"])
		trie = doStep(profile, trie, step, {});

	const stacks = steps.k(steps.r(steps.h(recursion, (name) => name === "b")), (name) => name === "c");

	assert.deepEqual(trieMap(profile, trie), pathMap(stacks));
	assert.deepEqual(trieMap(profile, trie, 1), pathMap(stacks.map(([frames]) => [frames, 1])));
});

test("the interval of a share is wide where there are few samples", () => {
	assert.ok(Math.abs(uncertainty(50, 100) - 0.098) < 1e-9);
	assert.ok(uncertainty(5000, 10000) < 0.0099);
	assert.equal(uncertainty(100, 100), 0);
});

test("what is inferred is said of a frame, and of what is left of it when others are left out", () => {
	const stacks = readFolded("main;f;leaf 30\nmain;f;other 10\nmain;g 60\n");
	const profile = profileOf(stacks, { unit: 10, inferred: { "main;f": 35 } });
	const { trie } = profile;
	const says = (trie, ...names) => {
		const graph = graphOf(profile, { trie });

		return inferredIn(graph, boxAt(graph, ...names));
	};

	assert.equal(says(trie, "main", "f"), 350);
	assert.equal(says(trie, "main"), 0);
	assert.equal(says(trie, "main", "g"), 0);
	assert.equal(says(doStep(profile, trie, "x:^other$", {}), "main", "f"), 300);
	// Towards callers a box has a part of the frame, of which it is not known.
	const callees = graphOf(profile, { kind: "callees" });

	assert.equal(inferredIn(callees, boxAt(callees, "leaf", "f")), 0);
});
