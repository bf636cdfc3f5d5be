// Tables: sorts by any column; the big one also filters, chooses columns, keeps its state in the address, exports.

import { safe, save } from "./csv.js";
import { marketOf, withMarket } from "./market-choice.js";
import { fits } from "./names.js";

export function start(page) {
  for (const table of page.querySelectorAll("table[data-sortable]")) {
    if (table.dataset.ready) continue;
    table.dataset.ready = "yes";
    sortable(table);
    document.addEventListener("ga-market", () => table.isConnected && again(table));
    if ("filtered" in table.dataset) filtered(table);
  }
}

// What a cell says in the reader's market.
const own = (cell) => cell.querySelector(`:scope > .ga-market--${marketOf()}`) ?? cell;

const valueOf = (cell) => {
  const text = own(cell).dataset.v ?? own(cell).textContent.trim();
  if (text === "–" || text === "" || own(cell).querySelector(":scope > .ga-unknown")) return null;
  const number = Number(text.replace(/[,$\s×]/g, ""));
  return Number.isNaN(number) || !cell.classList.contains("n") ? text.toLowerCase() : number;
};

function sortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "ga-sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = head.dataset.first ?? (head.classList.contains("n") ? "descending" : "ascending");
      const other = first === "ascending" ? "descending" : "ascending";
      sort(table, column, head.getAttribute("aria-sort") === first ? other : first);
      table.dispatchEvent(new Event("ga-sorted"));
    });
  });
}

/** Sorts rows; unknown always last, equal rows keep their order. */
export function sort(table, column, direction) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [valueOf(row.cells[column]), row]);
  const sign = direction === "ascending" ? 1 : -1;
  rows.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a < b ? -sign : a > b ? sign : 0;
  });
  body.append(...rows.map(([, row]) => row));
  for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
  table.tHead.rows[0].cells[column].setAttribute("aria-sort", direction);
}

// In another market other prices count.
function again(table) {
  const heads = [...table.tHead.rows[0].cells], column = heads.findIndex((head) => head.hasAttribute("aria-sort"));
  if (column >= 0) sort(table, column, heads[column].getAttribute("aria-sort"));
  table.dispatchEvent(new Event("ga-counted"));
}

// "q" belongs to the theme: an address with it opens the search of the site.
// Filters by name of the form's field: what a row must have to stay. `at` gives the cell of a column.
const RULES = {
  card: (row, wanted, at) => fits(at("name").textContent, wanted) || fits(row.dataset.id, wanted) || words(row, wanted),
  vendor: (row, wanted) => row.dataset.vendor === wanted,
  segment: (row, wanted, at) => at("segment").textContent === wanted,
  form: (row, wanted, at) => at("form").textContent === wanted,
  mem: (row, wanted, at) => known(at("memory"), (v) => v >= Number(wanted)),
  power: (row, wanted, at) => known(at("power"), (v) => v <= Number(wanted)),
  year: (row, wanted, at) => known(at("year"), (v) => v >= Number(wanted)),
  price: (row, wanted, at) => known(at("launch"), (v) => v <= Number(wanted)),
  now: (row, wanted, at) => ["retail", "used"].some((key) => known(at(key), (v) => v <= Number(wanted))),
  software: (row, wanted, at) => at("software").textContent.toLowerCase().includes(wanted.toLowerCase()),
};
const known = (cell, test) => {
  const value = valueOf(cell);
  return typeof value === "number" && test(value);
};
const words = (row, wanted) => wanted.toLowerCase().split(/\s+/).every((word) => row.textContent.toLowerCase().includes(word));

// More rows than anybody reads at once are laid out only when asked for: layout is what takes the time.
const AT_ONCE = 500;

function filtered(table) {
  const form = document.querySelector(`form[data-filters="${table.id}"]`);
  const heads = [...table.tHead.rows[0].cells];
  const keys = heads.map((head) => head.dataset.key);
  const count = form.parentElement.querySelector("[data-count]");
  const shownFirst = keys.filter((_, i) => !heads[i].hidden && i);
  const firstOrder = [...table.tBodies[0].rows];

  const told = document.createElement("span");
  const more = Object.assign(document.createElement("button"), { type: "button", className: "ga-button" });
  count.replaceChildren(told, " ", more);
  let atOnce = AT_ONCE;
  more.addEventListener("click", () => {
    atOnce = Infinity;
    apply();
  });

  const apply = () => {
    const wanted = Object.keys(RULES).map((name) => [RULES[name], form.elements[name].value.trim()]).filter(([, value]) => value);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const at = (key) => row.cells[keys.indexOf(key)];
      const fitting = wanted.every(([rule, value]) => rule(row, value, at));
      row.classList.toggle("ga-out", !fitting);
      shown += fitting;
      const hidden = !fitting || shown > atOnce;
      if (row.hidden !== hidden) row.hidden = hidden;
    }
    told.textContent = shown ? `${shown} of ${table.tBodies[0].rows.length} cards` : "No card fits. Clear a filter to see more.";
    more.hidden = shown <= atOnce;
    more.textContent = `Show all ${shown}`;
  };
  const columns = () => {
    const chosen = new Set([...form.elements.col].filter((box) => box.checked).map((box) => box.value));
    keys.forEach((key, i) => {
      if (!i) return;
      if (heads[i].hidden === !chosen.has(key)) return; // to hide what is hidden costs as much as to hide it
      heads[i].hidden = !chosen.has(key);
      for (const row of table.tBodies[0].rows) row.cells[i].hidden = !chosen.has(key);
    });
  };
  const remember = () => {
    const state = new URLSearchParams();
    for (const name of Object.keys(RULES)) if (form.elements[name].value.trim()) state.set(name, form.elements[name].value.trim());
    const chosen = [...form.elements.col].filter((box) => box.checked).map((box) => box.value);
    if (chosen.join() !== shownFirst.join()) state.set("cols", chosen.join(","));
    const sorted = heads.find((head) => head.hasAttribute("aria-sort"));
    if (sorted) state.set("sort", (sorted.getAttribute("aria-sort") === "descending" ? "-" : "") + sorted.dataset.key);
    history.replaceState(history.state, "", window.location.pathname + withMarket(state));
  };
  const restore = () => {
    const state = new URLSearchParams(window.location.search);
    for (const name of Object.keys(RULES)) if (state.has(name)) form.elements[name].value = state.get(name);
    if (state.has("cols")) for (const box of form.elements.col) box.checked = state.get("cols").split(",").includes(box.value);
    for (const fold of form.querySelectorAll("details.ga-morefilters"))
      fold.open = [...fold.querySelectorAll("input, select")].some((input) => input.value);
    const order = state.get("sort");
    const column = keys.indexOf(order?.replace("-", ""));
    if (column >= 0) sort(table, column, order.startsWith("-") ? "descending" : "ascending");
  };

  restore();
  columns();
  apply();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target.name === "col") columns();
    else apply();
    remember();
  });
  form.addEventListener("reset", () => setTimeout(() => {
    for (const head of heads) head.removeAttribute("aria-sort");
    table.tBodies[0].append(...firstOrder);
    columns();
    apply();
    remember();
  }));
  table.addEventListener("ga-counted", apply);
  table.addEventListener("ga-sorted", () => {
    if (atOnce < table.tBodies[0].rows.length) apply(); // other rows are the first ones now
    remember();
  });
  form.querySelector("[data-export]").addEventListener("click", () => save(toCsv(table), "gpus.csv"));
}

/** All rows that the filters leave, in the columns in view, as CSV; a price has a second column with its month. */
export function toCsv(table) {
  const heads = [...table.tHead.rows[0].cells];
  const columns = heads.flatMap((head, at) => (head.hidden ? [] : head.dataset.seen ? [[at, field], [at, seen]] : [[at, field]]));
  const line = (row) => columns.map(([at, read]) => read(row.cells[at])).join(",");
  const rows = [...table.tBodies[0].rows].filter((row) => !row.classList.contains("ga-out"));
  return [table.tHead.rows[0], ...rows].map(line).join("\n").concat("\n");
}

const seen = (cell) => safe(cell.dataset.seen ?? own(cell).querySelector(".ga-when")?.textContent.trim() ?? "");

function field(cell) {
  const number = cell.classList.contains("n") && cell.tagName === "TD";
  const shown = /** @type {HTMLElement} */ (own(cell).cloneNode(true));
  for (const other of shown.querySelectorAll(`.ga-market:not(.ga-market--${marketOf()})`)) other.remove();
  const text = shown.querySelector(":scope > .ga-unknown") ? "" : (shown.dataset.v ?? shown.textContent.trim());
  return number ? text.replaceAll(",", "") : safe(text);
}
