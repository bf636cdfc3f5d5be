// The small mark beside a figure: shows its source in place; without JavaScript the mark leads to the same row below.

import { make } from "./elements.js";

/** @type {{ box: HTMLElement, mark: HTMLElement } | undefined} */
let shown;

/** @param {Document} page */
export function start(page) {
  const body = /** @type {HTMLElement | null} */ (page.querySelector(".ga"));
  if (!body || body.dataset.sources) return;
  body.dataset.sources = "yes";
  body.addEventListener("click", (event) => {
    const mark = /** @type {HTMLAnchorElement | null} */ (/** @type {Element} */ (event.target).closest("a.ga-src"));
    const row = mark && document.getElementById(mark.hash.slice(1));
    if (!row) return;
    event.preventDefault();
    event.stopPropagation(); // the theme would take it for a way to another page
    show(mark, /** @type {HTMLTableRowElement} */ (row));
  });
}

/** @param {HTMLAnchorElement} mark @param {HTMLTableRowElement} row */
function show(mark, row) {
  close();
  const [label, value, who, kind, others] = row.cells;
  const box = make("div", { className: "ga-pop", role: "dialog", ariaLabel: `Source of ${label.textContent}`, tabIndex: -1 });
  const more = make("a", { href: mark.hash }, "in the table of all figures");
  more.addEventListener("click", () => {
    row.closest("details")?.setAttribute("open", "");
    close();
  });
  box.append(
    line(`${label.textContent}: `, ...copy(value)),
    line(...copy(who), ` (${kind.textContent})`),
    line(...copy(others)),
    line(more),
  );
  const place = document.body.querySelector(".md-content__inner");
  if (!place) return;
  place.append(box);
  const at = mark.getBoundingClientRect();
  const frame = /** @type {Element} */ (box.offsetParent).getBoundingClientRect();
  const left = Math.max(0, Math.min(at.left - frame.left - 20, frame.width - box.offsetWidth - 8));
  box.style.setProperty("left", `${left}px`);
  box.style.setProperty("top", `${at.bottom - frame.top + 6}px`);
  shown = { box, mark };
  box.focus();
}

/** @param {Element} cell */
const copy = (cell) => [...cell.cloneNode(true).childNodes];

/** @param {(Node | string)[]} parts */
function line(...parts) {
  const made = make("p");
  made.append(...parts);
  return made;
}

function close() {
  shown?.box.remove();
  shown = undefined;
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !shown) return;
  const { mark } = shown;
  close();
  mark.focus();
});
document.addEventListener("pointerdown", (event) => {
  if (shown && !shown.box.contains(/** @type {Node} */ (event.target))) close();
});
