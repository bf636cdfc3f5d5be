// The calculators: their formulas, translated from Python, and what they know. No DOM.

import { ability } from "./able.js";
import { answered, Facts, Measured, Price, ranked } from "./costed.js";
import { formula } from "./told.js";

/** @typedef {any} Any what Python's own types describe */

export { ranked };
export const answer = answered;

/** What the formulas know: both files of data, the first prepared by estimator.js. @param {Any} data @param {Any} costs */
export function known(data, costs) {
  const price = (/** @type {Any[] | null} */ row) => row && new Price(...row);
  const facts = Object.fromEntries(data.cards.map((/** @type {Any} */ card) => {
    const [power, supply, measured, fresh, used, rent, noTraining, peaks] = costs.facts[card.id];
    const own = peaks ? Object.assign(Object.create(Object.getPrototypeOf(card)), card, { peaks: { ...card.peaks, ...peaks } }) : card;
    return [card.id, new Facts(own, power, supply, measured && new Measured(...measured), price(fresh), price(used), price(rent), noTraining, Boolean(peaks))];
  }));
  /** @type {Any} */
  const on = { ...data, cards: Object.fromEntries(Object.entries(facts).map(([id, { card }]) => [id, card])), headroom: formula(costs.headroom), registry: { models: data.byModel }, kept: costs.kept, serving_vendors: [], measured: {} };
  // Of a chip that is sold as a whole machine, the configuration that has a price, as the chooser takes it.
  const sold = (/** @type {string} */ gpu) => {
    const { card } = facts[gpu], machine = costs.machines[gpu];
    return machine ? Object.assign(Object.create(Object.getPrototypeOf(card)), card, machine) : card;
  };
  on.ability = (/** @type {string} */ gpu, /** @type {number} */ count, /** @type {Any} */ need) => ability(on, sold(gpu), count, need);
  return { facts, models: data.byModel, on, stated: data.byCard, no_llama: costs.no_llama };
}
