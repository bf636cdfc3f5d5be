// What the five calculators share: inputs and their checks, the shape of an answer, prices, what a card can do. No DOM.
// Python's side: fields.py, sheet.py and known.py of pipeline/advise/choose/calculators, and shelf.py of pipeline/advise/choose.

import { estimate, EstimateError, general } from "./estimate.js";
import { dollars, money } from "./costs-words.js";
import { trained, trainingMemory } from "./training.js";

export const HOUR = 3600, KILO = 1000, WEEKS_A_YEAR = 52;

/** The data of both files in the shape that the formulas read. */
export function prepared(data, costs) {
  const completed = (card, peak) => (peak === null ? card : { ...card, peaks: { ...card.peaks, [costs.constants.matrix]: peak } });
  const facts = new Map(data.cards.map((card) => {
    const [power_w, psu_w, measured, fresh, used, rent, no_training, rate] = costs.facts[card.id];
    const all = {
      card: completed(card, rate), power_w, psu_w, measured: measured && { watts: measured[0], machine: measured[1], words: measured[2] },
      new: price(fresh), used: price(used), rent: price(rent), no_training, inferred: rate !== null,
    };
    return [card.id, all];
  }));
  const models = new Map(data.models.map((model) => [model.id, model]));
  const { coefficients, points } = data;
  return { facts, models, coefficients, points, t: coefficients.tables, c: costs.constants, fields: costs.fields };
}

const price = (row) => row && { usd: row[0], kind: row[1], who: row[2], date: row[3], firm: row[4], url: row[5], most_gpus: row[6] };

/** The values of a question with every default. */
export function checked(asked, fields, known) {
  const found = {};
  for (const field of fields) {
    const value = Object.hasOwn(asked, field.name) ? asked[field.name] : field.value;
    found[field.name] = field.kind === "number" ? numeric(field, value) : word(field, String(value), known);
  }
  return found;
}

function numeric(field, value) {
  if (value === null && field.optional) return null;
  if (value === null || !(value >= field.low && value <= field.high)) {
    const shown = value === null || Number.isNaN(value) ? "no number" : general(value);
    const unit = field.unit ? ` ${field.unit}` : "";
    throw new EstimateError(`${field.label} is ${shown}; it must be a number from ${general(field.low)} to ${general(field.high)}${unit}`);
  }
  if (field.whole && value !== Math.floor(value)) throw new EstimateError(`${field.label} is ${general(value)}; it must be a whole number`);
  return value;
}

function word(field, value, known) {
  const there = field.kind === "gpu" ? known.facts.has(value) : field.kind === "model" ? known.models.get(value)?.kind === "language" : field.words.includes(value);
  if (!there) throw new EstimateError(`${field.label}: nothing here is called “${[...value].slice(0, 60).join("")}”`);
  return value;
}

// ---------------------------------------------------------------- the shape of an answer

export const sheet = (lead, notes, tables, picture, values) => ({ lead, notes, tables, picture, values });
export const table = (title, heads, rows) => ({ title, heads, rows });
const cell = (text, more) => ({ text, number: false, href: "", gpu: "", kind: "", ...more });
export const words = (text) => cell(text);
export const number = (text, kind = "") => cell(text, { number: true, kind });
export const card = (text, gpu) => cell(text, { gpu });
export const orDash = (text) => cell(text ?? "–", { number: true });

// ---------------------------------------------------------------- prices and power

export const own = (usd, known) => ({ usd, kind: known.c.your_price, who: "you", date: "", firm: true, url: "", most_gpus: null });

/** The cheaper of the prices of today, new or used. */
export function bestPrice(facts) {
  const firm = [facts.new, facts.used].filter((one) => one?.firm);
  return firm.length ? firm.reduce((a, b) => (b.usd < a.usd ? b : a)) : null;
}

export function buyPrice(facts, typed, known) {
  const found = typed !== null ? own(typed, known) : bestPrice(facts);
  if (found) return found;
  const old = facts.used ?? facts.new;
  const older = old ? ` (the newest known: ${dollars(old.usd)}, ${old.kind}, ${old.date})` : "";
  throw new EstimateError(`no price of the last 12 months to buy ${facts.card.name} is known; type yours${older}`);
}

export function rentPrice(facts, typed, known) {
  const found = typed !== null ? own(typed, known) : facts.rent;
  if (!found) throw new EstimateError(`no offer of the last 12 months to rent ${facts.card.name} is known; type a price`);
  return found;
}

export function powerEach(facts, typed) {
  if (typed !== null) return typed;
  if (facts.power_w === null) throw new EstimateError(`no source states the power of ${facts.card.name}; type it`);
  return facts.power_w;
}

/** Who asked a price, leading to the document or to the card's page, which lists all offers. */
export function sourceOf(facts, one) {
  if (one.url) return cell(one.who, { href: one.url });
  return one.date ? card(one.who, facts.card.id) : words(one.who);
}

export function pricesTable(facts, used) {
  const rows = used.map(([what, one]) => [words(what), number(money(one.usd), "price"), words(one.date), words(one.kind), sourceOf(facts, one)]);
  return table("Prices", [["Price of one", null], ["USD", ""], ["Seen", null], ["Kind", null], ["Who", null]], rows);
}

// ---------------------------------------------------------------- abilities: pipeline/advise/choose/catalogue.py

const LAYERS_OF = "llama.cpp";

/** Memory and speed of so many cards for one task: {needed, usable, room, rate, measured, statement, problem}. */
export function ability(known, facts, count, asked) {
  const model = known.models.get(asked.model);
  try {
    return asked.task === "chat" ? answering(known, facts.card, count, model, asked) : training(known, facts.card, count, model, asked);
  } catch (error) {
    if (!(error instanceof EstimateError)) throw error;
    return able(0, null, null, false, "", error.message);
  }
}

const able = (needed, usable, rate, measured, statement, problem = "") =>
  ({ needed, usable, rate, measured, statement, problem, room: usable === null ? null : usable - needed });

function answering(known, one, count, model, asked) {
  const context = asked.context;
  const request = { quant: asked.quant, engine: LAYERS_OF, context, batch: 1, gpus: count, prompt_tokens: Math.min(512, Math.max(1, Math.floor(context / 2))) };
  const got = estimate(one, model, request, known.coefficients, known.points);
  const { total, usable } = got.memory, basis = got.decode_basis;
  if (!got.decode_tokens_per_s || !basis) return able(total, usable, null, false, "", got.warnings[0] ?? "no speed");
  return able(total, usable, got.decode_tokens_per_s, basis.kind === "measured", basis.statement);
}

function training(known, one, count, model, { task, context, batch }) {
  const asked = { task, context, batch: batch ?? 1 };
  if (model.context && context > model.context) {
    const { total, usable } = trainingMemory(one, model, count, asked, known.t);
    return able(total, usable, null, false, "", "the context is longer than the model's");
  }
  const { total, usable, rate, statement } = trained(one, model, count, asked, known.coefficients, known.c);
  return able(total, usable, rate, false, statement);
}

/** Whether the memory is known and enough. */
export const fits = (one) => (one.room ?? -1) >= 0;
