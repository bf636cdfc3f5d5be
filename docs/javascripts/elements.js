// The elements that several pages make: a text in a tag, a table's frame, a bar; and a file of data, fetched.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, properties = {}, text = "") {
  const made = Object.assign(document.createElement(tag), properties);
  if (text) made.textContent = text;
  return made;
}

/** @typedef {[tag: string, attributes: Record<string, string | number>, text?: string]} Shape */

/** A picture of shapes. @param {Record<string, string>} about @param {Shape[]} shapes */
export function svg(about, shapes) {
  const element = (/** @type {Shape} */ [tag, attributes, text = ""]) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    return made;
  };
  const made = element(["svg", about]);
  made.append(...shapes.map(element));
  return made;
}

/** A bar in the maker's colour, which says nothing that the number beside it does not say. @param {string} vendor @param {number} percent */
export const bar = (vendor, percent) => svg(
  { class: `ga-bar ga-v-${vendor}`, viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
  [["rect", { width: percent.toFixed(1), height: 10 }]],
);

/** A region that scrolls, named for whoever does not see it (macros.html.j2). @param {string} label @param {Element} content */
export function scrolled(label, content, tall = false) {
  const region = make("div", { className: tall ? "ga-scroll ga-scroll--tall ga-scroll--long" : "ga-scroll", tabIndex: 0 });
  region.setAttribute("role", "region");
  region.setAttribute("aria-label", label);
  region.append(content);
  if (tall) {
    const all = make("label", { className: "ga-all" });
    all.append(make("input", { type: "checkbox" }), " Show all rows");
    region.append(all);
  }
  return region;
}

/** Copy a text and say so; where the browser refuses, show it to be marked by hand. @param {string} text @param {HTMLElement} said which knows both words */
export async function copied(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = said.dataset.copied ?? "";
  } catch {
    const box = make("textarea", { value: text, rows: Math.min(12, text.split("\n").length), readOnly: true, className: "ga-copied", ariaLabel: said.dataset.byHand });
    said.replaceChildren(box);
    box.select();
  }
}

/** Whether the browser keeps a text until the next page; some keep nothing. @param {string} name @param {string} text */
export function kept(name, text) {
  try {
    window.localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/** @param {URL} address @returns {Promise<any>} */
export async function json(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address.pathname}: ${answer.status}`);
  return answer.json();
}
