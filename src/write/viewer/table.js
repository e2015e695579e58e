/* The table of functions: what calls itself counts once. Only rows that can be seen are in
 * the document. */

const tableRow = 24; /* pixels */
const heads = ["Function", "Self", "Total", "Module", "Samples"];
let rows, sampleSums, columnFigure;

/* What the columns are sorted by. */
function valuesOf(func) {
	const { name, module } = profile.functions[func];

	return [name, sums.selves[func], sums.totals[func], module.replace(/.*\//, ""),
		sampleSums && sampleSums.totals[func] / profile.perSample];
}

/* A minus before the name of a column turns its order round. Names go up, numbers down. */
function sortRows() {
	sampleSums = profile.samples >= 0 &&
		sumFunctions(flat, profile.functions.length, profile.samples);

	const column = heads.indexOf(view.sort.replace("-", ""));
	const sign = column % 3 < 1 !== (view.sort[0] === "-") ? 1 : -1;
	const keyed = profile.functions.map((_, func) => valuesOf(func)[column]);

	/* One unit for all rows, in which own values can be told apart. */
	columnFigure = weightsLike(sums.selves.reduce((most, one) => max(most, one), 0));
	rows = [...keyed.keys()].filter((func) =>
		func && sums.nodes[func] && (!found || found.marks[func]));
	rows.sort((a, b) => keyed[a] < keyed[b] ? -sign : keyed[a] > keyed[b] ? sign : a - b);
	elements.heads.replaceChildren(...heads.slice(0, sampleSums ? 5 : 4).map((head, k) => {
		const sorted = k === column && (sign > 0 ? "ascending" : "descending");

		return make("th", sorted ? { "aria-sort": sorted } : {},
			makeButton(`${head}${sorted ? sign > 0 ? " ▲" : " ▼" : ""}`, `Sort by ${head}`,
				   () => choose({ sort: view.sort === head ? `-${head}` : head }, true)));
	}));
}

function showTable() {
	if (view.panes !== "Graph") {
		if (hasChanged("r", madeFrom.f, madeFrom.h, view.sort))
			sortRows();
		elements.sharesof.textContent = `Shares are ${ofWhole()}`;
		update(elements.table, { "aria-rowcount": rows.length + 1 });
		showRows();
	}
}

function showRows() {
	const { funclist: list, rows: body } = elements;
	const from = max(0, floor(list.scrollTop / tableRow) - 5);
	const some = rows.slice(from, from + list.clientHeight / tableRow + 12);
	const was = focused()?.func;
	const space = (count) => {
		const row = make("tr", { "aria-hidden": true });

		row.style.height = `${count * tableRow}px`;
		return row;
	};

	body.replaceChildren(space(from), ...some.map((func, k) => makeRow(func, from + k + 2)),
			     space(rows.length - from - some.length));
	[...body.querySelectorAll("button")].find(({ func }) => func === was)
		?.focus({ preventScroll: true });
}

function makeRow(func, index) {
	const [name, self, total, module, samples] = valuesOf(func);
	const cell = (weight) => `${columnFigure(weight)} (${share(weight, whole())})`;
	const expression = exactly(name), chosen = view.sought === expression;
	const button = makeButton(name, name, () => searchFor(chosen ? "" : expression, { plain: "" }),
				  { "aria-pressed": chosen });

	button.func = func;
	return make("tr", { "aria-rowindex": index },
		...[button, cell(self), cell(total), module]
			.concat(sampleSums ? withCommas(samples) : [])
			.map((one, k) => make("td", { title: [, exactCount(self), exactCount(total)][k] ?? "" }, one)));
}
