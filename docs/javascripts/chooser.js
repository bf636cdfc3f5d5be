// What the translated chooser asks of the data: the two files of the site in, a dataset as its formulas know it out, to
// which the parts that only some questions need are joined. No DOM.

import { ability, COUNTS } from "./able.js";
import { Quote } from "./chosen.js";
import { prepared } from "./estimator.js";
import { replace } from "./python.js";
import { formula } from "./told.js";

/** @typedef {any} Any what Python's own types describe */

const KEPT = 40;
// Where the workload of a question differs, abilities do: Shelf.ability of pipeline/advise/choose/catalogue.py.
const WORK = ["task", "model", "quant", "context", "batch", "kv_bits", "optimizer", "engine"];

/** @type {Record<string, string[]>} */
let smaller = {};
/** The well-known models with fewer parameters than a model. @param {string} model */
export const smallerModels = (model) => smaller[model] ?? [];
/** The prepared shelf of a dataset. @param {Any} dataset */
export const shelf = (dataset) => dataset.on;
/** A data class as formulas ask for it: nobody changes it, so it stays as it is. @param {Any} one */
export const plain = (one) => one;
/** A word of a command line. @param {string} text */
export const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

/** In which machine so many of a card go; the site has worked it out. @param {Any} card @param {number} count @param {string} way @param {Any} need */
export function hostOf(card, count, way, need) {
  const place = way === "rent" ? null : card.hosts[need.rack ? "rack" : need.host][COUNTS.indexOf(count)];
  return place ? { name: place[0], price: need.tax.added(place[1] / need.money.usd) } : null;
}

/** Names of the files that a question needs besides those two. @param {Record<string, string>} words @param {Any} known @returns {string[]} */
export const partsFor = (words, { parts }) => [`market-${words.market}`, `task-${words.task}`, words.own || words.own_prices || words.own_rents ? "names" : ""].filter((name) => parts.includes(name));

/** Join one of those to the rest. @param {Any} known @param {Any} part */
export function join({ on, names }, { buy, measured, ...more }) {
  Object.assign(on.markets, buy && markets(on, buy));
  Object.assign(on.measured, measured);
  Object.assign(names, more);
}

/** @type {<T, U>(values: Record<string, T>, make: (value: T, name: string) => U) => Record<string, U>} */
const each = (values, make) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value, name)]));
/** @type {(names: string[], row: Any[]) => Any} */
const named = (names, row) => Object.fromEntries(names.map((name, i) => [name, row[i]]));
const quoteOf = (/** @type {string[]} */ columns, /** @type {Any[]} */ row) => Object.assign(Object.create(Quote.prototype), named(columns, row));
/** The prices of markets, by what is said of used cards and by card. @type {(on: Any, buy: Any) => Any} */
const markets = ({ columns, ids }, buy) => each(buy, (/** @type {Any} */ { kinds, of }) => {
  const quotes = kinds.map((/** @type {Any[]} */ row) => quoteOf(columns.quote, row));
  return each(of, (/** @type {Any} */ places) => Object.fromEntries(places.flatMap((/** @type {number} */ place, /** @type {number} */ i) => (place < 0 ? [] : [[ids[i], quotes[place]]]))));
});

/** The two files of the site in, everything that an answer needs out. @param {Any} estimator @param {Any} data */
export function prepare(estimator, data) {
  const known = prepared(estimator), { columns, kept } = data;
  smaller = data.smaller_models;
  /** @type {Record<string, Record<string, Any>>} */
  const { facts, supports, cards } = { facts: {}, supports: {}, cards: {} };
  data.cards.forEach((/** @type {Any} */ row, /** @type {number} */ i) => {
    const stated = known.cards[i], { id, name, vendor, segment, form_factor: form } = stated, rate = data.rates16[id];
    facts[id] = { id, name, vendor, segment, form, ...named(columns.card, row), hosts: data.hosts.kinds[data.hosts.of[i]] };
    facts[id].label ||= stated.name;
    supports[id] = each(data.supports.kinds[data.supports.of[i]], ([level, says]) => ({ level, says }));
    const peaks = rate === undefined ? stated.peaks : { ...stated.peaks, ...rate };
    cards[id] = replace(stated, { peaks, ...data.machines[id] });
  });
  /** @type {Any} */
  const on = {
    ...known, cards, facts, supports, kept, registry: { models: known.byModel, spellings: data.model_names }, counts: COUNTS,
    columns, ids: Object.keys(facts), rents: each(data.rent, (/** @type {Any} */ known) => each(known, (sizes) => sizes.map((/** @type {Any[]} */ row) => quoteOf(columns.quote, row)))), rented: (/** @type {string} */ how) => on.rents[how],
    measured: {}, serving_vendors: data.serving_vendors, headroom: formula(data.headroom), splits: (/** @type {string} */ model) => data.splits[model] ?? COUNTS,
  };
  on.markets = markets(on, data.buy);
  on.ability = abilities(on);
  on.priced_in = inCurrencies(on);
  /** @type {Any} */
  const dataset = { gpus: facts, newest_reading: data.read, on, find: (/** @type {string} */ text) => findCard(text, dataset), names: data, parts: data.parts };
  return (on.dataset = dataset);
}

/** The same dataset with some of its cards. @param {Any} dataset @param {string[]} gpus */
export function some(dataset, gpus) {
  const few = { ...dataset, gpus: Object.fromEntries(gpus.map((gpu) => [gpu, dataset.gpus[gpu]])) };
  few.on = { ...dataset.on, dataset: few };
  few.on.ability = abilities(few.on);
  few.on.priced_in = () => few.on;
  return few;
}

/** Memory and speed of so many cards for a workload, worked out once. @param {Any} on */
function abilities(on) {
  const known = /** @type {Map<string, Record<string, Any>>} */ (new Map());
  let asked = /** @type {Any} */ (null), same = /** @type {Record<string, Any>} */ ({}); // hundreds of cards in turn are asked about for one need
  return (/** @type {string} */ gpu, /** @type {number} */ count, /** @type {Any} */ need, /** @type {Any} */ near = null) => {
    if (need !== asked) {
      const work = [...WORK.map((name) => need[name]), need.first_token_s !== null, need.requests_per_s !== null && need.answer_tokens].join("|");
      if (known.size > KEPT && !known.has(work)) known.clear();
      known.set(work, (same = known.get(work) ?? {}));
      asked = need;
    }
    return (same[`${gpu} ${count} ${near}`] ??= ability(on, on.cards[gpu], count, need, near));
  };
}

/** The same shelf with every price in units of a currency. @param {Any} on */
function inCurrencies(on) {
  /** @type {Record<string, Any>} */
  const others = {};
  return (/** @type {Any} */ { code, usd }) => {
    if (usd === 1) return on;
    const priced = (/** @type {Any} */ quote) => replace(quote, { usd: quote.usd / usd });
    const rents = each(on.rents, (known) => each(/** @type {Any} */ (known), (sizes) => sizes.map(priced)));
    const markets = each(on.markets, (kinds) => each(/** @type {Any} */ (kinds), (rows) => each(rows, priced)));
    return (others[code] ??= { ...on, markets, rented: (/** @type {string} */ how) => rents[how] });
  };
}

/** The card that an id, name or alias means: pipeline/core/identity.py. @param {string} text @param {Any} dataset */
export function findCard(text, { gpus, names: { marks, names, maker_words: makers } }) {
  const plainly = [...text].map((character) => (Object.hasOwn(marks, character) ? marks[character] : character)).join("").toLowerCase();
  const spelling = plainly.split(/[\s\-_/.,()[\]:]+/).filter((word) => word && !makers.includes(word)).join("");
  return Object.hasOwn(names, spelling) ? gpus[Object.keys(gpus)[names[spelling]]] : null;
}
