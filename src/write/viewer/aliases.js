/* What is often needed. This file comes first. */

const { abs, floor, imul, max, min, round } = Math;

/* [of(0), of(1), ...] */
const times = (length, of) => Array.from({ length }, (_, k) => of(k));
