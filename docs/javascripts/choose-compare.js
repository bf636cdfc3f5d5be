// A comparison for one job: the chooser's question, asked of these cards alone. Its rules, formulas and sentences are those
// of the chooser; the elements are those of docs/templates/compare.html.j2.

import { NeedError } from "./able.js";
import { load } from "./choose-page.js";
import { some } from "./chooser.js";
import { choose, lost, parse, view } from "./chosen.js";
import { fill } from "./fill.js";
import { marketOf, USUAL, withMarket } from "./market-choice.js";

/** @typedef {Record<string, string>} Words */

const DATA_CENTRE = "datacenter";

/** Answer the chosen job for the cards of a comparison. @param {HTMLElement} part @param {{ id: string, segment: string }[]} records @param {URL} root */
export async function answerJob(part, records, root) {
  const form = /** @type {HTMLSelectElement} */ (part.querySelector("select"));
  const job = jobOf(form, records), place = /** @type {HTMLElement} */ (part.querySelector("[data-job-answer]"));
  const said = /** @type {HTMLElement} */ (part.querySelector("[data-job-said]"));
  try {
    const asked = { ...job, market: marketOf() === USUAL ? "" : marketOf() };
    const known = await load(root, asked), ids = Object.keys(known.gpus).filter((gpu) => records.some(({ id }) => id === gpu));
    const answer = choose(some(known, ids), parse(asked)), shown = view(answer);
    // A run is paid as a whole; what is done all the time, by the million.
    const costed = (/** @type {Words[]} */ rows) => /** @type {Words[]} */ (rows.map((row) => ({ ...row, per_million: row.run ? "" : row.million })));
    const choices = costed(shown.choices.filter((/** @type {Words} */ { same }) => !same)), ranked = costed(shown.ranked), { run = "", per_million = "" } = ranked[0] ?? {};
    fill(place, { ...shown, choices, ranked, run, per_million, lost: lost(answer), all: new URL(`choose/?${new URLSearchParams(job)}`, root).href }, root);
    said.textContent = "";
    place.hidden = false;
  } catch (error) {
    if (!(error instanceof NeedError)) console.warn(error);
    place.hidden = true;
    said.textContent = error instanceof NeedError ? error.message : "This could not be worked out.";
  }
}

// The job that was chosen, else that of the address, else the usual one of such cards.
function jobOf(/** @type {HTMLSelectElement} */ form, /** @type {{ segment: string }[]} */ records) {
  const asked = new URLSearchParams(window.location.search), options = [...form.options];
  const wanted = JSON.stringify({ task: asked.get("task") ?? "", model: asked.get("model") ?? "" });
  const usual = records.every(({ segment }) => segment === DATA_CENTRE) ? options.find((option) => option.dataset.usual) : options[0];
  const written = options.find((option) => JSON.stringify(wordsOf(option)) === wanted);
  const option = form.dataset.chosen ? form.selectedOptions[0] : (written ?? usual ?? options[0]);
  option.selected = true;
  const job = wordsOf(option);
  if (form.dataset.chosen) {
    for (const [name, value] of Object.entries(job)) asked.set(name, value);
    history.replaceState(history.state, "", window.location.pathname + withMarket(asked));
  }
  return job;
}

const wordsOf = (/** @type {HTMLOptionElement} */ option) => ({ task: option.value, model: option.dataset.model ?? "" });
