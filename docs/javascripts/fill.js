// Puts an answer into the page: the elements come from Jinja, the script only fills and repeats them.
// data-t: text; data-if: hidden where there is nothing; data-each: one copy of the <template> (in an SVG, of the element
// with data-proto) for each entry; data-gpu and data-href: where a link leads; data-vendor: the maker's colour;
// data-attr: "attribute:name" pairs.

/** @typedef {any} Any a value of an answer */

/**
 * Fill an element and all below it with the values of an object; `root` is the site's address.
 * @param {Any} node
 * @param {Any} values
 * @param {URL} root
 */
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
    node.setAttribute(name, values[value] ?? "");
  }
  if (each !== undefined) return repeat(node, values[each] ?? [], root);
  for (const child of node.children) fill(child, values, root);
}

// Whatever is written is laid out again, even the same.
const write = (/** @type {Element} */ node, /** @type {Any} */ text) => node.textContent === String(text) || (node.textContent = text);

/** @type {(node: Element, entries: Any[], root: URL) => void} */
function repeat(node, entries, root) {
  /** @type {Any} */
  const proto = node.querySelector(":scope > template") ?? node.querySelector(":scope > [data-proto]");
  const made = entries.map((values) => {
    const copy = (proto.content?.firstElementChild ?? proto).cloneNode(true);
    copy.removeAttribute("data-proto");
    copy.removeAttribute("display");
    fill(copy, values, root);
    return copy;
  });
  node.replaceChildren(proto, ...made);
}
