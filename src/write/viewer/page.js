/* The page around the picture. */

function makePage() {
	const [details, more, matched, legend] = ["details", "more", "matched", "legend"]
		.map((id) => make("div", { id }));

	return make("div", {
		id: "app",
		/* A click beside what is open closes it. */
		pointerdown: ({ target }) => opened?.contains(target) ||
			opened === elements.controls && elements.tools.contains(target) || closeOver(),
		/* What lies under the pointer may go without a word that the pointer has left it. */
		pointermove: point, pointerleave: point,
	},
		make("header", {}, make("h1", { id: "title" }, picture.title),
		     make("p", { id: "subtitle" }, picture.subtitle),
		     makeButton("☰", "Controls", () =>
			opened ? closeOver() : openOver(elements.controls), { id: "tools" }),
		     makeControls(), makeSearch()),
		make("div", { id: "chips" }),
		make("div", { id: "panes", role: "main" }, makeTable(),
		     make("div", { id: "pane" }, ...profile.heat ? makeTime() : [], makeMinimap(), ...profile.change ? makePanels() : [],
			  makeStage()),
		     make("div", { id: "menu", role: "menu", "aria-label": "Frame", hidden: "" })),
		make("footer", {},
		     make("div", { id: "about" },
			  makeButton("⋯", "What to do with the frame", openMenu, { id: "actions" }),
			  details, more),
		     make("div", { id: "below" }, matched, legend)),
		make("div", { id: "status", role: "status" }),
		make("div", { id: "tip", "aria-hidden": true, hidden: "" }),
		make("textarea", {
			id: "copied", readonly: "", "aria-label": "To be copied", hidden: "",
		}),
		makeHelp());
}

/* A button that does what a key does. */
function makeKeyButton(label, key, attributes) {
	const [, says, does] = commandOf(key);

	return makeButton(label, says, () => does(), attributes);
}

/* Where the page is small they are behind a button. */
const makeControls = () => make("div", { id: "controls", hidden: "" }, makeSet("What is seen",
	makeKeyButton("Reset zoom", "0", { id: "unzoom" }),
	makeChoice("merging", "Which way stacks are merged", [
		"callers|Callers first", "callees|Callees first", "around|Around",
	], setKind),
	...makeGroups(),
	makeChoice("shown", "What is shown", ["Graph", "Both", "Table"],
		   (panes) => choose({ panes }))), ...profile.change ? [makeSides()] : [], makeSet("How it looks",
	makeChoice("colours", "What colours mean", [
		...["Module", "Name", "Kind", "Self", "Value"].map((look) => `${look}|By ${look}`),
		...profile.ratio ? [`Ratio|By ${profile.ratio.name}`] : [],
		...picture.palette ? [`Palette|By ${profile.most ? "change" : picture.palette}`] : [],
	], (look) => choose({ look })),
	makeKeyButton("⇅", "i", { "data-word": "Root" }),
	makeKeyButton("◐", "d", { "data-word": "Dark" })), makeSet("Export and help",
	makeKeyButton("Export", "E", { id: "export", "aria-haspopup": "menu" }),
	makeKeyButton("?", "?", { "data-word": "Help" })));

/* Controls that belong together, for those who hear them. */
const makeSet = (says, ...inside) =>
	make("div", { class: "set", role: "group", "aria-label": says }, ...inside);

function makeSearch() {
	const again = () => searchFor(elements.search.value);

	return make("div", { id: "find", role: "search" },
		make("input", {
			id: "search", type: "search", placeholder: "Search", "aria-label": "Search",
			input: again,
			keydown: ({ key }) =>
				key === "Enter" && found?.hits && mergeAround(searched()),
		}),
		makeButton("", "Regard to case", changeCase, { id: "ignorecase" }),
		makeButton(".*", "Regular expression", () => searchFor(elements.search.value, {
			plain: view.plain ? "" : "1",
		}), { id: "regex" }),
		makeKeyButton("‹", "N", { "data-word": "Previous" }),
		makeKeyButton("›", "n", { "data-word": "Next" }),
		makeChoice("onhits", "Change stacks with hits", [
			"|Hits…",
			...Array.from("kxfhm", (letter) => `${letter}|${transforms[letter][0]} them`),
		], (letter) => addStep(letter, searched())));
}

const makeTable = () => make("section", {
	id: "funclist", "aria-label": "Functions", tabindex: 0, scroll: () => showRows(sizeOfList()),
}, make("table", { id: "table" }, make("caption", { id: "sharesof" }),
	make("thead", {}, make("tr", { id: "heads" })), make("tbody", { id: "rows" })));

function makeStage() {
	const path = (id) => make("path", { id });

	return make("section", { id: "stage", "aria-label": "Graph", scroll: redrawRows, wheel: turnWheel },
		make("svg", {
			id: "frames", click, contextmenu: openMenu,
			pointerdown: startDrag, pointermove: goOnDragging, pointerup: liftFinger, pointercancel: liftFinger,
			/* Does not take the focus before it is known what it is on. */
			mousedown: prevent,
		}, make("g", { id: "moving" }, make("g", { id: "thin" }), path("hits"),
			make("g", { id: "tree", role: "tree", "aria-label": "Frames" }),
			...profile.change ? makeMarks() : [], path("bands"), path("same"), make("g", { id: "texts", "aria-hidden": true }))));
}

/* Of what is not a command: key, what it does. */
const otherKeys = [
	["Click", "Zoom to it; right click: its menu"],
	["Arrows", "To the caller, the widest callee, the neighbours"],
	["Home, End", "To the root, down the widest callees"],
	["Ctrl-F, F3", "Search; Enter merges around hits"],
	["Ctrl-I", "Regard to case"],
	["Escape", "Close this, leave the zoom"],
];
const helpSets = [
	["Go", ["Click", "Arrows", "Home, End", "Enter", "Backspace", ..."0+-[]", "Escape"]],
	["Search", ["/", "Ctrl-F, F3", "n", "N", "Ctrl-I"]],
	["Change what is shown", ["s", "v", ..."kxfhmorwu"]],
	["Change how it looks", [..."tibed"]],
	["Copy, export, help", [..."cClE?"]],
];

const makeHelp = () => make("div", { id: "help", role: "dialog", "aria-modal": true, "aria-label": "Help", hidden: "" },
	makeButton("×", "Close", closeOver),
	...helpSets.flatMap(([says, keys]) => [
		make("h2", {}, says),
		make("dl", {}, ...keys.flatMap((key) => [
			make("dt", {}, make("kbd", {}, key)),
			make("dd", {}, [...commands, ...otherKeys].find(([its]) => its === key)[1]),
		])),
	]),
	make("p", {}, "A box is as wide as its share; the band along it is its own. Next to it " +
	     "are its callees or, callees first, callers. A search is for names, after module:, " +
	     "file: or kind: for those, after ! for all else. The link keeps all that is chosen."));

const chip = (says, undo) => makeButton(`${says} ×`, `Undo: ${says}`, undo);

function showAround() {
	const { steps, pivot, cases, plain, look } = view;
	const { chips, legend } = elements;
	const sign = { "": "aA", i: "aa", c: "Aa" }[cases];

	for (const key in lists)
		elements[lists[key]].value = view[key];
	showGroups();
	elements.onhits.value = "";
	elements.unzoom.disabled = !zoom && !slice;
	elements.onhits.disabled = !found;
	elements.ignorecase.textContent = sign;
	update(elements.ignorecase, { "aria-label": `${sign}: Regard to case` });
	update(elements.regex, { "aria-pressed": !plain });
	if (focused() !== elements.search && !problem)
		elements.search.value = view.sought;
	chips.replaceChildren(...profile.change ? chipsOfSides() : [], ...pivot ? [chip(`Around ${pivot}`, () => setKind(callersFirst))] : [],
		...steps.map((step, k) => chip(
			[transforms[step[0]][0], step.slice(2)].filter(Boolean).join(" "),
			() => choose({ steps: steps.filter((_, n) => n !== k) }))));
	if (profile.change)
		showSides();
	showMatched();
	showTable();
	if (hasChanged("l", look, dark, madeFrom.f, view.own))
		legend.replaceChildren(...makeLegend(look));
	for (const entry of legend.children)
		if (entry.means)
			update(entry, { "aria-pressed": view.sought === entry.means });
}
