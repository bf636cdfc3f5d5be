// A page that does not exist: guesses the card from the address.

import { find, load } from "./names.js";

export async function start(page, root) {
  const place = page.querySelector("[data-guess]");
  const last = decodeURIComponent(window.location.pathname).split("/").filter(Boolean).pop() ?? "";
  const found = find(await load(root), last.replace(/\.html?$/, ""), 5);
  if (!found.length) return;
  place.replaceChildren(...found.map((gpu) => {
    const entry = document.createElement("li");
    const link = document.createElement("a");
    link.href = new URL(`gpus/${gpu.id}/`, root);
    link.textContent = gpu.name;
    entry.append(link);
    return entry;
  }));
  page.querySelector("[data-guess-lede]").textContent = "There is no such page. Perhaps you look for:";
}
