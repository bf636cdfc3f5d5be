// The calculators: a form's question to the formulas, their answer into the page, the question into the address.
// Three ask the estimator and are laid out here; the others get a finished sheet. The formulas are Python's, translated.

import { NeedError } from "./able.js";
import { checked, estimate, EstimateError, figure as number, findEngine, Request, required } from "./estimated.js";
import { parameters, prepared } from "./estimator.js";
import { withMarket } from "./market-choice.js";
import { fixed, format } from "./python.js";

const NUMBERS = ["gpus", "context", "prompt_tokens", "batch", "kv_bits", "memory_gb"];
const MOST_CONTEXT = 1e7;
// Choices about which the formulas themselves say when there is no such one.
const TOLD = ["gpu", "model", "quant", "engine", "task", "kv_bits"];
const loading = new Map();

export function start(page, root) {
  const form = page.querySelector("form[data-calculator]");
  if (!form || form.dataset.ready) return;
  form.dataset.ready = "yes";
  const place = page.querySelector("[data-calculator-answer]");
  const status = page.querySelector("[data-calculator-status]");
  restore(form);
  const reply = ANSWERS[form.dataset.calculator] ?? sheetOf;
  const answer = async () => {
    try {
      place.replaceChildren(...await reply(form, root));
    } catch (error) {
      place.replaceChildren(sentence(error, form));
    }
    // A screen reader hears the sentence, not the tables below it.
    status.textContent = place.firstElementChild?.textContent ?? "";
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    remember(form);
    answer();
  });
  form.addEventListener("reset", () => setTimeout(() => {
    remember(form);
    answer();
  }));
  // Whoever enters the form will ask: the figures come and every model's tensors are counted before the first change.
  form.addEventListener("focusin", () => reply(form, root).catch(() => {}), { once: true });
  // The page holds the answer to its first question already.
  if (window.location.search.length > 1) answer();
}

// A file of data, fetched once.
function load(root, file) {
  if (!loading.has(file)) loading.set(file, fetched(new URL(file, root)));
  return loading.get(file).catch((error) => {
    loading.delete(file);
    throw told(error) ? error : new EstimateError("The figures could not be loaded. Change an input to try again.");
  });
}

async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new EstimateError(`The figures could not be loaded (${answer.status}). Change an input to try again.`);
  return answer.json();
}

// Errors whose message is a sentence for the reader.
const told = (error) => error instanceof EstimateError || error instanceof NeedError;

function sentence(error, form) {
  if (!told(error)) console.warn(error);
  const text = told(error) ? inFormsWords(error.message, form) : "This could not be worked out.";
  const made = make("p", { className: "ga-trap" }, text);
  made.setAttribute("role", "alert");
  return made;
}

// "batch is 0; …" is about the field that the form calls Streams.
function inFormsWords(text, form) {
  const name = /^([a-z_]+) is /.exec(text)?.[1], field = name && form.elements.namedItem(name);
  return field ? labelOf(field) + text.slice(name.length) : text;
}

const labelOf = (field) => field.closest("label").firstChild.textContent.trim().split(",")[0];

// ---------------------------------------------------------------- question and address

const fields = (form) => [...form.elements].filter((field) => field.name);
const first = (field) => (field.options ? [...field.options].find((option) => option.defaultSelected)?.value ?? field.options[0].value : field.defaultValue);

function remember(form) {
  const state = new URLSearchParams();
  for (const field of fields(form)) if (field.value.trim() !== first(field)) state.set(field.name, field.value.trim());
  history.replaceState(history.state, "", window.location.pathname + withMarket(state));
}

function restore(form) {
  const state = new URLSearchParams(window.location.search);
  for (const field of fields(form)) {
    if (!state.has(field.name)) continue;
    const wanted = state.get(field.name);
    // A choice that does not exist is told in the answer, not silently another one.
    if (field.options && ![...field.options].some((option) => option.value === wanted)) {
      field.add(new Option(wanted, wanted));
      field.dataset.unknown = wanted;
    }
    field.value = wanted;
    field.closest("details")?.setAttribute("open", "");
  }
}

function asked(form) {
  const question = {};
  for (const field of fields(form)) {
    const text = field.value.trim();
    if (NUMBERS.includes(field.name)) {
      if (text !== "") question[field.name] = Number(text);
      else if (field.name !== "memory_gb") throw new EstimateError(`${labelOf(field)} is empty or no number; type a number`);
    } else if (field.dataset.unknown === text && !TOLD.includes(field.name)) {
      throw new EstimateError(`${labelOf(field)}: nothing here is called “${text.slice(0, 60)}”`);
    } else question[field.name] = text;
  }
  if ("recompute" in question) question.recompute = question.recompute === "1";
  return question;
}

function pick(list, id, what) {
  const found = list.find((one) => one.id === id);
  if (!found) throw new EstimateError(`there is no ${what} called “${id.slice(0, 60)}”`);
  return found;
}

// ---------------------------------------------------------------- answers

const estimated = (work) => async (form, root) => work(asked(form), await known(root), root);
const ANSWERS = { "what-fits": estimated(whatFits), memory: estimated(breakdown), speed: estimated(speed) };
let formulas;

// The estimator's data in the shape of its formulas, once.
async function known(root) {
  const data = await load(root, "calculators/data.json");
  return (data.prepared ??= prepared(data));
}

// The other calculators: their formulas come with their data, and both only where they are used.
async function sheetOf(form, root) {
  formulas ??= Promise.all([import("./costs.js"), known(root), load(root, "calculators/costs.json")]).catch((error) => {
    formulas = undefined;
    throw error;
  });
  const [{ answer, known: knownOf }, data, costs] = await formulas;
  data.costs ??= knownOf(data, costs);
  return drawn(answer(form.dataset.calculator, typed(form), data.costs), root);
}

// What stands in the form: numbers as numbers, an empty field as null.
function typed(form) {
  const value = (field) => {
    if (field.type !== "number") return field.value;
    if (field.validity.badInput) return NaN;
    return field.value.trim() === "" ? null : Number(field.value);
  };
  return Object.fromEntries(fields(form).map((field) => [field.name, value(field)]));
}

// A sheet as docs/templates/calculator_parts.html.j2 shows it.
function drawn(sheet, root) {
  const lead = make("p", { className: "ga-answer" });
  lead.append(make("b", {}, sheet.lead));
  const nodes = [lead, ...sheet.notes.map((note) => make("p", {}, note))];
  if (sheet.picture) nodes.push(lines(sheet.picture));
  for (const { title, heads, rows } of sheet.tables) {
    const cells = rows.map((row) => row.map((one, i) => sheetCell(one, i === 0, root)));
    nodes.push(make("h2", {}, title), rows.length ? table(title, heads.map(([text, unit]) => [text, unit ?? undefined]), cells) : make("p", {}, "None."));
  }
  return nodes;
}

function sheetCell(one, first, root) {
  const made = make(first ? "th" : "td", { className: one.number ? "n" : "" });
  if (first) made.setAttribute("scope", "row");
  if (one.gpu) made.append(make("a", { href: new URL(`gpus/${one.gpu}/`, root).href }, one.text));
  else if (/^https?:/.test(one.href)) made.append(make("a", { href: one.href, rel: "noopener nofollow" }, one.text));
  else made.append(one.text);
  if (["measured", "estimated"].includes(one.kind)) made.append(" ", make("span", { className: `ga-kind ga-kind--${one.kind}` }, one.kind));
  return made;
}

function lines({ title, width, height, shapes, labels }) {
  const made = picture("ga-lines", `0 0 ${width} ${height}`, [
    ...shapes.map(({ look, d }) => ["path", { class: `ga-lines-${look}`, d }]),
    ...labels.map(({ look, x, y, anchor, text }) => ["text", { class: `ga-lines-${look}`, x, y, "text-anchor": anchor }, text]),
  ]);
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", title);
  return made;
}

const asking = (question) => Object.assign(new Request(), question);

function whatFits({ gpu, ...question }, known) {
  const card = pick(known.cards, gpu, "GPU");
  const engine = question.engine.split("@")[0], task = question.task;
  if (!Object.hasOwn(known.tasks, task)) throw new EstimateError(`nothing is known of the task “${task.slice(0, 60)}”`);
  if (!(question.context <= MOST_CONTEXT)) throw new EstimateError(`context is ${format(question.context, "g")}; it must be at most ${count(MOST_CONTEXT)}`);
  const columns = task === "serve" ? (known.columns[engine] ?? known.columns["llama.cpp"]) : ["f16"];
  const models = known.models.filter((model) => model.kind === "language").map((model) => [parameters(model), model]);
  models.sort(([a, x], [b, y]) => b - a || (x.name < y.name ? -1 : 1));
  const rows = models.map(([size, model]) => fitRow(card, model, size, columns, question, known));
  const held = rows.filter((row) => row.best.fits), misses = rows.filter((row) => !row.best.fits);
  held.sort((a, b) => known.squeezed.includes(a.best.quant) - known.squeezed.includes(b.best.quant));
  misses.sort((a, b) => b.best.room - a.best.room || (a.model.name < b.model.name ? -1 : 1)).splice(known.misses);
  const part = (title, label, list, quant, unit) => (list.length ? [make("h2", {}, title), fittingTable(label, list, quant, unit, question, known)] : []);
  return [
    bold(fitsLead(configuration(card, question), rows.length, held, misses, question, known)),
    ...part("What fits, the largest first", "What fits", held, "Best that fits", "Room"),
    ...part("The nearest misses", "The nearest misses", misses, "At", "Missing"), everyModel(rows, columns, question, known),
  ];
}

// A model at every quantization, and the best of them that fits, or the one that misses by the least.
function fitRow(card, model, size, columns, question, known) {
  const length = Math.min(question.context, model.context ?? question.context);
  const cells = columns.map((quant) => {
    const { usable, room, fits } = required(card, model, checked(asking({ ...question, quant, context: length, prompt_tokens: 1 }), model));
    if (usable === null) throw new EstimateError(`the memory of ${card.name} is the buyer's choice or not known; state it to learn what fits`);
    return { quant, room, fits, verdict: !fits ? "no" : room < known.tight * usable ? "tight" : "fits" };
  });
  return { model, size, length, cells, best: cells.find((one) => one.fits) ?? cells.reduce((a, b) => (b.room > a.room ? b : a)) };
}

function fitsLead(name, all, held, misses, { task, context }, known) {
  const serving = task === "serve", at = ({ quant }) => (serving ? ` at ${quant}` : "");
  const start = `${name} holds ${held.length} of ${all} language models${serving ? "" : ` to ${known.tasks[task]}`} with ${count(context)} tokens of context.`;
  if (!held.length) return misses.length ? `${start} The nearest miss is ${misses[0].model.name}${at(misses[0].best)}: ${fixed(-misses[0].best.room, 1)} GiB are missing.` : start;
  const [{ model, best }] = held, what = serving && !known.squeezed.includes(best.quant) ? "The largest at 4 bit or more" : "The largest";
  return `${start} ${what} is ${model.name}${at(best)}, with ${fixed(best.room, 1)} GiB to spare.`;
}

function modelHead({ model, length }, { context }) {
  const head = heading(model.name);
  if (length !== context) head.append(" ", make("span", { className: "ga-faint" }, `${count(length)} tokens`));
  return head;
}

function fittingTable(label, list, quant, unit, question, known) {
  const serving = question.task === "serve", marked = (made, words) => made.append(" ", make("span", { className: "ga-faint" }, words));
  const rows = list.map((row) => {
    const { best } = row, at = cell(best.quant), room = cell(fixed(Math.abs(best.room), 1), `n ga-fit ga-fit--${best.verdict}`);
    if (known.squeezed.includes(best.quant)) marked(at, "under 4 bit");
    if (best.verdict === "tight") marked(room, "tight");
    return [modelHead(row, question), ...(serving ? [at] : []), room, cell(number(row.size / 1e9), "n")];
  });
  return table(label, [["Model"], ...(serving ? [[quant]] : []), [unit, "GiB"], ["Parameters", "billion"]], rows, true);
}

// The whole matrix, made when somebody opens it.
function everyModel(rows, columns, question, known) {
  const made = make("details", { className: "ga-more" }), serving = question.task === "serve";
  made.append(make("summary", {}, "Every model at every quantization"));
  made.addEventListener("toggle", () => {
    const heads = [["Model"], ["Parameters", "billion"], ...columns.map((quant) => [serving ? quant : known.tasks[question.task], serving ? "" : "GiB"])];
    const cells = (row) => row.cells.map((one) => cell(signed(one.room), `n ga-fit ga-fit--${one.verdict}`));
    const lines = rows.map((row) => [modelHead(row, question), cell(number(row.size / 1e9), "n"), ...cells(row)]);
    made.append(make("p", {}, "The room that is left in GiB, or what is missing."), table("Every model at every quantization", heads, lines, true));
  }, { once: true });
  return made;
}

function breakdown({ gpu, model: name, ...question }, known) {
  const card = pick(known.cards, gpu, "GPU"), model = pick(known.models, name, "model");
  const need = required(card, model, checked(asking({ ...question, prompt_tokens: 1 }), model));
  const what = question.task === "serve" ? ` at ${question.quant}` : `, ${known.tasks[question.task] ?? question.task},`;
  const lead = memoryLead(`${model.name}${what} with ${count(question.context)} tokens`, need, configuration(card, question), known);
  const parts = Object.entries(known.parts).filter(([id]) => need.parts[id] > 0);
  const rows = parts.map(([id, label]) => {
    const head = heading("");
    head.append(picture("ga-swatch", "0 0 8 8", [["rect", { class: `ga-part--${id}`, width: 8, height: 8 }]]), label);
    return [head, cell(fixed(need.parts[id], 2), "n")];
  });
  rows.push([heading("Needed"), cell(fixed(need.total, 2), "n")]);
  if (need.usable !== null) rows.push([heading("Usable"), cell(fixed(need.usable, 2), "n")]);
  return [bold(lead), stack(parts, need), table("Parts", [["Part"], ["GiB", ""]], rows)];
}

function memoryLead(what, { total, usable, room, fits }, name, { tight }) {
  if (usable === null) return `${what} takes ${fixed(total, 1)} GiB. What ${name} offers is the buyer’s choice or not known: type its memory.`;
  if (!fits) return `${what} does not fit on ${name}: ${fixed(total, 1)} GiB are needed, ${fixed(usable, 1)} GiB are there, ${fixed(-room, 1)} GiB are missing.`;
  return `${what} fits on ${name}: ${fixed(total, 1)} of ${fixed(usable, 1)} GiB, ${fixed(room, 1)} GiB to spare.${room < tight * usable ? " That is tight." : ""}`;
}

function stack(parts, need) {
  const whole = Math.max(need.total, need.usable ?? 0);
  let at = 0;
  const shapes = parts.map(([id]) => {
    const width = (100 * need.parts[id]) / whole;
    at += width;
    return ["rect", { class: `ga-part--${id}`, x: at - width, y: 0, width, height: 8 }];
  });
  if (need.usable !== null) shapes.push(["path", { class: "ga-usable", d: `M${(100 * need.usable) / whole} 0v8` }]);
  const made = picture("ga-stack", "0 0 100 8", shapes);
  made.setAttribute("preserveAspectRatio", "none");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", "Memory by part");
  return made;
}

function speed({ gpu, model: name, ...question }, known, root) {
  const card = pick(known.cards, gpu, "GPU"), model = pick(known.models, name, "model");
  const ask = (one) => estimate(one, model, asking(question), known.coefficients, known.points[one.id]), runs = runnable(known, question);
  if (!runs(card)) throw new EstimateError(`llama.cpp has no backend for ${card.name}; choose another engine or GPU`);
  const own = ask(card);
  const rows = [
    [heading("Writing"), ...interval(own.decode_tokens_per_s, own.decode_basis)],
    [heading("Reading the prompt"), ...interval(own.prefill_tokens_per_s, own.prefill_basis)],
  ];
  const together = question.batch > 1 ? `, ${count(question.batch)} streams together` : "";
  const conditions = make("p", { className: "ga-faint" }, `${question.engine}, ${count(question.context)} tokens of context, a prompt of ${count(question.prompt_tokens)}${together}.`);
  const notes = make("ul", { className: "ga-faint" });
  notes.append(...[...basisNotes(own), ...own.warnings].map((text) => make("li", {}, text)));
  const heads = (what) => [[what], ["Tokens/s", ""], ["80 % interval", ""]];
  const title = make("h2", { id: "ranking" }, "The same on every GPU that holds it");
  // The long table comes a moment later, so that the answer stands at once.
  const later = make("div");
  setTimeout(() => later.isConnected && later.append(ranking(known.cards.filter(runs), ask, (one) => gpuHeading(one, question, root), heads("GPU"))));
  return [bold(speedLead(own, configuration(card, question), model, question)), conditions, table("Speed", heads("Speed"), rows), ...(notes.children.length ? [notes] : []), title, later];
}

function speedLead({ memory, decode_tokens_per_s: rate, decode_basis: basis }, name, model, { quant }) {
  const what = `with ${model.name} at ${quant}`;
  if (!rate) return `Nothing tells how fast ${name} is ${what}.`;
  const said = `${number(rate.median)} tokens a second`, span = `(${number(rate.p10)} to ${number(rate.p90)}, ${basis.kind})`;
  if (memory.fits === false) return `${name} is too small by ${fixed(-memory.room, 1)} GiB ${what}; with enough memory it would write ${said} ${span}.`;
  return `${name} writes ${said} ${span} ${what}.`;
}

// Whether an engine runs on a card: what is built on llama.cpp has no backend for some.
const runnable = ({ no_llama: none }, { engine }) => (findEngine(engine).code.startsWith("llama.cpp") ? (card) => !none.includes(card.id) : () => true);

function ranking(cards, ask, head, heads) {
  const found = cards.map((one) => [one, ask(one)]).filter(([, answer]) => answer.memory.fits && answer.decode_tokens_per_s);
  if (!found.length) return make("p", {}, "No GPU here holds it; take more of them, a smaller quantization or a shorter context.");
  found.sort(([a, x], [b, y]) => y.decode_tokens_per_s.median - x.decode_tokens_per_s.median || (a.name < b.name ? -1 : 1));
  return table("Every GPU", heads, found.map(([one, answer]) => [head(one), ...interval(answer.decode_tokens_per_s, answer.decode_basis)]), true);
}

const basisNotes = (answer) => [["writing", answer.decode_basis], ["reading", answer.prefill_basis]].filter(([, basis]) => basis).map(([what, basis]) => `${what}: ${basis.statement}`);

function interval(one, basis) {
  if (!one) return [cell("–", "n"), cell("–", "n")];
  const middle = cell(number(one.median), "n");
  middle.append(" ", make("span", { className: `ga-kind ga-kind--${basis.kind}` }, basis.kind));
  return [middle, cell(`${number(one.p10)} to ${number(one.p90)}`, "n")];
}

// ---------------------------------------------------------------- elements and numbers

const configuration = (card, { gpus }) => (gpus === 1 ? card.name : `${gpus} × ${card.name}`);
const count = (value) => value.toLocaleString("en-US");
const signed = (value) => `${value < 0 ? "-" : "+"}${fixed(Math.abs(value), 1)}`;

function make(tag, properties = {}, text = "") {
  const made = Object.assign(document.createElement(tag), properties);
  if (text) made.textContent = text;
  return made;
}

const cell = (text, className = "") => make("td", { className }, text);
const heading = (text) => make("th", { scope: "row" }, text);

function gpuHeading(card, question, root) {
  const head = heading("");
  head.append(make("span", { className: `ga-dot ga-v-${card.vendor.toLowerCase()}` }), make("a", { href: new URL(`gpus/${card.id}/`, root).href }, configuration(card, question)));
  return head;
}

function bold(text) {
  const made = make("p", { className: "ga-answer" });
  made.append(make("b", {}, text));
  return made;
}

function table(label, heads, rows, tall = false) {
  const region = make("div", { className: `ga-scroll${tall ? " ga-scroll--tall" : ""}`, tabIndex: 0 });
  region.setAttribute("role", "region");
  region.setAttribute("aria-label", label);
  const made = make("table", { className: "ga-table" });
  made.createTHead().insertRow().append(...heads.map(([text, unit]) => {
    const head = make("th", { scope: "col", className: unit === undefined ? "" : "n" }, text);
    if (unit) head.append(" ", make("small", {}, unit));
    return head;
  }));
  const body = made.createTBody();
  for (const row of rows) body.insertRow().append(...row);
  region.append(made);
  return region;
}

function picture(className, viewBox, shapes) {
  const element = (tag, attributes, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const svg = element("svg", { class: className, viewBox });
  if (className === "ga-swatch") svg.setAttribute("aria-hidden", "true");
  svg.append(...shapes.map((shape) => element(...shape)));
  return svg;
}
