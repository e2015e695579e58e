// The viewer's sources in node: those of its functions that need no document.
import { readFileSync, readdirSync } from "node:fs";

const folder = new URL("../../src/write/viewer/", import.meta.url);
const source = readdirSync(folder).filter((name) => name.endsWith(".js")).sort()
	.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");

// load("makeTrie", "rebuild"): what has these names in the sources.
export function load(...names) {
	return new Function(`"use strict";${source}\nreturn { ${names.join(", ")} };`)();
}
