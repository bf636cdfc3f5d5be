// What a person needs in, a ranked answer with its reasons out: pipeline/choose once more, on top of estimate.js.
// Prices, limits and words are data from Python (pipeline/choose/browser.py); tests/test_choose_js.py holds both equal.
// Names of fields are those of Python; reasons are functions, because only few of them are ever read. No DOM.

import { checked as checkedRequest, EstimateError, memoryWarnings, writingOf } from "./estimate.js";
import { fixed, general, gib, grouped, hours, money, percent, significant } from "./choose-format.js";
import { checked } from "./choose-need.js";
import { trained } from "./training.js";

const HOUR = 3600, WORKLOADS_KEPT = 40;
export const SOFT = ["budget", "monthly budget"];

/** Answer a need; NeedError in one sentence when it cannot be. */
export function choose(known, wish) {
  const need = checked(wish, known), shelf = pricedIn(known, need.money);
  const judged = options(shelf, need);
  const order = ranked(judged.hopeful);
  const first = order[0] ?? null, best = bestCounts(order);
  let reasons, ways;
  return {
    need, first, ranked: best,
    rule: shelf.data.tasks[need.task],
    binding: binding(judged, first),
    alternatives: alternatives(shelf, judged, best, need),
    flip: flip(shelf, need, judged, order),
    workload: workload(shelf, need, order),
    unpriced: unpriced(shelf, judged.hopeful, first, need),
    lost_count: judged.offers.length - (first ? 1 : 0),
    // Hundreds of reasons, sorted only for whoever opens the list.
    get lost() {
      return (reasons ??= lost(shelf, judged, best, need));
    },
    nearest: first ? [] : nearest(shelf, judged),
    // Ten more questions: asked after the answer stands.
    get ways_out() {
      return (ways ??= first ? [] : waysOut(shelf, need, judged.hopeful).slice(0, shelf.constants.ways_out));
    },
    offload: first ? "" : offload(shelf, judged.hopeful, need),
  };
}

// ---------------------------------------------------------------- the shelf: everything prepared once

/** The two files of the site in, everything that an answer needs out. */
export function prepare(estimator, data) {
  const rows = new Map(data.cards.map((row) => [row[0], named(data.columns.cards, row)]));
  const cards = estimator.cards.map((card) => ({
    link_gb_s: null, pcie_gen: null, memory_gb: null, architecture: "", ...card, ...rows.get(card.id),
    peaks: Object.hasOwn(data.rates16, card.id) ? { ...card.peaks, [data.inferred_peak]: data.rates16[card.id] } : card.peaks,
  }));
  const quotes = (known) => Object.fromEntries(Object.entries(known ?? {}).map(([used, row]) => [used, named(data.columns.buy, row)]));
  return {
    data, cards, models: estimator.models, coefficients: estimator.coefficients, points: estimator.points,
    tables: estimator.coefficients.tables, constants: data.constants,
    trainingWords: data.constants,
    buys: new Map(cards.map((card) => [card.id, quotes(data.buy[card.id])])),
    rents: new Map(Object.entries(data.rent).map(([gpu, row]) => [gpu, { kind: "on_demand", firm: true, url: "", ...named(data.columns.rent, row) }])),
    images: { ...data.cnn, rates: new Map(data.cnn.measured.map((row) => [`${row[0]} ${row[1]}`, named(data.columns.cnn, row)])) },
    byId: new Map(cards.map((card) => [card.id, card])),
    modelById: new Map(estimator.models.map((model) => [model.id, model])),
    workloads: new Map(), others: new Map(),
  };
}

/** The same shelf with every price in units of a currency. */
export function pricedIn(shelf, currency) {
  if (currency.usd === 1) return shelf;
  if (!shelf.others.has(currency)) shelf.others.set(currency, converted(shelf, currency.usd));
  return shelf.others.get(currency);
}

function converted(shelf, rate) {
  const one = (quote) => ({ ...quote, usd: quote.usd / rate }), each = (values, make) => values.map(([name, value]) => [name, make(value)]);
  const quotes = (known) => Object.fromEntries(each(Object.entries(known), one));
  const hosts = Object.fromEntries(each(Object.entries(shelf.constants.host_usd), (value) => value / rate));
  return {
    ...shelf, constants: { ...shelf.constants, host_usd: hosts },
    buys: new Map(each([...shelf.buys], quotes)), rents: new Map(each([...shelf.rents], one)),
  };
}

const named = (columns, row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]));

// What a workload needs is worked out once: {abilities by card and count, requests by count, model}.
function workloadOf(shelf, need) {
  const name = [need.task, need.model, need.quant, need.context, need.batch, need.kv_bits].join("|");
  let known = shelf.workloads.get(name);
  if (!known) {
    if (shelf.workloads.size >= WORKLOADS_KEPT) shelf.workloads.clear();
    known = { need, model: shelf.modelById.get(need.model), rule: shelf.data.tasks[need.task], abilities: new Map(shelf.constants.counts.map((count) => [count, new Map()])), requests: new Map() };
    shelf.workloads.set(name, known);
  }
  return known;
}

function ability(shelf, card, count, workload) {
  const known = workload.abilities.get(count);
  let found = known.get(card);
  if (!found) known.set(card, (found = worked(shelf, card, count, workload)));
  return found;
}

const able = (needed_gib, usable_gib, rate, measured, statement, problem = "", indivisible_gib = 0) => ({
  needed_gib, usable_gib, rate, measured, statement, problem, indivisible_gib,
  room_gib: usable_gib === null ? null : usable_gib - needed_gib,
});

function worked(shelf, card, count, workload) {
  const { task } = workload.need;
  if (task === "cnn") return convolutional(shelf, card, count);
  try {
    return (shelf.data.training.includes(task) ? training : answering)(shelf, card, count, workload);
  } catch (error) {
    if (!(error instanceof EstimateError)) throw error;
    return able(0, null, null, false, "", error.message);
  }
}

// The estimator's request for so many GPUs, the same object for every card.
function requestOf(workload, count, make) {
  if (!workload.requests.has(count)) workload.requests.set(count, make());
  return workload.requests.get(count);
}

function answering(shelf, card, count, workload) {
  const { need, model, rule: { engine } } = workload;
  const request = requestOf(workload, count, () => checkedRequest({
    quant: need.quant, engine, context: need.context, batch: need.batch, gpus: count, kv_bits: need.kv_bits,
    prompt_tokens: Math.min(512, Math.max(1, Math.floor(need.context / 2))),
  }, model, shelf.tables));
  const { memory, decode } = writingOf(card, model, request, shelf.coefficients, shelf.points);
  if (!decode.interval) return able(memory.total, memory.usable, null, false, "", lacking(card, memory, decode));
  const apart = need.batch > 1 && !shelf.data.serving_vendors.includes(card.vendor);
  const statement = apart ? `${decode.statement}; ${shelf.constants.no_serving.replace("{vendor}", card.vendor)}` : decode.statement;
  const layer = count > 1 && engine === "llama.cpp" ? memory.parts.weights / (model.layers || 1) : 0;
  return able(memory.total, memory.usable, decode.interval, decode.kind === "measured", statement, "", layer);
}

// The first warning of an estimate.
const lacking = (card, memory, decode) => [...memoryWarnings(card, memory), ...decode.warnings][0] ?? "no speed";

function training(shelf, card, count, { need, model }) {
  const { total, usable, rate, statement } = trained(card, model, count, need, shelf.coefficients, shelf.trainingWords);
  return able(total, usable, rate, false, statement);
}

function convolutional(shelf, card, count) {
  const { images } = shelf, usable = card.memory_gb ? card.memory_gb * 0.98 * count : null;
  const needed = count * (images.fixed_gib + images.images_at_a_time * images.gib_per_image);
  const found = imageRate(images, card, count);
  if (!found) return able(needed, usable, null, false, "", images.unknown_maker.replace("{vendor}", card.vendor));
  return able(needed, usable, found.interval, found.measured, found.statement);
}

function imageRate(images, card, count) {
  const scaled = (one, factor) => ({ median: one.median * factor, p10: one.p10 * factor, p90: one.p90 * factor });
  const found = images.rates.get(`${card.id} ${count}`), single = images.rates.get(`${card.id} 1`);
  if (found) return { interval: scaled(found, 1), measured: true, statement: found.statement };
  const factor = count * (images.scaling[count] ?? 1);
  if (single) return { interval: scaled(single, factor), measured: false, statement: `${count} times the measured rate of one, less the loss` };
  const plain = images.no_matrix.includes(card.architecture) || card.name.includes(images.no_matrix_name);
  const bandwidth = card.memory_bandwidth_gb_s, vector = card.peaks[images.vector];
  if (!images.vendors.includes(card.vendor) || plain || !bandwidth || !vector) return null;
  const [a, b, c] = images.exponents;
  const middle = Math.exp(a + b * Math.log(bandwidth) + c * Math.log(vector)) * factor;
  const [low, high] = images.spread.map((value) => middle * Math.exp(value));
  const statement = `estimated from bandwidth and FP32 rate by ${images.points} measured GPUs, each left out of its own fit`;
  return { interval: { median: middle, p10: Math.min(low, middle), p90: Math.max(high, middle) }, measured: false, statement };
}

// ---------------------------------------------------------------- costs: straight lines in the price of one GPU

const at = (line, price) => line.fixed + line.slope * price;
const priceFor = (line, cost) => (cost - line.fixed) / line.slope;
const straight = (fixed, slope) => ({ fixed, slope });

/** What the machine around bought GPUs costs. */
export const hostUsd = (shelf, count, need) => need.host_usd ?? shelf.constants.host_usd[count];

// The part of an option's costs that is known before its speed is: all of it but a run's electricity and rented hours.
function sure(shelf, way, count, need) {
  const { once } = shelf.data.tasks[need.task], spread = once ? 1 : need.horizon_months;
  if (way === "rent") return { paid: null, total: straight(0, count * (once ? shelf.constants.one_hour_billed : monthlyHours(need))) };
  const host = hostUsd(shelf, count, need), lost = 1 - need.resale_share;
  return { paid: straight(host, count), total: straight((host * lost) / spread, (count * lost) / spread) };
}

const monthlyHours = (need) => (need.hours_per_week * 52) / 12;

function cost(shelf, way, count, able, board, need, known) {
  const { once } = shelf.data.tasks[need.task], c = shelf.constants;
  const [run, span] = runHours(able, need);
  const used = once ? (run ?? 1) : monthlyHours(need);
  const power = board === null ? null : board * count;
  const energy = way === "rent" ? 0 : (((power || 0) + c.rest_of_machine_w) / 1000) * used * need.electricity_usd_per_kwh;
  let { paid, total } = known;
  if (way === "rent") {
    total = straight(0, count * (once ? Math.max(used, c.one_hour_billed) : used));
    paid = once ? total : straight(0, count * used * need.horizon_months);
  } else total = straight(total.fixed + energy, total.slope);
  const millions = able.rate ? (able.rate.median * used * HOUR) / 1e6 : null;
  const perMillion = able.rate && used > 0 ? straight(total.fixed / millions, total.slope / millions) : null;
  return { paid, total, per_million: perMillion, monthly: total, run_hours: run, run_hours_range: span, power_w: power, energy_usd: energy, used_hours: used };
}

function runHours(able, need) {
  if (need.units === null || !able.rate) return [null, null];
  const [middle, low, high] = [able.rate.median, able.rate.p90, able.rate.p10].map((rate) => need.units / rate / HOUR);
  return [middle, [low, high]];
}

// ---------------------------------------------------------------- options, judged

// Every offer; of those that no figure of the estimator will mend no option is made until somebody asks why it lost.
function options(shelf, need) {
  const offers = offersOf(shelf, need), hopeful = [];
  for (const offer of offers) if (!offer.hopeless) for (const option of offer.options) if (!option.hopeless) hopeful.push(option);
  return { offers, hopeful };
}

function offersOf(shelf, need) {
  const workload = workloadOf(shelf, need), found = [], ways = waysOf(need);
  for (const card of shelf.cards) for (const way of ways) {
    const quote = quoteOf(shelf, card, way, need);
    if (way === "buy" || quote) found.push(new Offer(shelf, workload, card, way, quote, need));
  }
  return found;
}

// The constraints of a list that an option fails; a number stands for a rule that its offer is judged by.
function failed(rules, option) {
  let found = NOTHING;
  for (const rule of rules) {
    const one = typeof rule === "number" ? option.offer.alike[rule] : rule(option);
    if (one) found === NOTHING ? (found = [one]) : found.push(one);
  }
  return found;
}

const NOTHING = Object.freeze([]);
const differ = (failures) => failures.length > 1 && failures.some((one) => one.name !== failures[0].name);
const countsOf = (shelf, need) => shelf.constants.counts.filter((count) => count <= need.max_gpus);
const waysOf = (need) => (need.prefer === "both" ? ["buy", "rent"] : [need.prefer]);

// The price that counts: the reader's own before any observation.
function quoteOf(shelf, card, way, need) {
  const typed = (way === "buy" ? need.own_prices : need.own_rents)[card.id];
  const known = (way === "buy" ? shelf.buys.get(card.id)[need.used] : shelf.rents.get(card.id)) ?? null;
  return typed === undefined ? known : { usd: typed, kind: "own", date: "", who: "you", firm: true, url: "", most_gpus: known?.most_gpus ?? null };
}

/** One GPU to buy or to rent, in whatever count: what no count changes is judged once. */
class Offer {
  constructor(shelf, workload, card, way, quote, need) {
    this.shelf = shelf;
    this.workload = workload;
    this.card = card;
    this.way = way;
    this.quote = quote;
    this.need = need;
    this.rule = workload.rule;
    this.alike = ALIKE[way].map((rule) => rule(this));
    this.failures = this.alike.some(Boolean) ? this.alike.filter(Boolean) : NOTHING;
    this.made = undefined;
  }

  // Two reasons that no figure of the estimator will mend.
  get hopeless() {
    return differ(this.failures);
  }

  get options() {
    return (this.made ??= countsOf(this.shelf, this.need).map((count) => new Option(this, count)));
  }
}

/** One GPU in one count to buy or to rent. Everything is worked out when it is asked for, and then kept. */
class Option {
  constructor(offer, count) {
    const { shelf, workload, card, way, quote, need } = offer;
    this.offer = offer;
    this.shelf = shelf;
    this.workload = workload;
    this.gpu = this.card = card;
    this.count = count;
    this.way = way;
    this.quote = quote;
    this.need = need;
    this.rule = workload.rule;
    this.board = card.power_w;
    this.price = quote ? quote.usd : Infinity;
    this.made = { early: undefined, ability: undefined, sure: undefined, cost: undefined, failures: undefined, names: undefined, gap: undefined, rank: undefined };
  }

  get early() {
    return (this.made.early ??= failed(EARLY[this.way], this));
  }

  // Nothing about such a one is asked but in the list of those that lost.
  get hopeless() {
    return differ(this.early);
  }

  get ability() {
    return (this.made.ability ??= ability(this.shelf, this.card, this.count, this.workload));
  }

  // What can be said of its costs without asking the estimator.
  get sure() {
    return (this.made.sure ??= sure(this.shelf, this.way, this.count, this.need));
  }

  get cost() {
    return (this.made.cost ??= cost(this.shelf, this.way, this.count, this.ability, this.board, this.need, this.sure));
  }

  get paid() {
    return this.sure.paid ?? this.cost.paid;
  }

  get power_w() {
    return this.board === null ? null : this.board * this.count;
  }

  get failures() {
    return (this.made.failures ??= failed(RULES[this.way], this));
  }

  get meets() {
    if (this.made.failures) return !this.made.failures.length;
    return !this.early.length && !QUICK[this.way].some((rule) => rule(this)) && Boolean((this.made.failures = NOTHING));
  }

  get names() {
    return (this.made.names ??= new Set(this.failures.map((one) => one.name)).size);
  }

  get gap() {
    return (this.made.gap ??= this.failures.reduce((most, one) => Math.max(most, one.gap), -Infinity));
  }

  get name() {
    return `${this.count === 1 ? "" : `${this.count} × `}${this.card.name}`;
  }

  get total_usd() {
    return this.quote ? at(this.cost.total, this.quote.usd) : null;
  }

  // What decides the order: first the one, at a tie the other.
  get rank() {
    return (this.made.rank ??= rankOf(this));
  }

  get caveats() {
    return this.meets ? caveats(this) : [];
  }
}

function rankOf(o) {
  const rate = rateOf(o), by = rankedBy(o.shelf, o.need);
  if (by === "cheapest_work") return [o.cost.per_million ? at(o.cost.per_million, o.price) : Infinity, -rate];
  const total = at(o.cost.total, o.price);
  return by === "fastest" ? [-rate, total] : [total, -rate];
}

const byCode = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const byKey = (a, b) => byCode(a.gpu.id, b.gpu.id) || a.count - b.count || byCode(a.way, b.way);
const byRank = (a, b) => byCode(a.rank[0], b.rank[0]) || byCode(a.rank[1], b.rank[1]) || byKey(a, b);
const least = (list, compare) => list.reduce((best, one) => (compare(one, best) < 0 ? one : best));
const ranked = (hopeful) => hopeful.filter((o) => o.meets).sort(byRank);
const rateOf = (o) => (o.ability.rate ? o.ability.rate.median : 0);
const rankedBy = (shelf, need) => need.objective ?? shelf.data.tasks[need.task].objective;

/** The unit of a rate that is asked for. */
export const unit = (need) => (need.task === "cnn" ? "images/s" : need.task === "serve" ? "tokens/s each" : "tokens/s");
/** Over what the total cost is counted. */
export const period = (rule) => (rule.once ? "for the run" : "a month");

const failure = (name, gap, text) => ({ name, gap, text });

function maker({ card, need }) {
  const cuda = card.vendor === "NVIDIA";
  if (need.runs_on === "cuda" && !cuda) return failure("CUDA", 1, () => `${card.vendor} runs no CUDA`);
  if (need.runs_on === "no-nvidia" && cuda) return failure("no NVIDIA", 1, () => "NVIDIA is ruled out");
  return null;
}

function software({ shelf, card, need, rule }) {
  const c = shelf.constants, last = card.last_software, no = (text) => failure("software", 1, () => text);
  if (need.current_software && last) return no(c.no_longer.some((word) => last.includes(word)) ? last : `support ended with ${last}`);
  if (rule.engine === "llama.cpp") {
    const runs = c.llama_vendors.includes(card.vendor) && !c.not_for_llama.some((line) => card.line.startsWith(line));
    return runs ? null : no("llama.cpp has no backend for it");
  }
  if (shelf.data.training.includes(need.task) && c.no_bf16.includes(card.architecture)) return no("its matrix units know no BF16, in which language models are trained");
  const words = c.pytorch_words[card.vendor] ?? [];
  const runs = words.some((word) => card.software.includes(word)) || (card.vendor === "NVIDIA" && !card.software);
  if (runs && !(rule.engine === "vllm" && card.vendor === "Intel")) return null;
  return no(`no source says that ${rule.engine === "vllm" ? "vLLM" : "PyTorch"} runs on it`);
}

function priced({ card, quote, need }) {
  if (!quote) {
    const kind = { only: "used price", no: "price of a new one", allowed: "price to buy" }[need.used];
    return failure("price", 1, () => `${card.status === "announced" ? "announced, and no" : "no"} ${kind} was seen; type yours`);
  }
  if (quote.firm) return null;
  const start = quote.kind === "launch" ? "launch price only" : "newest price is old";
  return failure("price", 1, () => `${start} (${grouped(quote.usd)} ${need.money.word}, ${quote.date}); type yours`);
}

function offered({ count, quote }) {
  const most = quote ? quote.most_gpus : null;
  if (most === null || count <= most) return null;
  return failure("offer", count / most - 1, () => `no machine with ${count} was seen for rent, at most ${most === 1 ? "one" : most}`);
}

function form({ shelf, card }) {
  return shelf.constants.to_buy.includes(card.form) ? null : failure("form", 1, () => `comes as ${card.form}, not as a card or a whole machine`);
}

function company({ shelf, card, count }) {
  if (count === 1 || !shelf.constants.to_buy.includes(card.form)) return null;
  if (card.form === "SoC") return failure("form", 1, () => "is a whole machine; several do not share one model here");
  const most = shelf.constants.most_gaming_cards;
  if (card.segment === "consumer" && count > most) return failure("form", count / most - 1, () => `${count} gaming cards do not go into one machine`);
  return null;
}

const airless = (card, need) => !need.rack && (card.cooling === "passive" || (card.segment === "datacenter" && !card.cooling));

function air({ card, need }) {
  return airless(card, need) ? failure("cooling", 1, () => "has no fan of its own and needs a server's air flow") : null;
}

function quiet({ shelf, card, count, need, board }) {
  if (!need.quiet || airless(card, need)) return null;
  const { quiet_w: most, quiet_cards: cards } = shelf.constants;
  if (count > cards) return failure("quiet", 1, () => `${count} cards side by side are not quiet`);
  if ((board || 0) > most) return failure("quiet", board / most - 1, () => `${fixed(board, 0)} W, ${fixed(most, 0)} W are taken as the most that stays quiet`);
  return null;
}

function leastMemory({ card, need }) {
  const has = card.memory_gb, asked = need.min_memory_gb;
  if (asked === null || (has !== null && has >= asked)) return null;
  return failure("memory asked", has ? asked / has - 1 : 1, () => `${has === null ? "unknown" : `${general(has)} GB`} of memory, ${general(asked)} GB are asked`);
}

function fits({ ability: can }) {
  if (can.needed_gib === 0 && can.problem) return failure("speed", 1, () => can.problem);
  if (can.room_gib === null) return failure("memory", 1, () => "its memory is not known");
  const missing = can.indivisible_gib - can.room_gib;
  if (missing <= 0) return null;
  const words = () => (can.room_gib < 0 ? `${gib(-can.room_gib)} of memory too little` : `${gib(missing)} too little to share whole layers out`);
  return failure("memory", missing / Math.max(can.usable_gib || 0, 0.1), words);
}

function speed(option) {
  const { ability: can, need } = option;
  if (!can.rate) return can.needed_gib ? failure("speed", 1, () => can.problem) : null;
  const each = can.rate.median / (need.task === "serve" ? need.batch : 1);
  if (need.least_rate !== null && each < need.least_rate) return failure("speed", need.least_rate / each - 1, () => `${significant(each, 3)} ${unit(need)}, ${general(need.least_rate)} are asked`);
  const run = need.deadline_hours === null ? null : option.cost.run_hours;
  if (run === null || run <= need.deadline_hours) return null;
  return failure("time", run / need.deadline_hours - 1, () => `a run takes ${hours(run)}, ${hours(need.deadline_hours)} are given`);
}

function power({ shelf, power_w: watts, need }) {
  const { max_power_w: most, psu_w: supply } = need;
  if (most === null && supply === null) return null;
  if (watts === null) return failure("power", 1, () => "its power is not known");
  if (most !== null && watts > most) return failure("power", watts / most - 1, () => `${fixed(watts, 0)} W, ${fixed(most, 0)} W are allowed`);
  const { rest_w: rest, psu_share: share } = shelf.constants;
  if (supply === null || watts + rest <= supply * share) return null;
  const left = Math.max(supply * share - rest, 1);
  return failure("power supply", watts / left - 1, () => `${fixed(watts, 0)} W, a ${fixed(supply, 0)} W supply leaves ${fixed(left, 0)} W`);
}

function size({ shelf, card, count, need, board }) {
  if (card.form !== "PCIe card") return null;
  const wide = (card.slots || ((board || 0) > shelf.constants.wide_w ? 3 : 2)) * count, long = card.length_mm;
  if (need.slots !== null && wide > need.slots) return failure("slots", wide / need.slots - 1, () => `takes ${general(wide)} slots, ${general(need.slots)} are there`);
  if (need.length_mm !== null && long !== null && long > need.length_mm) return failure("length", long / need.length_mm - 1, () => `${fixed(long, 0)} mm long, ${fixed(need.length_mm, 0)} mm are there`);
  return null;
}

function budget(option) {
  const { quote, need } = option;
  if (!quote || !quote.firm) return null;
  if (need.budget_usd !== null) {
    const over = overspent(option, "budget", need.budget_usd, option.paid);
    if (over) return over;
  }
  return need.budget_per_month_usd === null ? null : overspent(option, "monthly budget", need.budget_per_month_usd, option.cost.monthly);
}

function overspent({ shelf, count, way, quote, need }, name, most, line) {
  const amount = at(line, quote.usd);
  if (amount <= most) return null;
  const host = () => (way === "buy" && line.fixed ? ` with ${grouped(hostUsd(shelf, count, need))} for the machine` : "");
  return failure(name, amount / most - 1, () => `${money(amount - most, need)} over the ${name} (${money(amount, need)}${host()})`);
}

// What no count changes: an offer is judged by it once, and a number below stands for a rule's place here.
const ALIKE = {
  buy: [maker, software, priced, form, air, leastMemory],
  rent: [maker, software, leastMemory],
};
// In the order of pipeline/choose/judge.py, whose rule of the heat is two here, and so is that of the form.
const RULES = {
  buy: [0, 1, 2, 3, company, 4, quiet, 5, fits, speed, power, size, budget],
  rent: [0, 1, offered, 2, fits, speed, budget],
};
// Those that need no estimate, and the rest.
const LATE = { buy: [fits, speed, power, budget], rent: [fits, speed, budget] };
// The same with the cheap questions first, for whoever asks only whether one fails.
const QUICK = { buy: [power, budget, fits, speed], rent: [budget, fits, speed] };
const EARLY = Object.fromEntries(Object.entries(RULES).map(([way, rules]) => [way, rules.filter((rule) => !LATE[way].includes(rule))]));

function caveats({ shelf, card, count, way, ability: can, cost: costs, need }) {
  const found = [], span = costs.run_hours_range, room = can.room_gib;
  if (room !== null && can.usable_gib && room < 0.05 * can.usable_gib) found.push(`only ${fixed(room, 1)} GiB to spare`);
  if (span && need.deadline_hours !== null && span[1] > need.deadline_hours) found.push(`at the slow end a run takes ${hours(span[1])}`);
  if (can.rate && need.least_rate !== null) {
    const slow = can.rate.p10 / (need.task === "serve" ? need.batch : 1);
    if (slow < need.least_rate) found.push(`at the slow end ${significant(slow, 3)} ${unit(need)}`);
  }
  if (way !== "buy") return found;
  if (need.quiet) found.push(shelf.constants.quiet_words);
  if (need.length_mm !== null && card.length_mm === null) found.push("no source states its length: measure before you buy");
  if (card.supply_w !== null && (need.psu_w === null ? count === 1 : card.supply_w > need.psu_w)) found.push(`the maker recommends a ${fixed(card.supply_w, 0)} W power supply`);
  if (card.segment === "consumer" && count >= 4) found.push("four and more of these need an open frame, risers and more than one circuit");
  return found;
}

// ---------------------------------------------------------------- the answer

// The first of each GPU and way.
function bestCounts(order) {
  const seen = new Map();
  for (const o of order) if (!seen.has(`${o.gpu.id} ${o.way}`)) seen.set(`${o.gpu.id} ${o.way}`, o);
  return [...seen.values()];
}

const mayRank = (o) => Boolean(o.quote && o.quote.firm);
const hasPrice = (o) => mayRank(o) && Boolean(o.ability.rate);

// Whether it costs more than the first choice however fast it is, where the cheapest is asked for.
const surelyDearer = (o, first) => first !== null && rankedBy(o.shelf, o.need) === "cheapest" && at(o.sure.total, o.price) > first.rank[0];

// The constraint that keeps the best excluded option out; else the one that most options fail.
function binding({ offers, hopeful }, first) {
  // Cheap questions first: what an option fails besides is asked of few.
  const better = hopeful.filter((o) => mayRank(o) && !surelyDearer(o, first) && o.ability.rate && (!first || byRank(o, first) < 0) && o.names === 1);
  if (better.length) {
    const { name } = least(better, byRank).failures[0];
    const out = least(better.filter((o) => o.failures[0].name === name), (a, b) => a.failures[0].gap - b.failures[0].gap || byKey(a, b));
    return { name, text: `${name} decides: ${out.name} to ${out.way} would be first, but ${out.failures[0].text()}` };
  }
  const counted = new Map(), add = (name, count) => name && name !== "price" && counted.set(name, (counted.get(name) ?? 0) + count);
  let all = 0;
  for (const offer of offers) {
    const known = alwaysFirst(offer), count = known ? countsOf(offer.shelf, offer.need).length : offer.options.length;
    all += count;
    if (known) add(known, count);
    else for (const o of offer.options) add(firstFailed(o), 1);
  }
  if (!counted.size) return { name: "price", text: "price decides: every option with a price meets the need" };
  const [name, count] = least([...counted], (a, b) => b[1] - a[1] || byCode(a[0], b[0]));
  return { name, text: `${name} rules out most: ${count} of ${all} options${first ? ", none of which would be first" : ""}` };
}

// The first constraint that an offer fails in any count: no rule that looks at the count comes before these.
const alwaysFirst = ({ alike: [maker, software, third], way }) => (maker ?? software ?? (way === "buy" ? third : null))?.name;

// Of the early rules only the size comes after those that need an estimate.
function firstFailed(o) {
  const early = o.early[0]?.name;
  return early && !["slots", "length"].includes(early) ? early : o.meets ? null : o.failures[0].name;
}

// Three that differ in kind first, then the next in order, then those that miss by the least.
function alternatives(shelf, judged, best, need) {
  const first = best[0] ?? null, found = [];
  const taken = new Set(first ? [`${first.gpu.id} ${first.way}`] : []);
  const take = (candidates) => {
    for (const [why, o] of candidates) {
      if (found.length >= shelf.constants.alternatives || taken.has(`${o.gpu.id} ${o.way}`)) continue;
      taken.add(`${o.gpu.id} ${o.way}`);
      const soft = o.failures.every((one) => SOFT.includes(one.name));
      found.push({ option: o, why, gives_up: givesUp(shelf, first, o, need), wins_below: soft ? winsAt(shelf, o, first, need) : null });
    }
  };
  take([...(first ? byKind(shelf, first, best, need) : []), ...best.slice(1).map((o) => ["next in order", o])]);
  for (const misses of [oneMiss, nearMisses]) {
    if (found.length < shelf.constants.alternatives) take(misses(judged).map((o) => ["a near miss", o]));
  }
  return found;
}

const kindOf = (o) => (o.quote ? o.quote.kind : "");

// The best of each kind that differs from the first choice, in order of the objective.
function byKind(shelf, first, best, need) {
  const { faster, roomier_gib: roomier } = shelf.constants, rate = rateOf(first), room = first.ability.room_gib || 0;
  const kinds = [
    [`to ${first.way === "buy" ? "rent" : "buy"}`, (o) => o.way !== first.way],
    ["faster", (o) => o.way === first.way && rateOf(o) >= faster * rate],
    ["cheaper", (o) => rankedBy(shelf, need) === "fastest" && (o.total_usd || 0) <= 0.7 * (first.total_usd || 0)],
    ["more room", (o) => o.way === first.way && (o.ability.room_gib || 0) >= room + roomier],
    ["new, with a warranty", (o) => kindOf(first) === "used" && kindOf(o) === "retail"],
    ["another maker", (o) => o.gpu.vendor !== first.gpu.vendor],
  ];
  const rest = best.slice(1);
  return kinds.map(([why, rule]) => [why, rest.find(rule)]).filter(([, o]) => o);
}

// Options with a price that fail the fewest constraints by the least, one of each GPU and way.
const nearMisses = ({ offers }) => closest(offers.flatMap((offer) => offer.options).filter((o) => !o.meets && hasPrice(o)));
// The first of them: those that fail one constraint. Of whatever fails two nothing is worked out before it is needed.
const oneMiss = ({ hopeful }) => closest(hopeful.filter((o) => !o.meets && hasPrice(o) && o.names === 1));
const closest = (failing) => bestCounts(failing.sort((a, b) => a.names - b.names || a.gap - b.gap || byRank(a, b)));

function nearest(shelf, judged) {
  const most = shelf.constants.alternatives, near = oneMiss(judged);
  return (near.length < most ? nearMisses(judged) : near).slice(0, most);
}

// What one loses by taking it in place of the first choice.
function givesUp(shelf, first, o, need) {
  const parts = o.failures.map((one) => one.text());
  if (!first) return parts.join("; ");
  const more = (o.total_usd || 0) - (first.total_usd || 0);
  if (more > 0) parts.push(`${money(more, need)} more ${period(shelf.data.tasks[need.task])}`);
  const ratio = rateOf(first) ? rateOf(o) / rateOf(first) : 1;
  if (ratio < 0.97) parts.push(`speed: ${percent(ratio)} of the first choice's`);
  const room = (first.ability.room_gib || 0) - (o.ability.room_gib || 0);
  if (room >= 0.5) parts.push(`${fixed(room, 1)} GiB less to spare`);
  if (kindOf(o) === "used" && kindOf(first) === "retail") parts.push("the warranty of a new one");
  if (o.gpu.vendor !== "NVIDIA" && first.gpu.vendor === "NVIDIA") parts.push("CUDA");
  if (o.way === "rent" && first.way === "buy") parts.push("a card of your own");
  return parts.join("; ") || "nothing that this answer counts";
}

// Options that lack nothing but a price of today, dearest allowed first: [option, the price below which it is first].
function unpriced(shelf, hopeful, first, need) {
  const found = [];
  for (const o of hopeful) {
    if (mayRank(o) || !mightWin(shelf, o, first, need) || !onlyFails(o, ["price"]) || !o.ability.rate) continue;
    const below = winsAt(shelf, o, first, need);
    if (below !== null && thinkable(shelf, o, below)) found.push([o, below, unlikely(o, below)]);
  }
  found.sort(([a, , x], [b, , y]) => x - y || rateOf(b) - rateOf(a) || byKey(a, b));
  const seen = new Map();
  for (const [o, below] of found) {
    const key = o.gpu.form === "SoC" ? o.gpu.vendor : o.gpu.id;
    if (!seen.has(key)) seen.set(key, [o, below]);
  }
  return [...seen.values()].slice(0, shelf.constants.unpriced);
}

// Whether a thinkable price would make it the cheapest, were it infinitely fast: few are left to be asked how fast.
function mightWin(shelf, o, first, need) {
  return !first || rankedBy(shelf, need) !== "cheapest" || thinkable(shelf, o, priceFor(o.sure.total, first.rank[0]));
}

function thinkable(shelf, o, below) {
  const cheapest = o.gpu.cheapest_usd;
  return below * o.need.money.usd >= (cheapest === null ? shelf.constants.thinkable_usd : shelf.constants.thinkable_share * cheapest);
}

function unlikely(o, below) {
  if (o.quote && o.quote.usd <= below) return 0;
  return o.gpu.form === "SoC" ? 1 : 2;
}

// One reason for each GPU and way that is not first: dearer or slower, or the first constraint it fails.
function lost(shelf, judged, best, need) {
  const first = best[0] ?? null, meeting = new Set(best.map((o) => `${o.gpu.id} ${o.way}`));
  const others = judged.offers.filter((offer) => !meeting.has(`${offer.card.id} ${offer.way}`));
  const failing = others.flatMap((offer) => offer.options);
  failing.sort((a, b) => a.names - b.names || a.gap - b.gap || byKey(a, b));
  return [
    ...best.slice(1).map((o) => ({ option: o, reason: () => givesUp(shelf, first, o, need) })),
    // What no price would mend is the better reason.
    ...bestCounts(failing).map((o) => ({ option: o, reason: () => (o.failures.find((one) => one.name !== "price") ?? o.failures[0]).text() })),
  ];
}

// ---------------------------------------------------------------- when it turns

// The highest price of one GPU at which an option stays within the budgets; null without any.
function ceiling(o, need) {
  const limits = [];
  if (need.budget_usd !== null) limits.push(priceFor(o.cost.paid, need.budget_usd));
  if (need.budget_per_month_usd !== null) limits.push(priceFor(o.cost.monthly, need.budget_per_month_usd));
  return limits.length ? Math.min(...limits) : null;
}

// The price below which an option that is fit for the need would be first; null where none would.
function winsAt(shelf, o, first, need) {
  const limit = ceiling(o, need), by = rankedBy(shelf, need);
  if (!first) return limit;
  if (by === "fastest") return rateOf(o) > rateOf(first) ? limit : null;
  const line = by === "cheapest_work" ? "per_million" : "total", mine = o.cost[line], best = first.cost[line];
  if (!mine || !best) return null;
  const equal = priceFor(mine, at(best, first.price)), below = limit === null ? equal : Math.min(equal, limit);
  return below > 0 ? below : null;
}

// The nearest price of the first choice at which another option becomes first; null where no price does.
function flip(shelf, need, judged, order) {
  if (!order.length) return appears(shelf, need, judged);
  const first = order[0], found = crossings(shelf, first, order, need).filter(([price]) => price >= first.price);
  if (!found.length) return null;
  const [threshold, why] = least(found, (a, b) => a[0] - b[0] || byCode(a[1](), b[1]()));
  const then = firstAt(shelf, need, order, first, threshold + shelf.constants.step_usd[first.way]);
  return { gpu: first.gpu.id, name: first.gpu.name, way: first.way, price_now: first.price, threshold, direction: "above", then: toWay(then), because: why() };
}

const toWay = (o) => (o ? `${o.name} to ${o.way}` : "");

function crossings(shelf, first, order, need) {
  const found = [], limit = ceiling(first, need), by = rankedBy(shelf, need);
  if (limit !== null) found.push([limit, () => "it leaves the budget"]);
  for (const other of order.slice(1)) {
    if (by === "fastest" && rateOf(other) < rateOf(first)) continue;
    const price = equalPrice(first, other, by === "cheapest_work" ? "per_million" : "total");
    if (price !== null) found.push([price, () => `${toWay(other)} costs the same`]);
  }
  return found;
}

// The price at which two options cost the same; options of one GPU move together.
function equalPrice(first, other, line) {
  const mine = first.cost[line], theirs = other.cost[line];
  if (!mine || !theirs) return null;
  if (other.gpu.id !== first.gpu.id || other.way !== first.way) return priceFor(mine, at(theirs, other.price));
  const slope = mine.slope - theirs.slope;
  return slope > 0 ? (theirs.fixed - mine.fixed) / slope : null;
}

// The first choice when one GPU costs that much: only its own options are judged again.
function firstAt(shelf, need, order, changed, price) {
  const { gpu, way } = changed, own = way === "buy" ? "own_prices" : "own_rents";
  const other = { ...need, [own]: { ...need[own], [gpu.id]: price } }, quote = quoteOf(shelf, gpu, way, other);
  const again = new Offer(shelf, changed.workload, gpu, way, quote, other).options;
  const meeting = [...order.filter((o) => o.gpu.id !== gpu.id || o.way !== way), ...again.filter((o) => o.meets)];
  return meeting.length ? least(meeting, byRank) : null;
}

// Whether an option fails constraints of these names and no other; asked of many, so it stops at the first other one.
function onlyFails(o, names) {
  const other = (one) => one !== null && !names.includes(one.name);
  if (o.early.some(other)) return false;
  return (o.early.length > 0 || !o.meets) && !QUICK[o.way].some((rule) => other(rule(o)));
}

// Where nothing meets the need: the option that is nearest to the budget, and the price at which it would.
function appears(shelf, need, judged) {
  const within = (names) => judged.hopeful.filter((o) => onlyFails(o, names)).map((o) => [o, ceiling(o, need)]).filter(([, limit]) => limit !== null && limit > 0);
  const near = within(SOFT), bare = within(["price"]);
  if (!near.length && !bare.length) return null;
  const [o, limit] = near.length
    ? least(near, (a, b) => byCode(a[0].price / a[1], b[0].price / b[1]) || byKey(a[0], b[0]))
    : least(bare, (a, b) => b[1] - a[1] || -byKey(a[0], b[0]));
  const step = shelf.constants.step_usd[o.way], then = limit > step ? firstAt(shelf, need, [], o, limit - step) : null;
  if (!then) return null;
  const because = `then it is within the budget of ${money(need.budget_usd || need.budget_per_month_usd || 0, need)}`;
  return { gpu: o.gpu.id, name: o.gpu.name, way: o.way, price_now: o.quote ? o.quote.usd : null, threshold: limit, direction: "below", then: toWay(then), because };
}

// The hours a week (or runs) at which the best option to buy and the best to rent cost the same.
function workload(shelf, need, order) {
  const buy = order.find((o) => o.way === "buy"), rent = order.find((o) => o.way === "rent");
  if (!buy || !rent) return null;
  const energy = buy.cost.energy_usd, kept = buy.total_usd - energy, saved = rent.total_usd - energy;
  if (saved <= 0) return null; // renting costs less than the electricity of the bought card
  const { once } = shelf.data.tasks[need.task], times = kept / saved;
  return { amount: once ? times : times * need.hours_per_week, unit: once ? "runs" : "hours a week", buy: buy.name, rent: rent.name, below: "rent" };
}

// ---------------------------------------------------------------- nothing meets the need

// The best option of a changed need, without judging what lost.
function bestOf(shelf, need) {
  let best = null;
  for (const offer of offersOf(shelf, need)) {
    if (offer.failures === NOTHING) for (const o of offer.options) if (o.meets && (!best || byRank(o, best) < 0)) best = o;
  }
  return best;
}

// Changes of the need that bring an answer, the mildest first; several at once where no single one does.
function waysOut(shelf, need, hopeful) {
  const found = [];
  for (const [change, other] of changes(shelf, need)) {
    const best = bestOf(shelf, other);
    if (best) found.push({ change, option: best });
  }
  for (const [change, other] of found.length ? [] : together(shelf, need)) {
    const best = bestOf(shelf, other);
    if (best) {
      found.push({ change, option: best });
      break;
    }
  }
  const dearer = hopeful.filter((o) => mayRank(o) && onlyFails(o, SOFT) && o.ability.rate);
  if (dearer.length) {
    const out = least(dearer, (a, b) => a.gap - b.gap || byKey(a, b));
    found.push({ change: `pay ${out.failures[0].text().split(" over")[0]} more than the budget`, option: out });
  }
  return found;
}

function changes(shelf, need) {
  const { quants, lighter_task: lighter, least_context: context, most_gpus: most } = shelf.constants;
  const ladder = quants[shelf.data.tasks[need.task].engine] ?? [], rung = ladder.indexOf(need.quant);
  const single = [
    [Object.hasOwn(lighter, need.task), () => [`train by ${lighter[need.task]} in place of ${need.task}`, { task: lighter[need.task] }]],
    [need.task !== "cnn" && need.context >= 2 * context, () => [`shorten the context to ${grouped(context)} tokens`, { context }]],
    [need.prefer === "buy", () => ["rent in place of buying", { prefer: "rent" }]],
    [need.prefer === "rent", () => ["buy in place of renting", { prefer: "buy" }]],
    [need.max_gpus < most, () => ["use more GPUs", { max_gpus: most }]],
    [need.used === "only", () => ["take new cards too", { used: "allowed" }]],
    [need.used === "no", () => ["take used cards too", { used: "allowed" }]],
    [need.runs_on !== "any", () => ["take another maker's cards", { runs_on: "any" }]],
    [need.least_rate !== null, () => [`be content with half the speed (${general(need.least_rate / 2)} ${unit(need)})`, { least_rate: need.least_rate / 2 }]],
    [need.deadline_hours !== null, () => ["give it five times as long", { deadline_hours: need.deadline_hours * 5 }]],
  ];
  const smaller = rung < 0 ? [] : ladder.slice(rung + 1, rung + 3).map((quant) => [`quantise to ${quant}`, { quant }]);
  return [...smaller, ...single.filter(([applies]) => applies).map(([, make]) => make())].map(([change, values]) => [change, { ...need, ...values }]);
}

// Changes one upon the other, the last of them lifting every limit.
function* together(shelf, need) {
  const c = shelf.constants, ladder = c.quants[shelf.data.tasks[need.task].engine] ?? [];
  const smallest = ladder.includes(need.quant) ? ladder.at(-1) : need.quant;
  const steps = [
    ["use more GPUs", { max_gpus: c.most_gpus }],
    ["buy or rent", { prefer: "both" }],
    ["take any maker's cards, new or used", { runs_on: "any", used: "allowed", min_memory_gb: null }],
    [`quantise to ${smallest}`, { quant: smallest }],
    [`shorten the context to ${grouped(c.least_context)} tokens`, { context: Math.min(need.context, c.least_context) }],
    ["lift every limit of budget, power, size, speed and time", c.lifted],
  ];
  const done = [];
  for (const [words, values] of steps) {
    if (Object.entries(values).every(([name, value]) => need[name] === value)) continue;
    need = { ...need, ...values };
    done.push(words);
    if (done.length > 1) yield [done.join(", "), need];
  }
}

// What the option that lacks the least memory would have to keep in main memory.
function offload(shelf, hopeful, need) {
  const lacking = hopeful.filter((o) => mayRank(o) && onlyFails(o, ["memory"]) && o.ability.rate && (o.ability.room_gib || 0) < 0);
  if (shelf.data.tasks[need.task].engine !== "llama.cpp" || !lacking.length) return "";
  const o = least(lacking, (a, b) => b.ability.room_gib - a.ability.room_gib || -byKey(a, b)), missing = -o.ability.room_gib;
  return `${toWay(o)} runs it with ${fixed(missing, 1)} GiB (${percent(missing / o.ability.needed_gib)}) in the machine's main memory; `
    + "that part runs at main memory's speed, which is not estimated here";
}
