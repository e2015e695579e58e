/*
 * Along the width, freely: with the wheel, by dragging, with keys. What is shown is a slice of the
 * width of the graph; `zoom` is then the nearest box that has all of it, and what is below that is drawn
 * as below any zoom.
 */
let slice = null; /* [from, to), in the graph's units; null: the zoom itself */
let drag;

const windowOf = () => slice ?? [graph.x[zoom], graph.x[zoom] + graph.total[zoom]];

/* Is some of the box in the slice, or nothing cut off? */
const isInSlice = (box) => !slice || graph.x[box] < slice[1] &&
	graph.x[box] + graph.total[box] > slice[0];

const centreOf = (box) => graph.x[box] + graph.total[box] / 2;

/* Moves that follow each other are one entry of the history. */
function showSlice(from, to) {
	const { x, total } = graph, all = total[0], was = slice;
	const wide = min(all, max(to - from, all / 1e7));
	const left = max(0, min(from, all - wide)), right = left + wide;
	const blur = wide / 1e9;

	while (zoom && (x[zoom] > left + blur || x[zoom] + total[zoom] < right - blur))
		zoom = above(zoom);
	slice = wide < total[zoom] - blur ? [left, right] : null;
	if (!isInSlice(current))
		current = zoom;
	hasZoomed = true;
	saveLink(was);
	draw();
}

/* @at stays where it is, what is seen becomes @times as wide. */
function zoomAround(at, times) {
	const [from, to] = windowOf();

	showSlice(at - (at - from) * times, at + (to - at) * times);
}

function moveBy(pixels) {
	const [from, to] = windowOf(), by = pixels / layout.scale;

	if (zoom || slice)
		showSlice(from + by, to + by);
}

/* Pixels from the left edge of the root. */
const fromEdge = (clientX) => clientX - margin - boundsOf(elements.frames).x;

const placeUnder = (clientX) => layout.from + fromEdge(clientX) / layout.scale;

/* A wheel is the page's where that scrolls: without Ctrl it zooms only where nothing else could move.
 * @place stays where it is. */
function turnWheel(happens, place = placeUnder(happens.clientX)) {
	const { deltaX, deltaY, deltaMode, shiftKey } = happens;
	const { scrollHeight, clientHeight } = elements.stage;
	const unit = deltaMode ? 16 : 1, across = shiftKey ? deltaX || deltaY : deltaX;

	if (happens.ctrlKey || happens.metaKey || across === 0 && isAlone && window === window.top &&
	    scrollHeight <= clientHeight)
		zoomAround(place, Math.exp(deltaY * unit / 300));
	else if ((zoom || slice) && abs(across) >= abs(shiftKey ? 0 : deltaY) && across)
		moveBy(across * unit);
	else
		return;
	happens.preventDefault();
}

/* Of fingers on the graph: where they are, and the place they hold. */
const fingers = new Map();

function putFinger({ pointerId, clientX, isPrimary }) {
	if (isPrimary)
		fingers.clear();
	fingers.set(pointerId, { x: clientX });
	for (const finger of fingers.values())
		finger.holds = placeUnder(finger.x);
}

/* Two of them keep the places they hold. */
function pinch() {
	const [one, other] = [...fingers.values()].sort((a, b) => a.holds - b.holds);
	const scale = (other.x - one.x) / (other.holds - one.holds);
	const from = one.holds - fromEdge(one.x) / scale;

	drag.moves = true;
	if (other.x - one.x > 10 && isFinite(scale))
		showSlice(from, from + layout.wide / scale);
}

/* The one that stays goes on. */
function liftFinger({ pointerId, type }) {
	fingers.delete(pointerId);
	if (type === "pointercancel")
		endDrag();
	else if (drag)
		for (const { x } of fingers.values())
			drag = { from: x, times: 1, shown: windowOf(), moves: true };
}

/* A pixel is @times one of the graph, where what is dragged is narrower. */
function startDrag(happens, times = 1) {
	pressed = happens;
	if (happens.pointerType === "touch")
		putFinger(happens);
	drag = { from: happens.clientX, times, shown: windowOf(), moves: false };
}

/* A few pixels are a click still. */
function goOnDragging({ buttons, clientX, pointerId }) {
	const finger = fingers.get(pointerId);

	if (finger)
		finger.x = clientX;
	if (drag && finger && fingers.size === 2) {
		pinch();
		return;
	}
	if (!drag || buttons !== 1 || !zoom && !slice)
		return;

	const by = (drag.from - clientX) * drag.times / layout.scale, [from, to] = drag.shown;

	if (!drag.moves && abs(clientX - drag.from) < 5)
		return;
	if (!drag.moves)
		elements.frames.setPointerCapture(pointerId);
	drag.moves = true;
	showSlice(from + by, to + by);
}

function endDrag() {
	drag = null;
}
