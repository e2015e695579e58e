// A difference without a document: its sides, what moved, and how sure that is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { boxAt, graphMap, graphOf, profileOf, trieMap } from "./profiles.mjs";
import { load } from "./load.mjs";

const { trieOfSide, movesIn, chanceOf, twinOf, readChange, makeReader } = load(
	"trieOfSide", "movesIn", "chanceOf", "twinOf", "readChange", "makeReader");
const readerOf = (...bytes) => makeReader(Uint8Array.of(...bytes));
const facts = { "data-scale": "0.5", "data-noise": "1", "data-level": "0.05", "data-reach": "4" };

// [path, B, A]
const profileOfSides = (...stacks) => profileOf(stacks.map(([path, after, before]) =>
	[path.split(";"), after, 0, before]), { before: true }, facts);
const profile = profileOfSides(["main;parse", 900, 1000], ["main;read", 300, 1200], ["main;old", 0, 400],
	["main;fresh", 200, 0], ["idle", 500, 1000]);
const of = (side) => Object.fromEntries(trieMap(profile, trieOfSide(profile, profile.trie, side)));

test("a side has its own widths, and what is gone those of A where B has nothing", () => {
	assert.deepEqual(Object.fromEntries(trieMap(profile, profile.trie)),
			 { idle: 500, "main;fresh": 200, "main;old": 200, "main;parse": 900, "main;read": 600 });
	assert.deepEqual(of("A"), { idle: 1000, "main;old": 400, "main;parse": 1000, "main;read": 1200 });
	assert.deepEqual(of("B"), { idle: 500, "main;fresh": 200, "main;parse": 900, "main;read": 300 });
	assert.deepEqual(of("gone"), { "main;old": 400 });
});

test("a stack that only ends elsewhere is not gone: its path is there", () => {
	const passed = profileOfSides(["main;work", 0, 100], ["main;work;deep", 100, 0]);

	assert.deepEqual([...trieMap(passed, trieOfSide(passed, passed.trie, "gone"))], []);
});

test("boxes of a side are those of a graph of it, of any kind, and stand for what the other has there", () => {
	const side = trieOfSide(profile, profile.trie, "B");

	for (const kind of ["callers", "callees"]) {
		const alone = profileOf([["main;parse", 900], ["main;read", 300], ["main;fresh", 200], ["idle", 500]]
			.map(([path, weight]) => [path.split(";"), weight]));

		assert.deepEqual([...graphMap(graphOf(profile, { kind, trie: side }))].sort(),
				 [...graphMap(graphOf(alone, { kind }))].sort());
	}

	/* `work` is called by what only A has, too. */
	const both = profileOfSides(["a;work", 100, 0], ["b;work", 0, 300]);
	const graph = graphOf(both, { kind: "callees", trie: trieOfSide(both, both.trie, "B") });
	const box = boxAt(graph, "work");

	assert.equal(graph.total[box], 100);
	assert.equal(graph.weigh(box, both.before), 300);
	assert.deepEqual([...graphMap(graph).keys()], ["work", "work;a"]);
});

test("a box of a side has a twin where the other side has the same way", () => {
	const [a, b] = ["A", "B"].map((side) => graphOf(profile, { trie: trieOfSide(profile, profile.trie, side) }));

	assert.equal(twinOf(a, boxAt(a, "main", "parse"), b), boxAt(b, "main", "parse"));
	assert.equal(twinOf(b, boxAt(b, "main", "fresh"), a), -1);
	assert.equal(twinOf(a, boxAt(a, "main", "old"), b), -1);
	assert.equal(twinOf(a, 0, b), 0);
});

test("what moved is counted once, where it was found deepest, and noise is none", () => {
	const moved = profileOfSides(["main;a;more", 900, 200], ["main;a;less", 100, 1600], ["main;b;same", 510, 1000],
		["main;c;up", 400, 0]);
	const { trie, functions } = moved, [up, down] = movesIn(moved, trie);
	const by = Object.fromEntries([...trie.funcs].map((func, i) => [functions[func].name, [up[i], down[i]]]));

	assert.deepEqual(by.more, [800, 0]);
	assert.deepEqual(by.less, [0, 700]);
	assert.deepEqual(by.a, [800, 700]);
	assert.deepEqual(by.same, [0, 0]);
	assert.deepEqual(by.b, [0, 0]);
	assert.deepEqual(by.c, [400, 0]);
	assert.deepEqual(by.main, [1200, 700]);
});

test("measures say of a node its error and how sure its change is", () => {
	const weights = [Float64Array.of(10, 20, 30, 40), Float64Array.of(20, 60, 0, 80)];
	/* Node 1: error 7, q 0.0398; node 3: error 300, q 0.0501; by itself node 2: error 5, q 0.1. */
	const change = readChange(facts, weights, 1, readerOf(1, 7, 236, 1, 2, 0xac, 2, 237, 1), readerOf(2, 5, 240, 1));

	assert.deepEqual([...weights[0]], [10, 30, 30, 40]);
	assert.deepEqual([...weights[change.after]], [10, 20, 30, 40]);
	assert.deepEqual([...change.errors], [0, 7, 0, 300]);
	assert.deepEqual([...change.digits].map((digits) => digits <= change.sure), [false, true, false, false]);
	assert.equal(change.reach, 4);
	assert.deepEqual([[...change.own.errors], [...change.own.digits]], [[0, 0, 5, 0], [255, 255, 240, 255]]);
	assert.equal(readChange(facts, weights, 1, readerOf(), readerOf()).own, null);
});

test("how improbable a change is, as tables have it", () => {
	for (const [errors, chance] of [[0, 1], [1, 0.3173], [1.96, 0.05], [3, 0.0027], [5, 5.733e-7]])
		assert.ok(Math.abs(chanceOf(errors) / chance - 1) < 0.1, `${errors}: ${chanceOf(errors)}`);
});
