// The switch in the header: United States, Europe or United Kingdom, on every page and in the address. early.js sets it
// before anything is drawn; here it is changed. Which prices show is a matter of the style sheet.

import { keepMarket, marketOf, USUAL, withMarket } from "./market-choice.js";

/** @param {Document} page */
export function start(page) {
  const form = /** @type {HTMLFormElement} */ (page.querySelector("form[data-markets]"));
  write();
  if (form.dataset.ready) return; // the header stays when the theme brings another page
  form.dataset.ready = "yes";
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    keepMarket(/** @type {HTMLSelectElement} */ (form.elements.namedItem("market")).value);
    write();
    document.dispatchEvent(new CustomEvent("ga-market"));
  });
}

// The address of the page names the market, so that it can be passed on.
function write() {
  const { hash, pathname, search } = window.location;
  if ((new URLSearchParams(search).get("market") ?? USUAL) === marketOf()) return;
  window.history.replaceState(window.history.state, "", pathname + withMarket(search) + hash);
}
