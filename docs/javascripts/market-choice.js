// Where the reader's market is kept: the page's root element while it is read, the browser's storage between pages.

const KEY = "ga-market";

export function marketOf() {
  return document.documentElement.dataset.market ?? "us";
}

/** @param {string} market */
export function keepMarket(market) {
  try {
    window.localStorage.setItem(KEY, market);
  } catch {
    // A browser that keeps nothing asks again on the next page.
  }
}
