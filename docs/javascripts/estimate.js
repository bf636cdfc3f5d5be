// A card, a network and a request in, memory and speed with their basis out: pipeline/estimate once more.
// Every table and coefficient is data from Python (pipeline/estimate/browser.py); only the formulas stand here too,
// and tests/test_estimate_js.py holds both to 1e-9. Names of fields are those of Python. No DOM, no dependency.

export class EstimateError extends Error {}

const GIGA = 1e9, TERA = 1e12, MICRO = 1e-6, HOUR = 3600;

/**
 * Memory and speed of `model` on `card`; a measured speed of the same card, model and quantization wins.
 * Throws an EstimateError of one sentence when no estimate can be made for the request.
 */
export function estimate(card, model, request, coefficients, measured = []) {
  const { request: asked, memory, decode } = writing(card, model, request, coefficients, measured);
  const engine = findEngine(asked.engine, coefficients.tables);
  const prefill = isLanguageTask(model, asked) ? prefilled(card, model, asked, engine, coefficients) : NOTHING;
  return {
    request: asked,
    memory,
    decode_tokens_per_s: decode.interval,
    prefill_tokens_per_s: prefill.interval,
    decode_basis: basisOf(decode, coefficients),
    prefill_basis: basisOf(prefill, coefficients),
    get warnings() {
      return [...new Set([...memoryWarnings(card, memory), ...warningsOf(decode, coefficients), ...warningsOf(prefill, coefficients)])];
    },
  };
}

/** The same without the speed of reading a prompt, for whoever asks this of hundreds of configurations. */
export const writing = (card, model, request, coefficients, measured = []) =>
  writingOf(card, model, checked(request, model, coefficients.tables), coefficients, measured);

/** The same of a request that is checked already: one object for all cards, so that what they share is counted once. */
export function writingOf(card, model, asked, coefficients, measured) {
  const t = coefficients.tables;
  const engine = findEngine(asked.engine, t);
  const memory = required(card, model, asked, t);
  const decode = isLanguageTask(model, asked) ? decoded(card, model, asked, engine, coefficients, measured) : NOTHING;
  return { request: asked, memory, decode };
}

/** GPU-hours of training on `tokens` tokens: median, and the range of what published runs kept. */
export function gpuHours(card, model, tokens, request, coefficients) {
  const t = coefficients.tables.training;
  if (!(tokens > 0)) throw new EstimateError(`tokens is ${general(tokens)}; a run needs at least one`);
  const share = expectedShare(card.architecture ?? "", coefficients.runs, t);
  const frozen = ["lora", "qlora"].includes(request.task);
  const work = ((frozen ? t.frozen : t.full) + (request.recompute ? t.recompute : 0)) * activeParameters(model) * tokens;
  const [field, factor] = t.peaks.find(([name]) => name in card.peaks) ?? [];
  if (!field) throw new EstimateError(`no dense 16-bit rate of ${card.name} is known, so training time cannot be estimated`);
  const atPeak = work / (card.peaks[field] * factor * TERA * HOUR);
  const hours = { median: atPeak / share.median, p10: atPeak / share.p90, p90: atPeak / share.p10 };
  if (!Number.isFinite(hours.p90)) throw new EstimateError(`the hours on ${card.name} are beyond any number; check the tokens and its 16-bit rate`);
  return hours;
}

const expectedShare = (architecture, runs, t) => shareOf(runs, architecture, t);
const shareOf = remembered((runs, architecture, t) => {
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

/** Says on which runs the share of the peak of this card rests. */
export function shareStatement(card, coefficients) {
  const t = coefficients.tables.training, runs = coefficients.runs, same = sharesOf(card.architecture ?? "", runs, t);
  const kept = (...words) => filled(t.statement, words);
  if (!same.length) return kept(runs.filter((run) => !run.results).length, "other architectures");
  const { results } = same[0];
  return results ? filled(t.compared, [kept(same.length, t.reference), results, card.architecture]) : kept(same.length, card.architecture);
}

// Puts words into the places {} of a sentence, one after the other.
const filled = (sentence, words) => words.reduce((told, word) => told.replace("{}", word), sentence);

// ---------------------------------------------------------------- the request

/** The request in our words with every default, or one sentence on what is wrong with it. */
export function checked(request, model, t) {
  const asked = { ...t.request, ...request };
  const longest = model.context || 1e9;
  const limits = [
    ["gpus", 1, t.limits.gpus], ["batch", 1, t.limits.batch], ["context", 1, longest], ["prompt_tokens", 1, longest],
    ["lora_rank", 1, 4096], ["zero_stage", 0, 3],
  ];
  for (const [name, least, most] of limits) within(name, asked[name], least, most, model);
  if (asked.memory_gb !== null) within("memory_gb", asked.memory_gb, 0.1, 100_000, model);
  if (![4, 8, 16].includes(asked.kv_bits)) throw new EstimateError(`kv_bits is ${shown(asked.kv_bits)}; a key-value cache holds 4, 8 or 16 bits a value`);
  if (!(asked.display_gib >= 0 && asked.display_gib <= 16)) throw new EstimateError(`display_gib is ${shown(asked.display_gib)}; a display takes 0 to 16 GiB`);
  const quant = canonicalQuant(asked.quant, t);
  const onLlama = family(findEngine(asked.engine, t)) === "llama.cpp";
  return { ...asked, quant: quant === "mxfp4" && onLlama ? "mxfp4_moe" : quant };
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
  const [first, ...rest] = text.trim().toLowerCase().split("@");
  const build = rest.join("@");
  const name = own(t.engine_aliases, first) ?? first;
  const found = t.engines.find((engine) => engine.name === name && (build === "" || build === engine.build));
  if (found) return found;
  const known = t.engines.map((engine) => `${engine.name}@${engine.build}`).join(", ");
  throw new EstimateError(`unknown engine ${shown([...text].slice(0, 40).join(""))}; known: ${known}`);
});

/** A quantization's name in our spelling. */
export function canonicalQuant(text, t) {
  const written = text.trim().toLowerCase().replaceAll("-", "_").replaceAll("ud_", "");
  const name = own(t.weights.aliases, written) ?? written;
  if (Object.hasOwn(t.weights.mixes, name)) return name;
  const known = Object.keys(t.weights.mixes).join(", ");
  throw new EstimateError(`unknown quantization ${shown([...text].slice(0, 40).join(""))}; known: ${known}`);
}

// ---------------------------------------------------------------- tensors and weights

const isLanguage = (model) => model.kind === "language";
const isLanguageTask = (model, asked) => asked.task === "serve" && isLanguage(model);
const isExpert = (tensor) => tensor.role.startsWith("expert_");
const isLookup = (tensor, model) => tensor.role === "token_embedding" && !model.tied_embeddings;
const elements = (tensor) => tensor.columns * tensor.rows * tensor.copies;

// A shape that a formula cannot do without.
function need(model, name) {
  if (model[name] == null) throw new EstimateError(`${name} of ${model.name} is not known; add it to data/models/${model.id}.yml`);
  return model[name];
}

/** Weight matrices of a language model, norms and biases included: {role, layer, columns, rows, copies}. */
const tensors = remembered((model) => {
  if (!isLanguage(model)) throw new EstimateError(`${model.name} is no language model; only those are broken down into tensors`);
  const list = [];
  const add = (role, layer, columns, rows, copies = 1) => list.push({ role, layer, columns, rows, copies });
  const hidden = need(model, "hidden_size"), vocabulary = need(model, "vocabulary"), layers = need(model, "layers");
  add("token_embedding", null, hidden, vocabulary);
  for (let layer = 0; layer < layers; layer++) {
    (model.latent_size ? latentAttention : attention)(model, layer, hidden, add);
    feedForward(model, layer, hidden, add);
    add("norm", layer, hidden, 1, 2);
  }
  add("norm", null, hidden, 1);
  if (!model.tied_embeddings) add("output", null, hidden, vocabulary);
  return list;
});

function attention(model, layer, hidden, add) {
  const size = need(model, "head_size");
  const queries = need(model, "attention_heads") * size, keys = need(model, "key_value_heads") * size;
  add("attention_q", layer, hidden, queries);
  add("attention_k", layer, hidden, keys);
  add("attention_v", layer, hidden, keys);
  add("attention_output", layer, queries, hidden);
  if (model.attention_bias) add("bias", layer, queries + 2 * keys, 1);
}

function latentAttention(model, layer, hidden, add) {
  const heads = need(model, "attention_heads"), query = need(model, "latent_query_size"), latent = need(model, "latent_size");
  const [rope, nope, value] = ["rope", "nope", "value"].map((part) => need(model, `latent_${part}_size`));
  add("attention_q", layer, hidden, query);
  add("attention_q", layer, query, heads * (nope + rope));
  add("attention_k", layer, hidden, latent + rope);
  add("attention_v", layer, latent, heads * (nope + value));
  add("attention_output", layer, heads * value, hidden);
  add("norm", layer, query + latent, 1);
}

function feedForward(model, layer, hidden, add) {
  const gated = (role, inner, copies) => {
    add(`${role}_gate`, layer, hidden, inner, copies);
    add(`${role}_up`, layer, hidden, inner, copies);
    add(`${role}_down`, layer, inner, hidden, copies);
  };
  if (!model.experts || layer < (model.dense_layers ?? 0)) return gated("ffn", need(model, "feed_forward_size"), 1);
  const inner = need(model, "expert_feed_forward_size");
  add("router", layer, hidden, model.experts);
  gated("expert", inner, model.experts);
  if (model.shared_experts) gated("ffn", inner, model.shared_experts);
  if (model.expert_bias) add("expert_bias", layer, 2 * inner + hidden, 1, model.experts);
}

// Elements by what a token needs of them: {lookup, expert, rest}.
const counts = remembered((model) => {
  const sum = { lookup: 0, expert: 0, rest: 0 };
  for (const tensor of tensors(model)) sum[share(tensor, model)] += elements(tensor);
  return sum;
});
const share = (tensor, model) => (isLookup(tensor, model) ? "lookup" : isExpert(tensor) ? "expert" : "rest");

/** The number of parameters; the stated one where the shapes are not known. */
export function parameters(model) {
  if (isLanguage(model)) return counts(model).lookup + counts(model).expert + counts(model).rest;
  return Number(fixed(1e9 * ((model.stated_parameters_billion ?? 0) + (model.text_encoder_parameters_billion ?? 0)), 0));
}

/** Parameters at work in one token: of the experts only those chosen, no embedding look-up. */
export function activeParameters(model) {
  if (!isLanguage(model)) return parameters(model);
  return counts(model).rest + counts(model).expert * expertShare(model, 1);
}

const expertShare = (model, batch) =>
  model.experts && model.experts_active ? 1 - (1 - model.experts_active / model.experts) ** batch : 1;

/** Bytes of all weights, as the file holds them. */
export function weightBytes(model, quant, t) {
  if (!isLanguage(model)) return (parameters(model) * t.weights.bits[t.weights.mixes[quant].base]) / 8;
  const size = sizes(model, t, quant);
  return size.lookup + size.expert + size.rest;
}

function activeBytes(model, quant, batch, t) {
  const size = sizes(model, t, quant);
  return size.rest + size.expert * expertShare(model, batch);
}

// Bytes by what a token needs of them: {lookup, expert, rest}.
const sizes = remembered((model, t, quant) => {
  const sum = { lookup: 0, expert: 0, rest: 0 };
  const mix = t.weights.mixes[quant];
  for (const tensor of tensors(model))
    sum[share(tensor, model)] += (elements(tensor) * t.weights.bits[typeOf(model, quant, mix, tensor, t.weights)]) / 8;
  return sum;
});

function typeOf(model, quant, mix, tensor, w) {
  if (w.kept_16_bit.includes(tensor.role)) return mix.gguf ? "f32" : "f16";
  if (isExpert(tensor) && (w.experts_mxfp4.includes(quant) || model.stored_experts === "mxfp4")) return "mxfp4";
  if (tensor.role === "output" || (tensor.role === "token_embedding" && model.tied_embeddings)) return fitting(mix.output, tensor, w);
  if (!mix.gguf) return tensor.role === "token_embedding" ? "f16" : mix.base;
  return fitting(byRule(model, quant, mix, tensor, w), tensor, w);
}

function byRule(model, quant, mix, tensor, w) {
  const role = tensor.role.replaceAll("expert_", "ffn_");
  if (model.experts === 8 && w.bits[mix.base] < w.bits.q8_0) {
    if (Object.hasOwn(w.eight_experts, role)) return w.eight_experts[role];
    if (role === "attention_output" && w.eight_experts_output.includes(quant)) return "q5_K";
  }
  const chosen = (own(mix.rules, role) ?? []).find((rule) => applies(rule, model, tensor))?.type ?? mix.base;
  const small = role === "attention_v" && need(model, "layers") === 80;
  return small && (chosen === "q3_K" || chosen === "q4_K") ? "q5_K" : chosen;
}

const eighth = (n) => Math.floor(n / 8);
// Which layers a rule means: LAYER_RULES of pipeline/estimate/weights.py.
const LAYER_RULES = {
  all: () => true,
  more: (i, n) => i < eighth(n) || i >= Math.floor((7 * n) / 8) || (i - eighth(n)) % 3 === 2,
  eighth: (i, n) => i < eighth(n),
  sixteenth: (i, n) => i < Math.floor(n / 16),
  "first two": (i) => i < 2,
  "first four": (i) => i < 4,
  shared: () => true,
};

function applies(rule, model, tensor) {
  if (rule.layers === "shared" && need(model, "attention_heads") < 4 * (model.key_value_heads || 1)) return false;
  return tensor.layer !== null && LAYER_RULES[rule.layers](tensor.layer, need(model, "layers"));
}

const fitting = (type, tensor, w) => (tensor.columns % w.block ? (w.fallback[type] ?? type) : type);

// ---------------------------------------------------------------- memory

/** The class of memory that decides how much of the bandwidth an engine reaches. */
export const memoryClass = remembered((card) => {
  const kind = (card.memory_type ?? "").toUpperCase();
  if (kind.startsWith("HBM")) return "hbm";
  const shared = card.vendor === "Apple" || card.segment === "integrated" || /^(LPDDR|DDR)/.test(kind);
  return shared ? "unified" : "gddr";
});

/** The need of all GPUs together by part, and what they offer, in GiB. */
export function required(card, model, asked, t) {
  const { parts, total } = needed(asked, model, t), usable = usableGib(card, asked, findEngine(asked.engine, t), t);
  return { parts, total, usable, fits: usable === null ? null : total <= usable, room: usable === null ? null : usable - total };
}

// The need by part: no matter of the card.
const needed = remembered((asked, model, t) => {
  const bytes = asked.task === "serve" ? serving(model, asked, findEngine(asked.engine, t), t) : trained(model, asked, t);
  const parts = {};
  let total = 0;
  for (const name of Object.keys(bytes)) total += parts[name] = bytes[name] / t.memory.gib;
  return { parts, total };
});

function usableGib(card, asked, engine, t) {
  const stated = asked.memory_gb ?? card.memory_gb ?? null;
  if (stated === null) return null;
  const one = stated * t.driver_share[memoryClass(card)] * (asked.task === "serve" ? engine.limit : 1);
  return Math.max(0, one * asked.gpus - asked.display_gib);
}

function cacheBytes(model, context, batch, kvBits, engine, t) {
  if (!isLanguage(model)) return 0;
  const layers = need(model, "layers"), value = cacheBits(kvBits, engine, t) / 8;
  if (model.latent_size) return layers * (model.latent_size + need(model, "latent_rope_size")) * value * context * batch;
  const window = engine.frees_window && model.window_tokens ? Math.min(model.window_layers ?? 0, layers) : 0;
  const cells = (layers - window) * context * batch + window * windowCells(model, context, batch, engine, t);
  return 2 * need(model, "key_value_heads") * need(model, "head_size") * value * cells;
}

const cacheBits = (kvBits, engine, t) =>
  family(engine) === "llama.cpp" && kvBits < 16 ? t.weights.bits[{ 8: "q8_0", 4: "q4_0" }[kvBits]] : kvBits;

function windowCells(model, context, batch, engine, t) {
  const wanted = (model.window_tokens || context) * batch + engine.micro_batch;
  return Math.min(context * batch, Math.ceil(wanted / t.memory.window_pad) * t.memory.window_pad);
}

// Bytes of the cache that one step of one sequence reads.
function attendedBytes(model, tokens, kvBits) {
  const layers = need(model, "layers"), value = kvBits / 8;
  if (model.latent_size) return layers * (model.latent_size + need(model, "latent_rope_size")) * value * tokens;
  const window = model.window_tokens ? (model.window_layers ?? 0) : 0;
  const cells = (layers - window) * tokens + window * Math.min(tokens, model.window_tokens || tokens);
  return 2 * need(model, "key_value_heads") * need(model, "head_size") * value * cells;
}

function serving(model, asked, engine, t) {
  let weights = weightBytes(model, asked.quant, t);
  if (engine.lookup_on_host && isLanguage(model)) weights -= sizes(model, t, asked.quant).lookup;
  return {
    weights,
    kv_cache: cacheBytes(model, asked.context, asked.batch, asked.kv_bits, engine, t),
    activations: buffers(model, asked, engine, t),
    engine: engine.overhead_gib * t.memory.gib * asked.gpus,
  };
}

function buffers(model, asked, engine, t) {
  if (!isLanguage(model) || family(engine) !== "llama.cpp") return 0;
  const logits = t.memory.logit_bytes * engine.micro_batch * need(model, "vocabulary");
  if (engine.flash_attention) return logits;
  const scores = 4 * engine.micro_batch * need(model, "attention_heads") * asked.context;
  return Math.max(logits, scores) + (asked.gpus - 1) * scores;
}

function trained(model, asked, t) {
  const parts = Object.hasOwn(t.memory.frozen_quant, asked.task) ? adapters(model, asked, t) : states(model, asked, t.memory);
  return { ...parts, activations: activations(model, asked, t.memory), engine: t.memory.training_overhead_gib * t.memory.gib * asked.gpus };
}

// What ZeRO does not share out, each GPU holds whole.
function states(model, asked, m) {
  const held = (each, fromStage) => parameters(model) * each * (asked.zero_stage >= fromStage ? 1 : asked.gpus);
  return { weights: held(m.weight_bytes, 3), gradients: held(m.gradient_bytes, 2), optimizer: held(m.optimizer_bytes[asked.optimizer], 1) };
}

function adapters(model, asked, t) {
  const copies = asked.zero_stage >= 3 ? 1 : asked.gpus;
  const each = isLanguage(model) ? asked.lora_rank * adapterWidth(model, t) * t.memory.adapter_bytes : 0;
  return { weights: weightBytes(model, t.memory.frozen_quant[asked.task], t) * copies, adapters: each * asked.gpus };
}

// Parameters of adapters of rank 1 on every matrix of the layers.
const adapterWidth = remembered((model, t) =>
  tensors(model)
    .filter((tensor) => t.memory.adapted.some((role) => tensor.role.startsWith(role)))
    .reduce((sum, tensor) => sum + (tensor.columns + tensor.rows) * tensor.copies, 0));

function activations(model, asked, m) {
  if (!isLanguage(model)) return 0;
  const tokens = asked.context * asked.batch * asked.gpus;
  const perUnit = asked.recompute ? m.recomputed_bytes : m.activation_bytes;
  const oneLayer = asked.recompute ? m.activation_bytes : 0;
  const kept = tokens * need(model, "hidden_size") * (need(model, "layers") * perUnit + oneLayer);
  return kept + tokens * need(model, "vocabulary") * m.logit_bytes;
}

export function memoryWarnings(card, need) {
  if (need.usable === null) return [`the memory of ${card.name} is the buyer's choice or not known; state it to learn what fits`];
  if (need.fits) return [];
  return [`does not fit: ${fixed(need.total - need.usable, 1)} GiB more are needed; speeds hold only if all of it were in GPU memory`];
}

// ---------------------------------------------------------------- speed: named terms, see pipeline/estimate/speed.py

// What the terms and classes of a card are called: written once, since hundreds of cards are asked at each change.
const namesOf = remembered((card, engine, t) => {
  const kind = memoryClass(card), name = backend(engine, card, t), eta = `1/eta ${kind}`;
  const finerFirst = (decode) => [`${decode}, ${name}`, decode];
  return {
    kind, eta, cache: engine.flash_attention ? eta : `1/eta_kv ${kind}, ${name}`, t0: `t0 ${name}`,
    wide: `1/gain ${kind}, 16-bit, ${name}`, narrow: `1/gain ${kind}, quantized, ${name}`,
    dense: finerFirst(`decode ${kind}`), experts: finerFirst("decode experts"),
  };
});

function decodeTerms(card, model, asked, engine, tokens, t) {
  const rate = bandwidth(card), { kind, eta, cache, t0 } = namesOf(card, engine, t);
  const split = sharesTensors(asked, engine) ? asked.gpus : 1;
  const layers = need(model, "layers");
  const terms = { [eta]: activeBytes(model, asked.quant, asked.batch, t) / rate / split };
  Object.assign(terms, unpacking(card, model, asked.quant, split, t));
  terms[cache] = (terms[cache] ?? 0) + (attendedBytes(model, tokens, asked.kv_bits) * asked.batch) / rate / split;
  terms[t0] = layers * MICRO;
  if (engine.name !== family(engine)) terms[`t0 ${engine.name}`] = layers * MICRO;
  terms["t0 experts"] = model.experts ? layers * MICRO : 0;
  terms["t output"] = (need(model, "vocabulary") / 1e5) * MICRO;
  terms["t hop"] = split > 1 ? 0 : (asked.gpus - 1) * MICRO;
  if (asked.batch > 1) {
    const gain = gainName(card, asked, engine, t);
    terms[gain] = (terms[gain] ?? 0) + arithmetic(card, model, asked.batch - 1, t) / split;
  }
  terms["t tensor parallel"] = exchanges(card, model, asked, split, t);
  return terms;
}

function prefillTerms(card, model, asked, engine, tokens, t) {
  const gain = promptGain(asked, engine, tokens, t);
  const vector = own(card.peaks, t.speed.vector);
  const work = 2 * activeParameters(model) * tokens + attentionWork(model, tokens);
  if (vector === undefined) throw new EstimateError(`the FP32 rate of ${card.name} is not known, so prompt speed cannot be estimated`);
  const done = work / (vector * TERA) / gain;
  const terms = { [gainName(card, asked, engine, t)]: done };
  if (model.experts) terms["1/gain experts"] = done;
  if (!engine.flash_attention) terms[`1/eta scores, ${engine.code}`] = scoreBytes(model, tokens) / bandwidth(card) / gain;
  return terms;
}

function servingTerms(card, model, asked, engine, outputTokens, t) {
  const streams = effectiveBatch(card, model, asked, engine, t);
  const shared = { ...asked, batch: Math.max(1, Number(fixed(streams, 0))) };
  const terms = {};
  for (const [name, value] of Object.entries(decodeTerms(card, model, shared, engine, asked.prompt_tokens + outputTokens / 2, t)))
    terms[name] = value / streams;
  for (const [name, value] of Object.entries(prefillTerms(card, model, asked, engine, asked.prompt_tokens, t)))
    terms[name] = (terms[name] ?? 0) + value / outputTokens;
  return terms;
}

// How many of the requests run at a time: those whose cache fits.
function effectiveBatch(card, model, asked, engine, t) {
  const usable = usableGib(card, asked, engine, t);
  if (usable === null) return asked.batch;
  const alone = needed(single(asked), model, t);
  const room = usable - alone.total + alone.parts.kv_cache;
  return Math.max(1, Math.min(asked.batch, room / alone.parts.kv_cache));
}

const single = remembered((asked) => ({ ...asked, batch: 1 }));

function seconds(terms, coefficients) {
  let total = 0;
  for (const name in terms) {
    const value = terms[name], found = findCoefficient(coefficients, name);
    if (found === null && value > 0 && coefficients.tables.speed.needed.some((start) => name.startsWith(start)))
      throw new EstimateError(missing(name, coefficients.tables.speed));
    total += value * (found === null ? 0 : coefficients.values[found]);
  }
  return total;
}

// The name under which a coefficient was fitted: its own, or that of another build of the same class.
const findCoefficient = remembered((coefficients, name) => {
  if (Object.hasOwn(coefficients.values, name)) return name;
  const comma = name.lastIndexOf(", ");
  if (comma < 1) return null;
  const family = name.slice(0, comma), engine = name.slice(comma + 2).split(" ")[0];
  const same = Object.keys(coefficients.values).filter((other) => other.startsWith(`${family}, `)).sort(byCode);
  return same.find((other) => other.includes(`, ${engine} `)) ?? same[0] ?? null;
});

function bandwidth(card) {
  if (!card.memory_bandwidth_gb_s) throw new EstimateError(`the memory bandwidth of ${card.name} is not known, so its speed cannot be estimated`);
  return card.memory_bandwidth_gb_s * GIGA;
}

function sharesTensors(asked, engine) {
  if (asked.layout === "auto") return family(engine) === "vllm" && asked.gpus > 1;
  return asked.layout === "tensor" && asked.gpus > 1;
}

function backend(engine, card, t) {
  const known = own(t.back_ends, family(engine)) ?? {};
  const kind = own(known, `${card.vendor} ${card.architecture ?? ""}`) || own(known, card.vendor);
  return [engine.code, kind].filter(Boolean).join(" ");
}

// The engine whose code an engine runs: Ollama is a server around llama.cpp.
const family = remembered((engine) => engine.code.split(" ")[0]);

function unpacking(card, model, quant, split, t) {
  const mix = t.weights.mixes[quant], bits = t.weights.bits[mix.base], vector = own(card.peaks, t.speed.vector);
  if (!mix.gguf || bits >= t.weights.bits.f16 || vector === undefined) return {};
  const once = (2 * activeParameters(model)) / (vector * TERA) / split, terms = {};
  if (unpacks(card, t)) terms.unpack = once;
  if (bits < t.speed.whole_nibble) terms["unpack low bits"] = once;
  return terms;
}

const unpacks = remembered((card, t) => {
  const shaders = [card.vendor, `${card.vendor} ${card.architecture ?? ""}`].some((name) => t.speed.unpackers.includes(name));
  return shaders && memoryClass(card) !== "unified";
});

function attentionWork(model, tokens) {
  const head = model.latent_size ? need(model, "latent_nope_size") + need(model, "latent_rope_size") : need(model, "head_size");
  const width = need(model, "attention_heads") * head, layers = need(model, "layers");
  const window = model.window_tokens ? (model.window_layers ?? 0) : 0;
  const seen = Math.min(2 * (model.window_tokens || tokens), tokens);
  return 2 * width * tokens * ((layers - window) * tokens + window * seen);
}

const scoreBytes = (model, tokens) => 4 * need(model, "layers") * need(model, "attention_heads") * tokens ** 2;

function gainName(card, asked, engine, t) {
  const w = t.weights;
  return namesOf(card, engine, t)[w.bits[w.mixes[asked.quant].base] >= w.bits.f16 ? "wide" : "narrow"];
}

function arithmetic(card, model, streams, t) {
  const vector = own(card.peaks, t.speed.vector);
  return streams <= 0 || vector === undefined ? 0 : (2 * activeParameters(model) * streams) / (vector * TERA);
}

function exchanges(card, model, asked, split, t) {
  if (split === 1) return 0;
  const link = card.link_gb_s || (t.speed.pcie_gb_s[fixed(card.pcie_gen || 3, 0)] ?? 32);
  const moved = 2 * need(model, "layers") * asked.batch * need(model, "hidden_size") * 2 * (split - 1);
  return moved / (link * GIGA) + need(model, "layers") * MICRO;
}

function promptGain(asked, engine, tokens, t) {
  if (sharesTensors(asked, engine)) return asked.gpus;
  const pieces = Math.max(1, tokens / t.speed.pipeline_piece);
  return (asked.gpus * pieces) / (pieces + asked.gpus - 1);
}

// ---------------------------------------------------------------- answers

const NOTHING = { interval: null, kind: "", statement: "", warnings: [] };

function decoded(card, model, asked, engine, coefficients, measured) {
  const known = fromSame(card, model, asked, engine, coefficients, measured);
  return known.length ? fromPoints(known) : orSentence(() => estimatedDecode(card, model, asked, engine, coefficients));
}

function estimatedDecode(card, model, asked, engine, coefficients) {
  const t = coefficients.tables;
  const alone = asked.batch === 1;
  // On the way to a full context the cache is half full on average.
  const terms = alone
    ? decodeTerms(card, model, asked, engine, asked.context / 2, t)
    : servingTerms(card, model, asked, engine, Math.max(1, asked.context - asked.prompt_tokens), t);
  const kinds = alone ? namesOf(card, engine, t)[model.experts ? "experts" : "dense"] : ["serving"];
  const rate = 1 / seconds(terms, coefficients);
  return answer(rate, kinds, terms, coefficients, alone ? [] : queue(card, model, asked, engine, t));
}

function queue(card, model, asked, engine, t) {
  const streams = effectiveBatch(card, model, asked, engine, t);
  return streams >= asked.batch ? [] : [`the cache holds ${fixed(streams, 0)} of ${asked.batch} sequences at a time; the others wait`];
}

function prefilled(card, model, asked, engine, coefficients) {
  return orSentence(() => {
    const terms = prefillTerms(card, model, asked, engine, asked.prompt_tokens, coefficients.tables);
    const rate = asked.prompt_tokens / seconds(terms, coefficients);
    const alone = asked.gpus > 1 ? [] : [`prefill ${memoryClass(card)}`];
    return answer(rate, [...alone, "prefill several GPUs"], terms, coefficients, []);
  });
}

function orSentence(make) {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof EstimateError)) throw error;
    return { ...NOTHING, warnings: [error.message] };
  }
}

function answer(rate, kinds, terms, coefficients, warnings) {
  const spread = coefficients.spreads[kinds.find((kind) => Object.hasOwn(coefficients.spreads, kind))];
  if (!spread) throw new EstimateError(`no measured point for ${kinds.at(-1)}; run: python -m pipeline estimator-fit`);
  const interval = { median: rate, p10: rate * Math.exp(Math.min(0, spread.p10)), p90: rate * Math.exp(Math.max(0, spread.p90)) };
  return { interval, kind: "estimated", statement: spread.statement, warnings, terms };
}

// What stands behind an answer; worked out when read, because a ranking of every card reads it of few.
function basisOf({ interval, kind, statement, terms, points }, coefficients) {
  if (!interval) return null;
  if (!terms) return { kind, statement, points, coefficients: {} };
  return {
    kind, statement,
    get points() {
      return [...new Set(behind(terms, coefficients).flatMap(([, other]) => coefficients.sets[other]))].sort(byCode);
    },
    get coefficients() {
      return Object.fromEntries(behind(terms, coefficients).map(([name, other]) => [name, coefficients.values[other]]));
    },
  };
}

// Warnings of an answer, and of the terms for which runs with another engine build stand in.
function warningsOf({ warnings, terms }, coefficients) {
  const { speed } = coefficients.tables, used = terms ? behind(terms, coefficients) : [];
  const others = used.filter(([name, other]) => other !== name && speed.needed.some((start) => name.startsWith(start)));
  return [...warnings, ...others.map(([name, other]) => borrowed(name, other, speed))];
}

// The sentences of pipeline/estimate/words.py.
function borrowed(name, other, words) {
  const { what, build } = termOf(name, words);
  return `no run${withBuild(build)} in this dataset tells ${what}; runs${withBuild(termOf(other, words).build)} stand in for it`;
}

function missing(name, words) {
  const { what, build } = termOf(name, words);
  return `no run${withBuild(build)} in this dataset tells ${what}, so this cannot be estimated`;
}

// What a term is in words, and its engine build, "" where it has none of its own.
function termOf(name, { terms, memories }) {
  const [head, ...rest] = name.split(", "), space = head.indexOf(" ");
  const [key, kind] = Object.hasOwn(terms, head) ? [head, ""] : [head.slice(0, space), head.slice(space + 1)];
  const what = terms[key].replace("{memory}", own(memories, kind) ?? kind).replace("{weights}", rest.length > 1 ? rest[0] : "");
  return { what, build: key === "t0" ? kind : (rest.at(-1) ?? "") };
}

const withBuild = (build) => (build ? ` with ${build}` : "");

// The terms of an estimate, each with the name under which its coefficient was fitted.
function behind(terms, coefficients) {
  const used = Object.keys(terms).filter((name) => terms[name] > 0);
  return used.map((name) => [name, findCoefficient(coefficients, name)]).filter(([, other]) => other !== null);
}

// Points of exactly this card, count, model, quantization and engine, at the nearest context, newest first.
function fromSame(card, model, asked, engine, coefficients, measured) {
  if (asked.batch !== 1 || asked.kv_bits !== 16) return [];
  const t = coefficients.tables, tokens = asked.context / 2, ofCard = byCard(measured).get(card.id);
  if (!ofCard) return [];
  const fitting = ofCard.filter((p) =>
    p.model === model.id && p.quant === asked.quant && p.gpus === asked.gpus && p.batch === 1
    && sameEngine(p.engine, asked.engine, t) && tellsOf(card, model, asked, engine, coefficients, p.tokens));
  if (!fitting.length) return fitting;
  const named = fitting.filter((p) => findEngine(p.engine, t).name === engine.name);
  const chosen = named.length ? named : fitting;
  const newest = chosen.map((p) => p.date).sort(byCode).at(-1);
  const recent = chosen.filter((p) => p.date === newest);
  const distance = (p) => Math.abs(Math.log(p.tokens / tokens));
  const nearest = Math.min(...recent.map(distance));
  return recent.filter((p) => distance(p) <= nearest + 1e-9);
}

// Whether a speed measured with so many tokens in the cache tells that of the context asked for.
function tellsOf(card, model, asked, engine, coefficients, measuredAt) {
  const t = coefficients.tables, tokens = asked.context / 2, { near_context: near, near_time: nearTime } = t.limits;
  if (measuredAt / tokens >= 1 / near && measuredAt / tokens <= near) return true;
  try {
    const times = [tokens, measuredAt].map((at) => seconds(decodeTerms(card, model, asked, engine, at, t), coefficients));
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
  return asked.includes("@") ? one === other : family(one) === family(other);
}

function fromPoints(known) {
  const values = known.map((p) => p.value);
  return {
    interval: { median: median(values), p10: Math.min(...values), p90: Math.max(...values) },
    kind: "measured",
    statement: `measured ${known[0].date} with ${known[0].software}, ${values.length} result${values.length > 1 ? "s" : ""}`,
    points: known.map((p) => p.key),
    warnings: [],
  };
}

// ---------------------------------------------------------------- small things

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
