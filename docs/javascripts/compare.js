// Compare: two to six cards as columns; the address holds which. What is shown of them is worked out in compared.js (Python's,
// translated); the elements are those of docs/templates/compare.html.j2.

import { compared } from "./compared.js";
import { lines, save } from "./csv.js";
import { json } from "./elements.js";
import { fill } from "./fill.js";
import { held } from "./lookup.js";
import { marketOf, withMarket } from "./market-choice.js";
import { load as loadNames, meant } from "./names.js";

/** @typedef {{ id: string, segment: string }} Record_ a card's own file, of which compared.js reads the rest */
/** @typedef {{ place: HTMLElement, part: (name: string) => HTMLElement, root: URL, most: number, names: import("./names.js").Names[], tables: any[], records: Map<string, Record_>, saved: string[][], turn: number }} View
 * the place that answers fill and other parts of the page, the most cards side by side, the tables of rows and of experiments, the comparison as a table to save, and the turn of the newest wish */

/** @param {Document} page @param {URL} root */
export async function start(page, root) {
  const place = /** @type {HTMLElement | null} */ (page.querySelector("[data-compare]"));
  if (!place || place.dataset.ready) return;
  place.dataset.ready = "yes";
  const [names, ...tables] = await Promise.all([loadNames(root), ...["rows", "measured"].map((name) => json(new URL(`compare/${name}.json`, root)))]);
  const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (page.querySelector(`[data-compare-${name}]`));
  /** @type {View} */
  const view = { place, part, root, most: Number(place.dataset.most), names, tables, records: new Map(), saved: [], turn: 0 };
  const again = () => place.isConnected && show(view);
  document.addEventListener("ga-market", again);
  window.addEventListener("popstate", again);
  part("csv").addEventListener("click", () => save(lines(view.saved), "comparison.csv"));
  place.addEventListener("click", ({ target }) => {
    const pressed = /** @type {HTMLElement} */ (target), { remove } = pressed.dataset;
    if (remove) change(view, wanted(view).ids.filter((id) => id !== remove));
    if (pressed.matches(".ga-unfold")) {
      const open = Boolean(pressed.closest("tbody")?.classList.toggle("ga-open"));
      pressed.setAttribute("aria-expanded", String(open));
      pressed.textContent = open ? "Hide" : "Show";
    }
  });
  part("add").addEventListener("submit", async (event) => {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (part("add").querySelector("input"));
    const found = (await held(input, root)).card?.id, { ids } = wanted(view);
    if (!found) return note(view, notCalled([input.value]));
    if (ids.length >= view.most) return note(view, `At most ${view.most} cards fit side by side; remove one first.`);
    input.value = "";
    delete input.dataset.id;
    change(view, [...ids.filter((id) => id !== found), found]);
  });
  show(view);
}

/** The cards that the address asks for; short names work, unknown ones are told. @param {View} view */
function wanted(view) {
  const query = new URLSearchParams(window.location.search);
  // A form of another page that was sent before its script had come says a and b.
  const said = query.get("g") ?? [query.get("a"), query.get("b")].filter(Boolean).join(",");
  const asked = said.split(",").map((text) => text.trim()).filter(Boolean);
  const found = asked.map((text) => ({ text, id: view.names.find(([id]) => id === text)?.[0] ?? meant(view.names, text).card?.id }));
  return {
    ids: [...new Set(found.flatMap(({ id }) => id ?? []))].slice(0, view.most),
    unknown: found.filter(({ id }) => !id).map(({ text }) => text),
  };
}

/** @param {View} view @param {string[]} ids */
function change(view, ids) {
  const query = new URLSearchParams(window.location.search);
  for (const name of ["a", "b", "g"]) query.delete(name);
  if (ids.length) query.set("g", ids.join(","));
  history.pushState(history.state, "", window.location.pathname + withMarket(query));
  show(view);
}

/** @param {View} view */
async function show(view) {
  const { ids, unknown } = wanted(view), { place, records, root } = view;
  const turn = (view.turn += 1);
  try {
    await Promise.all(ids.filter((id) => !records.has(id)).map(async (id) => records.set(id, await json(new URL(`gpus/${id}.json`, root)))));
  } catch (error) {
    return note(view, `The figures could not be loaded (${/** @type {Error} */ (error).message}). Reload the page to try again.`);
  }
  if (turn !== view.turn) return;
  const cards = ids.flatMap((id) => records.get(id) ?? []);
  const [rows, experiments] = view.tables;
  const shown = cards.length ? compared(cards, rows, experiments, marketOf(), root.href) : { nothing: "yes", said: "", title: document.title, saved: [] };
  view.saved = shown.saved;
  view.part("csv").hidden = !cards.length;
  view.part("said").textContent = shown.said;
  document.title = shown.title;
  askJob(view, cards);
  for (const part of place.children) {
    fill(part, { ...shown, note: unknown.length ? notCalled(unknown) : "" }, root);
    for (const empty of part.querySelectorAll("[data-if][hidden]")) empty.remove();
    // A busy page answers nobody: between its parts it lets go, and stops where a newer wish has come.
    await new Promise((resolve) => setTimeout(resolve));
    if (turn !== view.turn) return;
  }
  place.dataset.filled = "yes"; // from here on it takes the room that it needs
}

/**
 * Which of the cards to rent or buy for a job: the chooser's files and rules, once the page has nothing else to do. A
 * reader who saves data asks for them by choosing a job.
 * @param {View} view @param {Record_[]} cards
 */
function askJob(view, cards) {
  const part = view.part("job");
  part.hidden = cards.length < 2;
  if (part.hidden) return;
  const idle = window.requestIdleCallback ?? ((run) => setTimeout(run, 200));
  const answer = async () => (await import("./choose-compare.js")).answerJob(part, cards, view.root);
  const select = /** @type {HTMLSelectElement} */ (part.querySelector("select"));
  select.onchange = () => {
    select.dataset.chosen = "yes";
    answer();
  };
  if (!(/** @type {any} */ (navigator).connection?.saveData)) idle(answer);
}

/** @param {string[]} names */
const notCalled = (names) => `No card is called ${names.map((name) => `“${name}”`).join(", ")}.`;

/** What went wrong, also for those who do not see it. @param {View} view @param {string} text */
function note(view, text) {
  view.part("said").textContent = text;
  fill(view.place.firstElementChild, { note: text }, view.root);
}
