// Benchmark explorer: a set is loaded when it is chosen; the address holds the choice.

import { bar, json, make } from "./elements.js";
import { withMarket } from "./market-choice.js";

/**
 * @typedef {"model" | "metric" | "precision" | "gpus" | "batch"} Field
 * @typedef {[gpu: number, value: number, batch: number, software: number, date: number, url: number, locator: number]} Row numbers but the value are places in the texts
 * @typedef {Record<Field, string | number> & { unit: string, rows: Row[] }} Experiment
 * @typedef {{ texts: string[], cards: Record<string, [name: string, vendor: string]>, experiments: Experiment[] }} Set_ a set of results
 * @typedef {Partial<Record<Field | "set" | "said", string>>} Wanted
 * @typedef {{ form: HTMLFormElement, table: HTMLTableElement, root: URL, sets: Map<string, Set_>, note: HTMLElement, title: HTMLElement, unit: HTMLElement }} View
 */

/** @type {Field[]} */
const FIELDS = ["model", "metric", "precision", "gpus", "batch"];

/** @param {Document} page @param {URL} root */
export function start(page, root) {
  /** @type {HTMLFormElement | null} */
  const form = page.querySelector("form[data-benchmarks]");
  if (!form || form.dataset.ready) return;
  form.dataset.ready = "yes";
  const part = (/** @type {string} */ name) => /** @type {any} */ (page.querySelector(`[data-benchmark-${name}]`));
  /** @type {View} */
  const view = { form, table: part("table"), root, sets: new Map(), note: part("note"), title: part("title"), unit: part("unit") };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => show(view, chosen(view)).then(() => remember(view)));
  /** @type {Wanted} */
  const asked = Object.fromEntries(new URLSearchParams(window.location.search));
  const set = [...fieldOf(view, "set").options].find((option) => option.value === asked.set);
  if (set) fieldOf(view, "set").value = set.value;
  // What the page shows before anybody chooses stands in its caption.
  show(view, set ? asked : { said: view.title.textContent ?? "" }, !set);
}

/** @param {View} view @param {Field | "set"} name */
const fieldOf = (view, name) => /** @type {HTMLSelectElement} */ (view.form.elements.namedItem(name));
/** @param {View} view @returns {Wanted} */
const chosen = (view) => Object.fromEntries(FIELDS.map((name) => [name, fieldOf(view, name).value]));

/** @param {View} view @param {Wanted} wanted */
async function show(view, wanted, keep = false) {
  view.note.hidden = true;
  const set = fieldOf(view, "set").value;
  const data = view.sets.get(set) ?? await json(new URL(`${set}.json`, new URL(view.form.dataset.benchmarks ?? "", document.baseURI))).catch(() => null);
  if (!data) {
    view.note.textContent = "The results could not be loaded. Choose again to try once more.";
    view.note.hidden = false;
    return;
  }
  view.sets.set(set, data);
  const experiment = (wanted.said && data.experiments.find((/** @type {Experiment} */ e) => caption(e) === wanted.said)) || narrow(data.experiments, wanted);
  options(view, data.experiments, experiment);
  if (!keep || caption(experiment) !== view.title.textContent) draw(view, data, experiment);
}

// Field by field what is wanted, as far as there is such a thing; else the one with the most cards.
/** @param {Experiment[]} experiments @param {Wanted} wanted */
function narrow(experiments, wanted) {
  let left = experiments;
  for (const name of FIELDS) {
    const same = left.filter((e) => String(e[name]) === String(wanted[name] ?? ""));
    if (same.length) left = same;
    else {
      const most = left.reduce((a, b) => (b.rows.length > a.rows.length ? b : a));
      left = left.filter((e) => e[name] === most[name]);
    }
  }
  return left[0];
}

/** @param {View} view @param {Experiment[]} experiments @param {Experiment} experiment */
function options(view, experiments, experiment) {
  let left = experiments;
  for (const name of FIELDS) {
    const select = fieldOf(view, name);
    const values = [...new Set(left.map((e) => String(e[name])))];
    select.replaceChildren(...values.map((value) => new Option(value || "chosen for each card", value, false, value === String(experiment[name]))));
    select.disabled = values.length < 2;
    left = left.filter((e) => e[name] === experiment[name]);
  }
}

/** @param {Experiment} e */
const caption = (e) => [e.model, e.precision, e.metric, `${e.gpus} GPU${e.gpus === 1 ? "" : "s"}`, e.batch].filter(Boolean).join(", ");

/** @param {View} view @param {Set_} data @param {Experiment} experiment */
function draw(view, data, experiment) {
  view.title.textContent = caption(experiment);
  view.unit.textContent = experiment.unit;
  const most = Math.max(...experiment.rows.map((row) => row[1]));
  view.table.tBodies[0].replaceChildren(...experiment.rows.map((row) => line(view, data, row, most)));
}

/** @param {View} view @param {Set_} data @param {Row} row @param {number} most */
function line(view, { texts, cards }, [gpu, value, ...told], most) {
  const [batch, software, date, url, locator] = told.map((i) => texts[i]), [name, vendor] = cards[texts[gpu]];
  const made = make("tr"), head = make("th", { scope: "row" }), picture = make("td"), source = make("td");
  head.append(make("span", { className: `ga-dot ga-v-${vendor}` }), link(new URL(`gpus/${texts[gpu]}/#measured`, view.root).href, name));
  picture.append(bar(vendor, (100 * value) / most));
  source.append(Object.assign(link(url, "source"), { title: locator, rel: "noopener nofollow" }));
  const shown = make("td", { className: "n" }, Number(value.toPrecision(3)).toLocaleString("en-US"));
  const conditions = [batch, software].map((text) => make("td", { className: "ga-wrap" }, text));
  made.append(head, shown, picture, ...conditions, make("td", {}, date), source);
  return made;
}

/** @param {string} href @param {string} text */
const link = (href, text) => make("a", { href: /^(https?:|\/)/.test(href) ? href : "#" }, text);

/** @param {View} view */
function remember(view) {
  const state = new URLSearchParams({ set: fieldOf(view, "set").value, ...chosen(view) });
  history.replaceState(history.state, "", window.location.pathname + withMarket(state));
}
