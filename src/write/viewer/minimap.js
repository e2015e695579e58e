/* The whole graph, small, above the graph, and which part of its width is shown. It is drawn once for a
 * graph and its colours, after the graph itself is seen; a zoom only moves the frame over it. Pages with
 * little room do without. */
let mapAt;

const makeMinimap = () => make("div", {
	id: "minimap", "aria-hidden": true, pointerdown: grabMap, pointermove: dragMap,
}, make("canvas", { id: "map" }), make("div", { id: "shownpart" }));

function showMinimap() {
	const { minimap, shownpart } = elements, [from, to] = windowOf(), all = graph.total[0] || 1;

	if (!minimap.clientHeight)
		return;
	minimap.style.width = `${layout.wide}px`;
	if (hasChanged("o", madeFrom.g, view.look, view.down, dark, layout.wide, devicePixelRatio)) {
		clearTimeout(mapAt);
		mapAt = setTimeout(drawMap, 50);
	}
	shownpart.style.left = `${100 * from / all}%`;
	shownpart.style.width = `${100 * (to - from) / all}%`;
	shownpart.hidden = !zoom && !slice;
}

function drawMap() {
	const { map, minimap } = elements, canvas = map.getContext("2d");

	map.width = layout.wide * devicePixelRatio;
	map.height = minimap.clientHeight * devicePixelRatio;

	const { boxes, runs, lowest, highest } = layOut(graph, {
		zoom: 0, wide: map.width, least: 1, most: Infinity,
	});
	const high = min(5 * devicePixelRatio, map.height / (highest - lowest + 1));

	for (const { box, row, left, right } of [...boxes, ...runs]) {
		canvas.fillStyle = `rgb(${colourOfFunction(graph.func[box])})`;
		canvas.fillRect(left, view.down ? (row - lowest) * high
			: map.height - (row - lowest + 1) * high, max(1, right - left), high);
	}
}

/* A click centres what is shown there, and a drag takes it along; where all is shown, a drag chooses. */
let mapFrom;

const placeInMap = ({ clientX }) => graph.total[0] *
	(clientX - elements.minimap.getBoundingClientRect().x) / layout.wide;

function grabMap(happens) {
	mapFrom = zoom || slice ? null : placeInMap(happens);
	elements.minimap.setPointerCapture(happens.pointerId);
	dragMap(happens);
}

function dragMap(happens) {
	const at = placeInMap(happens), [from, to] = windowOf();

	if (happens.buttons !== 1)
		return;
	if (mapFrom === null)
		showSlice(at - (to - from) / 2, at + (to - from) / 2);
	else if (abs(at - mapFrom) / graph.total[0] * layout.wide > 4)
		showSlice(min(at, mapFrom), max(at, mapFrom));
}
