// A page that does not exist: guesses the card, or the two that are to be compared, from the address.

import { make } from "./elements.js";
import { find, load, meant } from "./names.js";

const PAIR = /^(.+)-(?:vs|versus|against|or)-(.+)$/;

/** @param {Document} page @param {URL} root */
export async function start(page, root) {
  const place = page.querySelector("[data-guess]");
  const lede = page.querySelector("[data-guess-lede]");
  const last = decodeURIComponent(window.location.pathname).split("/").filter(Boolean).pop() ?? "";
  const asked = last.replace(/\.html?$/, ""), names = await load(root);
  const found = (await pairOf(names, asked, root)) ?? find(names, asked, 5).map(({ id, name }) => ({ name, href: new URL(`gpus/${id}/`, root).href }));
  if (!found.length || !place || !lede) return;
  place.replaceChildren(...found.map(({ name, href }) => {
    const entry = make("li");
    entry.append(make("a", { href }, name));
    return entry;
  }));
  lede.textContent = "There is no page at this address. You may be looking for:";
}

/**
 * The comparison that an address names: its own page where the two stand there the other way round, else both side by side.
 * @param {import("./names.js").Names[]} names @param {string} asked @param {URL} root
 */
async function pairOf(names, asked, root) {
  const [, one, two] = PAIR.exec(asked) ?? [];
  const cards = [one, two].flatMap((text) => (text && meant(names, text).card) || []);
  if (cards.length < 2 || cards[0].id === cards[1].id) return undefined;
  const turned = new URL(`compare/${two}-vs-${one}/`, root);
  const own = await fetch(turned, { method: "HEAD" }).then((answer) => answer.ok, () => false);
  const href = own ? turned.href : new URL(`compare/?g=${cards.map(({ id }) => id).join(",")}`, root).href;
  return [{ name: cards.map(({ name }) => name).join(" against "), href }];
}
