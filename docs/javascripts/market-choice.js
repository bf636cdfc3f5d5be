// Where the reader's market is kept: the page's root element while it is read, the browser's storage between pages, and
// the address, so that whoever gets a link sees the same prices.

import { kept } from "./elements.js";

export const USUAL = "us"; // goes without saying
const KEY = "ga-market";

export const marketOf = () => document.documentElement.dataset.market ?? USUAL;

/** @param {string} market */
export function keepMarket(market) {
  document.documentElement.dataset.market = market;
  kept(KEY, market); // a browser that keeps nothing asks again on the next page
}

/** A query of an address with the market in it, or without where that goes without saying. @param {string | URLSearchParams | Record<string, string>} query */
export function withMarket(query) {
  const asked = new URLSearchParams(query);
  if (marketOf() === USUAL) asked.delete("market");
  else asked.set("market", marketOf());
  const text = asked.toString().replaceAll("%2C", ",");
  return text && `?${text}`;
}
