// The chooser's form to choose.js, its answer into the page, the question into the address.
// The elements are those of docs/templates/choose.html.j2, which holds the first answer; a test compares both.

import { choose, prepare } from "./choose.js";
import { findCard, NeedError, parse } from "./choose-need.js";
import { asText, lostWords, view } from "./choose-view.js";

const DEFAULT_MODELS = { cnn: "resnet-50", other: "llama-3.1-8b-instruct" };
const NO_RUN = ["chat", "serve"], RUN = ["units", "deadline_hours"];
const ADDRESS_MS = 300, WARM_CARDS = 8;
const NOT_LOADED = "The figures could not be loaded. Change something to try again.";
let loading;

export function start(page, root) {
  const form = page.querySelector("form[data-choose]");
  if (!form || form.dataset.ready) return;
  form.dataset.ready = "yes";
  const place = page.querySelector("[data-choose-answer]");
  const state = { form, place, root, status: page.querySelector("[data-choose-status]"), first: usualWords(form), answer: null };
  // Whoever changed something while the page still loaded keeps it, and is answered.
  const changed = !inAddress(form).size && JSON.stringify(words(form)) !== JSON.stringify(state.first);
  if (!changed) restore(form);
  tellSet(form);
  const answer = async () => {
    tellSet(form);
    show(state, await load(root).catch((error) => error));
    // The address follows when nothing has changed for a moment: to write it, a browser lays the whole page out at
    // once, and some refuse to after a hundred times in half a minute.
    clearTimeout(state.writing);
    state.writing = setTimeout(() => form.isConnected && remember(state), ADDRESS_MS);
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (!event.target.name) return;
    if (event.target.name === "task") otherTask(form);
    answer();
  });
  const again = () => {
    clearTimeout(state.writing);
    restore(form);
    tellSet(form);
    runFields(form);
    owned(form, answer);
    return load(root).catch((error) => error).then((known) => show(state, known));
  };
  readyMade(page, again);
  ownPrices(state, answer);
  copying(page, state);
  place.addEventListener("toggle", ({ target }) => target.open && (target.matches("[data-lost]") ? fillLost(state, target) : fillFurther(state, target)), true);
  runFields(form);
  // The page holds the answer to its first question; the figures for every other one come before they are needed.
  const known = load(root);
  known.then((figures) => warm(figures, place, root)).catch(() => {});
  if (changed) {
    otherTask(form);
    answer();
  } else if (window.location.search.length > 1) known.catch((error) => error).then((figures) => show(state, figures));
}

// The two files, fetched once.
function load(root) {
  const get = (path) => fetch(new URL(path, root)).then((answer) => {
    if (!answer.ok) throw new NeedError(NOT_LOADED);
    return answer.json();
  });
  loading ??= Promise.all([get("calculators/data.json"), get("choose/data.json")]).then(([estimator, data]) => prepare(estimator, data)).catch(() => {
    loading = undefined;
    throw new NeedError(NOT_LOADED);
  });
  return loading;
}

// Answers that nobody sees, a step in each idle moment, first about a few cards: the browser has then compiled what the
// first change needs and knows the speeds of the usual models, and no moment is long enough to be in anybody's way.
function warm(known, place, root) {
  if (warm.done) return;
  warm.done = true;
  const idle = window.requestIdleCallback ?? ((run) => setTimeout(run, 200));
  const step = Math.ceil(known.cards.length / WARM_CARDS);
  const few = { ...known, cards: known.cards.filter((_, i) => i % step === 0), workloads: new Map() };
  const tasks = ["chat", "qlora", "serve", "cnn"], asked = (task) => ({ task, model: usual(task), budget_usd: "2000" });
  const steps = tasks.flatMap((task) => {
    let answer, shown;
    return [
      () => (answer = choose(few, parse(asked(task), few))), () => (shown = view(few, answer)), () => elements(shown, answer.lost_count, root),
    ];
  });
  // Then all cards, for what a first change asks most.
  steps.push(...tasks.map((task) => () => choose(known, parse(asked(task), known))));
  const next = () => {
    if (!steps.length || !place.isConnected) return;
    steps.shift()();
    idle(next);
  };
  idle(next);
}

function show(state, known) {
  if (!state.place.isConnected) return;
  try {
    if (known instanceof Error) throw known;
    state.answer = choose(known, parse(words(state.form), known));
    state.known = known;
    const shown = state.shown = view(known, state.answer);
    state.place.replaceChildren(...elements(shown, state.answer.lost_count, state.root));
    tell(state, shown);
  } catch (error) {
    state.answer = null;
    const text = labelled(state.form, error);
    state.place.replaceChildren(make("p", { className: "ga-trap" }, text));
    state.status.textContent = text;
  }
}

// A screen reader hears the pick, not the tables below it.
function tell(state, { pick, money }) {
  state.status.textContent = pick ? `${doing(pick)} ${pick.name}: ${pick.price} ${money} ${pick.each}` : "Nothing meets the need";
}

// A sentence about a field in the words of the form.
function labelled(form, error) {
  if (!(error instanceof NeedError)) {
    console.warn(error);
    return "This could not be worked out.";
  }
  const name = /^[a-z_]+/.exec(error.message)?.[0], field = name && form.elements.namedItem(name);
  const label = field?.dataset?.label;
  return label ? label + error.message.slice(name.length) : error.message;
}

// ---------------------------------------------------------------- question and address

const named = (form) => [...form.elements].filter((field) => field.name);

function words(form) {
  return Object.fromEntries(named(form).filter((field) => field.value.trim()).map((field) => [field.name, field.value.trim()]));
}

// The parameters of the address that belong to the question.
const inAddress = (form) => new Map([...new URLSearchParams(window.location.search)].filter(([name]) => form.elements.namedItem(name)?.name === name));

function restore(form) {
  const fields = named(form), found = inAddress(form);
  if (!found.size) {
    // The fields of the question alone: a price that somebody types while the page still loads stays.
    for (const field of fields) field.value = usualOf(field);
    return;
  }
  // An address says the whole question: what it leaves out does not matter.
  for (const field of fields) {
    const wanted = found.get(field.name) ?? (field.name === "task" ? "chat" : field.name === "model" ? usual(found.get("task")) : "");
    if (field.options && ![...field.options].some((option) => option.value === wanted)) field.add(new Option(wanted, wanted));
    field.value = wanted;
  }
}

const usualOf = (field) => (field.type === "hidden" ? "" : field.options ? ([...field.options].find((option) => option.defaultSelected) ?? field.options[0]).value : field.defaultValue);

const usualWords = (form) => Object.fromEntries(named(form).map((field) => [field.name, usualOf(field)]).filter(([, value]) => value));

const moneyOf = (form) => form.elements.currency.selectedOptions[0].textContent;

// What is set behind "more" is told on its closed door: no limit is hidden.
function tellSet(form) {
  const set = [...form.querySelectorAll(".ga-groups [name]")].filter((field) => field.value.trim());
  const shown = set.map((field) => `${field.dataset.label} ${field.selectedOptions?.[0].textContent ?? field.value.trim()}`);
  for (const word of form.querySelectorAll("[data-money]")) write(word, moneyOf(form));
  write(form.querySelector("[data-set]"), shown.length ? `Set: ${shown.join("; ")}` : "");
}

// Whatever is written is laid out again, even the same.
const write = (place, text) => place.textContent === text || (place.textContent = text);

const usual = (task) => (task === "cnn" ? DEFAULT_MODELS.cnn : DEFAULT_MODELS.other);

function remember(state) {
  const now = words(state.form), first = JSON.stringify(state.first) === JSON.stringify(now);
  const query = first ? "" : `?${new URLSearchParams(now)}`;
  history.replaceState(history.state, "", window.location.pathname + query);
}

// A ready-made question is answered in place; the theme would fetch the page for another address of itself.
function readyMade(page, again) {
  page.querySelector(".ga-questions").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    history.pushState(history.state, "", link.href);
    again().then(() => page.querySelector("[data-choose-answer]").scrollIntoView({ block: "center" }));
  });
  const back = () => (page.querySelector(".ga-questions")?.isConnected && page.querySelector("form[data-choose]") ? again() : window.removeEventListener("popstate", back));
  window.addEventListener("popstate", back);
}

// An image network is no language model: the model follows the task, and a run is asked for where there is one.
function otherTask(form) {
  const { task, model } = form.elements, images = model.selectedOptions[0]?.parentElement.label?.startsWith("Image");
  if ((task.value === "cnn") !== Boolean(images)) model.value = usual(task.value);
  if (NO_RUN.includes(task.value)) for (const name of RUN) form.elements[name].value = "";
  runFields(form);
}

function runFields(form) {
  form.querySelector("[data-run]").hidden = NO_RUN.includes(form.elements.task.value) && RUN.every((name) => !form.elements[name].value);
}

// ---------------------------------------------------------------- the reader's own prices

function ownPrices(state, answer) {
  const { form, place, root } = state, part = form.querySelector("[data-own]");
  const [way, gpu, usd, says] = ["way", "gpu", "usd", "says"].map((name) => part.querySelector(`[data-own-${name}]`));
  const list = part.querySelector("datalist");
  const fill = () => load(root).then((known) => list.options.length || list.append(...known.cards.map((card) => new Option(card.name)))).catch(() => {});
  const use = async () => {
    const known = await load(root).catch(() => null), card = known && findCard(gpu.value, known), dollars = Number(usd.value.trim().replace(/,/g, ""));
    if (!card || !(dollars > 0)) {
      says.textContent = card ? `Type the price in ${moneyOf(form)}.` : `No GPU is called “${gpu.value.slice(0, 60)}”. Choose one of the list.`;
      return;
    }
    says.textContent = "";
    setOwn(form, way.value, card.id, dollars);
    [gpu.value, usd.value] = ["", ""];
    owned(form, answer);
    answer();
  };
  part.addEventListener("toggle", () => part.open && fill());
  part.querySelector("[data-own-use]").addEventListener("click", use);
  part.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("input")) use();
  });
  place.addEventListener("click", (event) => {
    const button = event.target.closest(".ga-own-set");
    if (!button) return;
    part.open = true;
    [gpu.value, way.value] = [button.dataset.gpu, button.dataset.way];
    usd.focus();
  });
  owned(form, answer);
}

const fieldOf = (form, way) => form.elements[way === "buy" ? "own_prices" : "own_rents"];
const pairs = (field) => field.value.split(",").filter(Boolean).map((pair) => pair.split("="));

function setOwn(form, way, id, usd) {
  const field = fieldOf(form, way), kept = pairs(field).filter(([gpu]) => gpu !== id);
  field.value = [...kept, ...(usd === null ? [] : [[id, usd]])].map((pair) => pair.join("=")).join(",");
}

// The prices that were typed, each with a button that takes it back.
function owned(form, answer) {
  const list = form.querySelector("[data-owned]");
  const line = (way) => ([gpu, usd]) => {
    const item = make("li", {}, `${gpu} to ${way}: ${usd ?? ""} ${moneyOf(form)} `), remove = make("button", { type: "button", className: "ga-button" }, "Take back");
    remove.addEventListener("click", () => {
      setOwn(form, way, gpu, null);
      owned(form, answer);
      answer();
    });
    item.append(remove);
    return item;
  };
  list.replaceChildren(...["buy", "rent"].flatMap((way) => pairs(fieldOf(form, way)).map(line(way))));
  if (list.children.length) list.closest("details").open = true;
}

// ---------------------------------------------------------------- the whole answer as text

function copying(page, state) {
  const button = page.querySelector("[data-choose-copy]"), said = page.querySelector("[data-choose-copied]");
  button.addEventListener("click", async () => {
    if (!state.answer) show(state, await load(state.root).catch((error) => error));
    if (!state.answer) return;
    remember(state);
    const text = `${asText(state.known, state.answer)}${window.location.href}\n`;
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = "Copied.";
    } catch {
      // A browser that refuses the clipboard shows the text to be marked by hand.
      said.replaceChildren(make("textarea", { value: text, rows: 12, readOnly: true, className: "ga-copied" }));
      said.firstChild.setAttribute("aria-label", "The answer as text");
      said.firstChild.select();
    }
  });
}

// ---------------------------------------------------------------- elements

const doing = ({ way }) => (way === "rent" ? "Rent" : "Buy");

function elements(shown, lost, root) {
  const parts = (shown.pick ? pickElements : nothingElements)(shown, root);
  if (shown.pick && shown.alternatives.length) parts.push(title("alternatives", "Three alternatives"), otherOptions(shown, root));
  if (shown.unpriced.length) parts.push(title("unpriced", "Would be first at the right price"), unpricedOptions(shown, root));
  if (shown.pick) parts.push(title("ranking", "Everything that meets the need"), ranking("Everything that meets the need", shown.ranked, shown, root));
  if (shown.further_words) parts.push(door("further", shown.further_words));
  const command = faint("The same answer in a terminal: ");
  command.append(make("code", {}, shown.command));
  return [...parts, door("lost", `Why the ${lost} others lost`), faint(`Taken for granted: ${shown.assumptions.join("; ")}.`), command];
}

function pickElements(shown, root) {
  const { pick } = shown, head = title("pick", `${doing(pick)} `), line = make("p");
  head.append(...gpuLink(pick, root));
  line.append(...priceWords(pick, root, shown), " ", ownButton(pick, pick.way));
  const keys = [
    ["Speed", pick.speed, `${shown.speed_unit}, ${pick.basis}`], ["Memory", `${pick.room} GiB`, "to spare"],
    pick.run && ["One run", pick.run, "at the middle speed"],
    ["Cost", `${shown.sign}${pick.total}`, `${shown.total_is}${pick.way === "buy" ? ", resale counted" : ""}; ${shown.sign}${pick.hour} an hour`],
    pick.million && [`A million ${shown.speed_unit.split("/")[0]}`, `${shown.sign}${pick.million}`, "at full load"],
  ].filter(Boolean);
  const list = make("dl", { className: "ga-keys" });
  for (const [name, value, below] of keys) {
    const one = make("div");
    one.append(make("dt", {}, name), make("dd", {}, value), make("dd", { className: "ga-sub" }, below));
    list.append(one);
  }
  return [
    head, line, ...(shown.rate ? [faint(`${shown.rate}.`)] : []), list, told("Why:", ` ${shown.why}. It ${pick.room_words}. Speed: ${pick.basis_from}.`),
    ...(pick.caveats.length ? [told("Mind:", ` ${pick.caveats.join("; ")}.`)] : []), ...turns(shown),
    ...(shown.workload ? [told("Buy or rent:", ` ${shown.workload}.`)] : []),
  ];
}

const turns = (shown) => [told("What binds:", ` ${shown.binding}.`), ...(shown.flip ? [told("It changes", ` ${shown.flip}.`)] : [])];

function nothingElements(shown, root) {
  // Each way out is a question of its own.
  const ways = () => shown.ways_out.map((way) => item([make("b", {}, way.change), `: ${way.words}`]));
  return [
    title("pick", "Nothing meets the need"), ...turns(shown), title("alternatives", "What comes nearest"), otherOptions(shown, root),
    title("ways-out", "Ways out"), later(() => [listed("", [...(shown.offload ? [item([shown.offload])] : []), ...ways()])]),
  ];
}

function otherOptions(shown, root) {
  return listed("ga-others", shown.alternatives.map((one) => {
    const head = make("b", {}, `${doing(one)} `);
    head.append(...gpuLink(one, root));
    const speed = [`; ${one.speed} ${shown.speed_unit} `, make("span", { className: `ga-kind ga-kind--${one.basis}` }, one.basis)];
    return item([make("span", { className: "ga-faint" }, one.why), make("br"), head, make("br"), ...priceWords(one, root, shown), ...speed, `; ${one.total} ${shown.money} ${shown.total_is}`, make("br"),
      `${shown.pick ? "Gives up" : "Misses"}: ${one.gives_up}.${one.below ? ` First below ${one.below}.` : ""}`]);
  }));
}

const unpricedOptions = (shown, root) => listed("", shown.unpriced.map((one) => item([...gpuLink(one, root), ` below ${one.below} ${shown.money}: ${one.reason} `, ownButton(one, "buy")])));

// A list that is made when somebody opens it.
function door(name, words) {
  const made = make("details", { className: "ga-more" });
  made.dataset[name] = "";
  made.append(make("summary", {}, words));
  return made;
}

function ranking(label, list, shown, root) {
  const heads = [["Option"], [`Cost ${shown.total_is}, `, shown.sign], ["Price ", shown.sign], ["Speed ", shown.speed_unit], ["To spare ", "GiB"], ["A million ", shown.sign], ["Price from"]];
  const rows = list.map((one) => [
    rowHead([...gpuLink(one, root), " ", make("span", { className: "ga-faint" }, one.way)]),
    ...[one.total, one.price, one.speed, one.room, one.million].map((text) => make("td", { className: "n" }, text)), make("td", {}, one.from),
  ]);
  return table(label, heads, rows);
}

function fillFurther(state, details) {
  if (details.children.length < 2 && state.answer) details.append(ranking("More that meets the need", state.shown.further, state.shown, state.root));
}

function fillLost(state, details) {
  if (details.children.length > 1 || !state.answer) return;
  const rows = lostWords(state.answer).map((one) => [rowHead(gpuLink(one, state.root)), make("td", {}, one.reason)]);
  details.append(table("Why the others lost", [["Option"], ["Reason"]], rows));
}

function table(label, heads, rows) {
  const region = make("div", { className: "ga-scroll ga-scroll--tall", tabIndex: 0 }), made = make("table", { className: "ga-table" });
  region.setAttribute("role", "region");
  region.setAttribute("aria-label", label);
  made.createTHead().insertRow().append(...heads.map(([text, unit]) => {
    const head = make("th", { scope: "col", className: unit ? "n" : "" }, text);
    if (unit) head.append(make("small", {}, unit));
    return head;
  }));
  made.createTBody().append(...rows.map((cells) => {
    const row = make("tr");
    row.append(...cells);
    return row;
  }));
  region.append(made);
  return region;
}

function gpuLink(one, root) {
  const dot = make("span", { className: `ga-dot ga-v-${one.vendor.toLowerCase()}` });
  dot.setAttribute("aria-hidden", "true");
  return [dot, make("a", { href: new URL(`gpus/${one.gpu}/`, root).href }, one.name)];
}

// "0.174 dollars a GPU-hour (on demand, median of 2 providers, 2026-10-03, source)".
function priceWords(one, root, { money }) {
  const where = make("span", { className: "ga-faint" }, `(${one.from}, `), outside = /^https?:\/\//.test(one.url);
  const link = outside ? make("a", { href: one.url, rel: "noopener nofollow" }, "source") : make("a", { href: new URL(`gpus/${one.gpu}/#prices`, root).href }, "observations");
  where.append(link, ")");
  return [make("b", {}, `${one.price} ${money}`), ` ${one.each} `, where];
}

function ownButton(one, way) {
  const button = make("button", { type: "button", className: "ga-own-set ga-js" }, "type yours");
  Object.assign(button.dataset, { gpu: one.card, way });
  button.setAttribute("aria-label", `Type your price of ${one.card}`);
  return button;
}

function make(tag, properties = {}, text = "") {
  const made = Object.assign(document.createElement(tag), properties);
  if (text) made.textContent = text;
  return made;
}

// Ways out are questions of their own, up to ten: they come a moment after the answer, so that it stands at once.
function later(fill) {
  const made = make("div");
  setTimeout(() => made.isConnected && made.append(...fill()));
  return made;
}

const filled = (made, parts) => {
  made.append(...parts);
  return made;
};
const item = (parts) => filled(make("li"), parts);
const listed = (className, items) => filled(make("ul", className ? { className } : {}), items);
const rowHead = (parts) => filled(make("th", { scope: "row" }), parts);
const title = (id, text, tag = "h2") => make(tag, { id }, text);
const faint = (text) => make("p", { className: "ga-faint" }, text);
const told = (bold, rest) => filled(make("p"), [make("b", {}, bold), rest]);
