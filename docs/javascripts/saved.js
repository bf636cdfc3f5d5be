// Cards that a reader keeps, in this browser only: a button on a card's page, a list on the page that compares.

import { kept, make } from "./elements.js";

/** @typedef {{ id: string, name: string }} Card */

const KEPT = "ga-saved";
const SIDE_BY_SIDE = 6; // as many as the comparison holds

/** @param {Document} page @param {URL} root */
export function start(page, root) {
  const button = /** @type {HTMLButtonElement | null} */ (page.querySelector("button[data-save]"));
  if (button && !button.dataset.ready) offer(button);
  const place = /** @type {HTMLElement | null} */ (page.querySelector("[data-saved]"));
  if (place) list(place, root);
}

/** @returns {Card[]} the cards kept so far; none where the browser keeps nothing */
function saved() {
  try {
    const cards = JSON.parse(window.localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(cards) ? cards.filter((card) => typeof card?.id === "string" && typeof card?.name === "string") : [];
  } catch {
    return [];
  }
}

/** The button of a card's page: keep it, or let it go. @param {HTMLButtonElement} button */
function offer(button) {
  button.dataset.ready = "yes";
  const card = { id: button.dataset.save ?? "", name: button.dataset.saveName ?? "" };
  const show = () => button.setAttribute("aria-pressed", String(saved().some(({ id }) => id === card.id)));
  button.addEventListener("click", () => {
    const others = saved().filter(({ id }) => id !== card.id);
    const held = button.getAttribute("aria-pressed") === "true";
    if (!kept(KEPT, JSON.stringify(held ? others : [...others, card]))) button.textContent = "This browser keeps nothing";
    show();
  });
  show();
}

/** The list: each card with its page and a way to let it go, and all of them side by side. @param {HTMLElement} place @param {URL} root */
function list(place, root) {
  const cards = saved();
  const entries = /** @type {HTMLElement} */ (place.querySelector("ul"));
  const together = /** @type {HTMLAnchorElement} */ (place.querySelector("[data-saved-compare]"));
  entries.replaceChildren(...cards.map((card) => {
    const entry = make("li"), link = make("a", { href: new URL(`gpus/${encodeURIComponent(card.id)}/`, root).href }, card.name);
    const drop = make("button", { type: "button", className: "ga-remove", ariaLabel: `Forget ${card.name}` }, "×");
    drop.addEventListener("click", () => {
      kept(KEPT, JSON.stringify(saved().filter(({ id }) => id !== card.id)));
      list(place, root);
    });
    entry.append(link, " ", drop);
    return entry;
  }));
  const asked = cards.slice(-SIDE_BY_SIDE).map(({ id }) => encodeURIComponent(id)).join(",");
  together.href = new URL(`compare/?g=${asked}`, root).href;
  together.hidden = cards.length < 2;
  /** @type {HTMLElement} */ (place.querySelector("[data-saved-none]")).hidden = cards.length > 0;
}
