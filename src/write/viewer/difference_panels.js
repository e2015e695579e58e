/*
 * The two sides beside their difference: which of them is seen is chosen with buttons or keys, or all
 * three are: A and B side by side above the difference where there is room, else one above the other.
 * The difference is the graph that all acts on; the panels of A and B
 * follow it: the same zoom, steps, search and rows, and boxes of the function that is pointed at. A box
 * of a panel stands for the one in the difference that has the same way from the root.
 */
const panels = [];
const besideFrom = 1000; /* CSS pixels that A and B need side by side */
let areBeside = false;

const makeSides = () => makeSet("Which side is seen",
	makeKeyButton("A", "1", { id: "side-A" }), makeKeyButton("B", "2", { id: "side-B" }),
	makeKeyButton("Difference", "3", { id: "side-" }), makeKeyButton("Gone", "4", { id: "side-gone" }),
	makeKeyButton("Panels", "p", { id: "side-panels" }));

function showSides() {
	for (const side of ["A", "B", "", "gone", "panels"])
		update(elements[`side-${side}`], {
			"aria-pressed": side === "panels" ? Boolean(view.panels)
				: !view.panels && view.side === side,
		});
	/* On a phone it can be scrolled, and has no buttons that could be gone to. */
	update(elements.legend, { tabindex: 0, role: "group", "aria-label": "Legend" });
}

const chipsOfSides = () => [
	...view.side ? [chip(namesOfSides[view.side], () => lookAt(""))] : [],
	...view.own ? [chip("Colours of own values", () => toggle("own"))] : [],
];

function makePanels() {
	const caption = (side) => make("p", { id: `caption-${side}`, class: "caption" });

	panels.length = 0;
	return [make("div", { id: "pair" }, ...["A", "B"].map((side) => {
		const paths = make("g"), texts = make("g", { class: "labels", "aria-hidden": true });
		const same = make("path", { class: "same" });
		const drawing = make("svg", {
			class: "side", role: "img", click, contextmenu: openMenu,
			pointerdown: (happens) => startDrag(happens, timesOf(panel)), pointermove: goOnDragging, pointerup: liftFinger, pointercancel: liftFinger,
			mousedown: prevent,
		}, paths, ...makeMarks(side), same, texts);
		const panel = {
			side, drawing, same, caption: caption(side), paths: makePool(paths, () => make("path")),
			texts: makePool(texts, () => make("text")),
		};

		drawing.panel = panel;
		panels.push(panel);
		panel.scroller = make("div", {
			class: "panel",
			wheel: (happens) => {
				turnWheel(happens, placeInGraph(panel, happens.clientX));
				if (!happens.defaultPrevented)
					elements.stage.scrollTop += happens.deltaY;
			},
		}, drawing);
		return make("div", {}, panel.caption, panel.scroller);
	})), caption("both")];
}

/* A pixel of a panel is so many of the graph. */
const timesOf = ({ layout: own }) => own ? layout.wide / own.wide : 1;

/* What place of the graph is as far along its width as @clientX is along the panel's. */
function placeInGraph(panel, clientX) {
	const along = clientX - margin - boundsOf(panel.drawing).x;

	return layout.from + along * timesOf(panel) / layout.scale;
}

/* The box with the same way from the root; -1: there is none. */
function twinOf(from, box, to) {
	let at = from.row[box] < 0 ? 1 : 0;

	for (const one of pathOf(from, box)) {
		at = boxesIn(to, at).find((other) => to.func[other] === from.func[one]) ?? -1;
		if (at < 0)
			break;
	}
	return at;
}

const panelOf = ({ target }) => target.closest?.(".side")?.panel;

/* What is under the pointer in a panel, as a piece of the difference. */
function pieceInPanel({ clientX, clientY, target }) {
	const panel = panelOf({ target }), { x, y } = boundsOf(panel.drawing);
	const piece = panel.layout && pieceAt(panel.layout, clientX - x - margin, rowAt(clientY - y));

	if (panel.piece !== piece) {
		const box = piece ? twinOf(panel.graph, piece.box, graph) : -1;

		panel.piece = piece;
		panel.means = box < 0 ? null : [...layout.boxes, ...layout.runs].find((one) => one.box === box) ??
			{ ...piece, box, left: NaN };
	}
	return panel.means;
}

/* Where in the width of another graph a place is: in the deepest box that both have, as far along what it
 * has by itself; before what comes next there, where the other has no such box. */
function placeIn(from, at, to) {
	let box = 0, twin = 0;

	for (const least = (slice[1] - slice[0]) / 1e4; from.total[box] > least;) {
		const below = boxesIn(from, box), others = boxesIn(to, twin);
		const next = below.findIndex((one) => at < from.x[one] + from.total[one]);
		const same = (one) => others.find((other) => to.func[other] === from.func[one]);

		if (next < 0 || at < from.x[below[next]])
			break;

		const behind = below.slice(next).find(same);

		if (behind !== below[next])
			return behind ? to.x[same(behind)] : to.x[twin] + to.total[twin];
		[box, twin] = [behind, same(behind)];
	}

	const share = (at - from.x[box]) / (from.self[box] || from.total[box] || 1);

	return to.x[twin] + min(1, share) * (to.self[twin] || to.total[twin]);
}

/* The same part of the width. */
function sliceOf(panel) {
	const [from, to] = slice?.map((at) => placeIn(graph, at, panel.graph)) ?? [];

	return from < to ? [from, to] : null;
}

function drawPanels() {
	const isSeen = Boolean(view.panels);

	/* Fingers hold places of what they touch, so for them all have the same width. */
	areBeside = isSeen && !paper && elements.stage.clientWidth >= besideFrom &&
		matchMedia("(pointer: fine)").matches;
	update(elements.pair, { class: areBeside ? "beside" : "" });
	elements.pair.hidden = !isSeen;
	for (const panel of panels) {
		panel.scroller.hidden = panel.caption.hidden = !isSeen;
		if (isSeen)
			drawPanel(panel);
		else
			panel.layout = null;
	}
	elements["caption-both"].hidden = !isSeen;
	elements["caption-both"].textContent = "Difference";
}

/* As the graph is drawn, but for elements: a path a colour, and labels. */
function drawPanel(panel) {
	const { side, drawing, paths, texts } = panel, main = { graph, layout };
	const name = profile.facts[`data-${side.toLowerCase()}`] ?? "";
	const wide = areBeside ? max(1, panel.scroller.clientWidth - 2 * margin) : layout.wide;

	if (panel.made !== madeFrom.g)
		assign(panel, { made: madeFrom.g, graph: graphOf(side) });

	const box = twinOf(graph, zoom, panel.graph);
	const [low, high] = paper ? [paper.rows.low, paper.rows.high]
		: rowsInWindow(elements.stage.clientHeight);
	const narrower = box < 0 ? null : sliceOf(panel);
	const all = panel.layout = box < 0 || !panel.graph.total[box]
		? { boxes: [], runs: [], byRow: new Map(), scale: 1, wide }
		: layOutToFit(panel.graph, {
			zoom: box, slice: narrower, wide, found, least: 1 / devicePixelRatio,
			most: 5500, low, high,
		}, () => [low, high]);

	assign(all, { low, high, lowest: main.layout.lowest, bottom: main.layout.bottom });
	panel.piece = null;
	panel.caption.textContent = `${[side, name].filter(Boolean).join(" · ")}${
		box < 0 ? ": it has none of this" : ""}`;
	update(drawing, {
		width: areBeside ? wide + 2 * margin : elements.frames.getAttribute("width"), height: elements.frames.getAttribute("height"),
		"aria-label": `${side} alone: ${box < 0 ? "nothing" : saysSides(comparisonOf(zoom))}`,
	});
	/* All that is drawn is of the graph and its layout: for as long they are the panel's. */
	graph = panel.graph;
	layout = all;
	drawPieces(paths, texts, side);
	graph = main.graph;
	layout = main.layout;
	scrollPanel(panel);
}

function drawPieces(pool, texts, side) {
	const looks = looksOf(), thin = looksOf(true), mark = startMarks(side), paths = new Map();
	let labelled = 0;

	for (const piece of layout.boxes) {
		const wide = piece.right - piece.left, colour = paintOf(piece, wide < thinBox ? thin : looks);

		addPath(paths, colour, rectangle(piece, wide > thinBox ? wide - 1 : wide));
		if (wide < 8)
			continue;
		mark(piece);
		labelled += drawLabel(texts, labelled, piece, inkOn(colour));
	}
	mark();
	drawPaths(pool, paths, thin);
	texts.trim(labelled);
}

/* In each panel the boxes of the function, and around one that stands for the one that is pointed at. */
function markPanels(func) {
	const box = pointed?.box ?? current, isFar = pointed && panels.some(({ means }) => means === pointed);
	const around = (pieces) => pieces.filter(({ left }) => left >= 0).map((piece) =>
		rectangle(piece, max(3, piece.right - piece.left - 1))).join("");

	update(elements.twin, { d: isFar ? around([pointed]) : "" });
	for (const panel of panels)
		if (panel.layout) {
			const twin = box && twinOf(graph, box, panel.graph);
			const { boxes } = panel.layout, of = panel.graph.func;

			update(panel.same, { d: pathOfPieces(boxes.filter((one) => func && of[one.box] === func)) });
			update(elements[`twin${panel.side}`], {
				d: around(boxes.filter((one) => twin > 0 && one.box === twin)),
			});
		}
}

/* The rows that the graph shows: from its lower edge, for it may be higher by a pixel. */
function scrollPanel({ scroller }) {
	const { scrollTop, scrollHeight, clientHeight } = elements.stage;

	scroller.scrollTop = view.down ? scrollTop
		: scroller.scrollHeight - scroller.clientHeight - (scrollHeight - clientHeight - scrollTop);
}

function scrollPanels() {
	const [low, high] = rowsInWindow(0);

	for (const panel of panels)
		if (panel.layout && (low < panel.layout.low || high > panel.layout.high) && !paper)
			drawPanel(panel);
		else if (panel.layout)
			scrollPanel(panel);
}

/* Above the graph in a picture of the view. Returns where they end. */
function putPanels(parts, top, low, high) {
	const empty = (view.down ? low - layout.lowest : layout.bottom - high) * picture.rowHeight;
	const tall = (high - low + 1) * picture.rowHeight + 10;

	for (const { drawing, caption } of view.panels ? panels : []) {
		parts.push(make("text", { x: margin, y: top + 12 }, caption.textContent),
			make("g", { transform: `translate(0 ${top + 16 - empty})` }, ...copyOf(drawing).childNodes));
		top += tall + 20;
	}
	if (view.panels)
		parts.push(make("text", { x: margin, y: top + 12 }, "Difference"));
	return view.panels ? top + 16 : top;
}
