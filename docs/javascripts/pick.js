// Rows of a table that a reader ticks, so that their cards stand side by side.

import { make } from "./elements.js";

const FEWEST = 2; // cards of a comparison

/** @param {HTMLTableElement} table @param {HTMLFormElement} form above it, with the button and the link @param {URL} root */
export function offer(table, form, root) {
  const button = /** @type {HTMLButtonElement | null} */ (form.querySelector("[data-pick]"));
  const together = /** @type {HTMLAnchorElement} */ (form.querySelector("[data-pick-compare]"));
  if (!button) return;
  const most = Number(together.dataset.most);
  /** @type {HTMLInputElement[]} */
  let boxes = [];
  const tell = () => {
    const ids = boxes.filter((box) => box.checked).map((box) => box.value);
    together.hidden = ids.length < FEWEST;
    together.textContent = `Compare ${ids.length} cards`;
    together.href = new URL(`compare/?g=${ids.join(",")}`, root).href;
    for (const box of boxes) box.disabled = !box.checked && ids.length >= most;
  };
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    for (const box of boxes) box.remove();
    boxes = on ? [...table.tBodies[0].rows].map(ticked) : [];
    tell();
  });
  table.addEventListener("change", tell);
}

/** The box of a row, beside the name of its card. @param {HTMLTableRowElement} row */
function ticked(row) {
  const [name] = row.cells;
  const box = make("input", { type: "checkbox", className: "ga-tick", value: row.dataset.id ?? "", ariaLabel: `Compare ${name.textContent?.trim()}` });
  name.prepend(box);
  return box;
}
