/* What is said about a box, at once and always in the same place. */

let pointed = null; /* the piece under the pointer */
let hasZoomed = false;

/* What is 100 %. */
const whole = () => view.steps[0] ? flat.sums[0].at(-1) : profile.whole;

function nameOf(box) {
	const func = graph.func[box];

	return func || graph.kind !== aroundOne || graph.row[box] ? profile.functions[func].name
		: view.pivot;
}

/* How many callees became one with it. */
const foldedIn = (box) => graph.trie.folded?.[graph.at[box][0]];

const countOf = (weight) => withCommas(weight / profile.divisor * picture.factor);

/* In a difference, how its own value changed; towards callers that of all stacks it is on. */
function changeOf(box) {
	const { before } = profile;
	const { weigh, ownOf, starts, changes } = graph;
	const of = starts[box] ? weigh : ownOf;

	return before < 0 ? NaN : changes[box] ??=
		picture.sign * (of(box, 0) - of(box, before));
}

/* flamegraph.pl's title of a frame, with how it changed in a difference. */
function titleOf(box) {
	const count = countOf(graph.total[box]);
	const unit = picture.factor / profile.divisor;
	const share = box || graph.kind === aroundOne
		? percent(count.replace(/,/g, ""), whole() * unit) : "100%";
	const delta = box ? changeOf(box) : NaN;

	return `${nameOf(box)} (${count} ${picture.countName}, ${share}${isNaN(delta) ? "" : `; ${
		delta > 0 ? "+" : ""}${percent(delta, whole() * picture.factor)}`})`;
}

function moreAbout(box) {
	const func = graph.func[box], { samples, perSample } = profile;
	const { module, file, kind, unnamed } = profile.functions[func];
	const seen = samples < 0 ? 0 : graph.weigh(box, samples) / perSample;
	const share = (weight) => percent(weight, whole());

	graph.grow(box);
	return [
		foldedIn(box) && `${foldedIn(box)} wrappers folded in`,
		module, file, kinds[kind], unnamed && "no symbol",
		!graph.starts[box] && `self ${countOf(graph.self[box])} (${share(graph.self[box])})`,
		zoom && `${percent(graph.total[box], graph.total[zoom])} of the zoom`,
		perSample !== profile.divisor && seen && `${withCommas(seen)} samples`,
		samples >= 0 && func && `±${
			percent(uncertainty(seen, flat.sums[samples].at(-1) / perSample), 1)}`,
		func && sums.nodes[func] > 1 && `all ${withCommas(sums.nodes[func])} places: ${
			share(sums.totals[func])}, self ${share(sums.selves[func])}`,
	];
}

/* How far the picture can be trusted. */
function caveats({ facts, samples, perSample, trie, whole: all, divisor }) {
	const count = samples < 0 ? 0 : trie.sums[samples].at(-1) / perSample;
	const fact = (name) => facts[`data-${name}`];
	const some = (name, of, says) => fact(name) > 0 &&
		`${says}: ${withCommas(+fact(name))} (${percent(fact(name), of)})`;

	return [
		fact("event"),
		count && `${withCommas(count)} samples`,
		fact("frequency") ? `${fact("frequency")} Hz`
			: fact("period") && `every ${withCommas(+fact("period"))}`,
		fact("duration") && `in ${(fact("duration") / 1e9).toPrecision(3)} s`,
		fact("findings"),
		some("lost", count + +fact("lost"), "lost samples"),
		some("truncated", count, "cut stacks"),
		some("unknown", all / divisor, "without a symbol"),
		samples >= 0 && count < 100 && "few samples: shares are rough",
	];
}

/* Without a box to talk about, the whole profile. */
function showDetails() {
	const box = pointed?.box ?? (current || focused()?.box || 0);
	const hidden = fact("data-hidden");
	/* Of a time it is easier to see how long it is. */
	const time = /^ns$/.test(picture.countName) && `${(graph.total[box] / 1e9).toPrecision(3)} s`;
	const lines = box || pointed ? [
		pointed?.count > 1 &&
			`${withCommas(pointed.count)} frames thinner than a pixel, the widest:`,
		time,
		...moreAbout(box),
	] : [
		!hasZoomed && "Click a frame to zoom; type / to search, ? for all keys",
		hidden > 0 &&
			`${withCommas(+hidden)} frames thinner than a pixel are grey: zoom in`,
		time,
		...caveats(profile),
	];

	elements.details.textContent = `${picture.nameType} ${titleOf(box)}`;
	elements.more.textContent = lines.filter(Boolean).join(" · ");
}

/* For those who do not see what has changed. */
function say(string) {
	elements.status.textContent = string;
}
