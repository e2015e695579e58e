/*
 * Which boxes can be seen, and where. Nothing below a box that is too thin is looked at, so
 * this takes as long as the picture is large, whatever the size of the trie.
 *
 * What has the whole width is the box @zoom or, within it, a @slice [from, to) of the width of the graph.
 * Places are CSS pixels from the left edge of the root, and rows from it. Neighbours thinner
 * than @least become a run: one piece whose `box` is the widest of `count` boxes, with
 * those below them where they are known without a look. Rows outside
 * of @low to @high are looked through but not drawn; `cost` are elements of the document.
 */
const thinBox = 2; /* thinner boxes share one path of their colour */

function layOut(graph, { zoom, slice, wide, least, most, found, low = -Infinity, high = Infinity }) {
	const { x, total, row, parent, first, grow, kind, at, trie } = graph;
	const [from, to] = slice ?? [x[zoom], x[zoom] + (total[zoom] || 1)];
	const scale = wide / (to - from);
	const boxes = [], runs = [], byRow = new Map(), lastRun = new Map();
	const todo = [zoom];
	let lowest = 0, highest = 0, cost = 0;

	function put(list, box, left, right, above) {
		const [node] = at[box];
		const piece = {
			box, left, right, row: row[box], above,
			count: list === runs && kind === callersFirst ? weighingIn(trie, node) : 1,
		};

		lowest = min(lowest, piece.row);
		highest = max(highest, piece.row);
		if (piece.row < low || piece.row > high || cost > most)
			return;
		if (list === boxes) {
			cost += right - left < thinBox ? 0.7 : 1.5;
		} else {
			const run = lastRun.get(piece.row);

			piece.hit = found && hasHit(graph, box, found);
			if (run && left - run.right < 0.5) {
				run.right = right;
				run.count += piece.count;
				run.hit ||= piece.hit;
				if (total[run.box] < total[box])
					run.box = box;
				return;
			}
			lastRun.set(piece.row, piece);
		}
		list.push(piece);
		if (!byRow.has(piece.row))
			byRow.set(piece.row, []);
		byRow.get(piece.row).push(piece);
	}

	for (let box = zoom; row[box];) {
		box = row[parent[box]] && parent[box];
		put(boxes, box, 0, wide, true);
	}
	if (kind === aroundOne && !zoom)
		todo.push(1);
	for (let steps = 0; todo.length && steps < 1e6; steps++) {
		const box = todo.pop();
		const start = (x[box] - from) * scale, end = start + total[box] * scale;
		const left = max(0, start), right = min(wide, end);

		if (left > right)
			continue;
		if (end - start < least) {
			put(runs, box, left, right);
			continue;
		}
		if (!box || row[box])
			put(boxes, box, left, right);
		for (let k = grow(box); k--;)
			todo.push(first[box] + k);
	}
	return { boxes, runs, byRow, lowest, highest, cost, least, from, wide, scale, low, high };
}

/* All rows where the document has room for them; else those from @rowsIn(layout), and only
 * wider boxes. */
function layOutToFit(graph, options, rowsIn) {
	let layout = layOut(graph, options);

	if (layout.cost > options.most) {
		const [low, high] = rowsIn(layout);

		for (let { least } = options; layout.cost > options.most; least *= 1.5)
			layout = layOut(graph, { ...options, low, high, least });
	}
	return layout;
}

/* Is there a hit in the box, or in what is behind it? */
const hasHit = ({ trie, at, starts }, box, { before, inside }) => at[box].some((node) =>
	starts[box] ? inside[node] : before[node] < before[trie.ends[node]]);

/* The index of the first of @length things that is @enough; @length if none is. */
function firstThat(length, enough) {
	let low = 0;

	while (low < length) {
		const middle = (low + length) >> 1;

		if (enough(middle))
			length = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The box or run at @x in @row. */
function pieceAt({ byRow }, x, row) {
	const pieces = byRow.get(row) ?? [];
	const piece = pieces[firstThat(pieces.length, (k) => pieces[k].right > x)];

	return piece?.left <= x ? piece : null;
}
