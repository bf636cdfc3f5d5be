// What the rules of pipeline/advise/rules.yml work with: arithmetic in which the unknown stays unknown, and numbers in
// words. The functions have the names and the meaning of pipeline/advise/rules.py. No DOM.

import { grouped } from "./python.js";

/** @typedef {number | null | undefined} Maybe a number, or unknown */

/** @param {Maybe} value @returns {value is null | undefined} */
const missing = (value) => value === null || value === undefined;
/** @template T @param {(a: number, b: number) => T} work */
const both = (work) => (/** @type {Maybe} */ a, /** @type {Maybe} */ b) => (missing(a) || missing(b) ? null : work(a, b));

export const plus = both((a, b) => a + b);
export const minus = both((a, b) => a - b);
export const times = both((a, b) => a * b);
export const over = both((a, b) => (b ? a / b : null));
export const below = both((a, b) => a < b);
export const upTo = both((a, b) => a <= b);
export const above = both((a, b) => a > b);
export const from = both((a, b) => a >= b);

/** So many decimals, halves away from zero, thousands apart. @param {Maybe} value */
export const fixed = (value, digits = 0) => (missing(value) ? null : grouped(Number(value).toFixed(digits)));

/** Three significant digits without an exponent, no trailing zeros. @param {Maybe} value */
export function three(value) {
  if (missing(value)) return null;
  if (value === 0) return "0";
  const size = Math.abs(value);
  let power = 0;
  while (size >= 10 ** (power + 1)) power += 1;
  while (size < 10 ** power && power > -12) power -= 1;
  if (power > 2) return grouped(Number(value.toPrecision(3)).toFixed(0));
  const written = fixed(value, 2 - power) ?? "";
  return written.includes(".") ? written.replace(/\.?0+$/, "") : written;
}
