/* What is often needed. This file comes first. */

const { abs, ceil, floor, imul, max, min, round, sqrt } = Math;
const { assign } = Object;

/* [of(0), of(1), ...] */
const times = (length, of) => Array.from({ length }, (_, k) => of(k));

/* Columns of numbers, all 0. */
const integers = (length) => new Uint32Array(length);
const octets = (of) => new Uint8Array(of);
const reals = (length) => new Float64Array(length);

/* The kinds of graphs: see merged.js. */
const callersFirst = "callers", calleesFirst = "callees", aroundOne = "around";
