// inferred.mjs FILE: of each function in a picture the value that is inferred, as the viewer reads it.
import { readFileSync } from "node:fs";
import { load } from "./load.mjs";
import { found } from "./payload.mjs";

const { readProfile } = load("readProfile");
const { facts, payload } = found(readFileSync(process.argv[2], "utf8"));
const { functions, trie, divisor } = readProfile(new Uint8Array(payload), facts);
const sums = new Map();

for (const [node, value] of trie.inferred) {
	const { name } = functions[trie.funcs[node]];

	sums.set(name, (sums.get(name) ?? 0) + value / divisor);
}
for (const [name, value] of [...sums].sort())
	console.log(name, value);
