/* Zoom: a frame takes the whole width, and so do those it stands on, faded. */

function place(frame, x, width) {
	frame.shown = width;
	frame.rect.setAttribute("x", x);
	frame.rect.setAttribute("width", width);
	frame.label.setAttribute("x", x + 3);
	fitLabel(frame, width);
}

function setClasses(frame, isParent, isHidden) {
	frame.g.classList.toggle("parent", isParent);
	frame.g.classList.toggle("hide", isHidden);
	if (isHidden)
		frame.shown = null;
}

function ancestors(frame) {
	const all = new Set();

	for (let i = frame.parent; i >= 0; i = frames[i].parent)
		all.add(i);
	return all;
}

function layOut(target) {
	const room = Number(root.getAttribute("width")) - 2 * padding;
	const scale = target.width ? room / target.width : 1;
	const below = ancestors(target);

	for (const frame of frames) {
		const isParent = below.has(frame.index);
		const isInside = frame.index >= target.index && frame.index < target.end;

		setClasses(frame, isParent, !isParent && !isInside);
		if (isParent)
			place(frame, padding, room);
		else if (isInside)
			place(frame, padding + (frame.x - target.x) * scale,
			      frame.width * scale);
	}
}

function resetZoom() {
	for (const frame of frames) {
		setClasses(frame, false, false);
		place(frame, frame.x, frame.width);
	}
	element("unzoom").classList.add("hide");
	updateSearch();
	saveState({ x: "", y: "" });
}

function zoomTo(frame) {
	if (frame.parent < 0) {
		resetZoom();
		return;
	}
	layOut(frame);
	element("unzoom").classList.remove("hide");
	updateSearch();
	saveState({ x: frame.left, y: frame.top });
}
