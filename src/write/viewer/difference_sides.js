/*
 * A difference that flamefold made: A's weights times `scale` are compared with B's. Which of them
 * boxes are as wide as is view.side:
 *
 *	""	what the larger side has: all of both is there
 *	A, B	what that side has, as in a graph of it alone
 *	gone	what A has of those paths that B has none of
 *
 * Nodes are the same in all of them, and so what is known of a node holds in each.
 *
 * Of the data, `after` is the column of B, since the first one has the larger side's; `errors`: by node
 * the standard error of its difference; `digits`: that of its q, 250 + 10 log10 q, or `untested`, where
 * there are too few samples; `own`: the same two of own values; `sure`: up to which digits are no noise;
 * `noise`: the variance of a sum, by the sum, where nothing was measured.
 */
const untested = 255;
const ofDigits = (digits) => 10 ** (digits / 10 - 25);

function readMeasures(triples, length) {
	const errors = reals(length), digits = octets(length).fill(untested);

	for (let node = 0; triples.more();) {
		node += triples.number();
		errors[node] = triples.number();
		digits[node] = triples.number();
	}
	return { errors, digits };
}

function readChange(facts, weights, before, triples, ofOwn) {
	const scale = +facts["data-scale"], level = +facts["data-level"], [weight] = weights, was = weights[before];
	const { length } = weight, wide = reals(length);

	for (let node = 0; node < length; node++)
		wide[node] = max(weight[node], round(scale * was[node]));
	weights[0] = wide;
	return {
		scale, level, ...readMeasures(triples, length),
		own: ofOwn.more() ? readMeasures(ofOwn, length) : null, /* pictures of before had none */
		noise: +facts["data-noise"], reach: +(facts["data-reach"] ?? 0),
		sure: times(untested, ofDigits).filter((q) => q <= level).length - 1,
		after: weights.push(weight) - 1,
	};
}

/* Where nothing was measured a change is one that noise makes as seldom as this, in standard errors. */
const rare = 3;
const isRare = (a, b, noise) => abs(b - a) >= rare * sqrt(noise * (a + b));

/* The whole that points are of, the largest change that is no noise, and what only a difference has. */
function startDifference() {
	profile.trie.written = true;
	measureChange();
	addSides();
}

function measureChange() {
	const { change: { scale, after, noise, digits, sure }, before, trie } = profile;
	const { sums, ends, count, written } = trie, of = (c, node) => sums[c][ends[node]] - sums[c][node];

	profile.most = 1;
	profile.wholeAfter = of(after, 0) || scale * of(before, 0);
	for (let node = 1; node < count; node++) {
		const a = scale * of(before, node), b = of(after, node);

		if (written ? digits[node] <= sure : isRare(a, b, noise))
			profile.most = max(profile.most, abs(b - a));
	}
}

function renameKey(from, to) {
	const [, keys] = helpSets.find(([, keys]) => keys.includes(from));

	keys[keys.indexOf(from)] = commandOf(from)[0] = to;
}

/* What there is to choose between two sides. */
function addSides() {
	assign(firstView, { side: "", own: "", panels: "", sort: "Delta" });
	assign(linkKeys, { side: "b", own: "e", panels: "a" });
	renameKey("s", "S");
	helpSets.splice(2, 0, ["Two sides", [..."1234ps"]]);
	commands.push(
		["1", "A alone", () => lookAt("A")],
		["2", "B alone", () => lookAt("B")],
		["3", "Difference: as wide as the larger side", () => lookAt("")],
		["4", "Gone: what A has and B has not", () => lookAt("gone")],
		["p", "Three panels: A, B and the difference", () => {
			choose({ side: "", panels: view.panels ? "" : "1" });
			say(view.panels ? "Three panels" : "One panel", true);
		}],
		["s", "Colours: of all that a frame calls, or of itself", () => {
			toggle("own");
			say(view.own ? "Colours are of own values" : "Colours are of frames with all that they call");
		}]);
	startChangeTable();
}

/* What a link cannot mean is left out. */
function checkSides(chosen) {
	if (!/^(A|B|gone)$/.test(chosen.side))
		chosen.side = "";
	chosen.own &&= "1";
	chosen.panels = chosen.side ? "" : chosen.panels && "1";
}

const namesOfSides = { A: "A alone", B: "B alone", gone: "Gone" };

function lookAt(side) {
	choose({ side, panels: "" });
	say(side === "gone" && !graph.total[0] ? "Nothing of A is gone"
		: `${namesOfSides[side] ?? "Difference"}: ${titleOf(0)}`, true);
}

/* The trie with the widths of a side. */
function trieOfSide({ change: { after }, before }, trie, side) {
	const { sums, ends } = trie;
	const sum = side === "A" ? sums[before] : side === "B" ? sums[after]
		: runningSum(sums[before].subarray(1).map((to, i) =>
			sums[after][ends[i]] === sums[after][i] ? to - sums[before][i] : 0));

	return { ...trie, isPart: true, weighing: null, there: sums[0], sums: [sum, ...sums.slice(1)] };
}

/* What both sides have, A times its scale, and what is known of the noise of their difference: of a
 * node as it was written what was measured, else by how many samples are in it. @own: of its own value. */
function compare(box, own) {
	const { before, change, trie: { ends } } = profile;
	const { weigh, ownOf, at, starts, trie } = graph, isOwn = own && !starts[box];
	const of = isOwn ? ownOf : weigh, [node] = at[box];
	const isWritten = trie.written && !at[box][1] && !starts[box] && (!isOwn || change.own || ends[node] === node + 1);

	return judge(of(box, before), of(box, change.after), isWritten ? node : NaN, isOwn && change.own || change);
}

/* @node: the one that it is the difference of; NaN: nothing was measured of it. */
function judge(before, after, node, { errors, digits } = profile.change) {
	const { scale, noise, reach, sure } = profile.change;
	const isTested = digits[node] < untested;
	const a = scale * before, b = after;
	/* What is below a path that proves nothing was not tested: its samples alone tell how noisy it is. */
	const chance = isTested ? errors[node] : node === 0 ? 0 : sqrt(noise * (a + b));
	const error = node >= 0 && !isTested ? 0 : chance;
	/* What is left of a product and its sum is no difference. */
	const delta = abs(b - a) > 1e-9 * (a + b) ? b - a : 0;

	return {
		a, b, delta, error, q: isTested ? ofDigits(digits[node]) : node >= 0 ? 1 : NaN, least: reach * chance,
		isNoise: !delta || (node >= 0 ? !(digits[node] <= sure) : abs(delta) < rare * error),
	};
}

const comparisonOf = (box, own) => graph.compared[own ? 2 * box + 1 : 2 * box] ??= compare(box, own);

/* What colours go by. */
function shownChange(box) {
	const { delta, isNoise } = comparisonOf(box, view.own);

	return isNoise || isWhole(box) ? 0 : picture.sign * delta;
}

/* The largest change of an own value. */
function mostOwn() {
	const { change: { scale, after, noise, own, sure }, before, trie: { sums, count } } = profile;
	const [was, is] = [sums[before], sums[after]];

	let most = profile.divisor / 1e9;

	for (let i = 0; !profile.mostOwn && i < count; i++) {
		const a = scale * (was[i + 1] - was[i]), b = is[i + 1] - is[i], delta = abs(b - a);

		if (delta > most && (own ? own.digits[i] <= sure : isRare(a, b, noise)))
			most = delta;
	}
	return profile.mostOwn ??= most;
}

/* The side that alone has a box, where noise does not explain that, or that what it is below is. */
function sideAlone(box) {
	for (let up = box, steps = 0; graph.row[up] && steps < 64; up = graph.parent[up], steps++) {
		const { a, b, isNoise } = comparisonOf(up);

		if (a && b)
			break;
		if (!isNoise)
			return b ? "B" : "A";
	}
	return "";
}

/* orange for more, blue for less, grey for what noise explains. write/change.c has the same ones. */
function colourOfDifference(delta, most) {
	const share = abs(delta) < most ? 0.25 + 0.75 * sqrt(abs(delta) / most) : 1;

	return delta ? mix([217, 217, 217], delta > 0 ? [230, 97, 1] : [94, 155, 216], share)
		: [217, 217, 217];
}

/*
 * How much more and less there is within a node, by the changes in it that are no noise: each counts
 * once, where it was found deepest. Cost that moved from one callee to another is in both.
 */
function movesIn({ change: { scale, after, noise, digits, sure }, before }, trie) {
	const { sums, ends, parents, count, written } = trie;
	const up = reals(count), down = reals(count);

	for (let i = count; i--;) {
		const a = scale * (sums[before][ends[i]] - sums[before][i]);
		const b = sums[after][ends[i]] - sums[after][i];

		if (written ? digits[i] <= sure : isRare(a, b, noise)) {
			up[i] = max(up[i], b - a);
			down[i] = max(down[i], a - b);
		}
		if (i) {
			up[parents[i]] += up[i];
			down[parents[i]] += down[i];
		}
	}
	return [up, down];
}

/* [more, less], where a box has about as much of both; else nothing. */
function movesOf(box) {
	const { trie, at, starts } = graph;
	/* Sides of a trie have the same nodes, and the same list of where they end. */
	const moves = starts[box] || view.side === "gone" ? [] : (trie.ends.moves ??= movesIn(profile, trie)).map((all) =>
		at[box].reduce((sum, node) => sum + all[node], 0));
	const [up, down] = moves;

	return up && down && abs(up - down) <= (up + down) / 2 ? moves : [];
}
