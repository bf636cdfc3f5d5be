// Look-up boxes: suggests cards while somebody types; a form goes to the card or to the comparison.

import { find, load, one } from "./names.js";

let serial = 0;

export function start(page, root) {
  for (const input of page.querySelectorAll("input[data-gpu-input]")) if (!input.dataset.ready) suggest(input, root);
  for (const form of page.querySelectorAll("form[data-lookup]")) if (!form.dataset.ready) submit(form, root);
}

function suggest(input, root) {
  input.dataset.ready = "yes";
  const list = document.createElement("ul");
  list.className = "ga-suggest";
  list.id = `ga-suggest-${++serial}`;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Cards");
  list.hidden = true;
  input.after(list);
  for (const [name, value] of [["role", "combobox"], ["aria-expanded", "false"], ["aria-controls", list.id], ["aria-autocomplete", "list"]])
    input.setAttribute(name, value);

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (option) => {
    input.value = option.textContent;
    input.dataset.id = option.dataset.id;
    close();
    if (input.form?.dataset.lookup === "go" || input.form?.hasAttribute("data-compare-add")) input.form.requestSubmit();
  };
  const select = (option) => {
    for (const other of list.children) other.setAttribute("aria-selected", String(other === option));
    if (option) input.setAttribute("aria-activedescendant", option.id);
  };

  input.addEventListener("focus", () => load(root), { once: true });
  input.addEventListener("input", async () => {
    delete input.dataset.id;
    const typed = input.value;
    const names = await load(root);
    if (typed !== input.value) return;
    const found = find(names, typed);
    list.replaceChildren(...found.map((gpu, index) => option(gpu, `${list.id}-${index}`)));
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
  });
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const options = [...list.children];
    const at = options.findIndex((entry) => entry.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") select(options[(at + 1) % options.length]);
    else if (event.key === "ArrowUp") select(options[(at - 1 + options.length) % options.length]);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && at >= 0) choose(options[at]);
    else return;
    event.preventDefault();
  });
  list.addEventListener("pointerdown", (event) => {
    const chosen = event.target.closest("li");
    if (!chosen) return;
    event.preventDefault();
    choose(chosen);
  });
  input.addEventListener("blur", close);
  // What was typed before this file had loaded counts too.
  if (input.value && document.activeElement === input) input.dispatchEvent(new Event("input"));
}

function option(gpu, id) {
  const entry = document.createElement("li");
  entry.id = id;
  entry.setAttribute("role", "option");
  entry.setAttribute("aria-selected", "false");
  entry.dataset.id = gpu.id;
  entry.textContent = gpu.name;
  return entry;
}

function submit(form, root) {
  form.dataset.ready = "yes";
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const names = await load(root);
    const ids = [...form.querySelectorAll("[data-gpu-input]")].filter((i) => i.value.trim()).map((i) => i.dataset.id ?? one(names, i.value)?.id);
    const known = ids.filter(Boolean);
    if (form.dataset.lookup === "compare") go(root, known.length ? `compare/?g=${known.join(",")}` : "compare/");
    else if (known.length) go(root, `gpus/${known[0]}/`);
    else go(root, `gpus/?card=${encodeURIComponent(form.querySelector("[data-gpu-input]").value)}`);
  });
}

const go = (root, path) => window.location.assign(new URL(path, root));
