/*
 * The picture: rectangles and labels that are used again and again. Boxes that are too thin
 * for that, and runs of still thinner ones, are in one path a colour; a run has the colour of
 * the widest of them, further from the page.
 */
const margin = 10; /* pixels to the left and right of the root */
const picture = {}; /* sizes and colours the file was written with */
let layout, fitLabel, rects, labels, thins, dark;

const isDark = () => (view.theme || (systemDark.matches && "dark")) === "dark";

/* From the top of a row, and back. */
const rowTop = (row) => (view.down ? row - layout.lowest : layout.bottom - row) * picture.rowHeight;

function rowAt(y) {
	const row = floor(y / picture.rowHeight);

	return view.down ? layout.lowest + row : layout.bottom - row;
}

/* The rows in the window, and @more pixels above and below. */
function rowsInWindow(more) {
	const { scrollTop, clientHeight } = elements.stage;

	return [rowAt(scrollTop - more), rowAt(scrollTop + clientHeight + more)]
		.sort((a, b) => a - b);
}

/* Pixels to tenths, as the writer has them. */
const tenths = (x) => round(10 * x) / 10;

const rectangle = ({ left, row }, wide, top = 0, high = picture.rowHeight - 1) =>
	`M${tenths(left + margin)} ${rowTop(row) + top + !view.down}h${tenths(wide)}v${high}h${
		-tenths(wide)}z`;

const pathOfPiece = (piece) => rectangle(piece, max(0.5, piece.right - piece.left));
const pathOfPieces = (pieces) => pieces.map(pathOfPiece).join("");

/* What runs of thin boxes tend to: in the dark no darker fill would stand out from the page. */
const inks = [[0, 0, 0], [113, 113, 113]], pages = [[255, 255, 255], [22, 23, 26]];

/* What colours go by. @thin: see colourOf(). Colours that all boxes of a function have are kept. */
const looksOf = (thin) => ({
	thin, dark, list: picture.lists[+dark], kinds: picture.kinds, shades: picture.shades,
	most: view.own ? mostOwn() : profile.most, tested: profile.change,
	kept: /Value|Ratio/.test(view.look) || profile.most ? null : new Map(),
});

function makeColour(box, looks) {
	const func = graph.func[box];
	const colour = found?.marks?.[func] ? pink : colourOf(profile.functions[func], view.look, {
		...looks, delta: profile.change ? shownChange(box) : changeOf(box), ratio: ratioOf(box),
		share: view.look === "Value" ? graph.total[box] / graph.total[0]
			: sums.selves[func] / sums.most,
	});

	looks.kept?.set(func, colour);
	return colour;
}

/* The colour of a box. */
function paintOf({ box, above }, looks) {
	const colour = looks.kept?.get(graph.func[box]) ?? makeColour(box, looks);

	return above ? mix(colour, pages[+dark], 0.5) : colour;
}

function draw(zoomedFrom = zoom) {
	const began = performance.now();
	const { app, stage, frames } = elements;
	const isInside = app.contains(focused()), hasFocus = isInside && focused().box >= 0;

	dark = isDark();
	app.className = `${view.panes} ${view.down && "down"} ${dark && "dark"} ${
		profile.most && !profile.change ? "change" : ""}`;

	const page = paper?.wide ?? (picture.fluid ? stage.clientWidth : picture.wide);
	const wide = max(1, page - 2 * margin);

	layout = layOutToFit(graph, {
		zoom, slice, wide, found, least: 1 / devicePixelRatio, most: paper ? mostBoxes : 5500, ...paper?.rows,
	}, (all) => {
		layout = { ...all, bottom: max(graph.highest || 0, all.highest) };
		return paper ? [paper.rows.low, paper.rows.high] : rowsInWindow(stage.clientHeight);
	});
	layout.page = stage.clientWidth;
	layout.lines = elements.details.clientWidth;
	layout.list = view.panes !== "Graph" && sizeOfList();
	/* What asks how large something is comes before the boxes change: the document would be laid
	 * out with them each time. */
	if (!paper && profile.heat)
		measureTime();
	if (!paper)
		showMinimap();
	if (!zoom)
		graph.highest = layout.highest;
	layout.bottom = max(graph.highest || 0, layout.highest);
	update(frames, {
		width: page, height: (layout.bottom - layout.lowest + 1) * picture.rowHeight + 1,
	});
	drawBoxes();
	if (profile.change)
		drawPanels();
	update(elements.hits, { d: pathOfPieces(layout.runs.filter(({ hit }) => hit)) });
	if (zoomedFrom !== zoom)
		animateFrom(zoomedFrom, wide);
	update(root, {
		"data-ready": 1,
		"data-nodes": weighingIn(graph.trie, 0),
		"data-drawn": layout.boxes.length,
		"data-hidden": layout.runs.reduce((sum, { count }) => sum + count, 0),
		"data-zoom": linkTo(graph, zoom).z ?? "",
		"data-window": windowOf().map((x) => +(x / (graph.total[0] || 1)).toPrecision(7)),
		"data-view": view.kind,
		"data-match": found ? [found.hits, found.weight / profile.divisor,
				       percent(found.weight, whole())] : "",
		"data-theme": dark ? "dark" : "light",
	});
	/* What is under the pointer now, wherever it rests. */
	pointed = pointer && pieceUnder(pointer);
	showAround();
	markSame();
	showDetails();
	/* The one with the focus may have become another box; a button may have gone, or do
	 * nothing any more. */
	if (hasFocus || isInside && (!app.contains(focused()) || focused().disabled))
		focusBox();
	update(root, { "data-ms": (performance.now() - began).toFixed(1) });
}

/* The box that keys act on is drawn however thin it is. */
function piecesToDraw() {
	const { boxes, scale, low, high } = layout;
	const row = graph.row[current];
	const left = (graph.x[current] - layout.from) * scale;

	return row < low || row > high || left < 0 || left > layout.wide || boxes.some(({ box }) => box === current) ? boxes
		: [...boxes, { box: current, row, left, right: left + thinBox }];
}

/* What has one colour is one path. */
function addPath(paths, colour, d) {
	const fill = `rgb(${colour})`;

	paths.set(fill, (paths.get(fill) ?? "") + d);
}

/* What was added, and runs. */
function drawPaths(pool, paths, thin) {
	for (const run of layout.runs)
		addPath(paths, mix(paintOf(run, thin), inks[+dark], dark ? 0.5 : 0.25), pathOfPiece(run));
	pool.trim(paths.size);
	[...paths].forEach(([fill, d], k) => update(pool.get(k), { fill, d }));
}

function drawBoxes() {
	const paths = new Map(), full = looksOf(), thin = looksOf(true);
	const mark = profile.change && startMarks();
	let bands = "", drawn = 0, labelled = 0;

	for (const piece of piecesToDraw()) {
		const { box, left, right, above } = piece;
		const wide = right - left;
		const self = (graph.x[box] - layout.from + graph.self[box]) * layout.scale - left;

		if (wide < thinBox && box !== current) {
			addPath(paths, paintOf(piece, thin), rectangle(piece, wide));
			continue;
		}

		const colour = paintOf(piece, full);

		drawRect(rects.get(drawn++), piece, `rgb(${colour})`);
		if (mark)
			mark(piece);
		labelled += drawLabel(labels, labelled, piece, inkOn(colour));
		if (!above && !graph.starts[box] && wide >= 4 && self >= 1 && self < wide - 0.1)
			bands += rectangle({ ...piece, left: toPixel(left) }, min(self, wide - 1),
					   view.down ? picture.rowHeight - 3 : 0, 2);
	}
	drawPaths(thins, paths, thin);
	rects.trim(drawn);
	labels.trim(labelled);
	update(elements.bands, { d: bands });
	if (mark)
		mark();
}

/* The nearest edge of a pixel of the screen. */
const toPixel = (x) => tenths(10 * round(x * devicePixelRatio) / devicePixelRatio) / 10;

/* One pixel is left to the neighbour, where there is room for it. */
function drawRect(rect, { box, left, right, row }, fill) {
	const x = toPixel(left + margin), wide = toPixel(right + margin) - x;
	const gap = max(1, round(devicePixelRatio)) / devicePixelRatio;
	const level = abs(row), up = level ? graph.parent[box] : -1;

	rect.box = box;
	update(rect, {
		x, fill,
		y: rowTop(row) + !view.down,
		width: toPixel(wide > 2 * gap ? wide - gap : wide),
		"aria-level": level + 1,
		"aria-posinset": level ? box - graph.first[up] + 1 : 1,
		"aria-setsize": level ? graph.grow(up) : 1,
		"aria-label": graph.says[box] ??= sayBox(box),
	});
}

/* What is heard of a box. It is the same as long as the graph is. */
function sayBox(box) {
	const count = graph.grow(box);

	return `${titleOf(box)}, self ${profile.change ? saysSides(comparisonOf(box, true))
		: share(graph.self[box], whole())}, ${
		manyOf(count, graph.starts[box] ? "caller" : "callee")}`;
}

/* 1 where there was room for one. */
function drawLabel(labels, n, { box, left, right, row }, ink) {
	const { rowHeight, fontSize } = picture;
	const sign = profile.change ? signOfChange(box) : "";
	const taken = 0.7 * fontSize * sign.length, hasRoom = right - left - taken > 3 * fontSize;
	const name = right - left > 1.7 * fontSize
		&& fitLabel(nameOf(box) + (foldedIn(box) ? ` +${foldedIn(box)}` : ""),
			    right - left - 6 - (hasRoom ? taken : 0), view.labels);
	const string = name && hasRoom ? name + sign : name;

	if (string) {
		const label = labels.get(n);

		update(label, {
			x: view.labels ? tenths(margin + right - 3) : toPixel(margin + left) + 3,
			y: rowTop(row) + !view.down + 3 + (rowHeight - 1) / 2,
			fill: ink,
			"text-anchor": view.labels ? "end" : "start",
		});
		if (label.textContent !== string)
			label.textContent = string;
	}
	return string ? 1 : 0;
}

/* All boxes of the function that is pointed at, and the one that keys act on: that comes after
 * all is drawn, for then a browser lays out what it is in. */
function markSame() {
	const func = graph.func[pointed?.box ?? current];
	const isSame = ({ box }) => func && graph.func[box] === func;

	for (const rect of rects.all)
		update(rect, { class: isSame(rect) ? "same" : "", tabindex: rect.box === current ? 0 : -1 });
	update(elements.same, {
		d: pathOfPieces(layout.boxes.filter((piece) =>
			piece.right - piece.left < thinBox && isSame(piece))),
	});
	if (profile.change)
		markPanels(func);
	if (profile.heat)
		paintTime(pointed?.box ?? current);
}

/* From where the boxes were before. */
function animateFrom(box, wide) {
	const scale = graph.total[zoom] / graph.total[box];
	const left = (graph.x[zoom] - graph.x[box]) / graph.total[box] * wide +
		margin - margin * scale;

	if (!matchMedia("(prefers-reduced-motion:reduce)").matches)
		elements.moving.animate([
			{ transform: `translateX(${left}px) scaleX(${scale})` },
			{ transform: "none" },
		], { duration: 150, easing: "ease-out" });
}

/* Scrolls to the current box. With @anew to where most of what is around it is seen. */
function showBox(anew) {
	const { stage } = elements;
	const top = rowTop(graph.row[current]), room = stage.clientHeight;

	if (anew || top < stage.scrollTop || top + picture.rowHeight > stage.scrollTop + room)
		stage.scrollTop = top - room *
			(graph.kind === aroundOne ? 0.5 : view.down ? 0.2 : 0.8);
	redrawRows();
}

/* The height of what is below the lowest row that is seen. */
let belowStage = 0;

/* Where not all rows are drawn, others come into view. */
function redrawRows() {
	const { scrollHeight, scrollTop, clientHeight } = elements.stage;
	const [low, high] = rowsInWindow(0);

	belowStage = scrollHeight - scrollTop - clientHeight;
	if (profile.change)
		scrollPanels();
	if (max(low, layout.lowest) < layout.low || min(high, layout.highest) > layout.high)
		draw();
}

function focusBox() {
	rects.all.find((rect) => rect.box === current)?.focus({ preventScroll: true });
}
