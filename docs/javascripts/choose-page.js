// The chooser's form to its formulas (Python's, translated), its answer into the page, the question into the address. The elements are those of
// docs/templates/choose.html.j2, which holds the first answer; fill.js puts another one into them.

import { NeedError } from "./able.js";
import { findCard, join, partsFor, prepare, some } from "./chooser.js";
import { choose, lost, opening, parse, reasons, rest, tried, view } from "./chosen.js";
import { copied } from "./elements.js";
import { fill } from "./fill.js";
import { marketOf, USUAL, withMarket } from "./market-choice.js";

const RUN = ["units", "deadline_hours"], ADDRESS_MS = 300, PAUSE_MS = 1000, EACH_CARD = 8, WARM = 80, WARMED = ["chat", "qlora", "serve", "full", "train"];
const NOT_LOADED = "The figures could not be loaded. Change something to try again.";
/** @typedef {any} Any what Python's own types describe */
/** @typedef {HTMLInputElement & HTMLSelectElement} Field @typedef {HTMLFormElement & { elements: Record<string, Any> }} Form @typedef {Record<string, string>} Words */
/** @typedef {{ form: Form, root: URL, place: HTMLElement, status: HTMLElement, refused: HTMLElement, first: Words, answer: Any, turn: number, writing?: number }} State */
/** @type {Map<string, Promise<Any>>} files that are here or on their way */
const loading = new Map();
let warmed = false;

/** @param {Document} page @param {URL} root */
export function start(page, root) {
  const form = /** @type {Form | null} */ (page.querySelector("form[data-choose]"));
  if (!form || form.dataset.ready) return;
  form.dataset.ready = "yes";
  const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (page.querySelector(`[data-choose-${name}]`));
  /** @type {State} */
  const state = { form, root, place: part("answer"), status: part("status"), refused: part("refused"), first: usualWords(form), answer: null, turn: 0 };
  // The header's switch is a part of the question.
  const follow = () => (form.elements.market.value = marketOf() === USUAL ? "" : marketOf());
  follow();
  document.addEventListener("ga-market", () => {
    if (!form.isConnected) return;
    follow();
    answer();
  });
  // Whoever changed something while the page still loaded keeps it, and is answered.
  const changed = !inAddress(form).size && !same(said(form), state.first);
  if (!changed) restore(form);
  const loaded = () => load(root, words(form)).catch((/** @type {Error} */ error) => error);
  const answer = async () => {
    told(state);
    const known = await loaded();
    show(state, known);
    // The address follows when nothing has changed for a moment: to write it, a browser lays the whole page out at once.
    clearTimeout(state.writing);
    state.writing = setTimeout(() => form.isConnected && remember(state), ADDRESS_MS);
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    const { name } = /** @type {Field} */ (event.target);
    if (name === "task") otherTask(form);
    if (name) answer();
  });
  const again = () => {
    clearTimeout(state.writing);
    restore(form);
    told(state);
    return loaded().then((known) => show(state, known));
  };
  readyMade(page, again);
  ownCards(state, answer);
  copying(page, state);
  state.place.addEventListener("toggle", ({ target }) => /** @type {Element} */ (target).matches("[data-lost][open]") && fillLost(state), true);
  told(state);
  // The page holds the answer to its first question; whoever comes to the form will ask another one.
  for (const type of ["focusin", "pointerenter"]) form.addEventListener(type, () => load(root, words(form)).then((known) => warm(known, state)).catch(() => {}), { once: true });
  if (changed) {
    otherTask(form);
    answer();
  } else if (window.location.search.length > 1 || form.elements.market.value) loaded().then((known) => show(state, known));
}

/** The files of a question, each fetched once; a comparison asks them about its cards too (choose-compare.js). @param {URL} root @param {Words} [asked] */
export async function load(root, asked = {}) {
  const get = async (/** @type {string} */ path) => {
    const answer = await fetch(new URL(path, root));
    return answer.ok ? answer.json() : Promise.reject(new Error(`${path}: ${answer.status}`));
  };
  const once = (/** @type {string} */ name, /** @type {() => Promise<Any>} */ make) => {
    if (!loading.has(name)) loading.set(name, make());
    return loading.get(name)?.catch((error) => {
      loading.delete(name);
      console.warn(error);
      throw new NeedError(NOT_LOADED);
    });
  };
  const known = await once("", async () => prepare(...await Promise.all([get("calculators/data.json"), get("choose/data.json")])));
  await Promise.all(partsFor(asked, known).map((name) => once(name, async () => join(known, await get(`choose/${name}.json`)))));
  return known;
}

/** Answers that nobody sees, one over a part of the cards in each idle moment: the browser has then compiled what it needs. @param {Any} known @param {State} state */
function warm(known, state) {
  if (warmed) return;
  warmed = true;
  const idle = window.requestIdleCallback ?? ((run) => setTimeout(run, 200)), few = some(known, Object.keys(known.gpus).filter((_, i) => i % EACH_CARD === 0));
  let step = 0, turn = state.turn;
  const next = () => {
    if (step === WARM || !state.place.isConnected) return;
    const asked = turn !== (turn = state.turn); // whoever has just changed something waits for none of it
    if (!asked) view(choose(few, parse({ task: WARMED[step % WARMED.length], context: String(384 * (step += 1)), budget_usd: "2000" })));
    setTimeout(() => idle(next), asked ? PAUSE_MS : 0);
  };
  idle(next);
}

/** @param {State} state @param {Any} known the data of the site, or the error that came instead */
async function show(state, known) {
  const { form, place, refused, root, status } = state, turn = (state.turn += 1);
  if (!place.isConnected) return;
  try {
    if (known instanceof Error) throw known;
    const answer = (state.answer = choose(known, parse(words(form)))), first = opening(answer);
    refused.hidden = !(place.hidden = false);
    place.dataset.answered = "yes";
    for (const part of place.children) if (!part.matches("[data-later]")) fill(part, first, root);
    // What a reader sees first is painted before the rest is worked out; whoever asks anew meanwhile waits for none of it.
    const ways = /** @type {Any} */ ([]), tries = tried(answer);
    for (let next = /** @type {Any} */ ({}); !next.done; next = tries.next()) {
      if (next.value) ways.push(next.value);
      await painted();
      if (turn !== state.turn) return;
    }
    const { chart, assumptions, ...more } = rest(answer, ways), why = reasons(answer), picture = place.querySelector("[data-chart-of]"), lostOnes = place.querySelector("[data-lost]");
    const values = { ...more, chart, ...chart, lost: [], assumption_rows: assumptions.map((/** @type {string} */ text) => ({ words: text })) };
    for (const part of place.querySelectorAll("[data-later]")) fill(part, values, root);
    place.querySelectorAll("[data-after]").forEach((door, i) => fill(door, { ...first.choices[i], ...why[i] }, root));
    picture?.toggleAttribute("hidden", !chart);
    if (lostOnes?.hasAttribute("open")) fillLost(state);
    // A screen reader hears the choices, not the tables below them.
    status.textContent = first.choices.map((/** @type {Words} */ one) => `${one.title}: ${one.doing} ${one.name}, ${one.month} a month`).join("; ") || first.nothing;
  } catch (error) {
    if (!(error instanceof NeedError)) console.warn(error);
    state.answer = null;
    place.hidden = !(refused.hidden = false);
    status.textContent = refused.textContent = error instanceof NeedError ? error.message : "This could not be worked out.";
  }
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

// Hundreds of reasons, written only for whoever opens the list.
const fillLost = (/** @type {State} */ state) => state.answer && fill(state.place.querySelector("[data-lost-rows]"), { lost: lost(state.answer) }, state.root);

// ---------------------------------------------------------------- question and address

const named = (/** @type {Form} */ form) => /** @type {Field[]} */ ([...form.elements]).filter((field) => field.name);
const words = (/** @type {Form} */ form) => Object.fromEntries(named(form).filter((field) => field.value.trim()).map((field) => [field.name, field.value.trim()]));
// The question without the market, which the address and the header hold for every page.
const said = (/** @type {Form} */ form) => Object.fromEntries(Object.entries(words(form)).filter(([name]) => name !== "market"));
const same = (/** @type {Words} */ one, /** @type {Words} */ other) => JSON.stringify(one) === JSON.stringify(other);
/** @type {(form: Form, name: string) => HTMLOptionElement} */
const optionOf = (form, name) => form.elements[name].selectedOptions[0];

// The parameters of the address that belong to the question.
const inAddress = (/** @type {Form} */ form) => new Map([...new URLSearchParams(window.location.search)].filter(([name]) => name !== "market" && form.elements[name]?.name === name));

function restore(/** @type {Form} */ form) {
  const fields = named(form).filter((field) => field.name !== "market"), found = inAddress(form);
  if (!found.size) {
    for (const field of fields) field.value = usualOf(field);
    return;
  }
  // An address says the whole question: what it leaves out does not matter.
  for (const field of fields) {
    const wanted = found.get(field.name) ?? (field.name === "task" ? "chat" : "");
    if (field.options && ![...field.options].some((option) => option.value === wanted)) {
      if (field.name === "model" && !wanted) continue;
      field.add(new Option(wanted, wanted));
    }
    field.value = wanted;
  }
  if (!found.get("model")) form.elements.model.value = optionOf(form, "task").dataset.model ?? "";
}

const usualOf = (/** @type {Field} */ field) => (field.getAttribute("type") === "hidden" ? "" : field.options ? ([...field.options].find((option) => option.defaultSelected) ?? field.options[0]).value : field.defaultValue);
const usualWords = (/** @type {Form} */ form) => Object.fromEntries(named(form).map((field) => [field.name, usualOf(field)]).filter(([, value]) => value));

// What is set behind "more" is told on its closed door, and a run is asked for where there is one.
function told(/** @type {State} */ { form, root }) {
  const part = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (form.querySelector(selector));
  const set = /** @type {Field[]} */ ([...form.querySelectorAll(".ga-groups [name]")]).filter((field) => field.value.trim());
  const shown = set.map((field) => `${field.dataset.label} ${field.selectedOptions?.[0].textContent ?? field.value.trim()}`);
  part("[data-set]").textContent = shown.length ? `Set: ${shown.join("; ")}` : "";
  const task = optionOf(form, "task");
  part("[data-run-fields]").hidden = !task.dataset.run && RUN.every((name) => !form.elements[name].value);
  form.elements.model.hidden = task.dataset.kind === "none";
  const owned = Object.entries({ own: "you own", own_prices: "to buy", own_rents: "to rent" }).flatMap(([field, says]) => pairs(form, field).map(([gpu, value]) => ({ field, gpu, words: `${says} ${gpu}: ${value ?? 1}` })));
  fill(part("[data-each=owned]"), { owned }, root);
  if (owned.length) part("[data-own]").toggleAttribute("open", true);
}

function remember(/** @type {State} */ state) {
  const now = said(state.form);
  history.replaceState(history.state, "", window.location.pathname + withMarket(same(now, state.first) ? "" : now));
}

/** A ready-made question is answered in place; the theme would fetch the page for another address of itself. @param {Document} page @param {() => Promise<void>} again */
function readyMade(page, again) {
  page.querySelector(".ga-questions")?.addEventListener("click", (one) => {
    const event = /** @type {MouseEvent} */ (one), link = /** @type {Element} */ (event.target).closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    history.pushState(history.state, "", window.location.pathname + withMarket(link.search));
    again().then(() => page.querySelector("[data-choose-answer]")?.scrollIntoView({ block: "start" }));
  });
  const back = () => (page.querySelector("form[data-choose]")?.isConnected && page.querySelector(".ga-questions") ? again() : window.removeEventListener("popstate", back));
  window.addEventListener("popstate", back);
}

// The model follows the kind of the task; a task without runs forgets theirs.
function otherTask(/** @type {Form} */ form) {
  const task = optionOf(form, "task"), { model } = form.elements;
  if (task.dataset.kind !== model.selectedOptions[0]?.parentElement.dataset.kind) model.value = task.dataset.model;
  if (!task.dataset.run) for (const name of RUN) form.elements[name].value = "";
}

// ---------------------------------------------------------------- the reader's own cards and prices

/** @type {(form: Form, name: string) => string[][]} */
const pairs = (form, name) => form.elements[name].value.split(",").filter(Boolean).map((/** @type {string} */ pair) => pair.split("="));

/** @param {Form} form @param {string} name @param {string} gpu @param {number | null} value */
function setPair(form, name, gpu, value) {
  const kept = pairs(form, name).filter(([other]) => other !== gpu);
  form.elements[name].value = [...kept, ...(value === null ? [] : [[gpu, value]])].map((pair) => pair.join("=")).join(",");
}

/** @param {State} state @param {() => void} answer */
function ownCards(state, answer) {
  const { form, place, root } = state, part = /** @type {HTMLDetailsElement} */ (form.querySelector("[data-own]"));
  const [way, gpu, usd, says, asks] = ["way", "gpu", "usd", "says", "for"].map((name) => /** @type {Field} */ (part.querySelector(`[data-own-${name}]`)));
  const list = /** @type {HTMLDataListElement} */ (part.querySelector("datalist"));
  const use = async () => {
    const known = await load(root, { own: "any" }).catch(() => null), card = known && findCard(gpu.value, known), value = Number(usd.value.trim().replace(/,/g, "") || (way.value === "own" ? "1" : ""));
    says.textContent = !card ? `No GPU is called “${gpu.value.slice(0, 60)}”. Choose one of the list.` : value > 0 ? "" : "Type a number.";
    if (says.textContent) return;
    setPair(form, way.value, card.id, value);
    [gpu.value, usd.value] = ["", ""];
    answer();
  };
  part.addEventListener("toggle", () => part.open && load(root).then((known) => list.options.length || list.append(...Object.values(known.gpus).map((/** @type {Any} */ card) => new Option(card.name)))).catch(() => {}));
  way.addEventListener("change", () => (asks.textContent = way.value === "own" ? "how many" : "for"));
  part.querySelector("[data-own-use]")?.addEventListener("click", use);
  part.addEventListener("keydown", ({ key, target }) => key === "Enter" && /** @type {Element} */ (target).matches("input") && use());
  part.addEventListener("click", ({ target }) => {
    const { take, gpu: card = "" } = /** @type {HTMLElement} */ (target).dataset;
    if (!take) return;
    setPair(form, take, card, null);
    answer();
  });
  place.addEventListener("click", ({ target }) => {
    const { ownSet, card = "", way: bought } = /** @type {HTMLElement} */ (target).dataset;
    if (ownSet === undefined) return;
    part.open = true;
    [gpu.value, way.value] = [card, bought === "rent" ? "own_rents" : "own_prices"];
    asks.textContent = "for";
    usd.focus();
  });
}

// ---------------------------------------------------------------- the whole answer as text

/** @param {Document} page @param {State} state */
function copying(page, state) {
  page.querySelector("[data-choose-copy]")?.addEventListener("click", () => {
    remember(state);
    const doors = /** @type {HTMLDetailsElement[]} */ ([...state.place.querySelectorAll("article details")]), closed = doors.filter((door) => !door.open);
    for (const door of closed) door.open = true;
    const text = `${state.place.innerText.trim()}\n${window.location.href}\n`;
    for (const door of closed) door.open = false;
    copied(text, /** @type {HTMLElement} */ (page.querySelector("[data-choose-copied]")));
  });
}
