// The market whose prices the reader sees: United States, Europe or United Kingdom, on every page and in the address.
// early.js sets it before anything is drawn; here it is chosen. Which prices show is a matter of the style sheet.

import { keepMarket, marketOf } from "./market-choice.js";

/** @param {Document} page */
export function start(page) {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (page.querySelectorAll("form[data-markets]"))) {
    const choice = /** @type {HTMLSelectElement} */ (form.elements.namedItem("market"));
    choice.value = marketOf();
    form.hidden = false;
    choice.addEventListener("change", () => choose(choice.value));
    form.addEventListener("submit", (event) => event.preventDefault());
  }
}

/** @param {string} market */
function choose(market) {
  document.documentElement.dataset.market = market;
  keepMarket(market);
  const address = new URL(window.location.href);
  address.searchParams.set("market", market);
  window.history.replaceState(window.history.state, "", address);
  document.dispatchEvent(new CustomEvent("ga-market", { detail: market }));
}
