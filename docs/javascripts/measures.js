// Charts of cards: filters by memory and price, and other figures on the axes. The figures of all cards are one file that
// is fetched only when somebody asks; prices are those of the reader's market.

import { json } from "./elements.js";
import { marketOf } from "./market-choice.js";

/**
 * @typedef {(number | null)[]} Values in the order of the cards
 * @typedef {{ title: string, values: Values }} Measure
 * @typedef {{ gpus: string[], currencies: Record<string, string>, figures: Record<string, Measure>, prices: Record<string, { title: string, values: Record<string, Values> }> }} Raw
 * @typedef {Raw & { at: Map<string, number> }} Measures
 * @typedef {{ memory: string, price: string, x: string, y: string }} Asked memory from, price up to, a figure for each axis; "" is not asked
 * @typedef {{ x: any[], y: any[], text: string[], customdata: string[], meta: { key?: string, segments?: string[] }, [other: string]: any }} Trace
 */

const MEMORY = "memory_gb", PRICE = "to_buy";
const ROUND = [-3, -2, -1, 0, 1, 2, 3, 4, 5].flatMap((power) => [1, 2, 5].map((step) => Number(`${step}e${power}`))); // ticks of a log axis
/** @type {Promise<Measures> | undefined} */
let loading;

/** The figures of all cards, fetched once. @param {URL} root @returns {Promise<Measures>} */
export function loadMeasures(root) {
  loading ??= json(new URL("charts/measures.json", root)).then((/** @type {Raw} */ raw) => ({ ...raw, at: new Map(raw.gpus.map((gpu, at) => [gpu, at])) }));
  loading.catch(() => { loading = undefined; });
  return loading;
}

/** @param {Asked} asked */
export const asksMore = (asked) => Object.values(asked).some(Boolean);

/**
 * A figure by its name, prices in the reader's market; undefined for none or an unknown one.
 * @param {Measures | undefined} measures
 * @param {string} name
 * @returns {Measure | undefined}
 */
export function measureOf(measures, name) {
  const price = measures?.prices[name], market = marketOf();
  if (price) return { title: price.title.replace("{currency}", measures?.currencies[market] ?? ""), values: price.values[market] };
  return measures?.figures[name];
}

/** The axis of a figure: by ratio, unless somebody wants it linear. @param {Measure} measure @param {boolean} linear */
export function axisOf({ title }, linear) {
  if (linear) return { type: "linear", autorange: true, title: { text: title } };
  return { type: "log", autorange: true, title: { text: `${title} (log)` }, tickmode: "array", tickvals: ROUND, ticktext: ROUND.map((value) => value.toLocaleString("en-US")) };
}

/**
 * The traces with what was asked: cards that a filter leaves out are gaps, as are those without the figure of an axis.
 * @template {Trace} T
 * @param {T[]} traces
 * @param {Measures | undefined} measures
 * @param {Asked} asked
 * @returns {T[]}
 */
export function filtered(traces, measures, asked) {
  if (!measures || !asksMore(asked)) return traces;
  const across = measureOf(measures, asked.x), up = measureOf(measures, asked.y), stays = passes(measures, asked);
  // What was measured below a peak means nothing beside another figure.
  return traces.filter((trace) => trace.meta?.segments || !(across || up)).map((trace) => {
    const places = trace.customdata.map((gpu) => measures.at.get(gpu) ?? -1);
    const values = (/** @type {any[]} */ own, /** @type {Measure | undefined} */ measure) => own.map((value, at) => (stays(places[at]) ? (measure ? measure.values[places[at]] : value) : null));
    const x = values(trace.x, across), y = values(trace.y, up);
    const told = (/** @type {Measure | undefined} */ measure, /** @type {any} */ value) => (measure && value !== null ? `, ${measure.title}: ${Number(value.toPrecision(3)).toLocaleString("en-US")}` : "");
    return {
      ...trace, x, y, text: across || up ? trace.text.map((text, at) => text.split(": ")[0] + told(across, x[at]) + told(up, y[at])) : trace.text,
      ...(across ? { error_x: undefined } : {}), ...(up ? { error_y: undefined } : {}),
    };
  });
}

/**
 * Whether the card at a place is wanted; one whose memory or price is not known is left out where it is asked for.
 * @param {Measures} measures
 * @param {Asked} asked
 */
function passes(measures, asked) {
  const memory = measureOf(measures, MEMORY)?.values ?? [], price = measureOf(measures, PRICE)?.values ?? [];
  const within = (/** @type {number | null | undefined} */ value, /** @type {string} */ limit, /** @type {number} */ sign) => !limit || ((value ?? null) !== null && sign * Number(value) >= sign * Number(limit));
  return (/** @type {number} */ at) => within(memory[at], asked.memory, 1) && within(price[at], asked.price, -1);
}

/**
 * What is shown now, in a sentence: the title speaks of all cards and of the chart's own figures.
 * @param {Trace[]} traces
 * @param {Measures} measures
 * @param {Asked} asked
 */
export function saidOf(traces, measures, asked) {
  const drawn = filtered(traces, measures, asked).filter(({ meta }) => meta?.segments);
  const left = drawn.reduce((sum, { x, y }) => sum + x.filter((value, at) => value !== null && y[at] !== null).length, 0);
  const all = traces.filter(({ meta }) => meta?.segments).reduce((sum, { x }) => sum + x.length, 0);
  return `${left} of ${all} cards are shown; the title speaks of all of them and of the chart’s own figures.`;
}
