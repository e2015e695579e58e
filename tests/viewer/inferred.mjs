// inferred.mjs FILE: of each function in a picture the value that is inferred, as the viewer reads it.
import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { load } from "./load.mjs";

const { readProfile } = load("readProfile");
const svg = readFileSync(process.argv[2], "utf8");
const [, head, body] = /<metadata id="flamefold-data"([^>]*)>(.*?)<\/metadata>/s.exec(svg);
const facts = Object.fromEntries([...head.matchAll(/(data-[a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
const packed = Buffer.from(body.replace(/<[^>]*>/g, ""), "base64");
const payload = facts["data-packing"] === "zlib" ? inflateSync(packed) : packed;
const { functions, trie, divisor } = readProfile(new Uint8Array(payload), facts);
const sums = new Map();

for (const [node, value] of trie.inferred) {
	const { name } = functions[trie.funcs[node]];

	sums.set(name, (sums.get(name) ?? 0) + value / divisor);
}
for (const [name, value] of [...sums].sort())
	console.log(name, value);
