// Finds the cards that somebody may mean by what was typed, typing mistakes forgiven.

/** @typedef {[string, string, ...string[]]} Names id, name and other spellings of a card; the best-known cards come first */
/** @typedef {{ id: string, name: string }} Card */

const MAKERS = new Set(["nvidia", "amd", "intel", "google", "apple", "amazon", "aws", "geforce", "tesla", "radeon", "instinct", "gpu"]);
const OTHER_NUMBER = 10;
/** @type {Promise<Names[]> | undefined} */
let loading;

/** The names of all cards, fetched once. @param {URL} root @returns {Promise<Names[]>} */
export function load(root) {
  loading ??= fetch(new URL("gpus/names.json", root)).then((answer) => {
    if (!answer.ok) throw new Error(`gpus/names.json: ${answer.status}`);
    return answer.json();
  });
  return /** @type {Promise<Names[]>} */ (loading);
}

/** Lower case, letters and digits only, without the maker. @param {string} text */
export function key(text) {
  const words = text.toLowerCase().split(/[^a-z0-9.]+/).filter(Boolean);
  const kept = words.filter((word) => !isMaker(word));
  return (kept.length ? kept : words).join("").replaceAll(".", "");
}

// A maker's name tells no two cards apart; long ones may be mistyped.
/** @param {string} word */
const isMaker = (word) => MAKERS.has(word) || (word.length > 4 && [...MAKERS].some((maker) => maker.length > 4 && distance(word, maker, 2) <= 2 && Math.abs(word.length - maker.length) < 3));

// Best first; of equally good ones the best-known first. Another number is another card, unless nothing else fits.
/** The cards for a text. @param {Names[]} names @param {string} text @returns {Card[]} */
export function find(names, text, most = 8) {
  const wanted = key(text);
  if (!wanted) return [];
  /** @type {[number, number, string, string][]} */
  const scored = [];
  for (const [place, [id, name, ...aliases]] of names.entries()) {
    let best = id === text ? 0 : Infinity;
    for (const spelling of [id, name, ...aliases]) best = Math.min(best, score(key(spelling), wanted));
    if (best < Infinity) scored.push([best, place, id, name]);
  }
  scored.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const sure = scored.filter(([mistakes]) => mistakes < OTHER_NUMBER);
  return (sure.length ? sure : scored).slice(0, most).map(([, , id, name]) => ({ id, name }));
}

// Else the best-known of those that fit, with the others that fit as well.
/** The card that an id, name or alias means. @param {Names[]} names @param {string} text @returns {{ card: Card | undefined, others: Card[] }} */
export function meant(names, text) {
  const wanted = key(text);
  const [card, ...rest] = find(names, text);
  const exact = names.some(([id, ...spellings]) => id === card?.id && [id, ...spellings].some((spelling) => key(spelling) === wanted));
  if (exact || !card) return { card, others: [] };
  // The others are those whose name holds what was typed; where even the card's own does not, those that come near.
  const bears = (/** @type {Card} */ { id }) => (names.find(([other]) => other === id) ?? []).some((spelling) => holds(spelling, wanted));
  return { card, others: bears(card) ? rest.filter(bears) : rest };
}

/** Whether a name holds a key as words of its own: "H100 NVL" holds "h100", "GH100" and "H1000" do not. @param {string} spelling @param {string} wanted */
function holds(spelling, wanted) {
  const before = /^\d/.test(wanted) ? "(?<!\\d)" : "(?<![a-z])";
  const after = /\d$/.test(wanted) ? "(?!\\d)" : "";
  return new RegExp(before + [...wanted].join(" ?") + after).test(spelling.toLowerCase().replace(/[^a-z0-9]+/g, " "));
}

/** Whether a row's text fits what was typed, typing mistakes allowed. @param {string} text @param {string} wanted */
export const fits = (text, wanted) => score(key(text), key(wanted)) < OTHER_NUMBER;

// 0 the same, 1 starts so, 2 contains it, 3 and more: that many mistakes more; OTHER_NUMBER more where digits differ.
/** @param {string} spelled @param {string} wanted */
function score(spelled, wanted) {
  if (spelled === wanted) return 0;
  if (spelled.startsWith(wanted)) return 1;
  if (spelled.includes(wanted)) return 2;
  const allowed = wanted.length < 4 ? 0 : wanted.length < 7 ? 1 : 2;
  if (!allowed) return Infinity;
  const mistakes = distance(spelled.slice(0, wanted.length + allowed), wanted, allowed);
  if (mistakes > allowed) return Infinity;
  const numbers = wanted.match(/\d+/g) ?? [];
  return 2 + mistakes + (numbers.every((number) => spelled.includes(number)) ? 0 : OTHER_NUMBER);
}

/** Edits from `wanted` to the nearest beginning of `spelled`; swapped neighbours count once. @param {string} spelled @param {string} wanted @param {number} most */
function distance(spelled, wanted, most) {
  /** @type {number[]} */
  let before;
  /** @type {number[]} */
  let above = [];
  let row = Array.from({ length: spelled.length + 1 }, (_, i) => i);
  for (let i = 1; i <= wanted.length; i++) {
    before = above;
    above = row;
    row = [i];
    for (let j = 1; j <= spelled.length; j++) {
      const same = wanted[i - 1] === spelled[j - 1];
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && wanted[i - 1] === spelled[j - 2] && wanted[i - 2] === spelled[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    if (Math.min(...row) > most) return Infinity;
  }
  return Math.min(...row);
}
