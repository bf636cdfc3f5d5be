// Benchmark explorer: a set is loaded when it is chosen; the address holds the choice.

import { withMarket } from "./market-choice.js";

const FIELDS = ["model", "metric", "precision", "gpus", "batch"];
const NAMESPACE = "http://www.w3.org/2000/svg";

export function start(page, root) {
  const form = page.querySelector("form[data-benchmarks]");
  const table = page.querySelector("[data-benchmark-table]");
  if (!form || !table || form.dataset.ready) return;
  form.dataset.ready = "yes";
  const view = { form, table, root, sets: new Map(), note: page.querySelector("[data-benchmark-note]"), title: page.querySelector("[data-benchmark-title]"), unit: page.querySelector("[data-benchmark-unit]") };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => show(view, chosen(view)).then(() => remember(view)));
  const asked = Object.fromEntries(new URLSearchParams(window.location.search));
  const set = [...form.elements.set.options].find((option) => option.value === asked.set);
  if (set) form.elements.set.value = asked.set;
  show(view, set ? asked : first(view), !set);
}

const chosen = (view) => Object.fromEntries(FIELDS.map((name) => [name, view.form.elements[name].value]));

// What the page shows before anybody chooses stands in its caption.
function first(view) {
  const said = view.title.textContent;
  return { said };
}

async function show(view, wanted, keep = false) {
  view.note.hidden = true;
  const set = view.form.elements.set.value;
  try {
    if (!view.sets.has(set)) view.sets.set(set, await load(new URL(`${set}.json`, new URL(view.form.dataset.benchmarks, document.baseURI))));
  } catch (error) {
    view.note.textContent = `The results could not be loaded (${error.message}). Choose again to try once more.`;
    view.note.hidden = false;
    return;
  }
  const data = view.sets.get(set);
  const experiment = (wanted.said && data.experiments.find((e) => caption(e) === wanted.said)) || narrow(data.experiments, wanted);
  options(view, data.experiments, experiment);
  if (!keep || caption(experiment) !== view.title.textContent) draw(view, data, experiment);
}

async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.json();
}

// Field by field what is wanted, as far as there is such a thing; else the one with the most cards.
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

function options(view, experiments, experiment) {
  let left = experiments;
  for (const name of FIELDS) {
    const select = view.form.elements[name];
    const values = [...new Set(left.map((e) => String(e[name])))];
    select.replaceChildren(...values.map((value) => new Option(value || "chosen for each card", value, false, value === String(experiment[name]))));
    select.disabled = values.length < 2;
    left = left.filter((e) => e[name] === experiment[name]);
  }
}

const caption = (e) => [e.model, e.precision, e.metric, `${e.gpus} GPU${e.gpus === 1 ? "" : "s"}`, e.batch].filter(Boolean).join(", ");

function draw(view, data, experiment) {
  view.title.textContent = caption(experiment);
  view.unit.textContent = experiment.unit;
  const most = Math.max(...experiment.rows.map((row) => row[1]));
  view.table.tBodies[0].replaceChildren(...experiment.rows.map((row) => line(view, data, row, most)));
}

function line(view, data, [gpu, value, batch, software, date, url, locator], most) {
  const text = (i) => data.texts[i];
  const [name, vendor] = data.cards[text(gpu)];
  const made = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  const dot = document.createElement("span");
  dot.className = `ga-dot ga-v-${vendor}`;
  head.append(dot, link(new URL(`gpus/${text(gpu)}/#measured`, view.root).href, name));
  const source = document.createElement("td");
  source.append(Object.assign(link(text(url), "source"), { title: text(locator), rel: "noopener nofollow" }));
  made.append(head, cell(Number(value.toPrecision(3)).toLocaleString("en-US"), "n"), bar(vendor, (100 * value) / most), cell(text(batch), "ga-wrap"), cell(text(software), "ga-wrap"), cell(text(date)), source);
  return made;
}

function bar(vendor, width) {
  const made = document.createElement("td");
  const picture = document.createElementNS(NAMESPACE, "svg");
  for (const [name, value] of Object.entries({ class: `ga-bar ga-v-${vendor}`, viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" })) picture.setAttribute(name, value);
  const rect = document.createElementNS(NAMESPACE, "rect");
  rect.setAttribute("width", width.toFixed(1));
  rect.setAttribute("height", "10");
  picture.append(rect);
  made.append(picture);
  return made;
}

function link(href, text) {
  const safe = /^(https?:|\/)/.test(href) ? href : "#";
  return Object.assign(document.createElement("a"), { href: safe, textContent: text });
}

const cell = (text, name = "") => Object.assign(document.createElement("td"), { textContent: text, className: name });

function remember(view) {
  const state = new URLSearchParams({ set: view.form.elements.set.value, ...chosen(view) });
  history.replaceState(history.state, "", window.location.pathname + withMarket(state));
}
