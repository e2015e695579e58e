/* What is said of a difference: figures, labels, legend, table, and what is seen besides colours. */

/* A product that should be all of it is, but for its last digits. */
const ofPoints = (weight) => share(
	abs(weight / profile.wholeAfter - 1) < 1e-9 ? profile.wholeAfter : weight, profile.wholeAfter);
/* What is less than a digit has no sign before it but that of the direction. */
const signed = (delta) => `${delta > 0 ? "▲ +" : delta < 0 ? "▼ " : ""}${ofPoints(delta)}`.replace("+<", "<");
const saysQ = (q) => q < 1e-99 ? "<1e-99" : q.toPrecision(2);

/* "A 12.3 % · B 15.1 % · ▲ +2.8 %" */
const saysSides = ({ a, b, delta }) => `A ${ofPoints(a)} · B ${ofPoints(b)} · ${signed(delta)}`;

const saysNoise = ({ error, q, isNoise, least }) => [
	error ? ` ± ${ofPoints(2 * error)}${isNaN(q) ? " by samples, no q" : ""}` : "",
	q < 1 && `q ${saysQ(q)}`, isNoise && "noise",
	isNoise && least && `${ofPoints(least)} would have been found`,
].filter((one) => one || one === "").join(" · ");

/* Of a function in several places: nothing was measured of their sum. */
const saysPlaces = (its) => `${saysSides(its)} · q ${saysQ(its.q)} by samples${its.isNoise ? " · noise" : ""}`;

/* All of either side was not tested: what it is follows from the scale. */
const saysChange = (box) => saysSides(comparisonOf(box)) + (isWhole(box) ? "" : saysNoise(comparisonOf(box)));

function linesOfChange(box) {
	const [up, down] = movesOf(box), isOwn = !graph.starts[box];
	const own = comparisonOf(box, true);

	return [
		saysChange(box),
		isOwn && own.a + own.b && `self ${saysSides(own)}${saysNoise(own)}`,
		up && `within it: ▲ +${ofPoints(up)} · ▼ -${ofPoints(down)}`,
		view.side === "gone" ? `gone of it: ${ofPoints(profile.change.scale * graph.total[box])}`
			: { A: "gone: B has none of it", B: "new: A has none of it" }[sideAlone(box)],
	];
}

/* As they were counted. */
function exactSides(box) {
	const { change: { after }, before } = profile;
	const of = (column) => withCommas(countOf(graph.weigh(box, column)));

	return `A ${of(before)} · B ${of(after)} ${picture.countName}`;
}

/* Two numbers of a line of folded text, as difffolded.pl has them. */
function bothNumbers(graph, box, own) {
	const below = own ? boxesIn(graph, box) : [];

	return [profile.before, profile.change.after].map((column) =>
		(graph.weigh(box, column) - below.reduce((sum, one) => sum + graph.weigh(one, column), 0)) /
			profile.divisor).join(" ");
}

/* Behind a name, as far as it is no noise: the sign, and points. */
function signOfChange(box) {
	const { delta, isNoise } = comparisonOf(box, view.own);

	return isNoise || isWhole(box) ? ""
		: ` ${delta > 0 ? "▲" : "▼"}${percent(abs(delta), profile.wholeAfter, 1)}`;
}

/* The stacks with a hit. */
const changeOfHits = () => judge(...[profile.before, profile.change.after].map((column) =>
	sumHits({ ...graph.trie, sums: [graph.trie.sums[column]] }, found.marks).weight));

const swatchOf = (plain, kind, ...of) => {
	const entry = plain(...of);

	entry.firstChild.className = kind;
	return entry;
};

function legendOfChange(plain) {
	const most = view.own ? mostOwn() : profile.most, { sign } = picture;
	const own = view.own ? "self " : "";

	return [
		plain(`${own}less, up to ▼${ofPoints(most)}`, { delta: -sign, most: 1 }),
		plain("no more than noise", { delta: 0 }),
		plain(`${own}more, up to ▲${ofPoints(most)}`, { delta: sign, most: 1 }),
		swatchOf(plain, "new", "new", { delta: sign, most: 1 }),
		swatchOf(plain, "gone", "gone", { delta: -sign, most: 1 }),
		swatchOf(plain, "moves", "moved within it", { delta: 0 }),
	];
}

/* What is over a square of the legend in a picture. */
function partsOfSwatch(kind, x, y) {
	const part = (of) => make("rect", { x, y, width: 11, height: 11, ...of });
	const strip = (name, of) => part({
		y: y + 8, width: 5.5, height: 3, fill: getComputedStyle(elements[name]).fill, ...of,
	});

	return kind === "new" ? [part({ fill: "none", stroke: getComputedStyle(elements.new).stroke })]
		: kind === "gone" ? [part({ fill: "url(#hatch)" })]
		: kind === "moves" ? [strip("grown"), strip("shrunk", { x: x + 5.5 })] : [];
}

/* An outline of what is new, lines over what is gone, and strips along the edge to the caller: as much as there is more, and
 * less, within the box. */
const makeMarks = (id = "") => [
	make("defs", {}, make("pattern", {
		id: `hatch${id}`, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
	}, make("rect", { class: "hatch", width: 2.5, height: 6 }))),
	make("path", { id: `gone${id}`, fill: `url(#hatch${id})` }),
	make("path", { id: `new${id}`, class: "new" }),
	...["shrunk", "grown"].map((name) => make("path", { id: name + id, class: name })),
	make("path", { id: `twin${id}`, class: "twin" }),
];

/* A function that takes boxes, and at last none. */
function startMarks(id = "") {
	const d = { gone: "", new: "", shrunk: "", grown: "" };

	return (piece) => {
		if (!piece) {
			for (const name in d)
				update(elements[name + id], { d: d[name] });
			return;
		}

		const { box, left, right } = piece, wide = right - left - 1;
		const [up, down] = movesOf(box), alone = sideAlone(box);

		if (view.side !== "gone" && alone === "A")
			d.gone += rectangle(piece, wide);
		else if (wide > 4 && alone === "B")
			d.new += rectangle({ ...piece, left: left + 0.5 }, wide - 1, 0.5, picture.rowHeight - 2);
		if (up && wide > 8) {
			const top = view.down ? 0 : picture.rowHeight - 4;
			const scale = min(layout.scale, wide / (up + down));

			d.grown += rectangle(piece, up * scale, top, 3);
			d.shrunk += rectangle({ ...piece, left: left + up * scale }, down * scale, top, 3);
		}
	};
}

/*
 * The table: of a function wherever it is. Where it has one place its q are those of the path, else they are
 * estimated by how many samples there are, for all functions at once (Benjamini and Hochberg).
 */
let firstColumn, judged;

const columnsOfChange = ["A", "B", "Delta", "Own", "q", "OwnQ", "Least"];
const digitsOfQ = ({ q }) => -Math.log10(q + 1e-300);

function startChangeTable() {
	firstColumn = heads.push(...columnsOfChange) - columnsOfChange.length;
	assign(headNames, { Delta: "Δ", Own: "Δ self", OwnQ: "q self", Least: "Detectable" });
	valuesOf.push((func) => changeOfFunction(func).a, (func) => changeOfFunction(func).b,
		(func) => changeOfFunction(func).delta, (func) => changeOfFunction(func).own.delta,
		(func) => digitsOfQ(changeOfFunction(func)), (func) => digitsOfQ(changeOfFunction(func).own),
		(func) => changeOfFunction(func).least);
}

const changeColumns = () => columnsOfChange.map((_, k) => firstColumn + k);

/* Nearly the probability that noise alone is so many standard errors (Karagiannidis and Lioumpas, 2007). */
function chanceOf(errors) {
	const x = errors / Math.SQRT2;

	return x ? (1 - Math.exp(-1.98 * x)) * Math.exp(-x * x) / (1.135 * sqrt(Math.PI) * x) : 1;
}

function judgeFunctions() {
	const { before, change } = profile, [was, is] = [before, change.after].map(sumsOf);
	const places = profile.functions.map(() => NaN);

	for (let i = 1; i < kept.count && kept.written; i++)
		if (sums.nodes[kept.funcs[i]] === 1)
			places[kept.funcs[i]] = i;

	const owns = judgeValues(was.selves, is.selves, change.own ? places : [], change.own ?? change);

	return judgeValues(was.totals, is.totals, places, change).map((its, func) =>
		({ ...its, own: owns[func] }));
}

/* By function; @places: the nodes of those that have one. */
function judgeValues(was, is, places, measures) {
	const { noise, level } = profile.change;
	let least = 1;

	const all = profile.functions.map((_, func) => {
		const its = judge(was[func], is[func], places[func] ?? NaN, measures);

		its.chance = its.a + its.b >= 5 * noise && its.error ? chanceOf(abs(its.delta) / its.error) : 2;
		return its;
	});
	const tested = all.filter(({ chance }) => chance <= 1).sort((a, b) => b.chance - a.chance);

	tested.forEach((one, k) => {
		least = min(least, one.chance * tested.length / (tested.length - k));
		if (isNaN(one.q)) {
			one.q = least;
			one.isNoise = !(least <= level) || !one.delta;
		}
	});
	for (const one of all)
		if (isNaN(one.q)) {
			one.q = 1;
			one.isNoise = true;
		}
	return all;
}

function changeOfFunction(func) {
	if (hasChanged("j", madeFrom.f))
		judged = judgeFunctions();
	return judged[func];
}

function shownOfFunction(func) {
	const its = changeOfFunction(func), { delta, isNoise } = view.own ? its.own : its;

	return isNoise ? 0 : picture.sign * delta;
}

function cellOfChange(func, k) {
	const its = changeOfFunction(func), { a, b, delta, own, least } = its;
	const sure = ({ q, isNoise }) => isNoise ? `${saysQ(q)} noise` : saysQ(q);

	return [
		() => ofPoints(a), () => ofPoints(b), () => signed(delta), () => signed(own.delta),
		() => sure(its), () => own.a + own.b ? sure(own) : "", () => least ? ofPoints(least) : "",
	][k - firstColumn]();
}

/* The table as numbers that a program can read. */
function changeRows() {
	sortRows();

	const { wholeAfter } = profile, points = (weight) => 100 * weight / wholeAfter;

	return [
		["Function", "A (%)", "B (%)", "Delta (points)", "Self delta (points)", "q", "Self q", "Module", "File"],
		...rows.map((func) => {
			const { name, module, file } = profile.functions[func];
			const { a, b, delta, own, q } = changeOfFunction(func);

			return [name, points(a), points(b), points(delta), points(own.delta), q, own.q, module, file ?? ""];
		}),
	];
}
