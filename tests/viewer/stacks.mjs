// Folded text, and what follows from it by going through all stacks: slow and simple, to
// compare the viewer with.

// [[["main", "read"], 12], ...]
export function readFolded(text) {
	return text.split("\n").filter(Boolean).map((line) => {
		const at = line.lastIndexOf(" ");

		return [line.slice(0, at).split(";"), Number(line.slice(at + 1))];
	});
}

// "a;b" -> 12; what is the same is added up, what is nothing left out.
export function pathMap(stacks) {
	const map = new Map();

	for (const [frames, value] of stacks)
		map.set(frames.join(";"), (map.get(frames.join(";")) ?? 0) + value);
	return new Map([...map].filter(([, value]) => value).sort());
}

export function total(stacks) {
	return stacks.reduce((sum, [, value]) => sum + value, 0);
}

// name -> { self, total, nodes }; what calls itself counts once.
export function table(stacks) {
	const rows = new Map(), seen = new Set();
	const row = (name) => {
		if (!rows.has(name))
			rows.set(name, { self: 0, total: 0, nodes: 0 });
		return rows.get(name);
	};

	for (const [frames, value] of stacks) {
		for (const name of new Set(frames))
			row(name).total += value;
		row(frames.at(-1)).self += value;
		frames.forEach((name, i) => {
			const path = frames.slice(0, i + 1).join(";");

			if (!seen.has(path))
				row(name).nodes++;
			seen.add(path);
		});
	}
	return rows;
}

// { count: frames that fit, weight: of the stacks with one, self: of those that end in one }
export function search(stacks, fits) {
	const nodes = new Set();
	let weight = 0, self = 0;

	for (const [frames, value] of stacks) {
		frames.forEach((name, i) => {
			if (fits(name))
				nodes.add(frames.slice(0, i + 1).join(";"));
		});
		weight += frames.some(fits) ? value : 0;
		self += fits(frames.at(-1)) ? value : 0;
	}
	return { count: nodes.size, weight, self };
}

// What the steps do, stack by stack.
export const steps = {
	k: (stacks, fits) => stacks.filter(([frames]) => frames.some(fits)),
	x: (stacks, fits) => stacks.filter(([frames]) => !frames.some(fits)),
	h: (stacks, fits) => stacks.map(([frames, value]) =>
		[frames.filter((name) => !fits(name)), value]),
	f: (stacks, fits) => stacks.filter(([frames]) => frames.some(fits))
		.map(([frames, value]) => [frames.slice(frames.findIndex(fits)), value]),
	r: (stacks) => stacks.map(([frames, value]) =>
		[frames.filter((name, i) => name !== frames[i - 1]), value]),
	// Frames that fit become one box for each run of them.
	m: (stacks, fits, boxOf) => stacks.map(([frames, value]) => [
		frames.map((name) => fits(name) ? boxOf(name) : name)
			.filter((name, i, all) => !fits(frames[i]) || name !== all[i - 1]), value]),
	// A callee with 99 % of its caller goes into it, and what is beside it stays there.
	w(stacks) {
		const weights = new Map();

		for (const [frames, value] of stacks)
			for (let i = 1; i <= frames.length; i++) {
				const path = frames.slice(0, i).join(";");

				weights.set(path, (weights.get(path) ?? 0) + value);
			}

		const folds = (frames, i) => {
			const path = frames.slice(0, i + 1).join(";"), up = frames.slice(0, i).join(";");

			return i > 0 && weights.get(path) >= 0.99 * weights.get(up);
		};

		return stacks.map(([frames, value]) => [frames.filter((_, i) => !folds(frames, i)), value]);
	},
};

// Callers turned round: "leaf;its caller;..." -> value, for every beginning of them.
export function callersOf(stacks, pivot) {
	const map = new Map();

	for (const [frames, value] of stacks) {
		const at = pivot ? frames.findIndex(pivot) : frames.length - 1;

		for (let i = at; i >= 0; i--) {
			const path = frames.slice(i, at + 1).reverse().join(";");

			map.set(path, (map.get(path) ?? 0) + value);
		}
	}
	return map;
}

// Stacks of any size that look like a program's, the same for the same seed.
export function randomStacks(seed, count, { names = 12, depth = 9 } = {}) {
	let state = seed;
	const random = (below) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor(state / 2 ** 32 * below);
	};

	return Array.from({ length: count }, () => [
		Array.from({ length: 1 + random(depth) }, () => `f${random(names)}`), 1 + random(50)]);
}
