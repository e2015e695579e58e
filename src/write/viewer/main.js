/* Start, and what keys and clicks do. */

const buttons = {
	unzoom: resetZoom,
	search: toggleSearch,
	ignorecase: toggleIgnoreCase,
};

function click(event) {
	const frame = frameOf(event.target);

	if (!frame) {
		buttons[event.target.id]?.();
		return;
	}
	/* Frames that are links are followed; with Ctrl they zoom. */
	if (frame.g.localName === "a") {
		if (!event.ctrlKey)
			return;
		event.preventDefault();
	}
	zoomTo(frame);
}

function enter(event) {
	const frame = frameOf(event.target);

	if (frame && frame.g.localName !== "a")
		zoomTo(frame);
	else if (!frame)
		buttons[event.target.id]?.();
}

function actionOf(event) {
	const control = event.ctrlKey || event.metaKey;
	const key = event.key.toLowerCase();

	if (key === "f3" || (control && key === "f"))
		return toggleSearch;
	if (control && key === "i")
		return toggleIgnoreCase;
	if (key === "escape")
		return resetZoom;
	return null;
}

function press(event) {
	const action = actionOf(event);

	if (event.key === "Enter") {
		enter(event);
	} else if (action) {
		event.preventDefault();
		action();
	}
}

function startButtons() {
	for (const id of Object.keys(buttons)) {
		element(id).setAttribute("role", "button");
		element(id).tabIndex = 0;
	}
	element("unzoom").removeAttribute("display");
}

function start() {
	readFrames();
	startLabels();
	startDetails();
	startButtons();
	root.addEventListener("click", click);
	window.addEventListener("keydown", press);
	restoreState();
}

window.addEventListener("load", start);
