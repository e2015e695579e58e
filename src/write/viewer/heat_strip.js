/*
 * The strip above the graph: time from left to right, each column's cells from the bottom up. What is
 * dragged over is the time that the graph is of; with Shift or Ctrl it is a second time, which is compared
 * with the first. Two sliders do the same with keys. Where a frame is pointed at, or is the current one,
 * the strip shows when that ran.
 */
let recorded; /* the profile of all time */
let grid, gridSums; /* what is drawn, and sums of all in it */
let choosing = null; /* while a time is dragged over: { from, to } in cells of the data, and how */
let isOfMore = false; /* a frame is pointed at, or was found, and the strip is of all stacks nevertheless */
let beforeSides; /* what a comparison has changed, as it was */

const processor = "processor"; /* what rows can be, beside groups that the root of stacks tells */

const isTimed = () => view.range || "";
const ranges = () => isTimed().split("~").filter(Boolean).map((one) => rangeOf(recorded.heat, one));
const rangeText = (range) => toRange(recorded.heat, range);
const rangeNow = () => ranges()[0] ?? [0, recorded.heat.end];

function startTime() {
	recorded = profile;
	assign(firstView, { range: "", strip: "" });
	assign(linkKeys, { range: "j", strip: "q" });
	commands.push(
		["T", "Choose a time: to its beginning", () => {
			/* Alone, the table has the room of the strip. */
			if (view.panes === "Table")
				choose({ panes: "Both" });
			elements.timefrom.focus();
		}],
		["y", "Compare with another time, or no more", () => compareTimes()],
		["Y", "All time", () => chooseTime("")]);
	helpSets.splice(2, 0, ["Time", [..."TyY"]]);
}

/* The profile is of the time that is chosen. A range that is none is all time. */
function followTime(string = isTimed()) {
	const parts = string.split("~").map((one) => rangeOf(recorded.heat, one));
	const range = parts[0] && parts[1] !== null ? string : "";

	view.range = range;
	if ((profile.time ?? "") === range)
		return;

	const was = profile, next = range ? profileOfTime(recorded, range) : recorded;

	profile = next;
	if (was.change && !next.change)
		endSides();
	if (next.change)
		measureChange();
	if (!was.change && next.change)
		beginSides();
	if (!was.change !== !next.change)
		remakePage();
}

function beginSides() {
	beforeSides = {
		firstView: { ...firstView }, linkKeys: { ...linkKeys }, commands: [...commands], helpSets: [...helpSets],
		heads: [...heads], valuesOf: [...valuesOf], palette: picture.palette,
	};
	addSides();
	picture.palette = "hot";
	firstView.look = "Palette";
	assign(view, { side: "", own: "", panels: "", sort: "Delta", look: "Palette" });
}

function endSides() {
	const { palette, ...was } = beforeSides, now = { commands, helpSets, heads, valuesOf };

	for (const name in now)
		now[name].splice(0, Infinity, ...was[name]);
	renameKey("S", "s");
	for (const name of ["side", "own", "panels"]) {
		delete firstView[name];
		delete linkKeys[name];
		delete view[name];
	}
	assign(firstView, was.firstView);
	picture.palette = palette;
	assign(view, { sort: firstView.sort, look: firstView.look });
}

/* With the controls of a comparison, or without. The strip stays. */
function remakePage() {
	const { app } = elements, had = focused(), isInside = app.contains(had);

	closeOver();

	const page = fillPage();

	app.replaceChildren(...page.childNodes);
	elements.app = app;
	if (!isAlone)
		elements.panes.removeAttribute("role");
	resized.disconnect();
	resized.observe(elements.stage);
	madeFrom = {};
	shownDetails = "";
	lastGraph = null;
	/* Boxes are drawn when all has been chosen. */
	if (elements[had?.id])
		elements[had.id].focus();
	else if (isInside)
		queueMicrotask(focusBox);
}

/* In link and history as one entry while it is being chosen. */
function chooseTime(string, replaces) {
	choose({ range: string }, replaces);
	say(string ? `${saysTime()}: ${saysWeight(profile.whole)}` : "All time", true);
}

const saysRange = (range) => range.map((cell) => sayTime(recorded, cell)).join(" – ");
const saysCells = (cells) => figuresLike(cells * recorded.heat.width, "ns")(cells * recorded.heat.width);
const saysTime = () => profile.base ? `${saysRange(profile.range)} compared with ${saysRange(profile.base)}`
	: saysRange(rangeNow());

/* What is chosen becomes what is compared with, and what follows it is compared, as long as that. */
function compareTimes() {
	const [now, base] = ranges(), { end } = recorded.heat;

	if (base) {
		chooseTime(rangeText(now));
	} else if (!now) {
		say("Choose a time first: what follows it is compared with it");
	} else {
		const long = now[1] - now[0], from = now[1] < end ? now[1] : max(0, now[0] - long);

		chooseTime(`${rangeText([from, min(end, from + long)])}~${rangeText(now)}`);
	}
}

/* The other range, if there is one, stays. */
function moveTime(range, replaces) {
	const [, base] = isTimed().split("~"), { end } = recorded.heat;
	const isAll = !base && range[0] <= 0 && range[1] >= end;

	chooseTime(isAll ? "" : rangeText(range) + (base ? `~${base}` : ""), replaces);
}

/* @side: 0 the beginning, 1 the end. */
function pressSlider(happens, side) {
	const { key } = happens, range = [...rangeNow()], { end } = recorded.heat, { per, column } = grid;
	const step = {
		ArrowLeft: -column, ArrowRight: column, ArrowDown: -per, ArrowUp: per,
		PageDown: -10 * column, PageUp: 10 * column, Home: -end, End: end,
	}[key];

	if (!step)
		return;
	happens.preventDefault();

	const [least, most] = side ? [range[0] + per, end] : [0, range[1] - per];

	range[side] = max(least, min(most, range[side] + step));
	moveTime(range, isTimed());
}

const makeSlider = (id, says, side) => make("div", {
	id, class: "timeedge", role: "slider", tabindex: 0, "aria-label": says, "aria-valuemin": 0,
	keydown: (happens) => pressSlider(happens, side),
});

function makeTime() {
	const { heat, facts } = profile;
	const begins = facts["data-recorded"] > 0 &&
		new Date(facts["data-recorded"] * 1000).toLocaleString();
	const phases = heat.phases.map(([from, to, name]) => [
		rangeText([from, to]), `${saysRange([from, to])} ${middleOf(name, 40)}`,
	]);
	const level = recorded.levels.findLast(({ all }) => all.size > 1);
	const rows = [...level ? [level.says] : [], ...heat.processors ? [processor] : []];

	if (elements.times)
		return [elements.times];
	return [make("section", { id: "times", "aria-label": "Time" },
		make("div", { id: "timebar" },
			make("span", { id: "timesays" }),
			...phases[1] ? [makeChoice("phase", "Phases that were found", [
				["", `${phases.length} phases…`], ...phases,
			], (range) => chooseTime(range))] : [],
			...rows[0] ? [makeChoice("timerows", "What rows of the strip are", [
				["", "Rows: parts of a column"], ...rows.map((says) => [says, `Rows: ${plural(says)}`]),
			], (strip) => choose({ strip }, true))] : [],
			makeKeyButton("Compare", "y", { id: "compare" }),
			makeKeyButton("All time", "Y", { id: "alltime" })),
		make("div", {
			id: "strip",
			/* With Shift a browser would move all of an SVG. */
			mousedown: prevent,
			pointerdown: startTimeDrag, pointermove: dragTime, pointerup: endTimeDrag,
			pointercancel: () => {
				choosing = null;
				showTime();
			},
			pointerleave: () => showTime(),
		}, make("canvas", { id: "timemap" }),
			make("svg", { id: "timemarks", "aria-hidden": true },
				make("path", { id: "phasemarks" }), make("path", { id: "timebase" }),
				make("path", { id: "timerange" }), make("g", { id: "rownames" })),
			makeSlider("timefrom", "Begin of the time that is shown", 0),
			makeSlider("timeto", "End of the time that is shown", 1)),
		make("div", { id: "timeaxis", "aria-hidden": true },
			make("span", {}, begins ? `0 s: ${begins}` : "0 s"), make("span", { id: "timescale" }),
			make("span", {}, sayTime(recorded, heat.end))))];
}

/* The cell of the grid that is under the pointer: its column, and its row from below. */
function cellUnder({ clientX, clientY }) {
	const { x, y, width, height } = boundsOf(elements.timemap), { high, columns } = grid;

	return [
		max(0, min(columns - 1, floor((clientX - x) / width * columns))),
		max(0, min(high - 1, high - 1 - floor((clientY - y) / height * high))),
	];
}

/* Cells of the data in it: [the first, one past the last]. */
function rangeUnder(happens) {
	const [at, row] = cellUnder(happens), { per, column, rows } = grid;
	const from = at * column + (rows ? 0 : row * per);

	return [from, from + (rows ? column : per)];
}

function startTimeDrag(happens) {
	if (happens.button)
		return;

	const [now, base = now] = isTimed().split("~"), [from, to] = rangeNow(), { per } = grid;
	const isEdge = now && happens.target.matches(".timeedge");

	choosing = {
		isEdge, down: happens, second: !isEdge && (happens.shiftKey || happens.ctrlKey || happens.metaKey) && base,
		/* An edge that is taken leaves the other one where it is. */
		start: !isEdge ? rangeUnder(happens) : happens.target === elements.timeto ? [from, from + per] : [to - per, to],
	};
	elements.strip.setPointerCapture(happens.pointerId);
}

/* What is dragged over, whichever way. */
function rangeOfDrag(happens) {
	const [start, now] = [choosing.start, rangeUnder(happens)];

	return [min(start[0], now[0]), min(recorded.heat.end, max(start[1], now[1]))];
}

/* A comparison begins with another page, so it does when the pointer is up. */
function dragTime(happens) {
	if (!choosing) {
		sayCell(happens);
		return;
	}

	const range = rangeOfDrag(happens), { down, isEdge } = choosing;
	const isTouched = abs(happens.clientX - down.clientX) + abs(happens.clientY - down.clientY) < 4;

	if (isEdge && !choosing.range && isTouched || String(choosing.range) === String(range))
		return;
	choosing.range = range;
	showTime();
	if (!choosing.second && !choosing.due) {
		choosing.due = true;
		requestAnimationFrame(() => {
			if (!choosing?.range)
				return;
			choosing.due = false;
			takeTime(choosing);
			choosing.isSaved = true;
		});
	}
}

/* All of a drag is one entry of the history. */
function takeTime({ range, second, isEdge, isSaved }) {
	if (isEdge)
		moveTime(range, isSaved);
	else
		chooseTime(rangeText(range) + (second ? `~${second}` : ""), isSaved);
}

/* An edge that was only touched stays. */
function endTimeDrag(happens) {
	const done = choosing;

	if (!done)
		return;
	done.range ??= !done.isEdge && rangeOfDrag(happens);
	choosing = null;
	if (done.range)
		takeTime(done);
}

function sayCell(happens) {
	const [at, row] = cellUnder(happens), { high, rows } = grid;

	elements.timesays.textContent = `${saysRange(rangeUnder(happens))}: ${
		saysWeight(gridSums[at * high + row])}${rows ? ` · ${rows[high - 1 - row]}` : ""}`;
}

/* Steps of colour, from none to much: of all, and of a frame. */
const heatSteps = [
	[[[245, 245, 245], [255, 228, 140], [240, 100, 30], [130, 0, 20]],
	 [[245, 245, 245], [205, 215, 225], [110, 170, 240], [20, 90, 220], [0, 30, 120]]],
	[[[38, 39, 42], [85, 40, 28], [190, 75, 30], [250, 190, 80]],
	 [[38, 39, 42], [62, 64, 68], [40, 90, 160], [70, 160, 255], [205, 235, 255]]],
];

function colourInSteps(steps, share) {
	const at = share * (steps.length - 1), k = min(steps.length - 2, floor(at));

	return mix(steps[k], steps[k + 1], at - k);
}

/* What a lot is: a few cells that have far more than all others do not make those pale. */
function muchOf(sums) {
	const some = sums.filter((one) => one > 0).sort();

	return some[floor(some.length * 0.99)] ?? 1;
}

/* A low page leaves more of itself to the graph. */
const mostStripRows = () => max(4, min(16, floor(elements.app.clientHeight / 45)));

/* Rows of groups: the heaviest, and others. */
function rowsOfGroups(says, most) {
	const level = recorded.levels.find((one) => one.says === says);

	if (!level)
		return null;

	const names = [...level.all].sort(([, a], [, b]) => b - a).map(([name]) => name);
	const shown = names.length > most ? [...names.slice(0, most - 1), "others"] : names;
	const { trie: { funcs, parents }, functions, heat: { begins } } = recorded;
	const row = integers(begins.length - 1).fill(shown.length), depth = recorded.levels.indexOf(level) + 1;

	for (let node = 1; node < row.length; node++) {
		row[node] = row[parents[node]];
		if (levelOf(parents, node, depth) === depth) {
			const k = names.indexOf(functions[funcs[node]].name);

			row[node] = min(k < 0 ? most : k, shown.length - 1);
		}
	}
	return { shown, row };
}

/* Of processors in the order of their numbers; of many some have a row together. */
function rowsOfProcessors(heat, most = 16) {
	const { numbers } = heat, each = ceil(numbers.length / most);
	const shown = times(ceil(numbers.length / each), (k) => {
		const some = numbers.slice(k * each, (k + 1) * each);

		return `CPU ${some[0]}${some[1] ? `–${some.at(-1)}` : ""}`;
	});

	return { shown, row: numbers.map((_, k) => floor(k / each)), heat };
}

/* Sums by column and row, where rows are groups; the first one is at the top. @inside, @from: see heatOfNodes(). */
function sumsOfGroups({ row, shown, heat = recorded.heat }, { column, columns, high }, from, inside) {
	const { begins, at, weight, cells } = heat, sum = reals(columns * high);
	const cellsIn = column / (heat.width / recorded.heat.width);

	for (let node = 0; node < begins.length - 1; node++)
		if (row[node] < shown.length && (!inside || inside[from ? from[node] : node]))
			for (let p = begins[node]; p < begins[node + 1]; p++)
				sum[floor(cells[at[p]] / cellsIn) * high + high - 1 - row[node]] += weight[p];
	return sum;
}

function makeGrid(most) {
	const { heat } = recorded, { processors } = heat, isWhole = processors && view.strip === processor;
	const groups = isWhole ? rowsOfProcessors(processors, most) : view.strip && rowsOfGroups(view.strip, most);

	grid = gridOf(heat, layout.wide);
	if (groups) {
		/* Columns become as narrow as they can be seen, and as the data is. */
		const least = isWhole ? processors.width / heat.width : 1;
		const column = least * max(1, ceil(heat.end / (layout.wide / 2) / least));

		grid = {
			per: column, high: groups.shown.length, column, columns: ceil(heat.end / column),
			rows: groups.shown, groups, isWhole,
		};
	}
	gridSums = groups ? sumsOfGroups(groups, grid) : sumsInGrid(heat, grid, heatOfNodes(heat));
	grid.much = muchOf(gridSums);
}

/* Before anything else changes, for the document would be laid out for that. */
let stripHigh = 0;

function measureTime() {
	const { wide } = layout, most = mostStripRows();

	if (hasChanged("time", wide, view.strip, most)) {
		makeGrid(most);
		/* Rows with names are as high as these. */
		update(elements.strip, { style: `width:${wide}px;${grid.rows ? `height:${13 * grid.high}px` : ""}` });
	}
	stripHigh = elements.timemap.clientHeight;
}

/* All, or when a box ran: what is marked of it is shown over a shade of all. */
function paintTime(box) {
	const { timemap } = elements, { wide } = layout;

	const isAsked = box && graph.row[box] !== 0 || found, isOf = isAsked && !grid.isWhole;

	isOfMore = isAsked && !isOf;
	/* Beside a table that has all the room it has no height. */
	if (!stripHigh || !hasChanged("timeof", isOf && box, isOf && madeFrom.g, found && madeFrom.h, dark, wide, view.strip,
			stripHigh, devicePixelRatio)) {
		showTime();
		return;
	}

	const sums = !isOf ? gridSums : sumsShown(box);
	const much = isOf ? muchOf(sums) : grid.much;
	const steps = heatSteps[+dark][isOf ? 1 : 0], { columns, high } = grid;
	const colours = times(65, (k) => {
		const [red, green, blue] = colourInSteps(steps, k / 64);

		return 255 << 24 | blue << 16 | green << 8 | red;
	});

	timemap.width = round(wide * devicePixelRatio);
	timemap.height = round(stripHigh * devicePixelRatio);

	const { width, height } = timemap, canvas = timemap.getContext("2d");
	const image = canvas.createImageData(width, height), pixels = new Uint32Array(image.data.buffer);
	const column = integers(width);

	for (let x = 0; x < width; x++)
		column[x] = floor(x * columns / width);
	for (let y = 0; y < height; y++) {
		const row = high - 1 - floor(y * high / height);

		for (let x = 0; x < width; x++) {
			const cell = column[x] * high + row, value = sums[cell], all = gridSums[cell];
			const share = min(1, value / much);
			/* Something is never shown as nothing. */
			const step = !all ? 0 : !isOf ? max(6, round(64 * share)) : value ? 24 + round(40 * share) : 16;

			pixels[y * width + x] = colours[step];
		}
	}
	canvas.putImageData(image, 0, 0);
	showTime();
}

/* Of a box, or of what a search has found. */
function sumsShown(box) {
	const { trie } = graph, isBox = box && graph.row[box] !== 0, { groups } = grid;
	const inside = isBox ? nodesOfBox(graph, box) : found.inside;

	return groups ? sumsOfGroups(groups, grid, trie.from, inside)
		: sumsInGrid(recorded.heat, grid, heatOfNodes(recorded.heat, trie.from, inside));
}

const phaseOf = (string) => recorded.heat.phases.some(([from, to]) =>
	rangeText([from, to]) === string);

/* Around the cells of a range, in pixels of the strip. */
function outlineOf([from, to], wide, tall) {
	const { column, columns, high, per, rows } = grid;
	const x = (at) => tenths(at / columns * wide), y = (row) => tenths(tall - row / high * tall);
	const [a, b] = [floor(from / column), floor((to - 1) / column)];
	const [low, up] = rows ? [0, high] : [floor(from % column / per), floor((to - 1) % column / per) + 1];

	return a === b ? `M${x(a)} ${y(low)}H${x(a + 1)}V${y(up)}H${x(a)}z`
		: `M${x(a)} ${y(low)}H${x(a + 1)}V${y(0)}H${x(b + 1)}V${y(up)}H${x(b)}V${y(high)}H${x(a)}z`;
}

/* How far from the strip's left edge a cell of the data is. */
const placeOf = (cell) => tenths(cell / (grid.columns * grid.column) * layout.wide);

/* What is chosen, and what is said of it. */
function showTime() {
	const [now, base] = ranges(), { end } = recorded.heat, wide = layout.wide, tall = stripHigh;
	const range = choosing?.range ?? now, second = choosing?.second ? rangeOf(recorded.heat, choosing.second) : base;

	if (!grid)
		return;
	update(elements.timemarks, { width: wide, height: tall });
	update(elements.timerange, { d: range ? outlineOf(range, wide, tall) : "" });
	update(elements.timebase, { d: second ? outlineOf(second, wide, tall) : "" });
	update(elements.phasemarks, {
		d: recorded.heat.phases.slice(1).map(([from]) => {
			const x = placeOf(from);

			return `M${x} 0V${tall}M${x - 4} 0h8l-4 6z`;
		}).join(""),
	});
	if (hasChanged("rownames", wide, tall, view.strip))
		elements.rownames.replaceChildren(...(grid.rows ?? []).map((name, k) => make("text", {
			x: 4, y: tenths((k + 0.5) / grid.high * tall + 4),
		}, middleOf(name, 30))));
	elements.timesays.textContent = (isOfMore ? "Processors are of all stacks · " : "") + (
		!range ? `${sayTime(recorded, end)}: drag over a time, Shift for a second one`
		: second ? `${saysRange(range)} compared with ${saysRange(second)}`
		: `${saysRange(range)} · ${share(profile.whole, recorded.whole)} of all`);
	elements.timescale.textContent = grid.rows ? ""
		: `a column is ${saysCells(grid.column)}, a cell ${saysCells(grid.per)}`;
	for (const [side, id] of ["timefrom", "timeto"].entries()) {
		const cell = (range ?? [0, end])[side];

		update(elements[id], {
			style: `left:${min(wide, placeOf(cell))}px`,
			"aria-valuemax": end, "aria-valuenow": cell,
			"aria-valuetext": `${sayTime(recorded, cell)}; ${saysTime()}, ${
				saysWeight(profile.whole)}`,
		});
	}
	elements.alltime.disabled = !isTimed();
	update(elements.compare, { "aria-pressed": Boolean(base) });
	if (elements.phase)
		elements.phase.value = base || !phaseOf(isTimed()) ? "" : isTimed();
	if (elements.timerows)
		elements.timerows.value = view.strip;
}
