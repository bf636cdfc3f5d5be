// A card, a network and a request in, memory and speed with their basis out: core.py of pipeline/advise/estimate once more.
// Counts of networks, coefficients, rules and sentences are data from Python (pipeline/advise/estimate/browser.py); only the
// evaluation stands here too, and tests/test_estimate_js.py holds both to 1e-9. Names of fields are those of Python.
// No DOM, no dependency.

export class EstimateError extends Error {}

const GIGA = 1e9, TERA = 1e12, MICRO = 1e-6, HOUR = 3600;

/**
 * Memory and speed of `model` on `card`; a measured speed of the same card, model and quantization wins.
 * Throws an EstimateError of one sentence when no estimate can be made for the request.
 */
export function estimate(card, model, request, coefficients, measured = []) {
  const { request: asked, memory, decode, support } = writing(card, model, request, coefficients, measured);
  const refused = support?.[0] === "no";
  const prefill = isServed(model, asked) && !refused ? orSentence(() => prefilled(card, model, asked, coefficients)) : NOTHING;
  return {
    request: asked, memory,
    decode_tokens_per_s: decode.interval, prefill_tokens_per_s: prefill.interval,
    decode_basis: basisOf(decode, coefficients), prefill_basis: basisOf(prefill, coefficients),
    get warnings() {
      const said = support && asked.task === "serve" ? [support[1].replace("{}", card.name)] : [];
      const notes = refused ? said : [...decode.warnings, ...prefill.warnings, ...said];
      return [...new Set([...memoryWarnings(card, memory), ...notes])];
    },
  };
}

/** The same without the speed of reading a prompt, for whoever asks this of hundreds of configurations. */
export const writing = (card, model, request, coefficients, measured = []) =>
  writingOf(card, model, checked(request, model, coefficients.tables), coefficients, measured);

/** The same of a request that is checked already: one object for all cards, so that what they share is counted once. */
export function writingOf(card, model, asked, coefficients, measured) {
  const t = coefficients.tables, memory = required(card, model, asked, t);
  const { row } = placeOf(card, asked, coefficients), serves = asked.task === "serve";
  const support = serves ? (row.support[t.quants[asked.quant].format] ?? null) : null;
  if (support?.[0] === "no") return { request: asked, memory, support, decode: { ...NOTHING, warnings: [support[1].replace("{}", card.name)] } };
  return { request: asked, memory, support, decode: isServed(model, asked) ? decoded(card, model, asked, coefficients, measured) : NOTHING };
}

/** GPU-hours of training on `tokens` tokens: median, and the range of what published runs kept. */
export function gpuHours(card, model, tokens, request, coefficients) {
  const t = coefficients.tables.training;
  if (!(tokens > 0)) throw new EstimateError(`tokens is ${general(tokens)}; a run needs at least one`);
  const shape = shapeOf(model), frozen = ["lora", "qlora"].includes(request.task), rate = tensorRate(card, t);
  if (!rate) throw new EstimateError(`no dense 16-bit rate of ${card.name} is known, so training time cannot be estimated`);
  const each = (((frozen ? t.frozen : t.full) + (recomputes(request) ? t.recompute : 0)) * shape.active) / (rate * TERA);
  const hours = t.tuning.includes(request.task)
    ? tunedHours(card, shape, tokens, request, each, coefficients)
    : sharedHours((each * tokens) / HOUR, expectedShare(coefficients.runs, card.architecture ?? "", t));
  if (!Number.isFinite(hours.p90)) throw new EstimateError(`the hours on ${card.name} are beyond any number; check the tokens and its 16-bit rate`);
  return hours;
}

const sharedHours = (atPeak, share) => ({ median: atPeak / share.median, p10: atPeak / share.p90, p90: atPeak / share.p10 });

// Hours of fine-tuning: `each` second of arithmetic at the peak a token, 4-bit weights unpacked, layers started.
function tunedHours(card, shape, tokens, request, each, coefficients) {
  const { tuned, spreads, tables: t } = coefficients, step = request.batch * request.context;
  const [times, note] = own(tuned.makers, card.vendor) ?? tuned.other;
  if (!(step >= 1)) throw new EstimateError("a step of fine-tuning has no tokens; ask for a batch and a context of at least 1");
  if (request.task === "qlora" && !card.memory_bandwidth_gb_s) throw new EstimateError(`the memory bandwidth of ${card.name} is not known, so its speed cannot be estimated`);
  const unpacking = request.task === "qlora" ? shape.active / (card.memory_bandwidth_gb_s * GIGA) / step : 0;
  const floor = (tuned.floors[request.task] * MICRO * shape.layers) / step;
  const second = Math.max(each * times + unpacking * tuned.unpacked, floor);
  const spread = spreads[tuned.spread], wider = note ? t.speed.rough : 1, hours = (tokens * second) / HOUR;
  const soonest = Math.min(hours, Math.max(hours * Math.exp(-spread.p90 * wider), (tokens * Math.max(each, unpacking)) / HOUR));
  return { median: hours, p10: soonest, p90: hours * Math.exp(-spread.p10 * wider) };
}

const expectedShare = remembered((runs, architecture, t) => {
  if (!runs.length) throw new EstimateError("no published training run is known; see data/estimator/training_runs.yml");
  const same = sharesOf(architecture, runs, t);
  const values = (same.length ? same : runs.filter((run) => !run.results)).map((run) => run.value);
  return { median: median(values), p10: Math.min(...values), p90: Math.max(...values) };
});

// The shares of an architecture, none where there are too few.
function sharesOf(architecture, runs, t) {
  const same = runs.filter((run) => run.architecture === architecture);
  return same.length >= t.enough_runs ? same : [];
}

/** Says on which runs the speed of a training on this card rests. */
export function shareStatement(card, request, coefficients) {
  const t = coefficients.tables.training, { tuned } = coefficients;
  if (t.tuning.includes(request.task)) {
    const { statement } = coefficients.spreads[tuned.spread], [, note] = own(tuned.makers, card.vendor) ?? tuned.other;
    return note ? `${statement}; ${note}` : statement;
  }
  const runs = coefficients.runs, same = sharesOf(card.architecture ?? "", runs, t);
  const kept = (...words) => filled(t.statement, words);
  if (!same.length) return kept(runs.filter((run) => !run.results).length, "other architectures");
  const { results } = same[0];
  return results ? filled(t.compared, [kept(same.length, t.reference), results, card.architecture]) : kept(same.length, card.architecture);
}

// Puts words into the places {} (or {:,}) of a sentence, one after the other.
const filled = (sentence, words) => words.reduce((told, word) => told.replace(/\{(:,)?\}/, (_, commas) => (commas ? word.toLocaleString("en-US") : word)), sentence);

// ---------------------------------------------------------------- the request

/** The request in our words with every default, or one sentence on what is wrong with it. */
export function checked(request, model, t) {
  const asked = { ...t.request, ...request }, longest = model.context || 1e9, { limits } = t;
  const usual = Number.isFinite(asked.context) ? Math.min(limits.usual_prompt, Math.max(1, Math.trunc(asked.context / 2))) : 1;
  asked.prompt_tokens ??= usual;
  const bounds = [
    ["gpus", 1, limits.gpus], ["batch", 1, limits.batch], ["context", 1, longest], ["prompt_tokens", 1, longest],
    ["lora_rank", 1, 4096], ["zero_stage", 0, 3],
  ];
  for (const [name, least, most] of bounds) within(name, asked[name], least, most, model);
  if (asked.memory_gb !== null) within("memory_gb", asked.memory_gb, 0.1, 100_000, model);
  if (![4, 8, 16].includes(asked.kv_bits)) throw new EstimateError(`kv_bits is ${shown(asked.kv_bits)}; a key-value cache holds 4, 8 or 16 bits a value`);
  if (!(asked.display_gib >= 0 && asked.display_gib <= 16)) throw new EstimateError(`display_gib is ${shown(asked.display_gib)}; a display takes 0 to 16 GiB`);
  const known = t.memory.optimizer_bytes;
  if (!Object.hasOwn(known, asked.optimizer)) throw new EstimateError(`optimizer is ${shown(asked.optimizer)}; known: ${Object.keys(known).join(", ")}`);
  const quant = canonicalQuant(asked.quant, t), local = findEngine(asked.engine, t).family === "llama.cpp";
  return { ...asked, quant: quant === "mxfp4" && local ? "mxfp4_moe" : quant };
}

function within(name, value, least, most, model) {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new EstimateError(`${name} is ${shown(value)}; it must be a number`);
  if (value < least) throw new EstimateError(`${name} is ${general(value)}; it must be at least ${general(least)}`);
  const whose = name === "context" || name === "prompt_tokens" ? ` of ${model.name}` : "";
  if (value > most) throw new EstimateError(`${name} is ${general(value)}; the most${whose} is ${general(most)}`);
}

/** An engine's newest build, or the build named behind an @. */
export const findEngine = (text, t) => engineNamed(t, text);

const engineNamed = remembered((t, text) => {
  const [first, ...rest] = text.trim().toLowerCase().split("@"), build = rest.join("@");
  const name = own(t.engine_aliases, first) ?? first;
  const found = t.engines.find((engine) => engine.name === name && (build === "" || build === engine.build));
  if (found) return found;
  const known = t.engines.map((engine) => `${engine.name}@${engine.build}`).join(", ");
  throw new EstimateError(`unknown engine ${shown([...text].slice(0, 40).join(""))}; known: ${known}`);
});

/** A quantization's name in our spelling. */
export function canonicalQuant(text, t) {
  const written = text.trim().toLowerCase().replaceAll("-", "_").replaceAll("ud_", "");
  const name = own(t.quant_aliases, written) ?? written;
  if (Object.hasOwn(t.quants, name)) return name;
  throw new EstimateError(`unknown quantization ${shown([...text].slice(0, 40).join(""))}; known: ${Object.keys(t.quants).join(", ")}`);
}

// ---------------------------------------------------------------- core.py: bytes

const isServed = (model, asked) => asked.task === "serve" && model.kind === "language";
const EMPTY = Object.fromEntries(["expert_share", "layers", "hidden", "vocabulary", "heads", "width", "active_width", "cache", "window_cache", "window", "window_layers", "adapter"].map((name) => [name, 0]));

// A network's counts; the sentence that Python has for one whose shapes are not all known.
const shapeOf = remembered((model) => {
  if (model.missing) throw new EstimateError(model.missing);
  return { ...EMPTY, ...model.shape };
});

/** The number of parameters; the stated one where the shapes are not known. */
export const parameters = (model) => shapeOf(model).parameters;

const formOf = remembered((model, quant, t) => {
  const [weights, lookup = 0, experts = 0] = model.formats[quant];
  return { weights, lookup, experts, dense: weights - lookup - experts, ...t.quants[quant] };
});

/** The need of all GPUs together by part, and what they offer, in GiB. */
export function required(card, model, asked, t) {
  const { parts, total } = needed(asked, model, t), usable = usableGib(card, asked, findEngine(asked.engine, t), t);
  return { parts, total, usable, fits: usable === null ? null : total <= usable, room: usable === null ? null : usable - total };
}

// The need by part: no matter of the card.
const needed = remembered((asked, model, t) => {
  const shape = shapeOf(model), engine = findEngine(asked.engine, t), parts = {};
  const bytes = asked.task === "serve" ? servingBytes(shape, formOf(model, asked.quant, t), asked, engine, t) : trainingBytes(model, shape, asked, t);
  let total = 0;
  for (const name of Object.keys(bytes)) total += parts[name] = bytes[name] / t.memory.gib;
  return { parts, total };
});

function usableGib(card, asked, engine, t) {
  const stated = asked.memory_gb ?? card.memory_gb ?? null;
  if (stated === null) return null;
  const limit = asked.task === "serve" ? engine.limit : 1;
  return Math.max(0, stated * t.driver_share[card.memory_class] * limit * asked.gpus - asked.display_gib);
}

function cacheBytes(shape, asked, engine, batch, m) {
  const cells = asked.context * batch;
  const padded = Math.ceil((shape.window * batch + engine.micro_batch) / m.window_pad) * m.window_pad;
  const kept = engine.frees_window && shape.window ? Math.min(cells, padded) : cells;
  const copies = sharesTensors(asked, engine) ? Math.max(1, asked.gpus / shape.split) : 1;
  const bits = m.cache_bits[engine.family]?.[asked.kv_bits] ?? asked.kv_bits;
  return (shape.cache * cells + shape.window_cache * kept) * (bits / 16) * copies;
}

const attendedBytes = (shape, tokens, bits) =>
  (shape.cache * tokens + shape.window_cache * (shape.window ? Math.min(tokens, shape.window) : tokens)) * (bits / 16);

function servingBytes(shape, form, asked, engine, t, batch = asked.batch) {
  const m = t.memory;
  let buffers = 0;
  if (shape.language && engine.family === "llama.cpp") {
    buffers = m.logit_bytes * engine.micro_batch * shape.vocabulary;
    const scores = 4 * engine.micro_batch * shape.heads * asked.context;
    if (!engine.flash_attention) buffers = Math.max(buffers, scores) + (asked.gpus - 1) * scores;
  }
  return {
    weights: form.weights - (engine.lookup_on_host ? form.lookup : 0),
    kv_cache: cacheBytes(shape, asked, engine, batch, m),
    activations: buffers,
    engine: engine.overhead_gib * m.gib * asked.gpus,
  };
}

// What ZeRO does not share out, each GPU holds whole.
function trainingBytes(model, shape, asked, t) {
  const { memory: m } = t, { gpus } = asked, frozen = own(m.frozen_quant, asked.task);
  const held = (count, each, fromStage) => count * each * (asked.zero_stage >= fromStage ? 1 : gpus);
  const states = () => m.optimizer_bytes[asked.optimizer][asked.master_weights ? 0 : 1] + (asked.master_weights ? m.master_bytes : 0);
  const parts = frozen
    ? { weights: held(formOf(model, frozen, t).weights, 1, 3), adapters: shape.adapter * asked.lora_rank * m.adapter_bytes * gpus }
    : {
      weights: held(shape.parameters, m.weight_bytes, 3),
      gradients: held(shape.parameters, asked.fused_backward ? 0 : m.gradient_bytes, 2),
      optimizer: held(shape.parameters, states(), 1),
    };
  const layer = m.hidden_bytes * shape.hidden + m.inner_bytes * shape.active_width;
  const each = recomputes(asked) ? shape.layers * m.recomputed_bytes * shape.hidden + layer : shape.layers * layer;
  const activations = asked.context * asked.batch * gpus * (each + shape.vocabulary * m.loss_bytes);
  return { ...parts, activations, engine: m.training_overhead_gib * m.gib * gpus };
}

const recomputes = (asked) => asked.recompute ?? asked.task === "qlora";

export function memoryWarnings(card, need) {
  if (need.usable === null) return [`the memory of ${card.name} is the buyer's choice or not known; state it to learn what fits`];
  if (need.fits) return [];
  return [`does not fit: ${fixed(need.total - need.usable, 1)} GiB more are needed; speeds hold only if all of it were in GPU memory`];
}

// ---------------------------------------------------------------- core.py: seconds by slot

function runningOf(card, shape, form, asked, engine, t) {
  const usable = usableGib(card, asked, engine, t);
  if (usable === null || !shape.language) return asked.batch;
  const parts = servingBytes(shape, form, asked, engine, t, 1);
  const room = usable * t.memory.gib - (parts.weights + parts.activations + parts.engine);
  return Math.max(1, Math.min(asked.batch, room / parts.kv_cache));
}

function sharesTensors(asked, engine) {
  const byItself = asked.layout === "auto" && engine.family !== "llama.cpp";
  return asked.gpus > 1 && (byItself || asked.layout === "tensor");
}

function stepOf(at, tokens, batch) {
  const { card, shape, form, asked, engine, vector } = at, together = sharesTensors(asked, engine);
  const split = together ? asked.gpus : 1, rate = card.memory_bandwidth_gb_s * GIGA, local = engine.family === "llama.cpp";
  const touched = shape.expert_share ? 1 - (1 - shape.expert_share) ** Math.max(1, evenRound(batch)) : 0;
  const more = operations(at, local ? batch - 1 : batch) / split;
  const unpacked = form.packed && local && vector ? (2 * shape.active) / (vector * TERA) / split : 0;
  return {
    read: (form.dense + form.experts * touched) / rate / split,
    cache: (attendedBytes(shape, tokens, asked.kv_bits) * batch) / rate / split,
    "narrow experts": form.eight ? (form.experts * touched) / rate / split : 0,
    unpack: unpacked,
    "unpack low": form.low ? unpacked : 0,
    layer: shape.layers * MICRO,
    server: shape.layers * MICRO,
    "expert layer": shape.expert_share ? shape.layers * MICRO : 0,
    sequence: batch * MICRO,
    output: (shape.vocabulary / 1e5) * MICRO,
    hop: together ? 0 : (asked.gpus - 1) * MICRO,
    [form.wide ? "wide" : "narrow"]: shape.expert_share && !local ? 0 : more,
    experts: shape.expert_share && !local ? more : 0,
    together: together ? shape.layers * MICRO : 0,
    exchange: together ? exchanged(at, batch) : 0,
  };
}

function promptOf(at, tokens) {
  const { card, shape, form, asked, engine, t } = at, local = engine.family === "llama.cpp", together = sharesTensors(asked, engine);
  const pieces = Math.max(1, tokens / t.speed.pipeline_piece);
  const gain = together ? asked.gpus : (asked.gpus * pieces) / (pieces + asked.gpus - 1);
  const seen = Math.min(2 * (shape.window || tokens), tokens);
  const attention = shape.width * tokens * ((shape.layers - shape.window_layers) * tokens + shape.window_layers * seen);
  const done = operations(at, tokens + attention / shape.active) / gain, rate = (card.memory_bandwidth_gb_s ?? 0) * GIGA;
  return {
    [form.wide ? "prompt wide" : "prompt narrow"]: shape.expert_share && !local ? 0 : done,
    "prompt experts": shape.expert_share ? done : 0,
    scores: engine.flash_attention || !rate ? 0 : (4 * shape.layers * shape.heads * tokens ** 2) / rate / gain,
    exchange: together ? exchanged(at, tokens) : 0,
  };
}

function servingOf(at, running, output) {
  const found = stepOf(at, at.asked.prompt_tokens + output / 2, running), read = promptOf(at, at.asked.prompt_tokens);
  for (const slot of Object.keys(found)) found[slot] /= running;
  for (const slot of Object.keys(read)) found[slot] = (found[slot] ?? 0) + read[slot] / output;
  return found;
}

function operations({ card, shape, form, engine, vector, tensor }, tokens) {
  const rate = engine.family === "llama.cpp" ? vector : tensor * (form.eight && card.eight ? 2 : 1);
  return rate ? (2 * shape.active * Math.max(0, tokens)) / (rate * TERA) : 0;
}

function exchanged({ card, shape, asked }, tokens) {
  const rate = linkOf(card, asked.gpus);
  return rate ? (2 * shape.layers * tokens * shape.hidden * 2) / (rate * GIGA) : 0;
}

// A bridge joins two cards; more of them, and cards without one, talk over PCIe; a module's unknown link is 0.
const linkOf = (card, gpus) => (card.link_gb_s && (gpus === 2 || !card.bridged) ? card.link_gb_s : card.pcie_link);
const tensorRate = (card, training) => {
  const [field, factor] = training.peaks.find(([name]) => Object.hasOwn(card.peaks, name)) ?? [];
  return field ? card.peaks[field] * factor : 0;
};

// ---------------------------------------------------------------- answers

const NOTHING = { interval: null, kind: "", statement: "", warnings: [] };

// The engine and the row of coefficients that answer for a request on a card.
function placeOf(card, asked, coefficients) {
  const engine = findEngine(asked.engine, coefficients.tables);
  const rows = card.link_gb_s ? card.rows : (card.rows_unlinked ?? card.rows);
  return { engine, row: coefficients.rows[rows[coefficients.tables.engines.indexOf(engine)]] };
}

// Everything that the formulas ask of a card, a network and a request.
function at(card, model, asked, coefficients) {
  const t = coefficients.tables;
  return {
    ...placeOf(card, asked, coefficients), card, model, asked, t,
    shape: shapeOf(model), form: formOf(model, asked.quant, t),
    vector: own(card.peaks, t.speed.vector) ?? 0, tensor: tensorRate(card, t.training),
  };
}

// Gathers the seconds of slots under the names of their terms and adds them up.
function named(slots, { names }) {
  const terms = {};
  for (const slot of Object.keys(slots)) if (slots[slot] > 0 && Object.hasOwn(names, slot)) terms[names[slot]] = (terms[names[slot]] ?? 0) + slots[slot];
  return terms;
}

function secondsOf(terms, coefficients) {
  let total = 0;
  for (const name of Object.keys(terms)) {
    const { value, missing } = coefficients.terms[name];
    if (missing) throw new EstimateError(missing);
    total += terms[name] * (value ?? 0);
  }
  return total;
}

function decoded(card, model, asked, coefficients, measured) {
  const known = fromSame(card, model, asked, coefficients, measured);
  return known.length ? fromPoints(known, coefficients) : orSentence(() => estimatedDecode(at(card, model, asked, coefficients), coefficients));
}

function estimatedDecode(one, coefficients) {
  const { card, asked, engine, shape, form, t } = one, warnings = linkNotes(one);
  bandwidth(card);
  if (asked.batch === 1) return answer(one, named(stepOf(one, asked.context / 2, 1), one.row), 1, coefficients, warnings, false);
  const running = runningOf(card, shape, form, asked, engine, t);
  const terms = named(servingOf(one, running, Math.max(1, asked.context - asked.prompt_tokens)), one.row);
  if (running < asked.batch) warnings.push(`the cache holds ${fixed(running, 0)} of ${asked.batch} sequences at a time; the others wait`);
  return answer(one, terms, 1, coefficients, warnings, false);
}

function prefilled(card, model, asked, coefficients) {
  const one = at(card, model, asked, coefficients), warnings = linkNotes(one), local = one.engine.family === "llama.cpp";
  if (!(local ? one.vector : one.tensor)) throw new EstimateError(`the ${local ? "FP32 rate" : "16-bit rate"} of ${card.name} is not known, so prompt speed cannot be estimated`);
  return answer(one, named(promptOf(one, asked.prompt_tokens), one.row), asked.prompt_tokens, coefficients, warnings, true);
}

function linkNotes({ card, asked, engine, t }) {
  if (!sharesTensors(asked, engine)) return [];
  if (card.memory_class === "unified") throw new EstimateError(filled(t.sentences.several_machines, [card.name]));
  const lent = engine.family === "llama.cpp" ? [t.sentences.tensor_lent] : [];
  return linkOf(card, asked.gpus) ? lent : [...lent, filled(t.sentences.unknown_link, [card.name])];
}

function bandwidth(card) {
  if (!card.memory_bandwidth_gb_s) throw new EstimateError(`the memory bandwidth of ${card.name} is not known, so its speed cannot be estimated`);
}

function orSentence(make) {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof EstimateError)) throw error;
    return { ...NOTHING, warnings: [error.message] };
  }
}

function answer(one, terms, tokens, coefficients, warnings, prompt) {
  const { asked, t } = one, rate = tokens / secondsOf(terms, coefficients), read = asked.prompt_tokens;
  const spread = coefficients.spreads[kindOf(one, coefficients, prompt)];
  const notes = Object.keys(terms).map((name) => coefficients.terms[name].note).filter(Boolean), wider = notes.length ? t.speed.rough : 1;
  const least = Object.entries(terms).reduce((sum, [name, value]) => sum + value * (coefficients.terms[name].roof ?? 0), 0);
  const high = rate * Math.exp(Math.max(0, spread.p90) * wider), most = least ? Math.max(rate, Math.min(high, tokens / least)) : high;
  const interval = { median: rate, p10: rate * Math.exp(Math.min(0, spread.p10) * wider), p90: most };
  const lengths = prompt || asked.batch > 1;
  const statement = lengths ? filled(t.sentences.lengths, [spread.statement, read, Math.max(1, asked.context - read)]) : spread.statement;
  return { interval, kind: "estimated", statement, terms, warnings: [...warnings, ...notes] };
}

// The class whose spread a request shares, the finest that was measured.
function kindOf({ card, model, asked, engine, row }, { spreads }, prompt) {
  const local = engine.family === "llama.cpp", writes = model.experts ? "mixture of experts" : asked.gpus > 1 ? "several GPUs" : asked.batch === 1 ? "single stream" : "batched decode";
  const regime = prompt ? "prefill" : writes, decode = `decode ${model.experts ? "experts" : card.memory_class}`;
  const kinds = !local
    ? [`${regime} on servers, ${engine.family}`, `${regime} on servers`, "batched decode on servers"]
    : prompt ? [`prefill ${asked.gpus > 1 ? "several GPUs" : card.memory_class}`, "prefill several GPUs"] : [`${decode}, ${row.backend}`, decode];
  const found = kinds.find((kind) => Object.hasOwn(spreads, kind));
  if (!found) throw new EstimateError(`no measured point for ${kinds.at(-1)}; run: python -m pipeline estimator-fit`);
  return found;
}

// What stands behind an answer; worked out when read, because a ranking of every card reads it of few.
function basisOf({ interval, kind, statement, terms, points }, coefficients) {
  if (!interval) return null;
  if (!terms) return { kind, statement, points, coefficients: {} };
  const used = Object.keys(terms).filter((name) => coefficients.terms[name].value !== undefined);
  return {
    kind, statement,
    get points() {
      return [...new Set(used.flatMap((name) => coefficients.terms[name].sets))].sort(byCode);
    },
    get coefficients() {
      return Object.fromEntries(used.map((name) => [name.replace(coefficients.tables.speed.wider, ""), coefficients.terms[name].value]));
    },
  };
}

// Points of exactly this card, count, model, quantization and engine, at the nearest context, newest first.
function fromSame(card, model, asked, coefficients, measured) {
  if (asked.batch !== 1 || asked.kv_bits !== 16) return [];
  const t = coefficients.tables, tokens = asked.context / 2, ofCard = byCard(measured).get(card.id);
  if (!ofCard) return [];
  const fitting = ofCard.filter((p) =>
    p.model === model.id && p.quant === asked.quant && p.gpus === asked.gpus && p.batch === 1
    && sameEngine(p.engine, asked.engine, t) && tellsOf(card, model, asked, coefficients, p.tokens));
  if (!fitting.length) return fitting;
  const same = fitting.filter((p) => findEngine(p.engine, t).name === findEngine(asked.engine, t).name);
  const chosen = same.length ? same : fitting, newest = chosen.map((p) => p.date).sort(byCode).at(-1);
  const recent = chosen.filter((p) => p.date === newest), distance = (p) => Math.abs(Math.log(p.tokens / tokens));
  const nearest = Math.min(...recent.map(distance));
  return recent.filter((p) => distance(p) <= nearest + 1e-9);
}

// Whether a speed measured with so many tokens in the cache tells that of the context asked for.
function tellsOf(card, model, asked, coefficients, measuredAt) {
  const tokens = asked.context / 2, { near_context: near, near_time: nearTime } = coefficients.tables.limits;
  if (measuredAt / tokens >= 1 / near && measuredAt / tokens <= near) return true;
  try {
    bandwidth(card);
    const one = at(card, model, asked, coefficients);
    const times = [tokens, measuredAt].map((held) => secondsOf(named(stepOf(one, held, asked.batch), one.row), coefficients));
    return Math.max(...times) <= nearTime * Math.min(...times);
  } catch (error) {
    if (error instanceof EstimateError) return false;
    throw error;
  }
}

const byCard = remembered((measured) => {
  const found = new Map();
  for (const point of measured) found.set(point.card, [...(found.get(point.card) ?? []), point]);
  return found;
});

// An engine named without a build means any build of it, and any server around its code (Ollama).
function sameEngine(ofPoint, asked, t) {
  const one = findEngine(ofPoint, t), other = findEngine(asked, t);
  return asked.includes("@") ? one === other : one.family === other.family;
}

// A measurement is a point: the interval about it is how far runs of one configuration lie apart.
function fromPoints(known, coefficients) {
  const { sentences } = coefficients.tables, values = known.map((p) => p.value), middle = median(values), apart = coefficients.spreads[sentences.repeated];
  return {
    interval: { median: middle, p10: Math.min(middle * Math.exp(apart.p10), ...values), p90: Math.max(middle * Math.exp(apart.p90), ...values) },
    kind: "measured",
    statement: filled(sentences.measured, [known[0].date, known[0].software, values.length, values.length > 1 ? "s" : ""]),
    points: known.map((p) => p.key),
    warnings: [],
  };
}

// ---------------------------------------------------------------- small things

// As Python rounds: exact halves go to the even number.
const evenRound = (value) => (Math.abs(value % 1) === 0.5 ? 2 * Math.round(value / 2) : Math.round(value));
const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);
const byCode = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

function median(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// A function of an object (and of two more) that is worked out once for each.
function remembered(make) {
  const known = new WeakMap();
  return (object, second, third) => {
    let bySecond = known.get(object);
    if (!bySecond) known.set(object, (bySecond = new Map()));
    let byThird = bySecond.get(second);
    if (!byThird) bySecond.set(second, (byThird = new Map()));
    let found = byThird.get(third);
    if (found === undefined) byThird.set(third, (found = make(object, second, third)));
    return found;
  };
}

// Numbers and texts as Python prints them: {:.1f}, {:g} and repr. Exact halves go to the even digit.
export function fixed(value, digits) {
  return evenHalf(value.toFixed(digits + 40), digits) ?? value.toFixed(digits);
}

export function general(value) {
  if (!Number.isFinite(value)) return shown(value);
  if (value === 0) return "0";
  const [long, power] = value.toExponential(60).split("e");
  const even = evenHalf(long, 5);
  const [digits, text] = even ? [even, power] : value.toExponential(5).split("e");
  const exponent = Number(text);
  if (exponent >= -4 && exponent < 6) return trimmed(fixed(value, 5 - exponent));
  return `${trimmed(digits)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

// The shorter of two equally near numbers when its last digit is even, else null.
function evenHalf(long, digits) {
  const [whole, rest = ""] = long.split(".");
  const kept = digits ? `${whole}.${rest.slice(0, digits)}` : whole;
  return /^50*$/.test(rest.slice(digits)) && Number(kept.at(-1)) % 2 === 0 ? kept : null;
}

const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

function shown(value) {
  if (typeof value === "number") return Number.isNaN(value) ? "nan" : Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf";
  if (typeof value !== "string") return String(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const written = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return quote + (quote === "'" ? written.replaceAll("'", "\\'") : written) + quote;
}
