/*
 * What the colours mean: an entry for each module or kind, and for the functions of a flame,
 * the heaviest first. A click marks what an entry means, with Ctrl, Shift or the command key
 * it hides that.
 */

/* [what it is called, what makes an expression for it, it is a function]; nothing for what has
 * no entry. Of thousands of functions only those that are shown need the expression. */
function meaningOf(one, meaning) {
	const { name, module, kind, unnamed, look } = one;
	const its = kinds[kindOf(one)], tick = name.slice(0, max(0, name.indexOf("`")));
	const file = module.replace(/.*\//, "");
	const ofKind = (its) => [its, () => exactly(its, "kind:")];
	const isKernel = its === "kernel" && middleShade(look, picture.shades) ===
		middleShade(picture.kinds[kind], picture.shades);

	return unnamed ? ofKind("no symbol")
		: !its ? []
		: meaning === "Kind" || its === "JIT" || isKernel && !file ? ofKind(its)
		: meaning === "Name" ? [name, () => exactly(name), true]
		: file ? [isKernel ? its : file.replace(/^\[(.*)\]$/, "$1").replace(/\.ko(\..*)?$/, ""),
			  () => `module:(^|/)${escapeSigns(file)}$`]
		: tick ? [tick, () => `^${escapeSigns(tick)}\``]
		: kind ? ofKind(its) : [name, () => exactly(name), true];
}

/* { name, expression, one, weight, colour }; no colour twice, and not more functions than one reads.
 * `one` is the heaviest; what is inlined has a shade of its module's colour, and so is none but where all are. */
function legendEntries(meaning, looks) {
	const entries = new Map(), shown = new Map();
	const enough = sums.selves.slice().sort().at(-100) ?? 0;
	let functions = 0;

	profile.functions.forEach((one, func) => {
		const self = sums.selves[func];

		/* A function that is an entry of its own is not shown where a hundred are heavier. */
		if (!self || self < enough && meaning !== "Kind" && !one.module && !one.kind && !one.unnamed && !one.name.includes("`"))
			return;

		const [name, expression, isFunction] = meaningOf(one, meaning);
		const entry = entries.get(name) ?? { name, expression, isFunction, one, most: self, weight: 0 };
		const isInlined = one.kind === inlined;

		if (entry.one.kind === inlined ? !isInlined || self <= entry.most : !isInlined && self > entry.most) {
			entry.one = one;
			entry.most = self;
		}
		entry.weight += self;
		if (name)
			entries.set(name, entry);
	});
	for (const entry of [...entries.values()].sort((a, b) =>
		b.weight - a.weight || a.one.look - b.one.look)) {
		const colour = String(entry.colour = colourOf(entry.one, meaning, looks));

		if (!shown.has(colour) && !(entry.isFunction && ++functions > 6))
			shown.set(colour, entry);
		if (shown.size === 12)
			break;
	}
	return [...shown.values()];
}

function makeSwatch(colour) {
	const swatch = make("i");

	swatch.style.background = `rgb(${colour})`;
	return swatch;
}

function makeLegend(meaning) {
	const looks = looksOf();
	const plain = (name, more) =>
		make("span", {}, makeSwatch(colourOf({}, meaning, { ...looks, ...more })), name);

	if (meaning === "Palette")
		return profile.change ? legendOfChange(plain)
			: profile.most ? ["less", "same", "more"].map((name, k) =>
				plain(name, { delta: (k - 1) * picture.sign, most: 1 })) : [];
	if (meaning === "Ratio") {
		const { ratio } = profile, { isShare, least, name } = ratio;
		const words = isShare ? [name, "", "", "", ""] : [`${name} up to`, "", "", "", ""];
		const after = isShare ? [] : [, , " in all", , " and more"];

		return [
			...words.map((word, k) => plain(
				`${word} ${sayRatio(ratio, ratioAt(ratio, k / 2 - 1))}${after[k] ?? ""}`.trim(),
				{ ratio: ratioAt(ratio, k / 2 - 1) })),
			...isShare ? [] : [plain(least ? "too few samples" : "not known", { ratio: NaN })],
		];
	}
	if (/Self|Value/.test(meaning)) {
		const most = meaning === "Self" ? sums.most : graph.total[0];

		return [0, 0.25, 1].map((share) =>
			plain(percent(share * most, whole(), 1), { share }));
	}
	return legendEntries(meaning, looks).map(({ name, expression, colour }) => {
		const means = expression();
		const entry = makeButton(name, `${name}: mark it; with Ctrl hide it`,
			({ ctrlKey, metaKey, shiftKey }) => {
				if (ctrlKey || metaKey || shiftKey)
					addStep("h", means);
				else
					searchFor(view.sought === means ? "" : means, { plain: "" });
			});

		entry.replaceChildren(makeSwatch(colour), name);
		entry.means = means;
		return entry;
	});
}
