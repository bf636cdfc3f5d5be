// Look-up boxes: suggests cards while somebody types; a form goes to the card or to the comparison.

import { make } from "./elements.js";
import { find, load, meant } from "./names.js";

/** @typedef {import("./names.js").Card} Card */

// What was typed where several cards fit, so that the page that opens can name the others.
const TYPED = "ga-typed";
const SUGGESTIONS = 8;
let serial = 0;

/** @param {Document} page @param {URL} root */
export function start(page, root) {
  for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (page.querySelectorAll("input[data-gpu-input]")))
    if (!input.dataset.ready) suggest(input, root);
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (page.querySelectorAll("form[data-lookup]")))
    if (!form.dataset.ready) submit(form, root);
  const note = /** @type {HTMLElement | null} */ (page.querySelector("[data-typed-note]"));
  if (note) sayOthers(note, root);
}

/**
 * The card that a box holds: the one picked from its list, else the best-known of those that fit what was typed.
 * @param {HTMLInputElement} input
 * @param {URL} root
 */
export async function held(input, root) {
  const { id } = input.dataset;
  return id ? { card: { id, name: input.value }, others: /** @type {Card[]} */ ([]) } : meant(await load(root), input.value);
}

/** @param {HTMLInputElement} input @param {URL} root */
function suggest(input, root) {
  input.dataset.ready = "yes";
  const list = make("ul", { className: "ga-suggest", id: `ga-suggest-${++serial}`, role: "listbox", ariaLabel: "Cards", hidden: true });
  input.after(list);
  for (const [name, value] of [["role", "combobox"], ["aria-expanded", "false"], ["aria-controls", list.id], ["aria-autocomplete", "list"]])
    input.setAttribute(name, value);

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (/** @type {HTMLElement} */ option) => {
    input.value = option.textContent ?? "";
    input.dataset.id = option.dataset.id;
    close();
    if (input.form?.dataset.lookup === "go" || input.form?.hasAttribute("data-compare-add")) input.form.requestSubmit();
  };
  const select = (/** @type {Element | undefined} */ option) => {
    for (const other of list.children) other.setAttribute("aria-selected", String(other === option));
    if (option) input.setAttribute("aria-activedescendant", option.id);
  };

  input.addEventListener("focus", () => load(root), { once: true });
  input.addEventListener("input", async () => {
    delete input.dataset.id;
    const typed = input.value;
    const found = find(await load(root), typed, SUGGESTIONS);
    // Another letter, or Enter, may have come while the names were on their way.
    if (typed !== input.value || document.activeElement !== input) return;
    list.replaceChildren(...found.map((gpu, index) => option(gpu, `${list.id}-${index}`)));
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
  });
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const options = /** @type {HTMLElement[]} */ ([...list.children]);
    const at = options.findIndex((entry) => entry.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") select(options[(at + 1) % options.length]);
    else if (event.key === "ArrowUp") select(options[(at - 1 + options.length) % options.length]);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && at >= 0) choose(options[at]);
    else return;
    event.preventDefault();
  });
  list.addEventListener("pointerdown", (event) => {
    const chosen = /** @type {Element} */ (event.target).closest("li");
    if (!chosen) return;
    event.preventDefault();
    choose(chosen);
  });
  input.addEventListener("blur", close);
  input.form?.addEventListener("submit", close);
  // What was typed before this file had loaded counts too.
  if (input.value && document.activeElement === input) input.dispatchEvent(new Event("input"));
}

/** @param {Card} gpu @param {string} id */
function option(gpu, id) {
  const entry = make("li", { id, role: "option", ariaSelected: "false" }, gpu.name);
  entry.dataset.id = gpu.id;
  return entry;
}

/** @param {HTMLFormElement} form @param {URL} root */
function submit(form, root) {
  form.dataset.ready = "yes";
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const boxes = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("[data-gpu-input]")]);
    const empty = boxes.find((input) => !input.value.trim());
    // A comparison needs two cards: Enter in the first box leads on to the second.
    if (form.dataset.lookup === "compare" && empty && boxes.some((input) => input.value.trim())) return empty.focus();
    const found = await Promise.all(boxes.filter((input) => input.value.trim()).map((input) => held(input, root)));
    const cards = found.flatMap(({ card }) => (card ? [card.id] : []));
    if (form.dataset.lookup === "compare") return go(root, cards.length ? `compare/?g=${cards.join(",")}` : "compare/");
    if (!cards.length) return go(root, `gpus/?card=${encodeURIComponent(boxes[0].value)}`);
    if (found[0].others.length) sessionStorage.setItem(TYPED, JSON.stringify({ typed: boxes[0].value, id: cards[0], others: found[0].others }));
    return go(root, `gpus/${cards[0]}/`);
  });
}

/** On a card's page that a look-up opened: which other cards fit what was typed. @param {HTMLElement} note where it is said, hidden until then @param {URL} root */
function sayOthers(note, root) {
  const kept = sessionStorage.getItem(TYPED);
  if (!kept) return;
  sessionStorage.removeItem(TYPED);
  const { typed, id, others } = /** @type {{ typed: string, id: string, others: Card[] }} */ (JSON.parse(kept));
  if (id !== note.dataset.typedNote) return;
  const links = others.flatMap((gpu, at) => {
    const link = make("a", { href: new URL(`gpus/${gpu.id}/`, root).href }, gpu.name);
    return at ? [", ", link] : [link];
  });
  note.querySelector("[data-typed]")?.append(typed);
  note.querySelector("[data-others]")?.append(...links);
  note.hidden = false;
}

/** @param {URL} root @param {string} path */
const go = (root, path) => window.location.assign(new URL(path, root));
