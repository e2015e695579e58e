/* Elements of the page. Strings are only ever set as text. */

const elements = {}; /* by id */

const focused = () => document.activeElement;
const boundsOf = (element) => element.getBoundingClientRect();
const prevent = (happens) => happens.preventDefault();

/* A policy may refuse styles that come as text, but not what a script sets. */
const putOn = (element, key, value) => key === "style" ? element.style.cssText = value
	: element.setAttribute(key, value);

/* An element; functions among its @attributes listen. */
function make(name, attributes, ...inside) {
	const element = document.createElementNS(
		/^(svg|g|rect|path|text|title|foreignObject|defs|pattern)$/.test(name)
			? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml", name);

	for (const key in attributes)
		if (key === "id")
			elements[element.id = attributes.id] = element;
		else if (attributes[key].call)
			element.addEventListener(key, attributes[key]);
		else
			putOn(element, key, attributes[key]);
	element.append(...inside);
	return element;
}

/* What is heard has what is seen in it, so that one can say to a machine what to press. */
const spoken = (label, says) => label.includes(says) ? label
	: says.includes(label) || !/[a-z]{2}/i.test(label) ? says : `${label}: ${says}`;

const makeButton = (label, says, click, attributes) => make("button", {
	type: "button", title: says, "aria-label": spoken(label, says), click, ...attributes,
}, label);

/* @options: "value|label", or "value" where that is its label, too. */
const makeChoice = (id, says, options, chosen) => make("select", {
	id, "aria-label": says, "change": ({ target }) => chosen(target.value),
}, ...options.map((option) => {
	const [value, shows = value] = option.split?.("|") ?? option;

	return make("option", { value }, shows);
}));

/* Sets an attribute where it has changed: the document would be slower to see that. */
function update(element, changes) {
	element.was ??= {};
	for (const key in changes)
		if (element.was[key] !== changes[key])
			putOn(element, key, element.was[key] = changes[key]);
}

/* As many elements of a group as needed; those that were made once are used again. */
function makePool(group, create) {
	const all = [];
	let shown = 0;

	return {
		all,
		get(n) {
			if (n === shown)
				group.append(all[shown++] ??= create());
			return all[n];
		},
		trim(count) {
			while (shown > count)
				all[--shown].remove();
		},
	};
}
