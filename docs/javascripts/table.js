// Tables: sorts by any column; the big one also filters, chooses columns, keeps its state in the address, exports.

import { safe, save } from "./csv.js";
import { make } from "./elements.js";
import { marketOf, withMarket } from "./market-choice.js";
import { fits } from "./names.js";
import { offer } from "./pick.js";

/** @typedef {HTMLTableElement} Table @typedef {HTMLTableRowElement} Row @typedef {HTMLTableCellElement} Cell */

/** @param {Document} page @param {URL} root */
export function start(page, root) {
  for (const table of /** @type {NodeListOf<Table>} */ (page.querySelectorAll("table[data-sortable]"))) {
    if (table.dataset.ready) continue;
    table.dataset.ready = "yes";
    sortable(table);
    document.addEventListener("ga-market", () => table.isConnected && again(table));
    if ("filtered" in table.dataset) offer(table, filtered(table), root);
  }
}

/** What a cell says in the reader's market. @param {Cell} cell */
const own = (cell) => /** @type {HTMLElement} */ (cell.querySelector(`:scope > .ga-market--${marketOf()}`) ?? cell);
const textOf = (/** @type {Node | null} */ node) => node?.textContent?.trim() ?? "";
const headsOf = (/** @type {Table} */ table) => [...(table.tHead?.rows[0].cells ?? [])];

const valueOf = (/** @type {Cell} */ cell) => {
  const text = own(cell).dataset.v ?? textOf(own(cell));
  if (text === "–" || text === "" || own(cell).querySelector(":scope > .ga-unknown")) return null;
  const number = Number(text.replace(/[,$\s×]/g, ""));
  return Number.isNaN(number) || !cell.classList.contains("n") ? text.toLowerCase() : number;
};

function sortable(/** @type {Table} */ table) {
  headsOf(table).forEach((head, column) => {
    if (!textOf(head)) return;
    const button = make("button", { type: "button", className: "ga-sort" });
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

/** Sorts rows; unknown always last, equal rows keep their order. @param {Table} table @param {number} column @param {string | null} direction */
export function sort(table, column, direction) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ value: valueOf(row.cells[column]), row }));
  const sign = direction === "ascending" ? 1 : -1;
  rows.sort(({ value: a }, { value: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a < b ? -sign : a > b ? sign : 0;
  });
  body.append(...rows.map(({ row }) => row));
  headsOf(table).forEach((head, at) => at !== column && head.removeAttribute("aria-sort"));
  headsOf(table)[column].setAttribute("aria-sort", direction ?? "ascending");
}

// In another market other prices count.
function again(/** @type {Table} */ table) {
  const heads = headsOf(table), column = heads.findIndex((head) => head.hasAttribute("aria-sort"));
  if (column >= 0) sort(table, column, heads[column].getAttribute("aria-sort"));
  table.dispatchEvent(new Event("ga-counted"));
}

// "q" belongs to the theme: an address with it opens the search of the site.
// Filters by name of the form's field: what a row must have to stay. `at` gives the cell of a column.
/** @type {Record<string, (row: Row, wanted: string, at: (key: string) => Cell) => boolean>} */
const RULES = {
  card: (row, wanted, at) => fits(textOf(at("name")), wanted) || fits(row.dataset.id ?? "", wanted) || words(row, wanted),
  vendor: (row, wanted) => row.dataset.vendor === wanted,
  segment: (row, wanted, at) => textOf(at("segment")) === wanted,
  form: (row, wanted, at) => textOf(at("form")) === wanted,
  mem: (row, wanted, at) => known(at("memory"), (v) => v >= Number(wanted)),
  power: (row, wanted, at) => known(at("power"), (v) => v <= Number(wanted)),
  year: (row, wanted, at) => known(at("year"), (v) => v >= Number(wanted)),
  price: (row, wanted, at) => known(at("launch"), (v) => v <= Number(wanted)),
  now: (row, wanted, at) => ["retail", "used"].some((key) => known(at(key), (v) => v <= Number(wanted))),
  software: (row, wanted, at) => textOf(at("software")).toLowerCase().includes(wanted.toLowerCase()),
};
const known = (/** @type {Cell} */ cell, /** @type {(value: number) => boolean} */ test) => {
  const value = valueOf(cell);
  return typeof value === "number" && test(value);
};
const words = (/** @type {Row} */ row, /** @type {string} */ wanted) => wanted.toLowerCase().split(/\s+/).every((word) => textOf(row).toLowerCase().includes(word));

// More rows than anybody reads at once are laid out only when asked for: layout is what takes the time.
const AT_ONCE = 500;

function filtered(/** @type {Table} */ table) {
  const form = /** @type {HTMLFormElement} */ (document.querySelector(`form[data-filters="${table.id}"]`));
  const fields = /** @type {any} */ (form.elements), heads = headsOf(table), keys = heads.map((head) => head.dataset.key ?? "");
  const count = /** @type {HTMLElement} */ (form.parentElement?.querySelector("[data-count]"));
  const filledIn = (/** @type {string} */ name) => fields[name].value.trim();
  const chosen = () => /** @type {HTMLInputElement[]} */ ([...fields.col]).filter((box) => box.checked).map((box) => box.value);
  const shownFirst = keys.filter((_, i) => !heads[i].hidden && i);
  const firstOrder = [...table.tBodies[0].rows];

  const told = make("span");
  const more = make("button", { type: "button", className: "ga-button" });
  count.replaceChildren(told, " ", more);
  let atOnce = AT_ONCE;
  more.addEventListener("click", () => {
    atOnce = Infinity;
    apply();
  });

  const apply = () => {
    const wanted = Object.entries(RULES).filter(([name]) => filledIn(name)).map(([name, rule]) => ({ rule, value: filledIn(name) }));
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const fitting = wanted.every(({ rule, value }) => rule(row, value, (key) => row.cells[keys.indexOf(key)]));
      row.classList.toggle("ga-out", !fitting);
      shown += Number(fitting);
      const hidden = !fitting || shown > atOnce;
      if (row.hidden !== hidden) row.hidden = hidden;
    }
    told.textContent = shown ? `${shown} of ${table.tBodies[0].rows.length} cards` : "No card fits. Clear a filter to see more.";
    more.hidden = shown <= atOnce;
    more.textContent = `Show all ${shown}`;
  };
  const columns = () => {
    const wanted = chosen();
    keys.forEach((key, i) => {
      const hidden = !wanted.includes(key);
      if (!i || heads[i].hidden === hidden) return; // to hide what is hidden costs as much as to hide it
      heads[i].hidden = hidden;
      for (const row of table.tBodies[0].rows) row.cells[i].hidden = hidden;
    });
  };
  const remember = () => {
    const state = new URLSearchParams();
    for (const name of Object.keys(RULES)) if (filledIn(name)) state.set(name, filledIn(name));
    if (chosen().join() !== shownFirst.join()) state.set("cols", chosen().join(","));
    const sorted = heads.find((head) => head.hasAttribute("aria-sort"));
    if (sorted) state.set("sort", (sorted.getAttribute("aria-sort") === "descending" ? "-" : "") + sorted.dataset.key);
    history.replaceState(history.state, "", window.location.pathname + withMarket(state));
  };
  const restore = () => {
    const state = new URLSearchParams(window.location.search);
    for (const name of Object.keys(RULES)) if (state.has(name)) fields[name].value = state.get(name);
    if (state.has("cols")) for (const box of fields.col) box.checked = state.get("cols")?.split(",").includes(box.value);
    for (const fold of /** @type {NodeListOf<HTMLDetailsElement>} */ (form.querySelectorAll("details.ga-morefilters")))
      fold.open = /** @type {HTMLInputElement[]} */ ([...fold.querySelectorAll("input, select")]).some((input) => input.value);
    const order = state.get("sort") ?? "", column = keys.indexOf(order.replace("-", ""));
    if (column >= 0) sort(table, column, order.startsWith("-") ? "descending" : "ascending");
  };

  restore();
  columns();
  apply();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (/** @type {HTMLInputElement} */ (event.target).name === "col") columns();
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
  form.querySelector("[data-export]")?.addEventListener("click", () => save(toCsv(table), "gpus.csv"));
  return form;
}

/** All rows that the filters leave, in the columns in view, as CSV; a price has a second column with its month. @param {Table} table */
export function toCsv(table) {
  const columns = headsOf(table).flatMap((head, at) => (head.hidden ? [] : head.dataset.seen ? [{ at, read: field }, { at, read: seen }] : [{ at, read: field }]));
  const line = (/** @type {Cell[]} */ cells) => `${columns.map(({ at, read }) => read(cells[at])).join(",")}\n`;
  const rows = [...table.tBodies[0].rows].filter((row) => !row.classList.contains("ga-out")).map((row) => [...row.cells]);
  return [headsOf(table), ...rows].map(line).join("");
}

const seen = (/** @type {Cell} */ cell) => safe(cell.dataset.seen ?? textOf(own(cell).querySelector(".ga-when")));

function field(/** @type {Cell} */ cell) {
  const number = cell.classList.contains("n") && cell.tagName === "TD";
  const shown = /** @type {HTMLElement} */ (own(cell).cloneNode(true));
  for (const other of shown.querySelectorAll(`.ga-market:not(.ga-market--${marketOf()})`)) other.remove();
  const text = shown.querySelector(":scope > .ga-unknown") ? "" : (shown.dataset.v ?? textOf(shown));
  return number ? text.replaceAll(",", "") : safe(text);
}
