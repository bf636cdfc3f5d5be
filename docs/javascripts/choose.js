// Which GPU for a task and a budget: the table of options, filtered, multiplied and sorted. Every limit, formula and
// sentence is data from pipeline/advise/rules.yml; tests/test_choose_js.py compares the answers with Python's. No DOM.

import { ability, Need } from "./able.js";
import { canonicalQuant } from "./estimated.js";
import { prepared } from "./estimator.js";
import { replace } from "./python.js";
import { fixed, formula, sentence, three } from "./rules.js";

export class NeedError extends Error {}

// ---------------------------------------------------------------- the shelf: everything prepared once

/** The two files of the site in, everything that an answer needs out. */
export function prepare(estimator, data) {
  const named = (columns, row) => row && Object.fromEntries(columns.map((name, i) => [name, row[i]]));
  const { columns } = data, rules = readied(data.rules), known = prepared(estimator);
  const cards = data.cards.map((row, i) => {
    const facts = named(columns.card, row), stated = known.cards[i];
    const peaks = facts.id in data.rates16 ? { ...stated.peaks, [data.matrix]: data.rates16[facts.id] } : stated.peaks;
    const [id, memory_gb, bandwidth] = data.machines[facts.id] ?? [stated.id, stated.memory_gb, stated.memory_bandwidth_gb_s];
    return {
      ...facts, name: stated.name, label: facts.label || stated.name, support: data.supports.kinds[data.supports.of[i]], hosts: data.hosts.kinds[data.hosts.of[i]],
      estimated: replace(stated, { id, memory_gb, memory_bandwidth_gb_s: bandwidth ?? stated.memory_bandwidth_gb_s, peaks }),
    };
  });
  const quotes = (kinds) => Object.fromEntries(Object.entries(kinds).map(([kind, known]) => [kind, Object.fromEntries(Object.entries(known).map(([gpu, row]) => [gpu, named(columns.quote, row)]))]));
  return {
    ...data, rules, cards, buy: Object.fromEntries(Object.entries(data.buy).map(([market, known]) => [market, quotes(known)])), rent: quotes(data.rent), models: new Map(known.models.map((/** @type {any} */ model) => [model.id, model])), able: new Map(),
    on: { ...known, registry: { models: known.byModel }, serving_vendors: data.serving_vendors, counts: rules.counts, measured: data.measured },
  };
}

// Formulas and sentences that thousands of options ask, as functions.
function readied(rules) {
  const ready = (rows) => rows.map((row) => ({ ...row, holds: formula(row.holds), gap: formula(row.gap ?? 1), says: sentence(row.says) }));
  const each = (values, make) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]));
  const facts = each(rules.facts, (known) => Object.entries(known).map(([name, data]) => [name, formula(data)]));
  return { ...rules, facts, constraints: each(rules.constraints, ready), standard: ready(rules.standard), step: formula(rules.step), leads: formula(rules.leads) };
}

// The same facts and some more, in an object of its own: objects that inherit are slower to ask.
const withMore = (env, more) => ({ ...env, ...more });

// ---------------------------------------------------------------- the question

const FLAGS = { yes: true, true: true, 1: true, no: false, false: false, 0: false };
const quoted = (text) => `“${String(text).slice(0, 40)}”`;
const count = (value) => (Number.isInteger(value) && Math.abs(value) < 1e15 ? fixed(value) : three(value));

function refused({ rules }, why, name, told = {}) {
  return new NeedError(sentence(rules.refusals[why])({ name, label: rules.fields[name]?.label, ...told }));
}

/** A question from the words of an address; "" is not said. NeedError for a word that is none. */
export function parse(words, shelf) {
  const { fields } = shelf.rules, market = words.market || shelf.need.market, need = { ...shelf.need };
  for (const [name, text] of Object.entries(words)) {
    if (!Object.hasOwn(fields, name)) throw refused(shelf, "unknown", quoted(name), { names: Object.keys(fields).join(", ") });
    if (text.trim()) need[name] = read(shelf, name, text.trim(), market);
  }
  return need;
}

function read(shelf, name, text, market) {
  const { kind } = shelf.rules.fields[name];
  if (kind === "prices" || kind === "counts") return Object.fromEntries(text.split(",").filter((pair) => pair.trim()).map((pair) => pairOf(shelf, name, pair, kind)));
  if (kind === "flag") {
    if (!Object.hasOwn(FLAGS, text.toLowerCase())) throw refused(shelf, "flag", name, { text: quoted(text) });
    return FLAGS[text.toLowerCase()];
  }
  if (kind === "text") return text;
  const value = readNumber(shelf, name, text, market);
  if (kind === "whole" && !Number.isInteger(value)) throw refused(shelf, "whole", name, { text: quoted(text) });
  return value;
}

/** A number as a market writes it: thousands and decimals told apart, and asked again where both are possible. */
function readNumber(shelf, name, text, market) {
  const { rules } = shelf, [thousands, decimal] = rules.numbers[market] ?? rules.numbers[shelf.need.market], plain = bare(shelf, name, text);
  const times = (name === "context" ? rules.context_suffixes : rules.suffixes)[plain.slice(-1)];
  if (times !== undefined && plain.length > 1) return times * readNumber(shelf, name, plain.slice(0, -1), market);
  if (!/^[+-]?[0-9.,]*[0-9][0-9.,]*(e[+-]?[0-9]+)?$/.test(plain)) throw refused(shelf, "number", name, { text: quoted(text) });
  const marks = plain.match(/[.,]/g) ?? [], last = marks.at(-1);
  if (new Set(marks).size === 2) return finite(shelf, name, text, plain.replaceAll(last === "." ? "," : ".", "").replace(last, "."));
  if (marks.length > 1) return finite(shelf, name, text, plain.replaceAll(last, ""));
  if (last && /[1-9][0-9]{0,2}[.,][0-9]{3}$/.test(plain) && !plain.includes("e")) {
    const whole = plain.replace(last, "");
    if (last === thousands) return finite(shelf, name, text, whole);
    if (shelf.rules.fields[name].money) throw refused(shelf, "ambiguous", name, { text: quoted(text), whole, small: plain.replace(/0+$/, "").replace(new RegExp(`\\${decimal}$`), "") });
  }
  return finite(shelf, name, text, plain.replace(",", "."));
}

// A number without the spaces, and an amount without the currency, that people write around it.
function bare({ rules }, name, text) {
  let plain = text.replace(/[\u00a0 '_]/g, "").toLowerCase();
  for (const mark of rules.fields[name].money ? rules.currency_marks : []) {
    if (plain.startsWith(mark)) plain = plain.slice(mark.length);
    if (plain.endsWith(mark)) plain = plain.slice(0, -mark.length);
  }
  return plain;
}

function finite(shelf, name, text, plain) {
  const value = Number(plain);
  if (!Number.isFinite(value)) throw refused(shelf, "number", name, { text: quoted(text) });
  return value;
}

function pairOf(shelf, name, pair, kind) {
  const [gpu, value] = pair.split("=");
  if (value === undefined && kind === "counts") return [gpu.trim(), 1];
  if (!value?.trim() || !Number.isFinite(Number(value))) throw refused(shelf, "pair", name, { text: quoted(pair) });
  return [gpu.trim(), Number(value)];
}

/** What the task implies filled in, or one sentence on what is wrong. */
export function checked(shelf, wish) {
  const { fields, tasks } = shelf.rules, need = { ...wish };
  for (const [name, rule] of Object.entries(fields)) {
    const value = need[name];
    if (name === "task" || (name !== "quant" && rule.choices && rule.kind === "text")) {
      const known = name === "task" ? Object.keys(tasks) : rule.choices;
      if (!known.includes(value)) throw refused(shelf, "choice", name, { text: quoted(value), names: known.filter(Boolean).join(", ") });
    } else if ("low" in rule && value !== null) {
      const unit = rule.unit === "currency" ? shelf.markets[need.market].currency : rule.unit;
      if (value < rule.low) throw refused(shelf, "low", name, { text: count(value), limit: count(rule.low), unit });
      if (value > rule.high) throw refused(shelf, "high", name, { text: count(value), limit: count(rule.high), unit });
    }
  }
  if (![4, 8, 16].includes(need.kv_bits)) throw refused(shelf, "choice", "kv_bits", { text: quoted(need.kv_bits), names: "16, 8, 4" });
  const task = tasks[need.task], env = { need, task, training: shelf.rules.training, asked_model: modelKey(need.model) };
  for (const { when, reason, way } of shelf.rules.cannot) if (formula(when)(env)) throw refused(shelf, "nearest", "", { reason: sentence(reason)(env), way: sentence(way)(env) });
  need.engine = task.engine && (need.engine || task.engine);
  need.units ??= task.units;
  need.least_rate ??= task.least;
  for (const name of ["own_prices", "own_rents", "own"]) need[name] = knownGpus(shelf, name, need[name]);
  try {
    need.quant = canonicalQuant(need.quant || (need.engine === task.engine ? task.quant : shelf.rules.usual_quant[need.engine]));
  } catch (error) {
    throw new NeedError(error.message);
  }
  need.context ??= task.context;
  if (task.kind === "none") return { ...need, model: "" };
  const model = modelOf(shelf, need, task);
  if (model.context && need.context > model.context) throw refused(shelf, "longer", "context", { context: fixed(need.context), model: model.name, limit: fixed(model.context) });
  return { ...need, model: model.id };
}

const modelKey = (text) => text.trim().toLowerCase().replace(/[ _]/g, "-").split("/").at(-1);

function modelOf(shelf, need, task) {
  const text = need.model || task.model, key = modelKey(text);
  const found = shelf.models.get(shelf.model_names[key]);
  if (!found) {
    const known = Object.keys(shelf.model_names).filter((name) => shelf.model_kinds[shelf.model_names[name]] === task.kind);
    const names = [...new Set(near(key, known).map((name) => shelf.model_names[name]))];
    throw refused(shelf, "model", "model", { text: quoted(text), names: names.join(", ") });
  }
  if (found.kind !== task.kind) throw refused(shelf, "kind", "model", { model: found.name, task: task.words, wanted: shelf.rules.kinds[task.kind], example: task.model });
  return found;
}

// The names that begin as a text does, whatever stands between its letters, before those that look like it.
function near(text, names) {
  const start = text.replaceAll("-", ""), begin = names.filter((name) => start && name.replaceAll("-", "").startsWith(start)).sort(byText);
  return [...new Set([...begin, ...nearest(text, names)])].slice(0, 3);
}

// The names that share the most pairs of letters with a text: pipeline/core/suggest.py.
function nearest(text, names) {
  const pairs = (word) => {
    const found = new Map();
    for (let i = 0; i <= word.length; i += 1) found.set(` ${word} `.slice(i, i + 2), (found.get(` ${word} `.slice(i, i + 2)) ?? 0) + 1);
    return found;
  };
  const wanted = pairs(text);
  const alike = (name) => {
    let shared = 0;
    for (const [pair, times] of pairs(name)) shared += Math.min(times, wanted.get(pair) ?? 0);
    return (2 * shared) / (text.length + name.length + 2);
  };
  const scores = new Map(names.map((name) => [name, alike(name)]));
  return [...names].sort((a, b) => scores.get(b) - scores.get(a) || byText(a, b)).slice(0, 3);
}

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

function knownGpus(shelf, name, pairs) {
  const found = {}, high = name === "own" ? 8 : 1e8;
  for (const [text, value] of Object.entries(pairs)) {
    const card = findCard(text, shelf);
    if (!card) throw refused(shelf, "gpu", name, { text: quoted(text), names: near(text.toLowerCase(), shelf.cards.map(({ id }) => id)).join(", ") });
    if (!(value > 0 && value <= high)) throw refused(shelf, value > high ? "high" : "low", name, { text: count(value), limit: count(value > high ? high : 0), unit: "of a kind" });
    found[card.id] = value;
  }
  return found;
}

/** The card that an id, name or alias means: pipeline/core/identity.py. */
export function findCard(text, { marks, names, maker_words: makers, cards }) {
  const plain = [...text].map((character) => (Object.hasOwn(marks, character) ? marks[character] : character)).join("").toLowerCase();
  const spelling = plain.split(/[\s\-_/.,()[\]:]+/).filter((word) => word && !makers.includes(word)).join("");
  return Object.hasOwn(names, spelling) ? cards[names[spelling]] : undefined;
}

// ---------------------------------------------------------------- options

/** Answer a question: {need, meeting, pool, frontier, choices, ranked, lost, ways_out}; NeedError when it cannot be. */
export function choose(shelf, wish) {
  const need = checked(shelf, wish), judged = optionsOf(shelf, need);
  const meeting = judged.filter((o) => !o.failures.length).sort(byCost), fit = meeting.filter((o) => !o.narrow.length);
  const missed = Math.min(...meeting.map((o) => o.narrow.length)), pool = meeting.filter((o) => o.narrow.length === missed);
  const reach = within(shelf, pool, need), curve = reach.length ? frontier(shelf, reach, leastOf(shelf, reach)) : [], choices = curve.length ? choicesOf(shelf, judged, pool, reach, curve) : [];
  return {
    need, meeting, pool, frontier: curve, choices, asides: asidesOf(shelf, need, meeting, choices), together: togetherOf(shelf, need), owned: ownedOf(meeting, choices),
    ranked: oneOfEach([...fit, ...meeting.filter((o) => o.narrow.length)]),
    lost: lostOf(judged), ways_out: meeting.length ? [] : waysOut(shelf, need),
  };
}

function about(shelf, need) {
  const { rules } = shelf, task = rules.tasks[need.task], market = shelf.markets[need.market], { sign, rate, usd } = market;
  const ladder = rules.smaller[need.engine] ?? [], place = ladder.indexOf(need.quant);
  return { need, owns: Object.keys(need.own).length > 0, task, training: rules.training, power_curve: rules.power_curves[task.power], c: shelf.constants, market, money: { sign, rate, usd }, smaller: place < 0 ? null : ladder[place + 1] ?? null, smaller_models: shelf.smaller_models[need.model] ?? [] };
}

function optionsOf(shelf, need, only = null) {
  const shared = { ...about(shelf, need), kept: shelf.kept, circuit: shelf.circuits[need.market], splits: shelf.splits[need.model] ?? shelf.rules.counts }, found = [];
  for (const card of only ? shelf.cards.filter(({ id }) => only.includes(id)) : shelf.cards) for (const way of need.prefer === "both" ? ["buy", "rent"] : [need.prefer]) {
    const price = quoteOf(shelf, card.id, way, need);
    if (way === "buy" || price) found.push(...offer(shelf, card, way, price, need, shared));
  }
  return found;
}

function quoteOf(shelf, gpu, way, need) {
  const typed = (way === "buy" ? need.own_prices : need.own_rents)[gpu];
  const known = (way === "buy" ? shelf.buy[need.market][need.used] : shelf.rent[need.rented])[gpu];
  if (typed !== undefined) return { usd: typed, kind: "own", date: "", who: "you", firm: true, url: "", sellers: 0, listings: 0, doubt: "", aged: "", most_gpus: known?.most_gpus ?? null, words: "your price" };
  return known ? { ...known, usd: known.usd / shelf.markets[need.market].usd } : null;
}

function offer(shelf, card, way, price, need, shared) {
  const [level, says] = card.support[need.engine ? `${need.engine} ${shelf.formats[need.quant]}` : need.task];
  const env = withMore(shared, { card, way, price, support: { level, says }, owned: Math.trunc(need.own[card.id] ?? 0) });
  const hopeless = failures(shelf.rules.constraints.offer, env);
  const found = [];
  for (const n of shelf.rules.counts) {
    if (n > need.max_gpus || (found.length && hopeless.length)) break;
    const one = option(shelf, card, n, way, env, hopeless, need);
    found.push(one);
    // Who needs one does not rent eight; a run gets shorter with every GPU that the budget allows.
    if (one.stage === 3 && !one.narrow.length && !(shared.task.run && need.budget_usd !== null)) break;
  }
  return found;
}

function option(shelf, card, n, way, of, hopeless, need) {
  const env = withMore(of, { count: n, name: `${n === 1 ? "" : `${n} × `}${card.label}`, able: null }), { rules } = shelf;
  const made = { gpu: card.id, vendor: card.vendor, card, count: n, way, env, stage: 0, failures: hopeless, narrow: [] };
  if (hopeless.length) return made;
  const place = way === "rent" ? null : card.hosts[need.rack ? "rack" : need.host][rules.counts.indexOf(n)];
  env.host = place ? { name: place[0], price: place[1] / env.money.usd } : null;
  workOut(rules.facts.early, env);
  const early = failures(rules.constraints.count, env);
  if (early.length) return Object.assign(made, { stage: 1, failures: early });
  env.able = slowedBy(env.slowed, ableOf(shelf, card, n, need));
  workOut(rules.facts.late, env);
  const late = failures(rules.constraints.able, env);
  return Object.assign(made, { stage: late.length ? 2 : 3, failures: late, narrow: late.length ? [] : failures(rules.standard, env), month: env.month, rate: env.able.rate, speed: env.speed });
}

// A card that is held below its power limit.
const slowedBy = (times, able) => (times === 1 ? able : { ...able, rate: able.rate && able.rate * times, low: able.low && able.low * times, high: able.high && able.high * times, first_s: able.first_s && able.first_s / times, read_s: able.read_s && able.read_s / times });

function workOut(facts, env) {
  for (const [name, value] of facts) env[name] = value(env);
}

// What cannot be told is not met. The sentence is worked out when somebody reads it.
function failures(checks, env) {
  const found = [];
  for (const check of checks) if (!check.holds(env)) found.push(failure(check, env));
  return found;
}

const failure = (check, env) => ({
  name: check.name, get gap() { return check.gap(env) ?? 1; }, get text() { return check.says(env); },
});

// Memory and speed of so many cards for a workload, worked out once.
function ableOf(shelf, card, n, need) {
  const key = [need.task, need.model, need.quant, need.context, need.batch, need.kv_bits, need.optimizer, need.engine, need.first_token_s !== null, need.requests_per_s !== null && need.answer_tokens].join("|");
  if (!shelf.able.has(key)) {
    if (shelf.able.size > 40) shelf.able.clear();
    shelf.able.set(key, new Map());
  }
  const known = shelf.able.get(key), own = `${card.id} ${n}`;
  if (!known.has(own)) known.set(own, worked(shelf, card, n, need));
  return known.get(own);
}

function worked({ on }, card, n, need) {
  const { needed_gib: needed, usable_gib: usable, room_gib: room, indivisible_gib: indivisible, rate, ...rest } = readable(ability(on, card.estimated, n, Object.assign(new Need(), need)));
  return { ...rest, needed, usable, room, indivisible, rate: rate ? rate.median : null, low: rate ? rate.p10 : null, high: rate ? rate.p90 : null };
}

const readable = (able) => ({ ...able, room_gib: able.room_gib });

// ---------------------------------------------------------------- the curve and the choices: pipeline/advise/choose/answer.py

const byKey = (a, b) => byText(a.gpu, b.gpu) || a.count - b.count || byText(a.way, b.way);
const byCost = (a, b) => a.month - b.month || b.rate - a.rate || byKey(a, b);
const log = (value) => Math.log(Math.max(value, 0.01));

function oneOfEach(order) {
  const seen = new Map();
  for (const o of order) if (!seen.has(`${o.gpu} ${o.way}`)) seen.set(`${o.gpu} ${o.way}`, o);
  return [...seen.values()];
}

function within(shelf, pool, need) {
  if (!pool.length || need.budget_usd !== null || need.budget_per_month_usd !== null) return pool;
  const most = Math.min(...pool.map((o) => o.month)) * shelf.constants.without_budget;
  return pool.filter((o) => o.month <= most);
}

// Asked of hundreds of options: the facts are lent the other one, for a copy of them all takes longer than the answer.
function beside(rule, o, other) {
  o.env.other = comparedOf(other);
  return Boolean(rule(o.env));
}
const comparedOf = ({ month, speed, vendor, way, env: { able: { rate, low, high, room }, price } }) => ({ rate, low, high, room, vendor, way, kind: price?.kind ?? "", month, speed });

// The steps worth taking from an option, else from the cheapest: each clearly faster than the step before it.
function frontier({ rules }, pool, start = null) {
  const order = [...pool].sort(byCost), found = [start ?? order[0]];
  for (const o of order) if (o.month >= found[0].month && beside(rules.step, o, found.at(-1))) found.push(o);
  return found;
}

// Whoever owns a card that does it buys no other; of what costs nearly the same, the clearly faster one is taken.
function leastOf({ rules, constants }, reach) {
  const own = reach.filter(isOwned), [first] = (own.length ? own : [...reach]).sort(byCost);
  const faster = own.length ? [] : reach.filter((o) => o !== first && o.month <= first.month * (1 + constants.same_money) && beside(rules.leads, o, first));
  return faster.sort((a, b) => b.speed - a.speed || byCost(a, b))[0] ?? first;
}

function knee(curve) {
  const first = curve[0], last = curve.at(-1), wide = log(last.month) - log(first.month), tall = log(last.speed) - log(first.speed);
  if (!wide || !tall) return last;
  const above = (o) => Number(((log(o.speed) - log(first.speed)) / tall - (log(o.month) - log(first.month)) / wide).toFixed(9));
  return curve.reduce((best, o) => (above(o) > above(best) ? o : best));
}

function choicesOf(shelf, judged, pool, reach, curve) {
  const best = knee(curve), [start] = curve, [cheapest] = [...reach].sort(byCost);
  const taken = { least: start, value: best, most: curve.at(-1) };
  const far = (o) => Math.abs(log(o.month) - log(best.month));
  const ordered = { least: [...pool].sort(byCost), value: [...curve].sort((a, b) => far(a) - far(b)), most: [...reach].sort((a, b) => b.speed - a.speed || byCost(a, b)) };
  const chosen = new Set(Object.values(taken).map((o) => o.gpu)), seen = new Map();
  return Object.keys(shelf.rules.choices).map((id) => {
    const o = taken[id], same = seen.get(o) ?? "";
    if (!same) seen.set(o, id);
    const alternatives = oneOfEach(ordered[id]).filter((other) => !chosen.has(other.gpu)).slice(0, shelf.shown.alternatives);
    return { id, option: o, same_as: same, cheapest: id === "least" && cheapest.month < o.month && !isOwned(o) ? cheapest : null, binds: id === "least" && !isOwned(o) ? bindsOf(shelf, judged, o) : null, turns: id === "least" ? turnsOf(shelf, o, pool) : null, alternatives };
  });
}

// What costs far less than the first choice: short of one point, or with a small change of the question.
function asidesOf(shelf, need, meeting, [first]) {
  if (!first || isOwned(first.option)) return [];
  const most = first.option.month * shelf.constants.far_cheaper, found = [];
  const near = meeting.filter((o) => o.narrow.length === 1 && o.month <= most && !isOwned(o));
  if (!first.option.narrow.length && near.length) found.push({ change: "", option: knee(frontier(shelf, near)) });
  for (const [row, values] of changesOf(shelf, need, shelf.rules.eased)) {
    const only = { owned: Object.keys(need.own), same: [first.option.gpu] }[row.only] ?? null;
    const judged = optionsOf(shelf, checked(shelf, { ...need, ...values }), only).filter((o) => o.stage === 3 && !o.narrow.length && o.month <= most);
    if (judged.length) found.push({ change: sentence(row.says)({ ...about(shelf, need), best: leastOf(shelf, judged).env }), option: leastOf(shelf, judged) });
  }
  return found;
}

// Cards of several kinds under llama.cpp: each holds a share as large as its memory, and waits for the others.
function togetherOf(shelf, need) {
  const own = Object.entries(need.own).map(([gpu, number]) => [shelf.cards.find(({ id }) => id === gpu), Math.trunc(number)]);
  if (own.length < 2 || need.engine !== "llama.cpp") return null;
  const all = own.reduce((sum, [, number]) => sum + number, 0), held = own.map(([card, number]) => [number, ableOf(shelf, card, 1, need)]).filter(([, one]) => one.usable && one.rate);
  if (held.length < own.length) return null;
  const usable = held.reduce((sum, [number, one]) => sum + number * one.usable, 0), needed = Math.max(...own.map(([card]) => ableOf(shelf, card, all, need).needed));
  const speed = (part) => 1 / held.reduce((sum, [number, one]) => sum + (number * one.usable) / usable / one[part], 0);
  const names = own.map(([card, number]) => `${number} × ${card.label}`).join(" and ");
  return { rate: speed("rate"), low: speed("low"), high: speed("high"), usable, room: usable - needed, names, people: need.task === "serve" ? need.batch : 1 };
}

const isOwned = (o) => o.way === "buy" && o.env.bought === 0;

function ownedOf(meeting, choices) {
  const [best] = meeting.filter(isOwned).sort((a, b) => a.narrow.length - b.narrow.length || b.rate - a.rate || byCost(a, b));
  return best && !choices.some(({ option }) => option === best) ? best : null;
}

function bindsOf(shelf, judged, first) {
  const { near, close } = shelf.constants, missed = judged.filter((o) => o.stage >= 2 && o.failures.length + o.narrow.length === 1 && (o.month ?? null) !== null && o.month < first.month * (1 - near) && o.gpu !== first.gpu);
  const order = missed.map((o) => [[...o.failures, ...o.narrow][0], o]).map(([one, o]) => [one.gap, one, o]).filter(([gap]) => gap <= close);
  order.sort(([a, , x], [b, , y]) => a - b || x.month - y.month || byKey(x, y));
  const found = order.find(([, , o]) => o.narrow.length || wellOtherwise(shelf, o));
  return found ? [found[2], found[1]] : null;
}

// Whether what misses one constraint by little would do the task well but for that; only this is worth a word.
function wellOtherwise({ rules, constants }, o) {
  const [missed] = o.failures;
  return o.failures.length === 1 && missed.gap <= constants.close && o.stage >= 2 && failures(rules.standard, o.env).every(({ name }) => name === missed.name);
}

function turnsOf({ rules, constants }, first, pool) {
  const { price, slope } = first.env, near = 1 + constants.same_money;
  if (!price || !slope) return null;
  const overtakes = (o) => o.month * (beside(rules.leads, first, o) ? near : beside(rules.leads, o, first) ? 1 / near : 1);
  const others = pool.filter((o) => o.gpu !== first.gpu || o.way !== first.way).map((o) => [overtakes(o), o]).filter(([month]) => month >= first.month);
  const [next] = others.sort(([a, x], [b, y]) => a - b || byCost(x, y));
  return next ? [price.usd + (next[0] - first.month) / slope, next[1]] : null;
}

function lostOf(judged) {
  const meeting = new Set(judged.filter((o) => !o.failures.length).map((o) => `${o.gpu} ${o.way}`));
  const failing = judged.filter((o) => !meeting.has(`${o.gpu} ${o.way}`)).map((o) => [o, Math.max(...o.failures.map((one) => one.gap))]);
  failing.sort(([a, x], [b, y]) => b.stage - a.stage || a.failures.length - b.failures.length || x - y || byKey(a, b));
  return oneOfEach(failing.map(([o]) => o));
}

function changesOf(shelf, need, rows) {
  const env = about(shelf, need), changed = rows.filter((row) => formula(row.when)(env));
  const each = changed.flatMap((row) => (row.each ? env[row.each] : [null]).map((one) => ({ ...row, one })));
  return each.map((row) => [row, Object.fromEntries(Object.entries(row.set).map(([name, data]) => [name, formula(data)({ ...env, one: row.one })]))]);
}

function waysOut(shelf, need) {
  const found = [];
  for (const [row, values] of changesOf(shelf, need, shelf.rules.ways_out)) {
    if (found.length >= (row.all ? 2 : shelf.rules.most_ways_out)) break;
    if (found.some(({ says }) => says === row.says)) continue; // of the values of one row the first that brings an answer is enough
    try {
      const other = checked(shelf, { ...need, ...values, ...("task" in values ? { quant: null } : {}) });
      const best = optionsOf(shelf, other).filter((o) => !o.failures.length).sort((a, b) => (row.fastest ? b.rate - a.rate : a.narrow.length - b.narrow.length) || byCost(a, b))[0];
      if (best) found.push({ says: row.says, change: sentence(row.says)({ ...about(shelf, need), one: row.one, best: best.env }), option: best });
    } catch (error) {
      if (!(error instanceof NeedError)) throw error;
    }
  }
  return found;
}

// ---------------------------------------------------------------- the answer in the words of the rules: presenter.py

/** The answer as the page shows it; "" is unknown or not asked. */
export function view(shelf, answer) {
  const { rules } = shelf, { need, choices, meeting, pool } = answer, told = (name, env) => sentence(rules.shows[name])(env);
  return {
    choices: choices.map((choice) => choiceView(shelf, choice, pool.length, !choices[0].option.narrow.length)),
    owned: answer.owned ? ownedView(shelf, answer.owned) : "",
    asides: [
      ...(answer.together ? [{ words: told("together", { ...about(shelf, need), ...answer.together }) }] : []),
      ...answer.asides.map(({ change, option: o }) => ({ words: told(change ? "eased" : "cheaper", { line: lineOf(shelf, o), narrow: o.narrow.map((one) => one.text).join("; "), change }) })),
    ],
    only_narrow: choices.length && choices[0].option.narrow.length ? rules.only_narrow : "",
    nothing: choices.length ? "" : nothingView(shelf, answer, told),
    meeting: told("meeting", { n: meeting.length, well: meeting.filter((o) => !o.narrow.length).length }),
    chart: choices.length ? picture(shelf, answer) : null,
    chart_words: told("chart", { n: pool.length }),
    sign: shelf.markets[need.market].sign, speed_unit: rules.tasks[need.task].unit,
    ranked: answer.ranked.slice(0, shelf.shown.ranked).map((o) => ({ ...namedOf(o), ...optionWords(shelf, o), narrow: o.narrow.map((one) => one.text).join("; ") })),
    ways_out: answer.ways_out.map((way) => ({ change: way.change, words: lineOf(shelf, way.option) })),
    assumptions: saying(rules.assumptions, { ...about(shelf, need), kept: shelf.kept, kept_words: shelf.kept_words }),
    command: [shelf.command, ...Object.entries(asWords(shelf, need)).map(([name, text]) => shellWord(`${name}=${text}`))].join(" "),
    lost_count: answer.lost.length,
  };
}

/** Why each other GPU does not meet the need. */
export const lostView = (answer) => answer.lost.map((o) => ({ ...namedOf(o), reason: o.failures[0].text }));

const namedOf = (o) => ({ gpu: o.gpu, vendor: o.vendor, name: o.env.name, card: o.card.name, way: o.way, count: o.count });
const optionWords = ({ rules }, o) => Object.fromEntries(Object.entries(rules.option).map(([name, data]) => [name, sentence(data)(o.env)]));
const lineOf = (shelf, o) => sentence(shelf.rules.shows.line)(withMore(o.env, optionWords(shelf, o)));
const saying = (rows, env) => rows.filter((row) => formula(row.when)(env)).map((row) => sentence(row.says)(env));

function ownedView(shelf, o) {
  return sentence(shelf.rules.shows.owned)({ well: !o.narrow.length, line: lineOf(shelf, o), narrow: o.narrow.map((one) => one.text).join("; ") });
}

function nothingView(shelf, { need, lost }, told) {
  const near = lost.find((o) => wellOtherwise(shelf, o));
  const offered = lost.some(({ way }) => way === "rent"), nearest = near ? { best: near.env.name, way: near.way, failure: near.failures[0].text } : { best: null };
  return told("nothing", { need, offered, ...nearest });
}

function choiceView(shelf, { id, option: o, same_as: same, cheapest, binds, turns, alternatives }, n, well) {
  const { rules } = shelf, env = withMore(o.env, { n, well, cheapest: cheapest ? { name: cheapest.env.name, month: cheapest.month } : null }), title = (one) => sentence(rules.choices[one].title)(env), compared = comparedOf(o);
  const givesUp = (other) => saying(rules.gives_up, withMore(other.env, { other: compared })).join("; ") || rules.nothing_given_up;
  return {
    id, title: title(id), ...namedOf(o), ...optionWords(shelf, o), why: sentence(rules.choices[id].why)(env),
    same: same ? sentence(rules.same)({ title: title(same) }) : "",
    narrow: o.narrow.map((one) => one.text).join("; "), remarks: saying(rules.remarks, o.env).join("; "),
    binds: binds ? sentence(rules.shows.binds)(withMore(binds[0].env, { best: binds[0].env.name, failure: binds[1].text })) : "",
    turns: turns ? sentence(rules.shows.flips)(withMore(o.env, { at: turns[0], then: turns[1].env.name })) : "",
    url: o.env.price?.url ?? "",
    alternatives: alternatives.map((other) => ({ ...namedOf(other), words: lineOf(shelf, other), gives_up: givesUp(other) })),
  };
}

function asWords(shelf, need) {
  const written = (value) => (value && typeof value === "object" ? Object.entries(value).map(([gpu, usd]) => `${gpu}=${usd}`).join(",") : value === true ? "yes" : value === false ? "no" : String(value));
  return Object.fromEntries(Object.keys(shelf.rules.fields).filter((name) => name === "task" || written(need[name]) !== written(shelf.need[name])).map((name) => [name, written(need[name])]));
}

const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

// The picture of pipeline/advise/choose/picture.py: the same points, line, marks and ticks.
function picture(shelf, { need, pool, frontier: curve, choices }) {
  const [width, height, left, right, top, bottom] = shelf.picture, { sign } = shelf.markets[need.market];
  const across = pool.map((o) => o.month), up = pool.map((o) => o.rate);
  const scale = (values, start, end) => {
    const low = log(Math.min(...values)), wide = log(Math.max(...values)) - low;
    return (value) => (start + (end - start) * (0.04 + 0.92 * (wide ? (log(value) - low) / wide : 0.5))).toFixed(1);
  };
  const x = scale(across, left, width - right), y = scale(up, height - bottom, top);
  const marks = choices.map(({ id, option: o }, i) => ({ id, x: x(o.month), y: y(o.rate), label: String(i + 1), shift: (Number(y(o.rate)) + 3.5).toFixed(1) }));
  return {
    points: pool.map((o) => `M${x(o.month)} ${y(o.rate)}h0`).join(""), line: `M${curve.map((o) => `${x(o.month)} ${y(o.rate)}`).join("L")}`,
    marks: marks.filter((_, i) => !choices[i].same_as),
    across: ticks(across, ...shelf.ticks).map((value) => ({ at: x(value), text: `${sign}${plainNumber(value)}` })), up: ticks(up, ...shelf.ticks).map((value) => ({ at: y(value), text: plainNumber(value) })),
    across_words: `cost a month, ${sign}`, up_words: shelf.rules.tasks[need.task].unit,
  };
}

const plainNumber = (value) => (value >= 1 ? fixed(value) : String(value));

function ticks(values, [steps, ...fewer], most) {
  const low = Math.max(Math.min(...values), 0.01), high = Math.max(...values), found = [];
  for (let power = -2; power < 10; power += 1) for (const step of steps) {
    const value = power >= 0 ? step * 10 ** power : step / 10 ** -power;
    if (low <= value && value <= high) found.push(value);
  }
  return found.length <= most || !fewer.length ? found : ticks(values, fewer, most);
}
