// The words of a form or an address in, a need that can be answered out, or one sentence: pipeline/choose/need.py.

import { canonicalQuant, EstimateError } from "./estimate.js";
import { fixed, general, grouped, groupedSignificant, quoted, shortened } from "./choose-format.js";

/** A need that cannot be answered; the message is one sentence for the person who asked. */
export class NeedError extends Error {}

const WHOLE = ["context", "batch", "max_gpus"];
const YES_OR_NO = { yes: true, true: true, 1: true, no: false, false: false, 0: false };
const NUMBER = /^[+-]?((\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?|inf(inity)?|nan)$/i;
const WHOLE_NUMBER = /^[+-]?\d+(_\d+)*$/;

/** Read a need from words by name; "" is not said. */
export function parse(words, shelf) {
  const { need, kinds } = shelf.data, said = {};
  for (const [name, text] of Object.entries(words)) {
    if (!Object.hasOwn(kinds, name)) throw new NeedError(`${quoted(shortened(name, 40))} is nothing that can be asked; known: ${Object.keys(need).join(", ")}`);
    if (text.trim()) said[name] = read(name, text.trim(), kinds[name]);
  }
  return { ...need, ...said };
}

/** Fill in the task's defaults, or say in one sentence what is wrong. */
export function checked(need, shelf) {
  choices(need, shelf.data);
  for (const [name, limit] of Object.entries(shelf.data.limits)) within(name, need[name], ...limit);
  const model = findModel(need, shelf), rule = shelf.data.tasks[need.task];
  const context = need.context || rule.context;
  if (model.context && context > model.context) throw new NeedError(`context is ${grouped(context)} tokens; ${model.name} reads at most ${grouped(model.context)}`);
  if (![4, 8, 16].includes(need.kv_bits)) throw new NeedError(`kv_bits is ${need.kv_bits}; a key-value cache holds 4, 8 or 16 bits a value`);
  return {
    ...need, money: shelf.data.currencies[need.currency], model: model.id, quant: quantOf(need, rule, shelf), context,
    least_rate: need.least_rate ?? shelf.data.least_rate[need.task] ?? null,
    own_prices: own(need.own_prices, "own_prices", shelf), own_rents: own(need.own_rents, "own_rents", shelf),
  };
}

/** A need in the words that `parse` reads: what differs from the defaults, the task always. */
export function asWords(need, shelf) {
  const plain = shelf.data.need, words = {};
  for (const name of Object.keys(plain)) {
    const priced = shelf.data.kinds[name] === "prices";
    if (name === "task" || (priced ? Object.keys(need[name]).length : need[name] !== plain[name])) words[name] = written(need[name]);
  }
  return words;
}

function written(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object" && value !== null) return Object.entries(value).map(([gpu, usd]) => `${gpu}=${written(usd)}`).join(",");
  if (typeof value !== "number" || value === 0 || (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e16)) return value === null ? "None" : String(value);
  const [mantissa, exponent] = value.toExponential().split("e");
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

function read(name, text, kind) {
  if (kind === "prices") return new Map(text.split(",").filter((pair) => pair.trim()).map((pair) => onePrice(name, pair)));
  if (kind === "yes") {
    if (!Object.hasOwn(YES_OR_NO, text.toLowerCase())) throw new NeedError(`${name} is ${quoted(shortened(text, 40))}; it is yes or no`);
    return YES_OR_NO[text.toLowerCase()];
  }
  return kind === "text" ? text : number(name, text, kind === "whole");
}

function number(name, text, whole = false) {
  if (!(whole ? WHOLE_NUMBER : NUMBER).test(text)) throw new NeedError(`${name} is ${quoted(shortened(text, 40))}; it must be a ${whole ? "whole " : ""}number`);
  const written = text.toLowerCase().replaceAll("_", "").replace(/inf$/, "infinity").replace("infinity", "Infinity");
  return Number(written);
}

function onePrice(name, text) {
  const at = text.indexOf("=");
  if (at < 0) throw new NeedError(`${name} is ${quoted(shortened(text, 40))}; write it as GPU=dollars, several with commas between`);
  return [text.slice(0, at).trim(), number(name, text.slice(at + 1).trim())];
}

function choices(need, data) {
  for (const [name, words] of Object.entries(data.words))
    if (!words.includes(need[name])) throw new NeedError(`${name} is ${quoted(String(need[name]))}; it is one of ${words.join(", ")}`);
  const objectives = Object.keys(data.objectives);
  if (need.objective !== null && !objectives.includes(need.objective)) throw new NeedError(`objective is ${quoted(String(need.objective))}; it is one of ${objectives.join(", ")}`);
  if (need.deadline_hours !== null && need.units === null) throw new NeedError("a deadline needs the size of a run; say how many tokens or images it has (units)");
}

function within(name, value, low, high, unit) {
  if (value === null || value === undefined) return;
  if (typeof value !== "number" || !Number.isFinite(value)) throw new NeedError(`${name} is ${typeof value === "number" ? fixed(value, 0) : String(value)}; it must be a number of ${unit}`);
  if (!(low <= value && value <= high)) throw new NeedError(`${name} is ${groupedSignificant(value, 12)}; it must be ${value < low ? "at least" : "at most"} ${groupedSignificant(value < low ? low : high, 12)} ${unit}`);
  if (WHOLE.includes(name) && !Number.isInteger(value)) throw new NeedError(`${name} is ${general(value)}; it must be a whole number`);
}

function findModel(need, shelf) {
  const written = need.model.trim().toLowerCase().replaceAll(" ", "-").replaceAll("_", "-");
  const spelling = written.slice(written.lastIndexOf("/") + 1), names = shelf.data.model_names;
  if (!Object.hasOwn(names, spelling)) throw new NeedError(`unknown model ${quoted(shortened(need.model, 80))}; did you mean ${nearest(spelling, names).join(", ")}?`);
  const model = shelf.models[names[spelling]];
  if (need.task === "cnn" && model.kind !== "vision") throw new NeedError(`${model.name} is no convolutional network; the task cnn knows resnet-50`);
  if (need.task !== "cnn" && model.kind !== "language") throw new NeedError(`${model.name} is no language model; the task ${need.task} needs one (see data/models)`);
  return model;
}

// The spellings of three models that share most pairs of letters with what was typed.
function nearest(typed, names, most = 3) {
  const wanted = pairsOf(shortened(typed, 80)), found = new Map();
  for (const [spelling, model] of Object.entries(names)) {
    const pairs = pairsOf(spelling), shared = [...pairs].filter((pair) => wanted.has(pair)).length;
    const likeness = (2 * shared) / (pairs.size + wanted.size || 1);
    if (likeness > (found.get(model)?.likeness ?? -1)) found.set(model, { spelling, likeness });
  }
  const best = [...found.values()].sort((a, b) => b.likeness - a.likeness || a.spelling.length - b.spelling.length);
  return best.slice(0, most).map((one) => one.spelling);
}

const pairsOf = (text) => new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2)));

function quantOf(need, rule, shelf) {
  try {
    return canonicalQuant(need.quant || rule.quant, shelf.tables);
  } catch (error) {
    throw error instanceof EstimateError ? new NeedError(error.message) : error;
  }
}

function own(prices, name, shelf) {
  const found = {};
  // A map keeps the order of names like "4090", an object would sort them first.
  for (const [text, usd] of prices instanceof Map ? prices : Object.entries(prices)) {
    const card = findCard(text, shelf);
    if (!card) throw new NeedError(`${name} names ${quoted(shortened(text, 60))}, which is no GPU of the dataset; see data/gpus`);
    within(`${name} of ${card.name}`, usd, 0.0001, 1e8, "USD");
    found[card.id] = usd;
  }
  return found;
}

/** The card that an id, name or alias means: pipeline/identity.py. */
export function findCard(text, shelf) {
  const { marks, names, maker_words: makers } = shelf.data;
  const plain = [...text].map((character) => (Object.hasOwn(marks, character) ? marks[character] : character)).join("").toLowerCase();
  const spelling = plain.split(/[\s\-_/.,()[\]:]+/).filter((word) => word && !makers.includes(word)).join("");
  return Object.hasOwn(names, spelling) ? shelf.cards[names[spelling]] : undefined;
}
