/* The whole graph, small, above the graph, and which part of its width is shown. It is drawn once for a
 * graph and its colours, of what the graph itself was drawn of; a zoom only moves the frame over it, and where
 * the root is at the top the style turns it over. Pages with little room do without. */
const makeMinimap = () => make("div", {
	id: "minimap", "aria-hidden": true, pointerdown: grabMap, pointermove: dragMap,
}, make("canvas", { id: "map" }), make("div", { id: "shownpart" }));

function showMinimap() {
	const { minimap, shownpart } = elements, [from, to] = windowOf(), all = graph.total[0] || 1;

	if (!minimap.clientHeight)
		return;
	minimap.style.width = `${layout.wide}px`;
	if (hasChanged("o", madeFrom.g, view.look, view.own, dark, layout.wide, devicePixelRatio))
		drawMap();
	update(shownpart, { style: `left:${100 * from / all}%;width:${100 * (to - from) / all}%` });
	shownpart.hidden = !zoom && !slice;
}

/* Pixel by pixel: thousands of rectangles, each with a colour of its own, take a canvas longer. */
function drawMap() {
	const { map, minimap } = elements, { wide } = layout, colours = new Map(), looks = looksOf(true);

	map.width = wide * devicePixelRatio;
	map.height = minimap.clientHeight * devicePixelRatio;

	const { width, height } = map, canvas = map.getContext("2d");
	const image = canvas.createImageData(width, height);
	const pixels = new Uint32Array(image.data.buffer);
	const { boxes, runs, lowest, highest } = zoom || slice || layout.high < Infinity ? layOut(graph, {
		zoom: 0, wide, least: 1 / devicePixelRatio, most: Infinity,
	}) : layout;
	const high = min(5 * devicePixelRatio, height / (highest - lowest + 1));

	for (const { box, row, left, right } of [...boxes, ...runs]) {
		const func = graph.func[box];

		if (!looks.most && !colours.has(func))
			colours.set(func, colourOfFunction(func));

		const [red, green, blue] = colours.get(func) ?? makeColour(box, looks);
		const from = floor(left / wide * width), to = max(from + 1, round(right / wide * width));
		const [top, bottom] = [1, 0].map((k) => height - round((row - lowest + k) * high));

		for (let y = top; y < max(bottom, top + 1); y++)
			pixels.fill(255 << 24 | blue << 16 | green << 8 | red, y * width + from, y * width + to);
	}
	canvas.putImageData(image, 0, 0);
}

/* A click centres what is shown there, and a drag takes it along; where all is shown, a drag chooses. */
let mapFrom;

const placeInMap = ({ clientX }) => graph.total[0] *
	(clientX - boundsOf(elements.minimap).x) / layout.wide;

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
