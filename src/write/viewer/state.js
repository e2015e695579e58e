/*
 * A zoomed or searched graph can be linked to: graph.svg?x=10.0&y=85&s=malloc. x and y
 * are those of the frame's box before any zoom.
 */

/* An empty value removes its key. */
function saveState(values) {
	const query = new URLSearchParams(location.search);

	for (const [key, value] of Object.entries(values))
		if (value)
			query.set(key, value);
		else
			query.delete(key);
	/* A document without an address of its own has nothing to save it in. */
	try {
		const text = String(query);

		history.replaceState(null, "", location.pathname + (text && `?${text}`));
	} catch (error) {
		return;
	}
}

function restoreState() {
	const query = new URLSearchParams(location.search);
	const frame = frames.find((one) => one.left === query.get("x") &&
					   one.top === query.get("y"));

	if (frame)
		zoomTo(frame);
	if (query.get("s"))
		search(query.get("s"));
}
