// The small mark beside a figure: shows its source in place; without JavaScript the mark leads to the same row below.

let pop;

export function start(page) {
  const body = page.querySelector(".ga");
  if (!body || body.dataset.sources) return;
  body.dataset.sources = "yes";
  body.addEventListener("click", (event) => {
    const mark = event.target.closest("a.ga-src");
    if (!mark) return;
    const row = document.getElementById(mark.hash.slice(1));
    if (!row) return;
    event.preventDefault();
    event.stopPropagation(); // the theme would take it for a way to another page
    show(mark, row);
  });
}

function show(mark, row) {
  close();
  const [label, value, who, kind, others] = [...row.cells];
  pop = document.createElement("div");
  pop.className = "ga-pop";
  pop.setAttribute("role", "dialog");
  pop.setAttribute("aria-label", `Source of ${label.textContent}`);
  pop.tabIndex = -1;
  pop.append(
    line(`${label.textContent}: `, ...copy(value)),
    line(...copy(who), ` (${kind.textContent})`),
    line(...copy(others)),
  );
  const more = document.createElement("a");
  more.href = mark.hash;
  more.textContent = "in the table of all figures";
  more.addEventListener("click", close);
  pop.append(line(more));
  document.body.querySelector(".md-content__inner")?.append(pop);
  place(mark);
  pop.mark = mark;
  pop.focus();
}

const copy = (cell) => [...cell.cloneNode(true).childNodes];

function line(...parts) {
  const made = document.createElement("p");
  made.append(...parts);
  return made;
}

function place(mark) {
  const at = mark.getBoundingClientRect();
  const frame = pop.offsetParent.getBoundingClientRect();
  const left = Math.max(0, Math.min(at.left - frame.left - 20, frame.width - pop.offsetWidth - 8));
  pop.style.setProperty("left", `${left}px`);
  pop.style.setProperty("top", `${at.bottom - frame.top + 6}px`);
}

function close() {
  pop?.remove();
  pop = undefined;
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !pop) return;
  const { mark } = pop;
  close();
  mark.focus();
});
document.addEventListener("pointerdown", (event) => {
  if (pop && !pop.contains(event.target)) close();
});
