#!/usr/bin/env node
// declared.mjs PERF_DATA OBJECT: where the picture of a recording that ../inline/compare made
// has functions declared, as the viewer reads it, against what llvm-symbolizer says. Prints
//
//	400 addresses, 1490 frames: 99.90 % lines equal, 100.00 % files
//
// and some that differ; fails where fewer than 99 % are equal. What the judge does not know does
// not count; of files it names only some. Environment: FLAMEFOLD.
import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { load } from "../viewer/load.mjs";
import { found } from "../viewer/payload.mjs";

const [data, object] = process.argv.slice(2);
const { readProfile } = load("readProfile");
const run = (command, args, input) => execFileSync(command, args,
	{ input, maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "ignore"] }).toString();
const { facts, payload } = found(run(process.env.FLAMEFOLD, ["graph", "-o", "-", data]));
const { functions, trie } = readProfile(new Uint8Array(payload), facts);

// Leaves first, as the judge has them: address -> ["file:line" or ""]
const ours = new Map();

for (let node = 1; node < trie.count; node++)
	if (trie.ends[node] === node + 1) {
		const files = [];
		let up = node;

		for (; trie.parents[up]; up = trie.parents[up])
			files.push(functions[trie.funcs[up]].file);
		ours.set(Number(`0x${functions[trie.funcs[up]].name.slice(1)}`), files);
	}

const addresses = [...ours.keys()];
const theirs = run("llvm-symbolizer", [`--obj=${object}`, "--inlining", "--output-style=JSON"],
		   addresses.map((one) => `0x${one.toString(16)}`).join("\n"))
	.split("\n").filter(Boolean).map((line) => JSON.parse(line));
let frames = 0, lines = 0, named = 0, files = 0, shown = 0;

theirs.forEach(({ Address, Symbol: chain = [] }) => {
	const one = ours.get(Number(Address));

	if (one.length !== chain.length)
		return; /* compare says how often */
	chain.forEach(({ StartLine, StartFileName, FunctionName }, i) => {
		if (!StartLine)
			return;

		const [, file, line] = /^(.*):(\d+)$/.exec(one[i]) ?? [];
		const same = Number(line) === StartLine;

		frames++;
		lines += same;
		if (StartFileName) {
			named++;
			files += basename(file ?? "") === basename(StartFileName);
		}
		if (!same && shown++ < 5)
			console.log(`  ${Address} ${FunctionName}: ${one[i]}, not ${StartFileName}:${StartLine}`);
	});
});

const percent = (part, all) => (all ? 100 * part / all : 100).toFixed(2);

console.log(`${addresses.length} addresses, ${frames} frames: ${percent(lines, frames)} % lines equal, ${percent(files, named)} % files`);
process.exit(frames > addresses.length / 2 && lines >= 0.99 * frames && files >= 0.99 * named ? 0 : 1);
