// Puts an answer into the page: the elements come from Jinja, the script only fills and repeats them.
// data-t: text; data-if: hidden where there is nothing; data-each: one copy of the <template> (in an SVG, of the element
// with data-proto) for each entry, with data-kept those that stand there already, filled anew; data-gpu and data-href: where a link leads; data-vendor: the maker's colour;
// data-attr: "attribute:name" pairs, an attribute being taken away where there is nothing; data-after: left as it is, to be filled by itself.

import { make } from "./elements.js";

/** @typedef {any} Any a value of an answer */

/** Fill an element and all below it with the values of an object; `root` is the site's address. @param {Any} node @param {Any} values @param {URL} root */
export function fill(node, values, root) {
  const { t, each, gpu, href, vendor, attr } = node.dataset;
  const wanted = node.dataset.if;
  if (t !== undefined) write(node, values[t] ?? "");
  if (wanted !== undefined) node.toggleAttribute("hidden", !values[wanted] || values[wanted].length === 0);
  if (gpu !== undefined) node.href = new URL(`gpus/${values[gpu]}/`, root).href;
  if (href !== undefined) values[href] ? (node.href = values[href]) : node.removeAttribute("href");
  if (vendor !== undefined) node.className = `ga-dot ga-v-${values[vendor].toLowerCase()}`;
  for (const pair of attr ? attr.split(" ") : []) {
    const [name, value] = pair.split(":");
    const found = values[value] ?? "";
    found === "" ? node.removeAttribute(name) : node.setAttribute(name, found);
  }
  const proto = each === undefined ? null : node.querySelector(":scope > template, :scope > [data-proto]");
  for (const child of node.children) {
    if (child === proto) return repeat(proto, values[each] ?? [], root, "kept" in node.dataset);
    if (!("after" in child.dataset)) fill(child, values, root);
  }
}

// A day as 2026-10-04, which no line may break at its hyphens.
const DAY = /\b(20\d\d-\d\d(?:-\d\d)?)\b/;

// Whatever is written is laid out again, even the same.
function write(/** @type {Element} */ node, /** @type {Any} */ text) {
  const said = String(text);
  if (node.textContent === said) return;
  const parts = node instanceof HTMLElement ? said.split(DAY) : [said];
  node.replaceChildren(...parts.map((part, at) => (at % 2 ? whole(part) : part)));
}

const whole = (/** @type {string} */ day) => make("span", { className: "ga-whole" }, day);

// What stands before the template stays, what follows it was made of it.
/** @type {(proto: Any, entries: Any[], root: URL, kept: boolean) => void} */
function repeat(proto, entries, root, kept) {
  let last = proto;
  if (kept) for (; entries.length && last.nextElementSibling; entries = entries.slice(1)) fill((last = last.nextElementSibling), entries[0], root);
  const made = entries.map((values) => {
    const copy = (proto.content?.firstElementChild ?? proto).cloneNode(true);
    copy.removeAttribute("data-proto");
    copy.removeAttribute("display");
    fill(copy, values, root);
    return copy;
  });
  while (last.nextSibling) last.nextSibling.remove();
  last.after(...made);
}
