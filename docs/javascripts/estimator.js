// What the translated estimator asks of the data: calculators/data.json in, the objects of its formulas out. No DOM.

import { Ability } from "./able.js";
import { Card, Coefficients, EstimateError, Format, Interval, marksOf, MIXES, Model, Shape } from "./estimated.js";
import { cached } from "./python.js";

/** @typedef {any} Any what Python's own types describe */

/** A network's counts; the sentence on what is missing where Python could not count it. @param {Any} model */
export function shapeOf(model) {
  if (model.missing) throw new EstimateError(model.missing);
  return model.shape;
}

/** The number of parameters. @param {Any} model @returns {number} */
export const parameters = (model) => shapeOf(model).parameters;

/** A network's bytes in a format. @type {(model: Any, quant: string) => Any} */
export const formatOf = cached((model, quant) => {
  if (model.missing) throw new EstimateError(model.missing);
  const [weights, lookup = 0, experts = 0] = model.formats[Object.keys(MIXES).indexOf(quant)];
  return new Format(weights, lookup, weights - lookup - experts, experts, ...Object.values(marksOf(quant)));
});

/** @param {Any} row */
export const cardOf = (row) => new Card(...row);
/** @param {Any} row */
export const modelOf = (row) => Object.assign(new Model(row.id, row.name, row.kind), row, row.shape ? { shape: new Shape(...row.shape) } : {});
/** @param {Any} found */
export function coefficientsOf({ values, spreads }) {
  const made = new Coefficients(values, spreads, {});
  return Object.assign(made, { find: cached(made.find.bind(made)) }); // thousands of look-ups ask for a few hundred names
}

/** Everything that the formulas read, by id. @param {Any} data */
export function prepared(data) {
  /** @type {Record<string, Any[]>} */
  const points = {};
  for (const point of data.points) (points[point.card.id] ??= []).push(point);
  const cards = data.cards.map(cardOf), models = data.models.map(modelOf);
  /** @type {(list: Any[]) => Record<string, Any>} */
  const byId = (list) => Object.fromEntries(list.map((one) => [one.id, one]));
  return { ...data, cards, models, points, byCard: byId(cards), byModel: byId(models), coefficients: coefficientsOf(data.coefficients) };
}

/** A task whose speed was measured as such: the rows of choose/data.json. @param {Any} on @param {Any} card @param {number} count @param {string} task */
export function measuredAbility(on, card, count, task) {
  const known = on.measured[task], [rate, low, high, measured, statement, problem] = known.rows[card.id.split(",")[0]][on.counts.indexOf(count)];
  const usable = card.memory_gb ? card.memory_gb * known.usable_share * count : null, span = rate === null ? null : new Interval(rate, low, high);
  return new Ability(known.needed_each * count, usable, span, measured, known.says[statement], known.says[problem]);
}
