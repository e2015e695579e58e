// What is drawn where, in which colours, with which labels; and the links to it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";
import { boxAt, graphOf, profileOf } from "./profiles.mjs";
import { randomStacks, readFolded } from "./stacks.mjs";

const {
	boxesIn, boxOfLink, boxOfOldLink, colourOf, inkOn, layOut, layOutToFit, linkTo, makeLabels,
	markFunctions, namesTo, pieceAt, readColours, shortNames, sumHits,
} = load("boxesIn", "boxOfLink", "boxOfOldLink", "colourOf", "inkOn", "layOut", "layOutToFit", "linkTo",
	 "makeLabels", "markFunctions", "namesTo", "pieceAt", "readColours", "shortNames", "sumHits");

const options = { zoom: 0, wide: 1000, least: 1, most: 5000, found: null };

function named(graph, { boxes }) {
	return boxes.map(({ box }) => graph.functions[graph.func[box]].name);
}

test("all boxes of a pixel and more are drawn, thinner ones are in runs", () => {
	const graph = graphOf(profileOf(readFolded("a;x 997\na;y 1\na;z 1\nb 1\n")));
	const layout = layOut(graph, { ...options, wide: 500 });

	assert.deepEqual(named(graph, layout), ["all", "a", "x"]);
	assert.deepEqual(layout.runs.map(({ row, count, left, right }) => [row, count, left, right]),
			 [[2, 2, 498.5, 499.5], [1, 1, 499.5, 500]]);
	assert.deepEqual([layout.lowest, layout.highest], [0, 2]);
});

test("every frame is drawn, in a run, or below one", () => {
	const graph = graphOf(profileOf(randomStacks(5, 3000, { names: 30, depth: 12 })));
	const { boxes, runs } = layOut(graph, options);
	const reached = new Set();
	const reach = (box) => {
		reached.add(box);
		boxesIn(graph, box).forEach(reach);
	};

	reach(0);
	for (const { box, left, right } of boxes) {
		assert.ok(right - left >= 1);
		assert.ok(reached.has(box));
	}
	const area = (pieces, row) => pieces.filter((piece) => piece.row === row)
		.reduce((sum, { left, right }) => sum + right - left, 0);

	assert.ok(Math.abs(area(boxes, 1) + area(runs, 1) + graph.self[0] - 1000) < 1);
});

test("a zoom gives exact widths, and shows what it stands on", () => {
	const graph = graphOf(profileOf(readFolded("a;tiny;x 3\na;tiny;y 1\na;big 100000\n")));
	const tiny = boxAt(graph, "a", "tiny");

	assert.deepEqual(named(graph, layOut(graph, options)), ["all", "a", "big"]);

	const { boxes } = layOut(graph, { ...options, zoom: tiny });

	assert.deepEqual(boxes.map(({ box, left, right, above }) =>
		[graph.functions[graph.func[box]].name, left, right, Boolean(above)]), [
		["a", 0, 1000, true], ["all", 0, 1000, true], ["tiny", 0, 1000, false],
		["x", 0, 750, false], ["y", 750, 1000, false],
	]);
});

test("around a function, both sides are laid out", () => {
	const graph = graphOf(profileOf(readFolded("a;p;x 3\nb;p;y 1\n")), { kind: "around", pivot: "p" });
	const layout = layOut(graph, options);

	assert.deepEqual([layout.lowest, layout.highest], [-1, 1]);
	assert.deepEqual(layout.boxes.map(({ row, left, right }) => [row, left, right]).sort(),
			 [[-1, 0, 750], [-1, 750, 1000], [0, 0, 1000], [1, 0, 750], [1, 750, 1000]].sort());
});

test("runs say whether a search found something in them", () => {
	const profile = profileOf(readFolded("a;x;deep 1\na;y 1\nb 100000\n")), graph = graphOf(profile);
	const hit = (text) => layOut(graph, {
		...options, found: sumHits(profile.trie, markFunctions(profile, text, {})),
	}).runs.map((run) => Boolean(run.hit));

	assert.deepEqual(hit("deep"), [true]);
	assert.deepEqual(hit("b"), [false]);
});

test("the piece under the pointer", () => {
	const graph = graphOf(profileOf(readFolded("a;x 600\na;y 399\nb 1\n")));
	const layout = layOut(graph, { ...options, wide: 500 });
	const at = (x, row) => {
		const piece = pieceAt(layout, x, row);

		return piece && graph.functions[graph.func[piece.box]].name;
	};

	assert.deepEqual([at(0, 0), at(250, 1), at(299, 2), at(301, 2), at(499.7, 1)],
			 ["all", "a", "x", "y", "b"]);
	assert.deepEqual([at(250, 3), at(-5, 1), at(501, 1), at(499.7, 2)], [null, null, null, null]);
});

test("where there is no room for all rows, those in the window are drawn", () => {
	const wide = Array.from({ length: 3 }, (_, k) =>
		[Array.from({ length: 3000 }, (_, i) => `f${k}_${i}`), 1]);
	const graph = graphOf(profileOf(wide));
	const layout = layOutToFit(graph, options, ({ lowest, highest }) => {
		assert.deepEqual([lowest, highest], [0, 3000]);
		return [100, 150];
	});

	assert.equal(layout.boxes.length, 51 * 3);
	assert.ok(layout.boxes.every(({ row }) => row >= 100 && row <= 150));
	assert.equal(layout.highest, 3000);
});

test("and where those are too many, only wider boxes", () => {
	const graph = graphOf(profileOf(Array.from({ length: 900 }, (_, i) => [[`f${i}`], 1])));
	const layout = layOutToFit(graph, { ...options, most: 100 }, () => [0, 9]);

	assert.ok(layout.boxes.length < 100);
	assert.ok(layout.least > 1);
});

const letters = makeLabels((text) => 10 * text.length);

test("labels are the longest name that fits", () => {
	const name = "std::vector<std::pair<int, char>>::push_back(int const&) const";

	assert.deepEqual(shortNames(name), [
		name, "std::vector<std::pair<int, char>>::push_back", "std::vector::push_back", "push_back",
	]);
	assert.equal(letters(name, 1000), name);
	assert.equal(letters(name, 300), "std::vector::push_back");
	assert.equal(letters(name, 100), "push_back");
	assert.equal(letters(name, 60), "push..");
	assert.equal(letters("a_very_long_name", 120), "a_very…_name");
	assert.equal(letters(name, 60, true), "…_back");
	assert.equal(letters(name, 30), "");
});

test("of what Java and V8 say of a function its own name is the last that is left", () => {
	const name = "java.lang.Object java.util.stream.AbstractPipeline.evaluate(java.util.stream.TerminalOp)";

	assert.deepEqual(shortNames(name).slice(2), [
		"java.lang.Object java.util.stream.AbstractPipeline.evaluate", "AbstractPipeline.evaluate", "evaluate",
	]);
	assert.deepEqual(shortNames("void Shop$Order.<init>(int)").slice(-2), ["Shop$Order.<init>", "<init>"]);
	assert.equal(shortNames("byte[] Shop.pack(java.lang.String)").at(-1), "pack");
	assert.equal(shortNames("JS:^handleRequest /srv/hot.js:9:29").at(-1), "handleRequest");
	assert.equal(shortNames("JS:~ /srv/hot.js:9:29").at(-1), "JS:~");
	assert.equal(shortNames("RegExp:[aeiou]").at(-1), "RegExp:[aeiou]");
	assert.equal(shortNames("a::b").at(-1), "b");
});

test("names of threads are whole, whatever is behind their slash", () => {
	const last = (name) => shortNames(name).at(-1);

	for (const name of ["ksoftirqd/0", "kworker/u8:2-events_unbound", "jbd2/vda1-8", "app-12/13", "irq/24-pciehp",
		"ns::operator/(int)"])
		assert.equal(last(name), name.replace(/^ns::|\(int\)$/g, ""));
	assert.equal(letters("ksoftirqd/0", 100), "ksoft…qd/0");
	for (const [name, short] of [["/usr/lib/libc.so.6", "libc.so.6"], ["/usr/bin/bash", "bash"], ["usr/bin/bash", "bash"],
		["net/http.serve", "http.serve"], ["java/util/HashMap::get", "get"], ["github.com/x/y.F", "y.F"]])
		assert.equal(last(name), short);
});

test("brackets that are none stay", () => {
	const last = (name) => shortNames(name).at(-1);

	assert.equal(last("a::operator()(int)"), "operator()");
	assert.equal(last("a::operator<(int)"), "operator<");
	assert.equal(last("(anonymous namespace)::f(int)"), "f");
	assert.equal(last("net/http.(*conn).serve"), "http.(*conn).serve");
	assert.equal(last("<T as core::fmt::Debug>::fmt"), "fmt");
	assert.equal(last("java/util/HashMap.get"), "HashMap.get");
	assert.equal(last("f<a->b>"), "f");
	assert.equal(shortNames(">>>")[0], ">>>");
	assert.equal(last("main.(*T).m"), "main.(*T).m");
});

test("no label is wider than its room, whatever the name", () => {
	const width = (text) => [...text].reduce((sum, letter) => sum + 3 + letter.codePointAt(0) % 9, 0);
	const fit = makeLabels(width);

	for (const name of ["x".repeat(70000), "名前".repeat(50), "a::".repeat(40), "f<".repeat(500), "😀😀😀😀😀😀"])
		for (let room = 0; room < 300; room += 7)
			assert.ok(width(fit(name, room)) <= room, `${name.slice(0, 9)} in ${room}`);
});

const classes = { kinds: [0, 18, 163, 178, 0, 98, 2], shades: [3, 5] };

function ratio(colour, other) {
	const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
		.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const [a, b] = [light(colour), light(other)].sort((x, y) => y - x);

	return (a + 0.05) / (b + 0.05);
}

const contrast = (colour, ink) => ratio(colour, ink === "#000" ? [0, 0, 0] : [255, 255, 255]);

test("what is written on any colour can be read", () => {
	for (let r = 0; r < 256; r += 15)
		for (let g = 0; g < 256; g += 15)
			for (let b = 0; b < 256; b += 15)
				assert.ok(contrast([r, g, b], inkOn([r, g, b])) >= 4.5, `${r} ${g} ${b}`);
});

test("colours are read, and those of a look are the same in every profile", () => {
	const list = Array.from({ length: 243 }, (_, i) => [i, i, i]);
	const a = profileOf([[["main", "read"], 1]]), b = profileOf([[["zzz"], 1], [["read", "main"], 1]]);
	const of = ({ functions }, name, look) => colourOf(
		functions.find((one) => one.name === name), look, { list, ...classes });

	assert.deepEqual(readColours("#d9d6d0 #b4b7bd")[1], [0xb4, 0xb7, 0xbd]);
	for (const look of ["Module", "Name", "Kind"])
		assert.deepEqual(of(a, "read", look), of(b, "read", look), look);
	assert.notDeepEqual(of(a, "read", "Name"), of(a, "main", "Name"));
});

test("what is thin has the middle one of its shades, a kind the one of its class", () => {
	const list = Array.from({ length: 243 }, (_, i) => i);
	const of = (one, look, thin) => colourOf({ name: "f", kind: 1, ...one }, look, { list, thin, ...classes });

	assert.deepEqual([0, 2, 3, 5, 7, 8, 242].map((look) => of({ look }, "Module", true)), [0, 2, 5, 5, 5, 10, 240]);
	assert.deepEqual([0, 2, 3, 7, 242].map((look) => of({ look }, "Module")), [0, 2, 3, 7, 242]);
	assert.deepEqual([0, 1, 2, 3, 5, 6].map((kind) => of({ kind, look: 0 }, "Kind")), [0, 20, 165, 180, 100, 2]);
	assert.equal(of({ kind: 0, look: 230 }, "Kind"), 20);
	assert.equal(of({ kind: 1, look: 1, unnamed: 8 }, "Kind"), 1);
});

test("heat goes with the share, stands out from the page, and a palette is what was written", () => {
	const heat = (share, dark = false) => colourOf({}, "Self", { share, dark });

	assert.ok(heat(0)[1] > heat(0.25)[1] && heat(0.25)[1] > heat(1)[1]);
	assert.ok(heat(1, true)[0] > heat(0, true)[0]);
	for (let share = 0; share <= 1; share += 1 / 256) {
		assert.ok(contrast(heat(share), "#fff") >= 3, `${share}`);
		assert.ok(ratio(heat(share, true), [0x16, 0x17, 0x1a]) >= 3, `${share} in the dark`);
	}
	assert.deepEqual(colourOf({ colour: [10, 20, 30] }, "Palette", {}), [10, 20, 30]);
	assert.deepEqual(colourOf({ colour: [10, 20, 30] }, "Palette", { dark: true }), [6, 12, 18]);
});

test("changes are flamegraph.pl's colours, and separators stay grey", () => {
	const of = (delta, name = "f") => colourOf({ name, colour: [1, 2, 3] }, "Palette", { delta, most: 40 });

	assert.deepEqual([of(40), of(-40), of(0), of(20), of(-30), of(80)],
			 [[255, 0, 0], [0, 0, 255], [255, 255, 255], [255, 105, 105], [52, 52, 255], [255, 0, 0]]);
	assert.deepEqual([of(NaN), of(40, "--"), of(-40, "-")], Array(3).fill([1, 2, 3]));
	assert.deepEqual(colourOf({}, "Palette", { delta: 40, most: 40, dark: true }), [153, 0, 0]);
});

test("a link leads back to its box, in all kinds of graphs", () => {
	const stacks = randomStacks(6, 500);

	for (const kind of ["callers", "callees", "around"]) {
		const graph = graphOf(profileOf(stacks), { kind, pivot: kind === "around" && "^f3$" });
		const todo = [0, ...kind === "around" ? [1] : []];

		for (let n = 0; n < 300 && todo.length; n++) {
			const box = todo.shift();

			if (graph.row[box])
				assert.deepEqual(boxOfLink(graph, linkTo(graph, box)), { box });
			todo.push(...boxesIn(graph, box));
		}
	}
});

test("a link tells boxes of one name apart", () => {
	const of = (module) => ({ name: "init", module, kind: 1 });
	const graphs = [
		graphOf(profileOf([[["main", of("/lib/a.so"), "x"], 5], [["main", of("/lib/b.so"), "y"], 3]])),
		graphOf(profileOf([[["main", "init"], 1], [["main", "idle"], 1], [["main", "init"], 1], [["main", "idle"], 1],
			[["main", "init"], 1]], { chart: true }, { "data-chart": "1" })),
	];

	for (const graph of graphs) {
		const todo = [0], links = new Set();
		let boxes = 0;

		while (todo.length) {
			const box = todo.shift(), link = linkTo(graph, box);

			assert.deepEqual(boxOfLink(graph, link), { box });
			links.add(link.z);
			boxes++;
			todo.push(...boxesIn(graph, box));
		}
		assert.equal(links.size, boxes);
		assert.ok(boxes > 5);
	}
});

test("a link holds in a profile that was made anew", () => {
	const names = ["main", "run", "parse", "read"];
	const link = (graph) => linkTo(graph, boxAt(graph, ...names));
	const before = graphOf(profileOf([[names, 5], [["idle"], 3]]));
	const after = graphOf(profileOf([[names, 70], [["idle"], 1], [["main", "aaa"], 9], [["main", "run", "zzz"], 2]]));

	assert.deepEqual(namesTo(after, boxOfLink(after, link(before)).box), names);
	assert.equal(boxOfLink(after, link(before)).moved, undefined);
});

test("a link to what is gone leads to what has the same names, or near it", () => {
	const before = graphOf(profileOf(readFolded("old;main;run;parse;read 5\n")));
	const link = linkTo(before, boxAt(before, "old", "main", "run", "parse", "read"));
	const lead = (text) => {
		const graph = graphOf(profileOf(readFolded(text)));
		const { box, moved } = boxOfLink(graph, link);

		assert.ok(moved);
		return namesTo(graph, box).join(";");
	};

	assert.equal(lead("new;main;run;parse;read 5\nx;read 99\n"), "new;main;run;parse;read");
	assert.equal(lead("x;read 1\ny;read 3\n"), "y;read");
	assert.equal(lead("old;main;run;other 5\n"), "old;main;run");
	assert.equal(lead("nothing 1\n"), "");
});

test("links that are none lead to the root", () => {
	const graph = graphOf(profileOf(readFolded("a;b 1\n")));

	for (const z of ["", "~", "...", "xyz", "%", "0".repeat(5000)])
		assert.equal(boxOfLink(graph, { z, n: "" }).box, 0);
});

test("flamegraph.pl's links lead to the same boxes", () => {
	const graph = graphOf(profileOf(readFolded("a;b;c 30\na;d 10\ne 60\n")));
	const picture = { wide: 1200, rowHeight: 16, fontSize: 12 };
	const lead = (x, y, options) =>
		namesTo(graph, boxOfOldLink(graph, x, y, { ...picture, ...options })).join(";");

	/* Four rows: H = 4 * 16 + 36 + 34 = 134; y of depth d: 134 - 34 - 16 (d + 1) + 1. */
	assert.equal(lead(10, 85 - 16), "a");
	assert.equal(lead(10, 85 - 32), "a;b");
	assert.equal(lead(364, 85 - 32), "a;d");
	assert.equal(lead(482, 85 - 16), "e");
	assert.equal(lead(364, 36 + 32, { down: true }), "a;d");
	assert.equal(lead(364, 85 - 32 + 24, { subtitle: "x" }), "a;d");
	assert.equal(lead(365, 85 - 32), "");
	assert.equal(lead(NaN, NaN), "");
});
