// Numbers in, the words in which every calculator says them out: pipeline/advise/choose/calculators/words.py once more.

import { fixed } from "./estimate.js";

const grouped = (text) => text.replace(/^(-?\d+)/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

/** Three significant digits, every digit before the point, thousands apart, no trailing zeros. */
export function figure(value) {
  if (value === 0) return "0";
  const exponent = Number(value.toExponential(2).split("e")[1]);
  const written = grouped(fixed(value, Math.max(0, 2 - exponent)));
  return written.includes(".") ? written.replace(/\.?0+$/, "") : written;
}

/** An amount without its unit: cents below 100 dollars; three digits where cents would show nothing. */
export function money(usd) {
  if (Math.abs(usd) < 0.1) return figure(usd);
  return grouped(fixed(usd, Math.abs(usd) < 100 ? 2 : 0));
}

export const dollars = (usd) => `${money(usd)} dollars`;
export const span = (low, high) => `${figure(low)} to ${figure(high)}`;
export const moneySpan = (low, high) => `${money(low)} to ${money(high)}`;
export const gib = (value) => `${fixed(value, 1)} GiB`;
export const times = (name, count) => (count === 1 ? name : `${count} × ${name}`);

/** A time in the unit that a reader would take. */
export function hours(value) {
  if (value < 1) return `${figure(value * 60)} minutes`;
  const days = value / 24;
  if (days < 3) return `${figure(value)} hours`;
  return days < 2 * 365 ? `${figure(days)} days` : `${figure(days / 365)} years`;
}
