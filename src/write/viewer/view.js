/*
 * What is looked at. `view` is what one has chosen; all of it is in the link. The rest
 * follows from it:
 *
 *	profile -> steps -> flat -> kind, pivot, order -> graph -> zoom -> the picture
 */
const view = {};
const firstView = {
	kind: callersFirst, look: "Module", panes: "Graph", sort: "Self", pivot: "", sought: "",
	cases: "", plain: "", order: "", down: "", labels: "", theme: "",
};
const linkKeys = {
	kind: "o", look: "c", panes: "g", sort: "k", pivot: "v", sought: "s", cases: "i",
	plain: "p", order: "w", down: "y", labels: "l", theme: "d",
};

const lists = { kind: "merging", look: "colours", panes: "shown" };

let profile, graph;
let lastGraph; /* the one before: many go back to it */
let found; /* sumHits() of the search, or null */
let kept; /* the trie that steps made, without gaps: these are their callers' */
let flat; /* that is behind the table: in a difference it has the widths of one side */
let sums; /* sumFunctions() of it */
let zoom = 0, current = 0; /* the box with the whole width, the box keys act on */
let madeFrom = {}; /* the choices that they were made from */

function hasChanged(thing, ...choices) {
	const was = madeFrom[thing];

	madeFrom[thing] = choices.join("\n");
	return was !== madeFrom[thing];
}

function refresh() {
	const { steps, cases, plain, kind, pivot, order, sought, side } = view;
	const how = [cases, view.range, ...steps];

	if (profile.heat)
		followTime();
	if (hasChanged("e", ...how))
		kept = steps.reduce((trie, step) =>
			doStep(profile, trie, step, { cases }), profile.flat);
	if (hasChanged("f", ...how, side))
		[flat, sums] = (kept.sides ??= {})[side] ??= sumSide(ofSide(kept));
	if (hasChanged("g", ...how, kind, pivot, order, side))
		changeGraph([graph, lastGraph].find((one) => one?.made === madeFrom.g) ?? {
			made: madeFrom.g,
			...graphOf(),
		});
	if (hasChanged("h", ...how, kind, pivot, sought, plain, side)) {
		found = sought && sumHits(graph.trie, markFunctions(profile, sought, view));
		foundAt = -1;
	}
}

/* In a difference a side can be looked at alone: its widths are those of the trie then. */
const ofSide = (trie, side = view.side) => side ? trieOfSide(profile, trie, side) : trie;

function sumSide(trie) {
	const sums = sumFunctions(trie, profile.functions.length);

	sums.most = sums.selves.reduce((most, self) => max(most, self), 1);
	return [trie, sums];
}

/* A graph of what is chosen. */
function graphOf(side = view.side) {
	const { steps, cases, kind, pivot, order } = view;
	const trie = steps[0] || kind !== callersFirst ? kept : profile.trie;

	return makeGraph(profile, ofSide(trie, side), {
		kind,
		widest: order,
		marks: kind === aroundOne && markFunctions(profile, pivot, { cases }),
		least: steps[0] || side ? 0 : profile.whole,
	});
}

/* In the other graph the same places, or the same functions, are looked for. */
function changeGraph(next) {
	[zoom, current] = [zoom, current].map((box) => {
		const func = box && graph.row[box] && graph.func[box];

		return !func ? 0
			: graph.kind === next.kind ? samePlace(graph, box, next)
			: boxOfFunction(next, func);
	});
	if (graph !== next)
		lastGraph = graph;
	graph = next;
	pointed = looked = slice = null;
}

/* Takes choices over. Expressions that are none change nothing. */
function apply(choices) {
	const before = { ...view };

	try {
		refresh(assign(view, choices));
	} catch (error) {
		madeFrom = {};
		refresh(assign(view, before));
		return error.message;
	}
}

function choose(choices, replaces) {
	const { down } = view, was = graph;
	const problem = apply(choices);

	saveLink(replaces);
	draw();
	if (graph !== was || view.down !== down)
		showBox(true);
	if (problem)
		say(problem);
}

function zoomTo(box) {
	const from = slice ? box : zoom;

	slice = null;
	zoom = graph.row[box] && box;
	current = box;
	looked = null;
	hasZoomed = true;
	saveLink();
	draw(from);
	showBox();
	say(`${zoom ? "Zoomed to" : "Whole graph:"} ${titleOf(box)}`, true);
}

const readQuery = (from) => new URLSearchParams(from);

/* [what the address says of this graph, and of others]: of several in a page all but the first have their number
 * before their keys, "1.z=...". */
function readLink() {
	const all = [...document.querySelectorAll("svg[data-flamefold]")];
	const own = readQuery(), others = readQuery(), number = all.indexOf(root), prefix = number > 0 ? `${number}.` : "";

	for (const [key, value] of readQuery(location.hash.slice(1)))
		if ((/^\d+\./.exec(key) ?? [""])[0] === prefix)
			own.append(key.slice(prefix.length), value);
		else
			others.append(key, value);
	return [own, others, prefix];
}

function saveLink(replaces) {
	const query = readQuery(linkTo(graph, zoom));

	for (const key in linkKeys)
		if (view[key] !== firstView[key])
			query.set(linkKeys[key], view[key]);
	if (slice)
		query.set("r", slice.map((x) => (x / graph.total[0]).toPrecision(9)).join("_"));
	for (const step of view.steps)
		query.append("t", step);
	/* A document without an address of its own has nothing to save it in. */
	try {
		const { hash, pathname, search } = location, [, others, prefix] = readLink();

		for (const [key, value] of query)
			others.append(prefix + key, value);
		/* The place in an old link is not that of this one. */
		if (hash.slice(1) !== String(others))
			history[replaces ? "replaceState" : "pushState"](0, "",
				`${pathname}${/[?&][xys]=/.test(search) ? "" : search}#${others}`);
	} catch {}
}

function restoreLink() {
	const [query] = readLink(), old = readQuery(location.search);
	const chosen = { steps: query.getAll("t") };

	if (profile.heat)
		followTime(query.get(linkKeys.range) ?? "");

	for (const key in linkKeys)
		chosen[key] = query.get(linkKeys[key]) ?? firstView[key];
	/* What is not in its list is none. */
	for (const key in lists) {
		elements[lists[key]].value = chosen[key];
		chosen[key] = elements[lists[key]].value || firstView[key];
	}
	if (profile.change)
		checkSides(chosen);
	chosen.sought = putInField(chosen.sought || (old.get("s") ?? ""), chosen);
	assign(view, firstView, { steps: [], range: chosen.range });

	const wrong = apply(chosen);
	const { box, moved } = query.has("z") || !old.has("x")
		? boxOfLink(graph, Object.fromEntries(query))
		: { box: boxOfOldLink(graph, +old.get("x"), +old.get("y"), picture) };

	zoom = current = box;
	slice = null;
	draw();

	const [from, to] = (query.get("r") ?? "").split("_").map((x) => x * graph.total[0]);

	if (from >= 0 && from < to)
		showSlice(from, to);
	showBox();
	if (wrong || moved)
		say(wrong ?? `Gone; nearest: ${titleOf(box)}`);
}
