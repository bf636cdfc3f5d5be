// What Python brings and JavaScript does not, under Python's names: what pipeline/site/scripts translates asks for it here.
// Dictionaries are plain objects, tuples and lists are arrays, None is null. No DOM.

/** @typedef {any} Any whatever a translated function holds; Python has checked its types */

export class ValueError extends Error {}

// ---------------------------------------------------------------- truth, equality, order

/** @param {Any} value */
export function truly(value) {
  if (value === null || typeof value !== "object") return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  return Object.getPrototypeOf(value) !== Object.prototype || Object.keys(value).length > 0;
}

/** @type {(value: Any, other: Any) => boolean} */
export function same(a, b) {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return (a ?? null) === (b ?? null);
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => same(a[name], b[name]));
}

/** Which of two comes first: numbers, texts, and lists of them. @type {(a: Any, b: Any) => number} */
export function compare(a, b) {
  if (!Array.isArray(a)) return a < b ? -1 : a > b ? 1 : 0;
  for (let i = 0; i < a.length && i < b.length; i += 1) {
    const order = compare(a[i], b[i]);
    if (order) return order;
  }
  return a.length - b.length;
}

// ---------------------------------------------------------------- lists and dictionaries

/** @type {(from: Any) => Any[]} */
export const each = (from) => (Array.isArray(from) ? from : typeof from === "string" || Symbol.iterator in from ? [...from] : Object.keys(from));

/** @type {(held: Any, one: Any) => boolean} */
export function has(held, one) {
  if (typeof held === "string") return held.includes(one);
  if (held instanceof Set) return held.has(Array.isArray(one) ? String(one) : one);
  return Array.isArray(held) ? held.some((value) => same(value, one)) : Object.hasOwn(held, one);
}

/** @type {(of: Any[]) => Set<Any>} */
export const set = (of = []) => new Set(of.map((one) => (Array.isArray(one) ? String(one) : one)));
/** @type {(pairs: Any) => Any} */
export const dict = (pairs) => (Array.isArray(pairs) || Symbol.iterator in pairs ? Object.fromEntries(pairs) : { ...pairs });
/** @type {(held: Any, key: Any, other?: Any) => Any} */
export const get = (held, key, other = null) => (Object.hasOwn(held, key) ? held[key] : other);
/** @type {(held: Any, key: Any, value: Any) => Any} */
export const setdefault = (held, key, value) => (Object.hasOwn(held, key) ? held[key] : (held[key] = value));
/** @type {(held: Any, place: Any) => Any} */
export const at = (held, place) => (Array.isArray(held) ? held.at(place) : held[place]);
/** @type {(held: Any, low: number | null, high: number | null) => Any} */
export function cut(held, low, high) {
  if (typeof held === "string") return [...held].slice(low ?? 0, high ?? undefined).join("");
  return held.slice(low ?? 0, high === null ? undefined : Number(high));
}
/** @type {(a: Any, b: Any) => Any} */
export const plus = (a, b) => (Array.isArray(a) ? [...a, ...b] : a + b);
/** @type {(a: Any[], ...more: Any[][]) => Any[][]} */
export const zip = (a, ...more) => a.map((one, i) => [one, ...more.map((list) => list[i])]);
/** @type {(of: Any[]) => Any[][]} */
export const pairwise = (of) => of.slice(1).map((one, i) => [of[i], one]);
/** @type {(low: number, high?: number) => number[]} */
export const range = (low, high) => (high === undefined ? [...Array(low).keys()] : Array.from({ length: Math.max(0, high - low) }, (_, i) => low + i));
/** @type {(value: Any) => boolean} */
export const isMapping = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** @typedef {((value: Any) => Any) | null} Key what an order goes by */
/** @type {(of: Any[], key: Key) => Any[]} */
export const sort = (of, key) => (key ? of.splice(0, of.length, ...sorted(of, key)) : of.sort(compare));
/** @type {(of: Any[], key: Key) => Any[]} */
export const sorted = (of, key) => (key ? of.map((one) => [key(one), one]).sort((a, b) => compare(a[0], b[0])).map(([, one]) => one) : [...of].sort(compare));

/** @type {(of: Any[], key: Key, none: Any, sign: number) => Any} */
function extreme(of, key, none, sign) {
  if (!of.length && none === undefined) throw new ValueError("nothing to choose from");
  let best = none, at = none;
  of.forEach((one, i) => {
    const value = key ? key(one) : one;
    if (i === 0 || sign * compare(value, at) < 0) [best, at] = [one, value];
  });
  return best;
}
/** @type {(of: Any[], key: Key, none?: Any) => Any} */
export const min = (of, key, none) => extreme(of, key, none, 1);
/** @type {(of: Any[], key: Key, none?: Any) => Any} */
export const max = (of, key, none) => extreme(of, key, none, -1);
/** @type {(of: Any[]) => number} */
export const sum = (of) => of.reduce((a, b) => a + Number(b), 0);

/** @type {(of: number[]) => number} */
export function median(of) {
  const ordered = [...of].sort((a, b) => a - b), half = ordered.length >> 1;
  return ordered.length % 2 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
}

/** A data class with some fields changed; what it remembers of itself is not copied. @type {(of: Any, changes: Any) => Any} */
export const replace = (of, changes) => Object.assign(Object.create(Object.getPrototypeOf(of)), of, changes);

/** A function that is worked out once for the same arguments. @template {(...args: Any[]) => Any} F @param {F} make @returns {F} */
export function cached(make) {
  const known = level();
  return /** @type {F} */ ((...args) => {
    let place = known;
    for (const arg of args) {
      const by = arg !== null && typeof arg === "object" ? place.objects : place.others;
      let next = by.get(arg);
      if (!next) by.set(arg, (next = level()));
      place = next;
    }
    if (!("value" in place)) place.value = make(...args);
    return place.value;
  });
}

/** @returns {Any} */
const level = () => ({ objects: new WeakMap(), others: new Map() });

// ---------------------------------------------------------------- texts

/** @type {(text: string, chars?: string) => string} */
export const strip = (text, chars) => (chars ? rstrip([...rstrip(text, chars)].reverse().join(""), chars) : text.trim());
/** @type {(text: string, chars: string) => string} */
export function rstrip(text, chars) {
  let end = text.length;
  while (end && chars.includes(text[end - 1])) end -= 1;
  return text.slice(0, end);
}
/** @type {(text: string, start: string | string[]) => boolean} */
export const starts = (text, start) => (Array.isArray(start) ? start.some((one) => text.startsWith(one)) : text.startsWith(start));
/** @type {(text: string, end: string | string[]) => boolean} */
export const ends = (text, end) => (Array.isArray(end) ? end.some((one) => text.endsWith(one)) : text.endsWith(end));
/** @type {(text: string, by?: string) => string[]} */
export const split = (text, by) => (by === undefined ? text.split(/\s+/).filter(Boolean) : text.split(by));
/** @type {(text: string, by: string) => string[]} */
export function partition(text, by) {
  const place = text.indexOf(by);
  return place < 0 ? [text, "", ""] : [text.slice(0, place), by, text.slice(place + by.length)];
}
/** @type {(text: string, by: string) => string[]} */
export function rpartition(text, by) {
  const place = text.lastIndexOf(by);
  return place < 0 ? ["", "", text] : [text.slice(0, place), by, text.slice(place + by.length)];
}
/** @type {(text: string, old: string, fresh: string) => string} */
export const replaced = (text, old, fresh) => text.replaceAll(old, () => fresh);
/** @type {(text: string, start: string) => string} */
export const removeprefix = (text, start) => (text.startsWith(start) ? text.slice(start.length) : text);
/** @type {(text: string, end: string) => string} */
export const removesuffix = (text, end) => (end && text.endsWith(end) ? text.slice(0, -end.length) : text);
/** @type {(values: Any) => string} */
export const urlencode = (values) => new URLSearchParams(values).toString();
/** Fills the holes of a text: {}, {:,} and {name}. @type {(text: string, values: Any) => string} */
export function named(text, values) {
  let next = 0;
  return text.replace(/\{(\w*)(?::([^}]*))?\}/g, (_, name, spec) => format(values[name || next++], spec ?? ""));
}

// ---------------------------------------------------------------- numbers as Python reads and prints them

/** @type {(value: Any) => number} */
export const int = (value) => Math.trunc(Number(value));
/** @type {(value: Any) => number} */
export function float(value) {
  const read = typeof value === "string" && !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? NaN : Number(value);
  if (typeof value === "string" && Number.isNaN(read)) throw new ValueError(`no number: ${value}`);
  return read;
}
/** Exact halves go to the even number. @type {(value: number, digits?: number) => number} */
export function round(value, digits) {
  if (digits === undefined) return Math.abs(value % 1) === 0.5 ? 2 * Math.round(value / 2) : Math.round(value);
  return Number(fixed(value, digits));
}

/** {:.1f}: exact halves go to the even digit. @type {(value: number, digits?: number) => string} */
export function fixed(value, digits = 0) {
  if (!Number.isFinite(value)) return repr(value);
  // Only what lies beside a half needs all of its digits, which take a browser long to write.
  const size = Math.abs(value) * 10 ** digits;
  if (size < 1e9 && Math.abs((size % 1) - 0.5) > 1e-6) return value.toFixed(digits);
  return evenHalf(value.toFixed(Math.min(100, digits + 40)), digits) ?? value.toFixed(digits);
}

/** @type {(value: number, digits: number) => string} */
function general(value, digits) {
  if (!Number.isFinite(value)) return repr(value);
  if (value === 0) return "0";
  const written = power(value, digits - 1), [long, exponent] = written.split("e"), place = Number(exponent);
  if (place >= -4 && place < digits) return trimmed(fixed(value, digits - 1 - place));
  return `${trimmed(long)}e${exponent}`;
}

/** {:.2e} @type {(value: number, digits: number) => string} */
function power(value, digits) {
  const [long, exponent] = value.toExponential(60).split("e"), even = evenHalf(long, digits);
  const [shown, place] = even ? [even, exponent] : value.toExponential(digits).split("e");
  return `${shown}e${place[0]}${place.slice(1).padStart(2, "0")}`;
}

/** The shorter of two equally near numbers when its last digit is even, else null. @type {(long: string, digits: number) => string | null} */
function evenHalf(long, digits) {
  const [whole, rest = ""] = long.split(".");
  const kept = digits ? `${whole}.${rest.slice(0, digits)}` : whole;
  return /^50*$/.test(rest.slice(digits)) && Number(kept.at(-1)) % 2 === 0 ? kept : null;
}

/** @param {string} text */
const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
/** Thousands apart. @param {string} text */
export const grouped = (text) => text.replace(/^(-?)(\d+)/, (_, sign, whole) => sign + whole.replace(/\B(?=(\d{3})+$)/g, ","));

/** @type {(value: Any, spec: string) => string} */
export function format(value, spec) {
  const [, comma, digits, type] = /^(,?)(?:\.(\d+))?([efg]?)$/.exec(spec) ?? [];
  if (typeof value !== "number" || !spec) return str(value);
  const written = type === "g" ? general(value, Number(digits ?? 6)) : type === "e" ? power(value, Number(digits)) : type === "f" ? fixed(value, Number(digits ?? 6)) : str(value);
  return comma ? grouped(written) : written;
}

/** @type {(value: Any) => string} */
export function str(value) {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" && !Number.isFinite(value) ? repr(value) : String(value);
}

/** @type {(value: Any) => string} */
export function repr(value) {
  if (typeof value === "number") return Number.isNaN(value) ? "nan" : Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf";
  if (typeof value !== "string") return str(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const written = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return quote + (quote === "'" ? written.replaceAll("'", "\\'") : written) + quote;
}
