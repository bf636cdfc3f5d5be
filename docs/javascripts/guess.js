// A page that does not exist: guesses the card from the address.

import { find, load } from "./names.js";

/** @param {Document} page @param {URL} root */
export async function start(page, root) {
  const place = page.querySelector("[data-guess]");
  const lede = page.querySelector("[data-guess-lede]");
  const last = decodeURIComponent(window.location.pathname).split("/").filter(Boolean).pop() ?? "";
  const found = find(await load(root), last.replace(/\.html?$/, ""), 5);
  if (!found.length || !place || !lede) return;
  place.replaceChildren(...found.map((gpu) => {
    const entry = document.createElement("li");
    const link = document.createElement("a");
    link.href = new URL(`gpus/${gpu.id}/`, root).href;
    link.textContent = gpu.name;
    entry.append(link);
    return entry;
  }));
  lede.textContent = "There is no page at this address. You may be looking for:";
}
