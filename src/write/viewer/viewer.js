/* The beginning: from the static picture to one's own. */

let root; /* the picture's <svg>; public are its data- attributes */
let systemDark;
let isAlone; /* the document is the graph's */
let context; /* what letters and colours are measured with */

const fact = (name) => root.getAttribute(name);
const within = (selector) => root.querySelector(selector);

function readPicture() {
	const stringOf = (id) => within(`#${id}`)?.textContent ?? "";

	systemDark = matchMedia("(prefers-color-scheme:dark)");
	assign(picture, {
		title: stringOf("title"), subtitle: stringOf("subtitle"),
		wide: +fact("width"),
		fluid: fact("data-fluid") !== "0",
		fontSize: parseFloat(fact("font-size")),
		rowHeight: +(fact("data-frame-height") ?? 16),
		countName: fact("data-countname"), nameType: fact("data-nametype"),
		factor: +(fact("data-factor") ?? 1),
		sign: fact("data-negate") === "1" ? -1 : 1,
		palette: fact("data-colors").replace(/^(module|ratio)$/, ""),
		lists: ["data-light", "data-dark"].map((name) => readColours(fact(name))),
		...Object.fromEntries(["kinds", "shades", "ratios"].map((name) =>
			[name, fact(`data-${name}`).split(" ").map((one) => +one)])),
		down: fact("data-inverted") === "1",
		links: new Map(),
	});
	for (const link of root.querySelectorAll("#picture a"))
		for (const { textContent } of link.querySelectorAll("title, text"))
			picture.links.set(textContent.replace(/ \([^(]*\)$/, ""), link);
	firstView.down = picture.down ? "1" : "";
	firstView.theme = fact("data-scheme") ?? "";
	if (fact("data-reverse") === "1")
		firstView.kind = calleesFirst;
	if (picture.palette)
		firstView.look = "Palette";
	else if (fact("data-colors") === "ratio")
		firstView.look = "Ratio";
}

async function readData() {
	const holder = within("#flamefold-data");
	const facts = Object.fromEntries(holder.getAttributeNames().map((name) =>
		[name, holder.getAttribute(name)]));

	if (facts["data-format"] !== "3")
		throw new Error(`format ${facts["data-format"]}`);
	profile = readProfile(await unpack(holder.textContent, facts["data-packing"]), facts);
	/* A palette has a colour for the root, too, which a map of colours may say in any way. */
	context.fillStyle = within("#frames rect")?.getAttribute("fill");
	[profile.functions[0].colour] = readColours(context.fillStyle);
	profile.levels = findLevels(profile);
	profile.whole = max(profile.trie.sums[0].at(-1),
				 fact("data-whole") * profile.divisor);
	if (profile.change)
		startDifference();
	if (profile.heat)
		startTime();
	if (profile.samples < 0 && /^samples$/.test(picture.countName))
		assign(profile, { samples: 0, perSample: profile.divisor });
}

/* The style, where a policy refused the element it came in. */
function adoptStyle() {
	const style = within("style") ?? document.querySelector("style");

	if (!style.sheet) {
		const sheet = new CSSStyleSheet();

		sheet.replaceSync(style.textContent);
		document.adoptedStyleSheets.push(sheet);
	}
}

/* In somebody else's page: what a page has once, such as a header and a main part, is that page's. */
function makeSection(page) {
	elements.panes.removeAttribute("role");
	return make("section", {
		class: "host", "aria-label": picture.title, style: "display:contents",
	}, page);
}

/* Puts the page where the static picture was. What is printed is the current view, as wide as
 * the paper and in light colours. */
function mount(page) {
	const still = [...root.children].filter((one) =>
		!one.matches("title, desc, metadata, style, script, defs"));
	const height = fact("height");
	const frame = root.closest("#graph");

	isAlone = frame || root === document.documentElement;

	const live = frame ? page : make("foreignObject", { width: "100%", height: "100%" },
					 isAlone ? page : makeSection(page));
	let printed;
	const show = () => {
		printed?.remove();
		still.forEach((element) => element.remove());
		(frame ? document.body : root).append(live);
		if (frame)
			frame.hidden = true;
		else
			root.removeAttribute("viewBox");
		root.setAttribute("width", "100%");
		/* In somebody else's page as high as it was, and what is around the frames. */
		root.setAttribute("height", isAlone ? "100%" : +height + 150);
	};

	addEventListener("beforeprint", () => {
		printed?.remove();
		printed = pictureOfView(paperWide, "light", paperRows);
		live.remove();
		root.append(printed);
		if (frame)
			frame.hidden = false;
		root.setAttribute("viewBox", printed.getAttribute("viewBox"));
		root.removeAttribute("height");
	});
	addEventListener("afterprint", () => {
		show();
		draw();
		showBox(true);
	});
	show();
}

/* The stage had a height. It has none yet in a tab in the background, or in a frame that another process lays out. */
let isSeen = false;

/* What is at the side of the root stays where it is. A drawing changes the height, too: of panels that are no more
 * beside each other. */
function followSize() {
	const { stage } = elements;
	const below = belowStage;

	if (!stage.clientWidth || !stage.clientHeight)
		return;
	if (stage.clientWidth !== layout.page)
		draw();
	if (!isSeen)
		showBox(true);
	else if (!view.down)
		stage.scrollTop = stage.scrollHeight - stage.clientHeight - below;
	isSeen = true;
	redrawRows();
}

/* A page, with what is used again and again in it. */
function fillPage() {
	const page = makePage();
	const { tree, texts, thin } = elements;

	rects = makePool(tree, () => make("rect", {
		role: "treeitem", rx: 2, ry: 2, height: picture.rowHeight - 1,
	}));
	labels = makePool(texts, () => make("text"));
	thins = makePool(thin, () => make("path"));
	return page;
}

let resized;

async function start() {
	readPicture();
	resized = new ResizeObserver(followSize);
	context = make("canvas").getContext("2d");
	await readData();
	adoptStyle();

	context.font = `${picture.fontSize}px ${fact("font-family")}`;
	fitLabel = makeLabels((string) => context.measureText(string).width);
	mount(fillPage());
	restoreLink();
	/* What has no "=" is a place in somebody else's page. */
	addEventListener("popstate", () => /^#[^=]+$/.test(location.hash) || restoreLink());
	addEventListener("keydown", press);
	addEventListener("focusin", ({ target }) => {
		const { box } = target;

		if (box >= 0 && box !== current && elements.app.contains(target)) {
			current = box;
			draw();
		}
	});
	systemDark.addEventListener("change", () => draw());
	resized.observe(elements.stage);
}

if (typeof document === "object") {
	root = document.currentScript.closest("svg") ??
		document.querySelector("svg[data-flamefold]");
	start().catch((error) => {
		document.querySelector("#details").textContent =
			`This is the static picture: ${error.message}`;
	});
}
