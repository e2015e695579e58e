/*
 * Labels that fit their boxes. The width of a string is the sum of the widths of its letters,
 * each measured once: asking the document would make it lay out everything again.
 */

/* Without what is between brackets, nested ones too: "a<b<c>>::d" becomes "a::d". Signs of
 * operators and the receivers of Go's methods are no brackets. */
function withoutBrackets(name, brackets) {
	const signs = /operator\s*(?:\(\)|[<>=!-]+)|->|\.\([^)]*\)|\(anonymous namespace\)|[^]/g;
	let depth = 0, rest = "";

	for (const [sign] of name.matchAll(signs)) {
		depth += sign === brackets[0];
		rest += depth ? "" : sign;
		depth -= sign === brackets[1] && depth > 0;
	}
	return rest;
}

/* What a function can be called, from its whole name to the last part of it. V8's names begin with
 * how they were compiled and end, behind a blank, with where they are; Java's have a type, a package and
 * a class before the method. Behind a slash is the last part of a path or of a package; of a
 * thread, "ksoftirqd/0", it would tell little. */
function shortNames(name) {
	const noArguments = withoutBrackets(name, "()")
		.replace(/ (const|volatile|\S+:\d+:\d+)$/, "");
	const noTemplates = withoutBrackets(noArguments, "<>").replace(/^::/, "");
	const inClass = noTemplates.split("::").pop();
	const last = /^[^/]+\/[^/.]*$/.test(inClass) ? inClass : inClass.split("/").pop();
	const [, place, called] = /^\S+ (?:[\w$]+\.)*([\w$]+\.)([\w$<>]+)$/.exec(noArguments) ?? [];
	const [, inScript] = /^\w+:[*^~+]*(\w\S*)$/.exec(noTemplates) ?? [];

	return [name, noArguments, noTemplates, ...called ? [place + called, called] : [inScript ?? last]]
		.filter(Boolean);
}

function makeLabels(measure) {
	const widths = new Map(), shorter = new Map();

	function widthOf(string) {
		let sum = 0;

		/* Letters of other scripts join. */
		if (/[^ -\u02ff]/.test(string))
			return measure(string);
		for (const letter of string) {
			if (!widths.has(letter))
				widths.set(letter, measure(letter));
			sum += widths.get(letter);
		}
		return sum;
	}

	/* As many letters as there is room for. */
	function begin(letters, room) {
		let count = 0;

		while (count < letters.length &&
		       widthOf(letters.slice(0, count + 1).join("")) <= room)
			count++;
		return letters.slice(0, count);
	}

	/* What is cut off is in the middle where that leaves something to both sides, else at the
	 * end as in the static picture, or with @keepEnd at the beginning. "": no room. */
	return (name, room, keepEnd) => {
		if (!shorter.has(name))
			shorter.set(name, shortNames(middleOf(name, 4000)));

		const names = shorter.get(name);
		const fits = names.find((one) => one.length < 1000 && widthOf(one) <= room);
		const letters = Array.from(middleOf(names.at(-1) ?? "", 1000));
		const dots = keepEnd || room > 90 ? "…" : "..";
		const left = room - widthOf(dots);
		const head = keepEnd ? [] : begin(letters, dots[1] ? left : 0.6 * left);
		const tail = dots[1] ? []
			: begin(letters.reverse(), left - widthOf(head.join(""))).reverse();

		return fits ?? (head.length + tail.length > 1
				? [...head, dots, ...tail].join("") : "");
	};
}
