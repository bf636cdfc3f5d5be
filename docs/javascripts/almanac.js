// Loads what a page needs and nothing else; runs again after each instant navigation.

const FEATURES = [
  ["table[data-sortable]", "./table.js"],
  ["[data-gpu-input], [data-typed-note]", "./lookup.js"],
  ["[data-chart]", "./charts.js"],
  ["[data-compare]", "./compare.js"],
  ["a.ga-src", "./sources.js"],
  ["[data-save], [data-saved]", "./saved.js"],
  ["[data-share]", "./share.js"],
  ["form[data-markets]", "./market.js"],
  ["[data-guess]", "./guess.js"],
  ["[data-benchmarks]", "./benchmarks.js"],
  ["form[data-calculator]", "./calculators.js"],
  ["form[data-choose]", "./choose-page.js"],
];

// The site's root, wherever it is served: this file lies in javascripts/.
export const ROOT = new URL("..", import.meta.url);

// The theme notes how far a reader had scrolled a tenth of a second late: with the page that a link leads to, if it was
// followed at once. That page begins at its head; only one that a reader comes back to begins where it was left.
let followed = false;
document.addEventListener("click", () => { followed = true; }, true);
window.addEventListener("popstate", () => { followed = false; });

// The mark names the page whose scripts have all begun: what a reader presses before is not heard.
async function start() {
  const mark = document.documentElement.dataset;
  const { pathname, hash } = window.location;
  if (followed && !hash) window.scrollTo(0, 0);
  followed = false;
  nameLandmarks();
  reveal();
  const wanted = FEATURES.filter(([selector]) => document.querySelector(selector));
  await Promise.all(wanted.map(async ([, file]) => (await import(file)).start(document, ROOT)));
  mark.started = pathname;
}

// What is folded away opens for whoever follows a link into it: the address names a part of it, or the heading above,
// from which the words that always show may part it.
function reveal() {
  const parts = document.querySelector("details.ga-parts[open]");
  parts?.removeAttribute("open");
  const named = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  const shown = named?.nextElementSibling;
  const below = shown?.matches("div") ? shown.nextElementSibling : shown;
  const folds = [below, ...document.querySelectorAll("details")].filter((fold) => fold instanceof HTMLDetailsElement);
  const wanted = folds.filter((fold) => named && !fold.open && (fold.contains(named) || (fold === below && fold.matches(".ga-fold"))));
  for (const fold of wanted) fold.open = true;
  // Of a long table a phone shows the first rows, until one further down is asked for.
  const all = named?.matches("tr") && /** @type {HTMLInputElement | null} */ (named.closest(".ga-scroll--long")?.querySelector(".ga-all input:not(:checked)"));
  if (all) all.click();
  if (parts || wanted.length || all) named?.scrollIntoView();
}

// The theme leaves its search box and the menus of sections that have a page of their own without a name.
function nameLandmarks() {
  document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
  for (const menu of document.querySelectorAll("nav.md-nav[aria-labelledby]")) {
    if (document.getElementById(menu.getAttribute("aria-labelledby") ?? "")?.textContent?.trim()) continue;
    const link = menu.parentElement?.querySelector(":scope > .md-nav__container > a");
    if (!link) continue;
    menu.removeAttribute("aria-labelledby");
    menu.setAttribute("aria-label", (link.textContent ?? "").trim());
  }
}

window.addEventListener("hashchange", reveal);
// A class and not :has(): with that, every row that comes would have the whole table styled again.
document.addEventListener("change", ({ target }) => target instanceof HTMLInputElement && target.matches(".ga-all input") && target.closest(".ga-scroll")?.classList.toggle("ga-whole-table", target.checked));
window.addEventListener("beforeprint", () => document.querySelectorAll(".ga details, .ga-fold").forEach((fold) => fold.setAttribute("open", "")));

document.querySelector("[data-skip]")?.addEventListener("click", (event) => {
  event.preventDefault();
  event.stopPropagation();
  const content = document.getElementById("content");
  content?.focus();
  content?.scrollIntoView();
});

// The theme tells of each page that its instant navigation brings.
const { document$ } = /** @type {{ document$?: { subscribe: (begin: () => void) => void } }} */ (/** @type {unknown} */ (window));
if (document$) document$.subscribe(start);
else start();
