// The language of rules: formulas and sentences come as nested lists from pipeline/advise/rules.py and are worked out here.
// The functions have the names and the meaning that they have there; tests/test_rules.py holds both equal. No DOM.

const apart = (text) => text.replace(/^(-?)(\d+)/, (_, sign, whole) => sign + whole.replace(/\B(?=(\d{3})+$)/g, ","));
const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
const missing = (value) => value === null || value === undefined;

/** So many decimals, halves away from zero, thousands apart. */
export const fixed = (value, digits = 0) => (missing(value) ? null : apart(Number(value).toFixed(digits)));

/** Three significant digits without an exponent, no trailing zeros. */
export function three(value) {
  if (missing(value)) return null;
  if (value === 0) return "0";
  const size = Math.abs(value);
  let power = 0;
  while (size >= 10 ** (power + 1)) power += 1;
  while (size < 10 ** power && power > -12) power -= 1;
  return power > 2 ? apart(Number(value.toPrecision(3)).toFixed(0)) : trimmed(fixed(value, 2 - power));
}

export function hours(value) {
  if (missing(value)) return null;
  if (value < 1) return `${fixed(value * 60)} minutes`;
  if (value < 72) return `${three(value)} hours`;
  const days = value / 24;
  return days < 730 ? `${three(days)} days` : `${three(days / 365)} years`;
}

const gib = (value) => (missing(value) ? null : Math.abs(value) >= 0.1 ? `${fixed(value, 1)} GiB` : "under 0.1 GiB");

export function amount(value, sign) {
  if (missing(value)) return null;
  const size = Math.abs(value);
  return `${value < 0 ? "-" : ""}${sign}${size >= 100 ? fixed(size) : size >= 1 ? fixed(size, 2) : three(size)}`;
}

const shown = (value) => (missing(value) ? "" : typeof value === "boolean" ? (value ? "yes" : "no") : typeof value === "number" ? three(value) : String(value));
const known = (values) => values.filter((value) => !missing(value));

const FUNCTIONS = {
  known: (value) => !missing(value) && value !== "",
  least: (...values) => (known(values).length ? Math.min(...known(values)) : null),
  most: (...values) => (known(values).length ? Math.max(...known(values)) : null),
  power: (base, exponent) => (missing(base) || missing(exponent) ? null : base ** exponent),
  percent: (value) => (missing(value) ? null : `${fixed(value * 100)} %`),
  joined: (parts, between) => parts.filter((part) => !missing(part) && part !== "").map(shown).join(between),
  starts: (text, start) => (text ?? "").startsWith(start),
  holds: (text, part) => (text ?? "").includes(part),
  // The height of a line through points at a place; unknown before its first point and after its last.
  curve: (at, points) => {
    const right = points.findIndex(([x], i) => i > 0 && !missing(at) && points[i - 1][0] <= at && at <= x);
    if (right < 0) return null;
    const [[x0, y0], [x1, y1]] = points.slice(right - 1);
    return y0 + ((y1 - y0) * (at - x0)) / (x1 - x0);
  },
  first_of: (a, b) => (missing(a) ? b : a),
  whole: fixed, fixed, three, hours, gib, amount,
};
const OPERATIONS = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => (b ? a / b : null),
  "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
};
const same = (a, b) => (a ?? null) === (b ?? null);
const truly = (value) => Boolean(value);

const compiled = new WeakMap();

/** A formula of the data as a function of the names that it may use; null stands for what is unknown. */
export function formula(data) {
  if (!Array.isArray(data)) return () => data;
  if (!compiled.has(data)) compiled.set(data, made(data));
  return compiled.get(data);
}

function made([kind, ...rest]) {
  if (kind === "text") return () => rest[0];
  if (kind === "name") return (env) => env[rest[0]] ?? null;
  if (kind === "of") return (env) => env[rest[0]]?.[rest[1]] ?? null;
  if (kind === "call") {
    const [name, ...args] = rest, parts = args.map(formula), call = FUNCTIONS[name];
    return (env) => call(...parts.map((part) => part(env)));
  }
  const parts = rest.map(formula), [left, right, other] = parts;
  if (kind === "list") return (env) => parts.map((part) => part(env));
  if (kind === "not") return (env) => !truly(left(env));
  if (kind === "and") return (env) => parts.every((part) => truly(part(env)));
  if (kind === "or") return (env) => parts.some((part) => truly(part(env)));
  if (kind === "if") return (env) => (truly(left(env)) ? right(env) : other(env));
  if (kind === "==") return (env) => same(left(env), right(env));
  if (kind === "!=") return (env) => !same(left(env), right(env));
  if (kind === "in") return (env) => (right(env) ?? []).includes(left(env));
  if (kind === "not in") return (env) => !(right(env) ?? []).includes(left(env));
  const work = OPERATIONS[kind];
  return (env) => {
    const a = left(env), b = right(env);
    return missing(a) || missing(b) ? null : work(a, b);
  };
}

/** A sentence of the data as a function: each formula in it is worked out, an unknown one reads as nothing. */
export function sentence(data) {
  if (!compiled.has(data)) {
    const parts = data.map((part) => (typeof part === "string" ? part : formula(part[0])));
    compiled.set(data, (env) => parts.map((part) => (typeof part === "string" ? part : shown(part(env)))).join(""));
  }
  return compiled.get(data);
}
