/* What is said about a box, at once and always in the same place. */

let pointed = null; /* the piece under the pointer */
let looked = null; /* the last one that was there */
let hasZoomed = false;

/* What is 100 %. */
const whole = () => view.steps[0] || view.side ? flat.sums[0].at(-1) : profile.whole;

function nameOf(box) {
	const func = graph.func[box];

	return func || graph.kind !== aroundOne || graph.row[box] ? profile.functions[func].name
		: view.pivot;
}

/* How many callees became one with it. */
const foldedIn = (box) => graph.trie.folded?.[graph.at[box][0]];

/* What a box has, as the numbers are. */
const exactIn = (box) => profile.change ? exactSides(box) : exactCount(graph.total[box]);

/* In units of the count's name, as the writer was asked for it. */
const countOf = (weight) => weight / profile.divisor * picture.factor;

/* "" where the figure says it already. */
function exactCount(weight) {
	const exact = withCommas(countOf(weight));

	return saysWeight(weight).startsWith(`${exact} `) ? "" : `${exact} ${picture.countName}`;
}

/* Writes weights as they fit to one of @most. */
function weightsLike(most) {
	const figure = figuresLike(countOf(most), picture.countName);

	return (weight) => figure(countOf(weight));
}

const saysWeight = (weight) => weightsLike(weight)(weight);

/* What is 100 % of whole(). */
const ofWhole = () => view.steps[0] ? "of the stacks kept" : view.range ? "of this time" : "of all";

/* In a difference, how its own value changed; towards callers that of all stacks it is on. */
function changeOf(box) {
	const { before } = profile;
	const { weigh, ownOf, starts, changes } = graph;
	const of = starts[box] ? weigh : ownOf;

	return before < 0 ? NaN : changes[box] ??=
		picture.sign * (of(box, 0) - of(box, before));
}

/* The share of a box, and how much that is; in a difference also how it changed. */
function titleOf(box) {
	if (profile.change)
		return `${middleOf(nameOf(box), 200)} (${saysChange(box)})`;

	const weight = graph.total[box];
	const delta = box ? changeOf(box) : NaN, ratio = saysOfRatio(box);
	const parts = [
		isWhole(box) && !view.steps[0] && !view.range ? "" : isWhole(box)
			? `${share(weight, profile.wholeOfAll ?? profile.whole)} of all` : `${share(weight, whole())} ${ofWhole()}`,
		saysWeight(weight),
	];

	return `${middleOf(nameOf(box), 200)} (${parts.filter(Boolean).join(", ")}${
		isNaN(delta) ? "" : `; ${changeIn(delta)}`}${ratio ? `; ${ratio}` : ""})`;
}

/* The root of all stacks. */
const isWhole = (box) => !box && graph.kind !== aroundOne;

const changeIn = (delta) => `${delta > 0 ? "+" : ""}${share(delta, whole())}`;

/* Of a box, what is there because the code told it, and no chain; of what is left of it. */
function inferredIn({ trie, total, at, starts }, box) {
	const all = starts[box] ? [] : at[box];

	return min(total[box], all.reduce((sum, node) => sum + (trie.inferred.get(node) ?? 0), 0));
}

/* "CPI 1.42" */
const saysOfRatio = (box) => !isNaN(ratioOf(box)) &&
	`${profile.ratio.name} ${sayRatio(profile.ratio, ratioOf(box))}`;

/* Lines of figures about a box, each of one scope. */
function figuresOf(box) {
	const total = graph.total[box], own = !graph.starts[box];
	const figure = weightsLike(total), delta = changeOf(box);

	graph.grow(box);

	const self = graph.self[box];
	const shares = (of, says) => `${share(total, of)} ${says}${
		own ? ` · self ${share(self, of)}` : ""}`;
	const of = isWhole(box) ? profile.wholeOfAll ?? profile.whole : whole();
	const inferred = inferredIn(graph, box);

	return [
		...profile.change ? linesOfChange(box) : [[
			`${share(total, of)} ${isWhole(box) ? "of all" : ofWhole()}`, figure(total),
			own && `self ${share(self, of)}`, own && self && figure(self),
			box && !isNaN(delta) && `changed by ${changeIn(delta)}`,
			saysOfRatio(box),
		].filter(Boolean).join(" · ")],
		zoom && box !== zoom && total <= graph.total[zoom] && (!profile.change || view.side) &&
			shares(graph.total[zoom], `of the zoom (${middleOf(nameOf(zoom), 60)})`),
		graph.kind === aroundOne && graph.row[box] &&
			shares(graph.total[0], `of stacks around ${middleOf(nameOf(0), 60)}`),
		inferred && `${share(inferred, total)} of it inferred: the code tells it, no chain has it`,
	].filter(Boolean);
}

/* Where the function is, and what else is known of it and of the box. */
function moreAbout(box) {
	const func = graph.func[box], { samples, perSample } = profile;
	const { module, file, kind, unnamed } = profile.functions[func];
	const seen = samples < 0 ? 0 : graph.weigh(box, samples) / perSample;

	return [
		module, file, kinds[kind], unnamed && "no symbol",
		foldedIn(box) && `${foldedIn(box)} wrappers folded in`,
		exactIn(box),
		!profile.change && perSample !== profile.divisor && seen && `${withCommas(seen)} samples`,
		!profile.change && samples >= 0 && func && `± ${
			share(uncertainty(seen, flat.sums[samples].at(-1) / perSample), 1)}`,
	];
}

/* Of the function, wherever it is. */
function aboutPlaces(func) {
	const of = (weight) => share(weight, whole());

	return func && sums.nodes[func] > 1 && profile.change
		? `all ${withCommas(sums.nodes[func])} places: ${saysPlaces(changeOfFunction(func))}` : func && sums.nodes[func] > 1 && `all ${withCommas(sums.nodes[func])} places: ${
		of(sums.totals[func])} ${ofWhole()} · self ${of(sums.selves[func])}`;
}

/* How the profile was recorded, and how far the picture can be trusted. */
function caveats({ facts, samples, perSample, trie, whole: all, divisor }) {
	const count = samples < 0 ? 0 : trie.sums[samples].at(-1) / perSample;
	const fact = (name) => facts[`data-${name}`];
	const time = figuresLike(fact("duration"), "ns");
	const some = (name, of, says, ofWhat) => fact(name) > 0 &&
		`${says} ${share(fact(name), of)} ${ofWhat}`;

	return [
		fact("event"),
		count && perSample !== divisor && figuresLike(count, "samples")(count),
		fact("frequency") ? `${fact("frequency")} Hz`
			: fact("period") && `every ${withCommas(+fact("period"))}`,
		fact("duration") && `in ${time(fact("duration"))}`,
		fact("findings"),
		some("lost", count + +fact("lost"),
		     `${withCommas(+fact("lost") || 0)} samples lost:`, "of those taken"),
		some("truncated", count, "cut stacks:", "of all samples"),
		some("unknown", all / divisor, "without a symbol:", "of all"),
		samples >= 0 && count < 100 && (count ? "few samples: shares are rough" : "no samples"),
	];
}

const makeLines = (lines) => lines.filter(Boolean).map((line) => make("div", {}, line, " "));

const join = (parts) => parts.filter(Boolean).join(" · ");

let shownDetails;

/* As much of a name as two lines hold. */
const cutName = (name) => middleOf(name, max(60, floor(layout.lines / 4.5)));

/*
 * What is pointed at, else the current box, else what was looked at last, else the whole
 * profile. What has not changed stays, and so does what one has selected of it.
 */
function showDetails() {
	const piece = pointed ?? (current ? null : looked);
	const box = piece?.box ?? current, hidden = fact("data-hidden");
	const name = picture.nameType === "Function:" ? nameOf(box)
		: `${picture.nameType} ${nameOf(box)}`;
	const lines = [
		piece?.count > 1 &&
			`${withCommas(piece.count)} frames thinner than a pixel, the widest:`,
		...figuresOf(box),
	];
	const more = isWhole(box) ? [
		join([
			!hasZoomed && (matchMedia("(hover:none) and (pointer:coarse)").matches ? "Tap a frame, and once more to zoom"
				: "Click a frame to zoom; type / to search, ? for all keys"),
			hidden > 1 && `${withCommas(+hidden)} frames thinner than a pixel are drawn together: zoom in`,
		]),
		join([exactIn(box), ...caveats(profile)]),
	] : [aboutPlaces(graph.func[box]), join(moreAbout(box))];
	const shown = cutName(name), parts = [name, shown, ...lines, "", ...more].join("\n");
	if (parts !== shownDetails) {
		shownDetails = parts;
		elements.details.replaceChildren(make("b", {}, shown), " ",
			...shown === name ? [] : [makeButton("Whole name", "Whole name", () => showText(name))],
			...makeLines(lines));
		elements.more.replaceChildren(...makeLines(more));
	}
	showTip();
}

/* Says it to all; @quietly only to those who do not see what has changed. It is gone after
 * some seconds. */
let saidAt;

function say(string, quietly) {
	const { status } = elements;

	clearTimeout(saidAt);
	status.textContent = string;
	status.className = quietly ? "" : "toast";
	saidAt = setTimeout(() => {
		status.className = "";
	}, 6000);
}
