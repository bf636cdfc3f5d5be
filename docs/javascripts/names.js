// Names of GPUs in, the cards that a person may mean out; forgives typing mistakes.

const MAKERS = new Set(["nvidia", "amd", "intel", "google", "apple", "amazon", "aws", "geforce", "tesla", "radeon", "instinct", "gpu"]);
const OTHER_NUMBER = 10;
let loading;

/** The list of [id, name, ...aliases], fetched once. */
export function load(root) {
  loading ??= fetch(new URL("gpus/names.json", root)).then((answer) => {
    if (!answer.ok) throw new Error(`gpus/names.json: ${answer.status}`);
    return answer.json();
  });
  return loading;
}

/** Lower case, letters and digits only, without the maker. */
export function key(text) {
  const words = text.toLowerCase().split(/[^a-z0-9.]+/).filter(Boolean);
  const kept = words.filter((word) => !isMaker(word));
  return (kept.length ? kept : words).join("").replaceAll(".", "");
}

// A maker's name tells no two cards apart; long ones may be mistyped.
const isMaker = (word) => MAKERS.has(word) || (word.length > 4 && [...MAKERS].some((maker) => maker.length > 4 && distance(word, maker, 2) <= 2 && Math.abs(word.length - maker.length) < 3));

/** The cards for a text, best first: [{id, name}]. Another number is another card, unless nothing else fits. */
export function find(names, text, most = 8) {
  const wanted = key(text);
  if (!wanted) return [];
  const scored = [];
  for (const [id, name, ...aliases] of names) {
    let best = id === text ? 0 : Infinity;
    for (const spelling of [id, name, ...aliases]) best = Math.min(best, score(key(spelling), wanted));
    if (best < Infinity) scored.push([best, name.length, id, name]);
  }
  scored.sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1));
  const sure = scored.filter(([mistakes]) => mistakes < OTHER_NUMBER);
  return (sure.length ? sure : scored).slice(0, most).map(([, , id, name]) => ({ id, name }));
}

/** The one card that an id, name or alias means, else the best guess, else undefined. */
export const one = (names, text) => find(names, text, 1)[0];

/** Whether a row's text fits what was typed, typing mistakes allowed. */
export const fits = (text, wanted) => score(key(text), key(wanted)) < OTHER_NUMBER;

// 0 the same, 1 starts so, 2 contains it, 3 and more: that many mistakes more; OTHER_NUMBER more where digits differ.
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

// Edits from `wanted` to the nearest beginning of `spelled`; swapped neighbours are one.
function distance(spelled, wanted, most) {
  let before, above;
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
