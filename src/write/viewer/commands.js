/*
 * All that can be done with a key, in the menu of a box, and in the help: the key, what it
 * does, how. Those of one box come first: of the one under the pointer, or the current one.
 */
const boxCommands = [
	["Enter", "Zoom to it", (box) => zoomTo(box)],
	["s", "Merge around it: callers and callees", (box, name) => mergeAround(name)],
	...Array.from("kxfh", (letter) => [letter, `${transforms[letter][0]} it`, (box, name) =>
		addStep(letter, name)]),
	["m", "One box for its module", (box, name, module) => module
		? addStep("m", module) : sayNoModule()],
	["o", "Only its module", (box, name, module) => module
		? addStep("h", `!${module}`) : sayNoModule()],
	["c", "Copy its name", (box, ...[, , name]) => copy(name)],
	["C", "Copy its stack", (box) => copy(stackOf(box).join("\n"))],
	["l", "Copy its stack, folded", (box) =>
		copy(`${stackOf(box).map((name) => name.replace(/;/g, ":")).join(";")} ${
			numbersOf(graph, box)}`)],
];
const commands = [
	...boxCommands,
	["r", "Fold recursion", () => addStep("r", "")],
	["w", "Fold wrappers (99 % of their caller)", () => addStep("w", "")],
	["u", "Undo the last of these", () => choose({ steps: view.steps.slice(0, -1) })],
	["v", "Callers or callees first", () =>
		setKind(view.kind === calleesFirst ? callersFirst : calleesFirst)],
	["i", "Root at the top or bottom", () => toggle("down")],
	["b", "By name or widest first", () => toggle("order")],
	["e", "Labels keep their end", () => toggle("labels")],
	["t", "Graph, table or both", () => choose({
		panes: { Graph: "Both", Both: "Table", Table: "Graph" }[view.panes],
	})],
	["d", "Dark or light", () => choose({ theme: dark ? "light" : "dark" })],
	["/", "Search", () => startSearch()],
	["n", "Next hit", () => goToHit(1)],
	["N", "Previous hit", () => goToHit(-1)],
	["Backspace", "Zoom out to the caller", () => zoomTo(above(zoom))],
	["0", "Whole graph", () => zoomTo(0)],
	["+", "Zoom in around the frame", () => zoomAround(centreOf(current), 0.7)],
	["-", "Zoom out", () => zoomAround(centreOf(current), 1 / 0.7)],
	["[", "To the left", () => moveBy(-0.2 * layout.wide)],
	["]", "To the right", () => moveBy(0.2 * layout.wide)],
	["E", "Export: stacks, table, picture", () => openExport()],
	["?", "Help", () => openOver(elements.help)],
];

const commandOf = (key) => commands.find(([its]) => its === key);

function toggle(key) {
	choose({ [key]: view[key] ? "" : "1" });
}

function addStep(letter, expression) {
	if (letter === "m" && !hasModules())
		sayNoModule();
	else
		choose({ steps: [...view.steps, `${letter}:${expression}`] });
}

const hasModules = () => profile.functions.some(({ module }) => module);

/* Folded text has names alone. */
function sayNoModule() {
	say(hasModules() ? "The module of this frame is not known"
		: "There are no modules in this graph");
}

function setKind(kind) {
	choose({ kind, pivot: "" });
}

function mergeAround(pivot) {
	choose({ kind: aroundOne, pivot });
}

const above = (box) => graph.row[graph.parent[box]] && graph.parent[box];

/* What is behind a stack in folded text: in a difference what either side has. */
const numbersOf = (graph, box, own) => profile.change && !view.side ? bothNumbers(graph, box, own)
	: (own ? graph.self : graph.total)[box] / profile.divisor;

/* The functions of the stack, the root's side first. */
function stackOf(box) {
	const names = [...graph.kind === aroundOne ? [nameOf(0)] : [], ...namesTo(graph, box)];

	return graph.starts[box] ? names.reverse() : names;
}

/* Browsers that do not let a page write to the clipboard get it to be copied by hand. */
async function copy(string) {
	try {
		await navigator.clipboard.writeText(string);
		say("Copied");
	} catch {
		showText(string);
	}
}

/* All of it, selected, over the page. */
function showText(string) {
	elements.copied.value = string;
	openOver(elements.copied);
	elements.copied.select();
	say("Copy it with Ctrl-C");
}

/* Menu, help and what is to be copied lie over the page, one of them at a time. */
let opened, openedFrom;

function openOver(element) {
	closeOver();
	opened = element;
	openedFrom = focused();
	element.hidden = false;
	update(elements.tools, { "aria-expanded": element === elements.controls });
	(element.querySelector("button:enabled, select") ?? element).focus();
}

function closeOver() {
	const was = opened;

	opened = null;
	update(elements.tools, { "aria-expanded": false });
	if (was) {
		was.hidden = true;
		openedFrom?.focus?.();
	}
	return was;
}

/* The root is no function. */
function run([, , does], box, func = graph.func[box]) {
	const { name, module } = profile.functions[func];

	if (func || does.length < 2)
		does(box, exactly(name), module && exactly(module, "module:"),
		     func ? name : nameOf(box));
}

/* The button, too, opens it, wherever the frames are below. */
function openMenu(happens) {
	const box = happens.type === "click" ? current
		: happens.target.box ?? pieceUnder(happens)?.box;

	if (!box)
		return;
	happens.preventDefault();
	showMenu(boxCommands.map((command) =>
		[`${command[1]} (${command[0]})`, () => run(command, box), command[1]]),
		happens.clientX, happens.clientY);
}

/* @items: what is seen, what is done then, and what is heard, where that is less. */
function showMenu(items, left, top) {
	const { app, menu } = elements;
	const { x, y } = boundsOf(app);

	menu.replaceChildren(...items.map(([label, does, says = label]) => makeButton(label, says, () => {
		closeOver();
		does();
	}, { role: "menuitem" })));
	openOver(menu);
	menu.style.translate = `${
		max(0, min(left - x, app.offsetWidth - menu.offsetWidth))}px ${
		max(0, min(top - y, app.offsetHeight - menu.offsetHeight))}px`;
}

/* The box that an arrow leads to from the current one; null: none. */
function neighbour(key) {
	const { row, total, parent } = graph;
	const widest = (box) => boxesIn(graph, box)
		.reduce((best, one) => total[one] > (total[best] ?? 0) ? one : best, null);
	const outward = key === (view.down ? "ArrowDown" : "ArrowUp");
	let box = current;

	if (key === "Home")
		return zoom;
	if (key === "End") {
		for (let next = box; next !== null; next = widest(box))
			box = next;
		return box;
	}
	if (key === "ArrowLeft" || key === "ArrowRight") {
		box += key === "ArrowLeft" ? -1 : 1;
		return row[current] && row[box] === row[current] &&
			parent[box] === parent[current] ? box : null;
	}
	if (!row[box])
		return outward ? widest(0) : view.kind === aroundOne ? widest(1) : null;
	return outward === row[box] > 0 ? widest(box) : above(box);
}

const holds = (one, other) => !one || pathOf(graph, other).includes(one);

/* On it or, with all that it has, below it. */
const isInZoom = (box) => holds(zoom, box) || holds(box, zoom);

/* Makes it the current one, wherever it is. */
function goTo(box) {
	if (!isInZoom(box) || !isInSlice(box)) {
		slice = null;
		zoom = isInZoom(box) ? zoom : above(box);
		saveLink();
	}
	current = box;
	/* A pointer that rests somewhere is not what one looks at now. */
	pointer = looked = null;
	draw();
	showBox();
	focusBox();
}

function press(happens) {
	const { key, target } = happens;
	const control = happens.ctrlKey || happens.metaKey;
	const arrow = /^(Arrow|Home$|End$)/.test(key);
	const command = commandOf(key);
	/* A list that was chosen from keeps the focus, and the keys that it is chosen from with. */
	const isList = target.matches?.("select");
	let does;

	/* A slider takes the keys that move it, and no others. In somebody else's page keys are for what is looked
	 * at, and for one graph of several. */
	if (happens.defaultPrevented || !isAlone && !pointed && !elements.app.contains(target))
		return;
	if (key === "Tab" && opened === elements.menu)
		closeOver();
	/* What lies over the page has one thing to go to, and hides all others. */
	else if (key === "Tab" && /^(help|copied)$/.test(opened?.id)) {
		happens.preventDefault();
		(opened.querySelector("button") ?? opened).focus();
	}
	if (key === "Escape")
		does = leave;
	else if (key === "F3" || control && key === "f")
		does = startSearch;
	else if (control && key === "i")
		does = changeCase;
	else if (opened === elements.menu && arrow)
		does = () => target[key === "ArrowUp" ? "previousSibling" : "nextSibling"]?.focus();
	else if (control || happens.altKey || opened || target.matches?.("input, textarea")
		 || isList && (arrow || key === "Enter")
		 || key === "Enter" && target.matches?.("button"))
		return;
	else if (arrow)
		does = target.id !== "funclist" && (() => goTo(neighbour(key) ?? current));
	else if (command)
		does = () => run(command, target.func ? boxOfFunction(graph, target.func)
			: pointed?.box ?? current, target.func);
	if (does) {
		happens.preventDefault();
		does();
	}
}

/* Escape: one thing after the other. */
function leave() {
	if (closeOver())
		return;
	if (focused() === elements.search && elements.search.value)
		searchFor("");
	else if (zoom || slice)
		zoomTo(0);
	else if (view.pivot)
		setKind(callersFirst);
	else if (view.range)
		choose({ range: "" });
	focusBox();
}

function startSearch() {
	elements.search.focus();
	elements.search.select();
}

function pieceUnder(happens) {
	const { clientX, clientY } = happens;
	const { x, y } = boundsOf(elements.frames);

	return profile.change && panelOf(happens) ? pieceInPanel(happens) : pieceAt(layout, clientX - x - margin, rowAt(clientY - y));
}

/* Where the pointer is over the graph, and where it, or a finger, went down. */
let pointer = null, pressed;

function point(happens) {
	pointer = happens.type === "pointermove" && (elements.frames.contains(happens.target) ||
		profile.change && panelOf(happens)) ? happens : null;

	const piece = pointer && pieceUnder(pointer);

	if (piece !== pointed) {
		pointed = piece;
		looked = piece ?? looked;
		markSame();
		showDetails();
	}
	showTip();
}

/* A finger first asks, then zooms. What it meant is where it went down: browsers move the click to
 * what they think was meant. Frames that are links are followed; with Ctrl they zoom. */
function click(happens) {
	if (drag?.moves)
		return;

	const isTouch = pressed?.pointerType === "touch";
	const piece = pieceUnder(isTouch ? pressed : happens);
	const link = piece && !happens.ctrlKey && picture.links.get(nameOf(piece.box));

	if (link) {
		open(link.getAttribute("xlink:href"), link.getAttribute("target"));
	} else if (piece && isTouch && current !== piece.box) {
		/* Nothing moves before the second tap. */
		current = piece.box;
		pointer = looked = null;
		draw();
	} else if (piece) {
		zoomTo(piece.box);
	}
	focusBox();
}
