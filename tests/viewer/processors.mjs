// What a picture says of its processors, a line for each of them and each cell: number, ns, weight.
import { readFileSync } from "node:fs";
import { load } from "./load.mjs";
import { found } from "./payload.mjs";

const { facts, payload } = found(readFileSync(process.argv[2], "utf8"));
const { processors } = load("readProfile").readProfile(new Uint8Array(payload), facts).heat ?? {};

processors?.numbers.forEach((number, k) => {
	for (let p = processors.begins[k]; p < processors.begins[k + 1]; p++)
		console.log(number, processors.cells[processors.at[p]] * processors.width, processors.weight[p]);
});
