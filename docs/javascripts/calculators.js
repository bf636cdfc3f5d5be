// The calculators: a form's question to the formulas, their answer into the page, the question into the address. The
// formulas and sentences are Python's, translated; the page holds the answer to its first question already.

import { NeedError } from "./able.js";
import { answer, known as knownOf, ranked } from "./costs.js";
import { json, make, scrolled, svg } from "./elements.js";
import { prepared } from "./estimator.js";
import { marketOf, USUAL, withMarket } from "./market-choice.js";

/**
 * @typedef {any} Any what Python's own types describe
 * @typedef {HTMLInputElement | HTMLSelectElement} Field
 */

/** @type {Promise<Any> | undefined} */
let loading;

/** @param {Document} page @param {URL} root */
export function start(page, root) {
  /** @type {HTMLFormElement | null} */
  const form = page.querySelector("form[data-calculator]");
  const place = page.querySelector("[data-calculator-answer]"), status = page.querySelector("[data-calculator-status]");
  if (!form || !place || !status || form.dataset.ready) return;
  form.dataset.ready = "yes";
  restore(form);
  const reply = async () => {
    try {
      place.replaceChildren(...await replied(form, root));
    } catch (error) {
      place.replaceChildren(sentence(error));
    }
    // A screen reader hears the sentence, not the tables below it.
    status.textContent = place.firstElementChild?.textContent ?? "";
  };
  const asked = () => {
    remember(form);
    reply();
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", asked);
  form.addEventListener("reset", () => setTimeout(asked));
  // Whoever enters the form will ask: the figures come and every model's tensors are counted before the first change.
  form.addEventListener("focusin", () => replied(form, root).catch(() => {}), { once: true });
  // The header's switch says whose electricity an empty field means.
  document.addEventListener("ga-market", () => form.isConnected && form.elements.namedItem("market") && reply());
  if (window.location.search.length > 1 || (form.elements.namedItem("market") && marketOf() !== USUAL)) reply();
}

/** @param {unknown} error */
function sentence(error) {
  if (!(error instanceof NeedError)) console.warn(error);
  const made = make("p", { className: "ga-trap" }, error instanceof NeedError ? error.message : "This could not be worked out.");
  made.setAttribute("role", "alert");
  return made;
}

// ---------------------------------------------------------------- question and address

/** @param {HTMLFormElement} form */
const fields = (form) => /** @type {Field[]} */ ([...form.elements]).filter((field) => field.name && field.type !== "hidden");

/** What a field holds before anybody types. @param {Field} field */
function first(field) {
  if (!("options" in field)) return field.defaultValue;
  return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0]).value;
}

/** @param {HTMLFormElement} form */
function remember(form) {
  const state = new URLSearchParams();
  for (const field of fields(form)) if (field.value.trim() !== first(field)) state.set(field.name, field.value.trim());
  history.replaceState(history.state, "", window.location.pathname + withMarket(state));
}

/** @param {HTMLFormElement} form */
function restore(form) {
  const state = new URLSearchParams(window.location.search);
  for (const field of fields(form)) {
    const wanted = state.get(field.name);
    if (wanted === null) continue;
    // A choice that does not exist is told in the answer, not silently another one.
    if ("options" in field && ![...field.options].some((option) => option.value === wanted)) field.add(new Option(wanted, wanted));
    field.value = wanted;
    field.closest("details")?.setAttribute("open", "");
  }
}

/** What stands in the form: numbers as numbers, an empty field as null. @param {HTMLFormElement} form */
function typed(form) {
  const value = (/** @type {Field} */ field) => {
    if (field.type !== "number") return field.value;
    if (field.validity.badInput) return NaN;
    return field.value.trim() === "" ? null : Number(field.value);
  };
  const market = form.elements.namedItem("market") ? { market: marketOf() } : {};
  return { ...market, ...Object.fromEntries(fields(form).map((field) => [field.name, value(field)])) };
}

// ---------------------------------------------------------------- answers

/** What the formulas know, fetched once. @param {URL} root @returns {Promise<Any>} */
function known(root) {
  const files = ["calculators/data.json", "calculators/costs.json"].map((file) => new URL(file, root));
  loading ??= Promise.all(files.map(json)).then(([data, costs]) => knownOf(prepared(data), costs)).catch((error) => {
    loading = undefined;
    console.warn(error);
    throw new NeedError("The figures could not be loaded. Change an input to try again.");
  });
  return loading;
}

/** A sheet as docs/templates/calculator_parts.html.j2 shows it. @param {HTMLFormElement} form @param {URL} root */
async function replied(form, root) {
  const on = await known(root), name = form.dataset.calculator ?? "", asked = typed(form);
  const { lead, notes, picture, tables, asides } = answer(name, asked, on);
  const told = make("p", { className: "ga-answer" });
  told.append(make("b", {}, lead));
  const rest = make("ul", { className: "ga-faint" }), later = make("div");
  rest.append(...asides.map((/** @type {string} */ text) => make("li", {}, text)));
  // The long table comes a moment later, so that the answer stands at once.
  setTimeout(() => {
    const more = later.isConnected && ranked(name, asked, on);
    if (more) later.append(...tabled(more, root));
  });
  return [
    told,
    ...notes.map((/** @type {string} */ note) => make("p", {}, note)),
    ...(picture ? [drawn(picture)] : []),
    ...tables.flatMap((/** @type {Any} */ one) => tabled(one, root)),
    ...(asides.length ? [rest] : []),
    later,
  ];
}

/** A table below its heading, or folded below it and made when somebody opens it. @param {Any} one @param {URL} root */
function tabled(one, root) {
  const { title, folded, rows, none } = one;
  if (!folded) return [make("h2", {}, title), rows.length ? table(one, root) : make("p", {}, none)];
  const fold = make("details", { className: "ga-more" });
  fold.append(make("summary", {}, title));
  fold.addEventListener("toggle", () => fold.append(make("p", {}, folded), table(one, root)), { once: true });
  return [fold];
}

/** @param {Any} one @param {URL} root */
function table({ title, heads, rows, tall }, root) {
  const made = make("table", { className: "ga-table" });
  made.createTHead().insertRow().append(...heads.map((/** @type {[string, string | null]} */ [text, unit]) => {
    const head = make("th", { scope: "col", className: unit === null ? "" : "n" }, text);
    if (unit) head.append(" ", make("small", {}, unit));
    return head;
  }));
  const body = made.createTBody();
  for (const row of rows) body.insertRow().append(...row.map((/** @type {Any} */ one, /** @type {number} */ i) => cell(one, i === 0, root)));
  return scrolled(title, made, tall);
}

/** @param {Any} one @param {boolean} head @param {URL} root */
function cell({ text, number, href, gpu, kind, aside, look, part, vendor }, head, root) {
  const made = make(head ? "th" : "td", { className: look ? `n ga-fit ga-fit--${look}` : number ? "n" : "" });
  if (head) made.setAttribute("scope", "row");
  if (part) made.append(svg({ class: "ga-swatch", viewBox: "0 0 8 8", "aria-hidden": "true" }, [["rect", { class: `ga-stack-${part}`, width: 8, height: 8 }]]));
  if (vendor) made.append(make("span", { className: `ga-dot ga-v-${vendor.toLowerCase()}` }));
  if (gpu) made.append(make("a", { href: new URL(`gpus/${gpu}/`, root).href }, text));
  else if (/^https?:/.test(href)) made.append(make("a", { href, rel: "noopener nofollow" }, text));
  else made.append(text);
  if (aside) made.append(" ", make("span", { className: "ga-faint" }, aside));
  if (["measured", "estimated"].includes(kind)) made.append(" ", make("span", { className: `ga-kind ga-kind--${kind}` }, kind));
  return made;
}

/** @param {Any} one */
function drawn({ title, width, height, shapes, labels, look, fit }) {
  return svg({ class: `ga-${look}`, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: fit, role: "img", "aria-label": title }, [
    ...shapes.map((/** @type {Any} */ shape) => ["path", { class: `ga-${look}-${shape.look}`, d: shape.d }]),
    ...labels.map((/** @type {Any} */ { look: own, x, y, anchor, text }) => ["text", { class: `ga-${look}-${own}`, x, y, "text-anchor": anchor }, text]),
  ]);
}
