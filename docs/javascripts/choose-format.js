// Numbers in, the text that pipeline/choose prints for them out: Python's formats, halves to the even digit.

import { fixed as exact } from "./estimate.js";

/** {:.2f}: so many decimals. */
export function fixed(value, digits) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (Math.abs(value) >= 1e21) return BigInt(value).toString() + (digits ? `.${"0".repeat(digits)}` : "");
  const scaled = Math.abs(value) * 10 ** digits;
  // Only an exact half is rounded otherwise by the browser; looking for one takes long.
  return Math.abs(scaled - Math.floor(scaled) - 0.5) > 1e-6 ? value.toFixed(digits) : exact(value, digits);
}

/** {:,.2f}: thousands apart. */
export const grouped = (value, digits = 0) => apart(fixed(value, digits));

const apart = (text) => text.replace(/^(-?)(\d+)/, (_, sign, whole) => sign + whole.replace(/\B(?=(\d{3})+$)/g, ","));

/** {:.3g}: significant digits, an exponent where the number is large or small. */
export function significant(value, digits) {
  if (!Number.isFinite(value)) return fixed(value, 0);
  if (value === 0) return "0";
  const [mantissa, power] = value.toExponential(digits - 1).split("e"), exponent = Number(power);
  if (exponent >= -4 && exponent < digits) return trimmed(fixed(value, digits - 1 - exponent));
  return `${trimmed(toEven(value, digits) ?? mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

// The mantissa of a number exactly between two, when the smaller one ends on an even digit.
function toEven(value, digits) {
  const [long] = value.toExponential(60).split("e"), [whole, rest] = long.split(".");
  const kept = digits > 1 ? `${whole}.${rest.slice(0, digits - 1)}` : whole;
  return /^50*$/.test(rest.slice(digits - 1)) && Number(kept.at(-1)) % 2 === 0 ? kept : null;
}

const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

/** {:,.3g} */
export const groupedSignificant = (value, digits) => apart(significant(value, digits));

/** {:g} and {:,g} */
export const general = (value) => significant(value, 6);
export const groupedGeneral = (value) => apart(general(value));

/** Three significant digits, without an exponent. */
export const three = (value) => groupedGeneral(Number(significant(value, 3)));

/** {:.0%} */
export const percent = (value) => `${fixed(value * 100, 0)}%`;

/** An amount of memory as a reader reads it. */
export const gib = (amount) => (amount >= 0.1 ? `${fixed(amount, 1)} GiB` : "under 0.1 GiB");

/** An amount in the currency of a need, as a reader reads it. */
export const money = (amount, need) => `${grouped(amount, Math.abs(amount) >= 100 ? 0 : 2)} ${need.money.word}`;

/** A price as a reader reads it: cents of a GPU-hour matter. */
export const price = (amount, need) => `${grouped(amount, amount >= 100 ? 0 : 3)} ${need.money.word}`;

/** A time as a reader reads it. */
export function hours(value) {
  if (value < 1) return `${fixed(value * 60, 0)} minutes`;
  const days = value / 24;
  if (days < 3) return `${significant(value, 3)} hours`;
  return days < 2 * 365 ? `${significant(days, 3)} days` : `${groupedSignificant(Number(significant(days / 365, 3)), 12)} years`;
}

/** A text as Python's repr shows it. */
export function quoted(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const written = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return quote + (quote === "'" ? written.replaceAll("'", "\\'") : written) + quote;
}

/** The first characters of a text. */
export const shortened = (text, most) => [...text].slice(0, most).join("");
