/* The table of functions: what calls itself counts once. Only rows that can be seen are in
 * the document. */

const tableRow = 24; /* pixels */
const heads = ["Function", "Self", "Total", "Module", "Samples", "Ratio", "File"];
/* What is said of those whose names are short. */
const headNames = {};
let rows, columns, sampleSums, columnFigure;

/* What the columns are sorted by. */
const valuesOf = [
	(func) => profile.functions[func].name,
	(func) => sums.selves[func],
	(func) => sums.totals[func],
	(func) => profile.functions[func].module.replace(/.*\//, ""),
	(func) => sampleSums && sampleSums.totals[func] / profile.perSample,
	(func) => ratioIn(profile, (column) => sumsOf(column).totals[func]),
	(func) => (profile.functions[func].file ?? "").replace(/.*\//, ""),
];

/* Of another column than the weight, as long as `sums` are what they are. */
const sumsOf = (column) => (sums.others ??= [])[column] ??=
	sumFunctions(flat, profile.functions.length, column);

const isText = (column) => /Function|Module|File/.test(heads[column]);

/* Those that the data has something for. Samples that are what is counted are said already. */
const findColumns = () => [0, ...profile.change ? changeColumns() : [1, 2], hasModules() && 3,
	!profile.change && sampleSums && profile.perSample !== profile.divisor && 4, profile.ratio && 5,
	profile.functions.some(({ file }) => file) && 6].filter((k) => k || k === 0);

/* A minus before the name of a column turns its order round. Names go up, numbers down. */
function sortRows() {
	sampleSums = profile.samples >= 0 && sumsOf(profile.samples);

	const its = heads.indexOf(view.sort.replace("-", "")), column = its < 0 ? 1 : its;
	const sign = isText(column) !== (view.sort[0] === "-") ? 1 : -1;
	const keyed = profile.functions.map((_, func) => {
		const value = valuesOf[column](func);

		/* What is not known is less than all that is. */
		return value !== value ? -1 : value;
	});

	columns = findColumns();
	/* One unit for all rows, in which own values can be told apart. */
	columnFigure = weightsLike(sums.selves.reduce((most, one) => max(most, one), 0));
	rows = [...keyed.keys()].filter((func) =>
		func && sums.nodes[func] && (!found || found.marks[func]));
	rows.sort((a, b) => keyed[a] < keyed[b] ? -sign : keyed[a] > keyed[b] ? sign : a - b);
	elements.heads.replaceChildren(...columns.map((k) => {
		const sorted = k === column && (sign > 0 ? "ascending" : "descending"), head = heads[k];
		const says = head === "Ratio" && profile.ratio?.name || headNames[head] || head;

		return make("th", {
			class: `${heads[k]} ${isText(k) && "text"}`, ...sorted ? { "aria-sort": sorted } : {},
		},
			makeButton(`${says}${sorted ? sign > 0 ? " ▲" : " ▼" : ""}`, `Sort by ${says}`,
				   () => choose({ sort: view.sort === head ? `-${head}` : head }, true)));
	}));
}

function showTable() {
	if (view.panes !== "Graph") {
		if (hasChanged("r", madeFrom.f, madeFrom.h, view.sort))
			sortRows();
		elements.sharesof.textContent = `Shares are ${ofWhole()}`;
		update(elements.table, { "aria-rowcount": rows.length + 1 });
		showRows(layout.list);
	}
}

/* [where it begins, how much of it is seen] */
function sizeOfList() {
	const { scrollTop, clientHeight } = elements.funclist;

	return [scrollTop, clientHeight];
}

function showRows([top, high]) {
	const { rows: body } = elements;
	const from = max(0, floor(top / tableRow) - 5);
	const some = rows.slice(from, from + high / tableRow + 12);
	const was = focused()?.func;
	const space = (count) => {
		const row = make("tr", { "aria-hidden": true });

		row.style.height = `${count * tableRow}px`;
		return row;
	};

	body.replaceChildren(space(from), ...some.map((func, k) => makeRow(func, from + k + 2)),
			     space(rows.length - from - some.length));

	/* As in the graph, as much of the names as fits in the column. */
	const room = (elements.heads.childNodes[0].clientWidth - 25) * picture.fontSize / 12;

	for (const { title, childNodes: [, name] } of body.querySelectorAll("button"))
		name.textContent = fitLabel(title, room) || title;
	[...body.querySelectorAll("button")].find(({ func }) => func === was)
		?.focus({ preventScroll: true });
}

/* A row has the function's colour, and its shares as bars. A click marks its boxes in the graph. */
function makeRow(func, index) {
	const [name, self, total, module, samples, ratio, file] = valuesOf.map((valueOf) => valueOf(func));
	const cell = (weight) => `${columnFigure(weight)} (${share(weight, whole())})`;
	const isChosen = graph.func[current] === func;
	const swatch = make("i");
	const button = make("button", { type: "button", title: name, "aria-pressed": isChosen },
			    swatch, name);

	swatch.style.background = `rgb(${colourOfFunction(func)})`;
	button.func = func;
	return make("tr", {
		"aria-rowindex": index, class: isChosen ? "chosen" : "", click: () => markFunction(func),
	}, ...columns.map((k) => {
		const inside = [button, cell(self), cell(total), module, sampleSums && withCommas(samples),
			isNaN(ratio) ? "" : sayRatio(profile.ratio, ratio), file][k] ?? cellOfChange(func, k);
		const made = make("td", {
			class: `${heads[k]} ${isText(k) && "text"}`,
			title: [, exactCount(self), exactCount(total)][k] ?? "",
		}, inside);

		if (k === 1 || k === 2)
			made.style.backgroundSize = `${100 * (k < 2 ? self : total) / whole()}% 100%`;
		return made;
	}));
}

const colourOfFunction = (func) => colourOf(profile.functions[func], view.look, {
	dark, list: picture.lists[+dark], kinds: picture.kinds, shades: picture.shades,
	most: profile.most, tested: profile.change, delta: profile.change ? shownOfFunction(func) : NaN, ratio: valuesOf[5](func),
	share: view.look === "Value" ? sums.totals[func] / whole()
		: sums.selves[func] / (sums.most ?? whole()),
});

/* Marks all boxes of a function, and goes to the heaviest; once more: to none. The list stays. */
function markFunction(func) {
	const box = boxOfFunction(graph, func) ||
		layout.boxes.find((piece) => graph.func[piece.box] === func)?.box;

	pointer = null;
	if (!box) {
		say(`${profile.functions[func].name} is not in this graph`);
		return;
	}
	if (graph.func[current] === func) {
		current = zoom;
	} else {
		if (!isInZoom(box) || !isInSlice(box)) {
			zoom = isInZoom(box) ? zoom : above(box);
			slice = null;
			saveLink();
		}
		current = box;
		say(titleOf(box));
	}
	draw();
	showBox();
}
