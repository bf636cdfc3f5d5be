// Compare: two to six cards as columns; the address holds which. Figures of one row are of one kind only.

import { safe, save } from "./csv.js";
import { bar, json, make, scrolled } from "./elements.js";
import { held } from "./lookup.js";
import { marketOf, withMarket } from "./market-choice.js";
import { load as loadNames, meant } from "./names.js";

const MAKERS = /^(NVIDIA|AMD|Intel|Google|Amazon) |\b(GeForce|Radeon|Instinct) /g;
const CLOSE = 1.1; // under this two cards are near enough to call it even
const MEMORY = "memory_gb", BANDWIDTH = "memory_bandwidth_gb_s", POWER = "board_power_w";
const EVEN = 1.05; // under this a ratio of two digits would read 1×
const PRICES = "Prices, with the day on which they were seen";
const MEASURED = "Measured: the same experiment on each card";
const EXPERIMENTS = 8, OF_ONE_SET = 2; // so many are shown; the explorer has them all
const EXAMPLES = ["rtx-4090,rtx-3090", "h100-sxm5-80gb,h200-sxm-141gb,b200,mi355x", "rtx-5090,rtx-a6000"];

export async function start(page, root) {
  const place = page.querySelector("[data-compare]");
  if (!place || place.dataset.ready) return;
  place.dataset.ready = "yes";
  const view = { place, root, most: Number(place.dataset.most), sixteen: place.dataset.sixteen.split(","), names: [], rows: [], measured: null, records: new Map() };
  [view.names, view.rows, view.measured] = await Promise.all([loadNames(root), ...["rows", "measured"].map((name) => json(new URL(`compare/${name}.json`, root)))]);
  document.addEventListener("ga-market", () => place.isConnected && show(view));
  const form = page.querySelector("form[data-compare-add]");
  page.querySelector("[data-compare-csv]").addEventListener("click", () => save(toCsv(view), "comparison.csv"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const input = form.querySelector("input");
    const found = (await held(input, root)).card?.id;
    if (!found) return note(view, `No card is called “${input.value}”.`);
    const ids = wanted(view).ids;
    if (ids.length >= view.most) return note(view, `At most ${view.most} cards fit side by side; remove one first.`);
    input.value = "";
    delete input.dataset.id;
    write([...ids.filter((id) => id !== found), found]);
    show(view);
  });
  window.addEventListener("popstate", () => place.isConnected && show(view));
  show(view);
}

// The cards that the address asks for; short names work, unknown ones are told.
function wanted(view) {
  const query = new URLSearchParams(window.location.search);
  // A form of another page that was sent before its script had come says a and b.
  const said = query.get("g") ?? [query.get("a"), query.get("b")].filter(Boolean).join(",");
  const asked = said.split(",").map((text) => text.trim()).filter(Boolean);
  const found = asked.map((text) => [text, view.names.find(([id]) => id === text)?.[0] ?? meant(view.names, text).card?.id]);
  return {
    ids: [...new Set(found.map(([, id]) => id).filter(Boolean))].slice(0, view.most),
    unknown: found.filter(([, id]) => !id).map(([text]) => text),
  };
}

function write(ids) {
  const query = new URLSearchParams(window.location.search);
  for (const name of ["a", "b", "g"]) query.delete(name);
  if (ids.length) query.set("g", ids.join(","));
  history.pushState(history.state, "", window.location.pathname + withMarket(query));
}

// A busy page answers nobody: between its parts it lets go, and stops where a newer wish has come.
async function letGo(view, turn) {
  await new Promise((resolve) => setTimeout(resolve));
  return turn === view.turn;
}

async function show(view) {
  const { ids, unknown } = wanted(view);
  const turn = (view.turn = (view.turn ?? 0) + 1);
  try {
    await Promise.all(ids.filter((id) => !view.records.has(id)).map(async (id) => view.records.set(id, await json(new URL(`gpus/${id}.json`, view.root)))));
  } catch (error) {
    return note(view, `The figures could not be loaded (${error.message}). Reload the page to try again.`);
  }
  if (turn !== view.turn) return;
  const records = ids.map((id) => view.records.get(id));
  view.place.replaceChildren();
  view.place.parentElement.querySelector("[data-compare-csv]").hidden = !records.length;
  view.shown = { records, rows: records.length ? rowsOf(view, records) : [] };
  askJob(view, records);
  say(view, records.length ? `Side by side: ${records.map((record) => record.name).join(", ")}` : "");
  if (unknown.length) view.place.append(make("p", { className: "ga-note" }, `No card is called ${unknown.map((u) => `“${u}”`).join(", ")}.`));
  if (records.length < 2) view.place.append(records.length ? make("p", {}, "Add a second card to see the difference.") : examples(view));
  if (records.length > 1) view.place.append(meanings(view, records));
  if (!(await letGo(view, turn))) return;
  if (records.length) view.place.append(table(view, records));
  if (!(await letGo(view, turn))) return;
  if (records.length > 1) view.place.append(...bars(view, records));
  document.title = records.length ? `${records.map((r) => r.name).join(" against ")} - GPU Almanac` : document.title;
}

// Which of the cards to rent or buy for a job: the chooser's files and rules, once the page has nothing else to do. A
// reader who saves data asks for them by choosing a job.
function askJob(view, records) {
  const part = view.place.parentElement.querySelector("[data-compare-job]");
  part.hidden = records.length < 2;
  if (part.hidden) return;
  const idle = window.requestIdleCallback ?? ((run) => setTimeout(run, 200));
  const answer = async () => (await import("./choose-compare.js")).answerJob(part, records, view.root);
  part.querySelector("select").onchange = ({ target }) => {
    target.dataset.chosen = "yes";
    answer();
  };
  if (!navigator.connection?.saveData) idle(answer);
}

// What to do with an empty page: comparisons to begin with.
function examples(view) {
  const list = make("ul");
  for (const ids of EXAMPLES) {
    const known = ids.split(",").map((text) => meant(view.names, text).card).filter(Boolean);
    const entry = make("li");
    entry.append(make("a", { href: `?g=${known.map(({ id }) => id).join(",")}` }, known.map(short).join(", ")));
    list.append(entry);
  }
  const made = make("div");
  made.append(make("p", {}, "Add two cards, or begin with these:"), list);
  return made;
}

function table(view, records) {
  const made = make("table", { className: "ga-table ga-compare" });
  const head = made.createTHead().insertRow();
  head.append(cell("th", "Figure", "col"), ...records.map((record) => title(view, record)));
  const body = made.createTBody();
  let group = "";
  for (const row of view.shown.rows) {
    if (row.group !== group) body.append(heading((group = row.group), records.length + 1));
    body.append(line(view, row));
  }
  return scrolled("Comparison", made);
}

const rowsOf = (view, records) => [...view.rows.map((row) => figures(row, records)), ...prices(records), ...measured(view, records)].filter(Boolean).sort(byGroup(view));

/** The comparison as CSV: of each card the figure, when a price or result is from, and its source. */
function toCsv({ shown: { records, rows } }) {
  const heads = records.flatMap(({ name }) => [name, `${name}, date`, `${name}, source`]);
  const fields = (entry) => (entry ? [entry.number === null ? entry.text : String(entry.number), entry.when ?? "", entry.note] : ["", "", ""]);
  const lines = rows.map((row) => [row.group, row.label, ...row.cells.flatMap(fields)]);
  return [["Group", "Figure", ...heads], ...lines].map((line) => line.map(safe).join(",")).join("\n").concat("\n");
}

// What the difference means for each kind of work. A sentence is said only of cards whose figure has a source.
function meanings(view, records) {
  const list = make("dl", { className: "ga-terms" });
  const told = [
    ["Inference, one user", inference(records)], ["Fine-tuning", tuning(records)], ["Training", training(view, records)],
  ];
  for (const [work, sentence] of told) {
    const entry = make("div");
    entry.append(make("dt", {}, work), make("dd", {}, sentence));
    list.append(entry);
  }
  return list;
}

function inference(records) {
  const speed = ranked(records, BANDWIDTH);
  if (!speed) return missing("memory bandwidth");
  return `Bandwidth decides how fast an answer is written, as long as the model fits: ${faster(speed)}.${unknown(records, BANDWIDTH)}`;
}

function tuning(records) {
  const room = ranked(records, MEMORY);
  if (!room) return missing("memory size");
  const sizes = room.map(({ record, value }) => `${value} GB on the ${short(record)}`).join(", ");
  const [best, next] = room;
  const more = best.value === next.value ? "The first two hold models of the same size." : `The ${short(best.record)} holds weights, adapters and activations ${ratio(best.value, next.value)} as large as the next.`;
  return `Memory decides what can be tuned at all: ${sizes}. ${more}${unknown(records, MEMORY)}`;
}

// Dense matrix peaks with FP32 accumulation only; which of the 16-bit formats is said where the cards differ in it.
function training(view, records) {
  const field = (record) => view.sixteen.find((name) => record.figures[name]);
  const peaks = order(records.map((record) => ({ record, value: numberOf(record, field(record)) })));
  const lacking = records.filter((record) => !field(record)).map(short);
  const note = lacking.length ? ` No source states a dense 16-bit matrix peak of the ${lacking.join(", ")}, so nothing is said of it.` : "";
  if (peaks.length < 2) return `Large batches keep the matrix units busy.${note}`;
  const formats = new Map(peaks.map(({ record }) => [field(record).split(":")[1].toUpperCase(), short(record)]));
  const mixed = formats.size > 1 ? ` (${peaks.map(({ record }) => `${field(record).split(":")[1].toUpperCase()} on the ${short(record)}`).join(", ")})` : "";
  return `Large batches keep the matrix units busy: by its makers’ dense 16-bit peak${mixed} ${faster(peaks)}.${note}`;
}

const numberOf = (record, name) => (record.figures[name] ? Number(record.figures[name].value) : null);
const order = (entries) => entries.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
const ranked = (records, name) => {
  const found = order(records.map((record) => ({ record, value: numberOf(record, name) })));
  return found.length > 1 ? found : null;
};
const short = (record) => record.name.replace(MAKERS, "");
const missing = (what) => `Too few of these cards have a ${what} with a source to say more.`;
const unknown = (records, name) => {
  const without = records.filter((record) => !record.figures[name]).map(short);
  return without.length ? ` Not known of the ${without.join(", ")}.` : "";
};

function faster([best, next]) {
  if (best.value / next.value < CLOSE) return `the ${short(best.record)} and the ${short(next.record)} are even`;
  return `the ${short(best.record)} is up to ${ratio(best.value, next.value)} as fast as the ${short(next.record)}`;
}

// The same figures as bars; a bar's full width is the largest of its group.
function bars(view, records) {
  const peak = (record) => numberOf(record, view.sixteen.find((name) => record.figures[name]));
  const groups = [
    ["Memory, GB", (r) => numberOf(r, MEMORY)], ["Memory bandwidth, GB/s", (r) => numberOf(r, BANDWIDTH)],
    ["16-bit peak of the maker, dense, TFLOPS", peak], ["Board power, W", (r) => numberOf(r, POWER)],
    ["Rent on demand, median, USD an hour", (r) => quoted(r, quotesOf(r).to_rent).value],
  ];
  const made = make("table", { className: "ga-table ga-bars" });
  made.createTHead().insertRow().append(cell("th", "Card", "col"), make("th", { scope: "col", className: "n" }, "Figure"), make("td", { ariaHidden: "true" }));
  const body = made.createTBody();
  for (const [label, read] of groups) {
    const known = records.map(read).filter((value) => value > 0);
    if (known.length < 2) continue;
    body.append(heading(label, 3));
    for (const record of records) body.append(barLine(record, read(record), Math.max(...known)));
  }
  return [make("h2", { id: "bars" }, "As bars"), scrolled("The same as bars", made)];
}

function barLine(record, value, most) {
  const made = make("tr"), shown = make("td", { className: "n" }), frame = make("td");
  shown.append(value ? round3(value) : unsourced());
  frame.append(bar(record.vendor.toLowerCase(), value ? (100 * value) / most : 0));
  made.append(cell("th", short(record), "row"), shown, frame);
  return made;
}

const unsourced = () => make("span", { className: "ga-unknown", title: "no source yet" }, "–");
const round3 = (value) => (value < 100 ? Number(value.toPrecision(3)) : Math.round(value)).toLocaleString("en-US");

// Prices and measurements stand behind what matters first, all else as rows.json has it.
function byGroup(view) {
  const order = [...new Set(view.rows.map((row) => row.group))];
  order.splice(1, 0, PRICES, MEASURED);
  return (a, b) => order.indexOf(a.group) - order.indexOf(b.group);
}

function heading(text, width) {
  const row = make("tr", { className: "ga-group" });
  const head = cell("th", text, "colgroup");
  head.colSpan = width;
  row.append(head);
  return row;
}

function title(view, record) {
  const head = cell("th", "", "col");
  head.className = "n";
  const remove = make("button", { className: "ga-remove", type: "button" }, "×");
  remove.setAttribute("aria-label", `Remove ${record.name}`);
  remove.addEventListener("click", () => {
    write(wanted(view).ids.filter((id) => id !== record.id));
    show(view);
  });
  const link = make("a", { href: new URL(`gpus/${record.id}/`, view.root).href });
  const maker = record.name.startsWith(`${record.vendor} `) ? `${record.vendor} ` : "";
  link.append(make("span", { className: "ga-maker" }, maker), record.name.slice(maker.length));
  head.append(link, remove);
  return head;
}

// A row: {label, better, cells: [{text, number, href, note, when}]}.
function figures(row, records) {
  const cells = records.map((record) => {
    const figure = record.figures[row.field];
    if (!figure) return null;
    const number = figure.value !== "" && !Number.isNaN(Number(figure.value)) ? Number(figure.value) : null;
    return { text: figure.shown, number, href: `gpus/${record.id}/#${figure.anchor}`, note: `${figure.source} (${figure.kind}), read ${figure.retrieved}` };
  });
  if (!cells.some(Boolean)) return null;
  return { label: row.label + (row.unit ? `, ${row.unit}` : ""), group: row.group, better: row.better, cells };
}

// A card's prices in the market that the reader chose.
function quotesOf(record) {
  return record.prices[marketOf()];
}

function quoted(record, kind) {
  return quotesOf(record)[kind];
}

function prices(records) {
  const { currency } = quotesOf(records[0]);
  const row = (kind) => records.map((record) => {
    const price = quoted(record, kind);
    return price.value === null ? null : { text: round(price.value), when: [price.day.slice(0, 7), ...price.cautions].join(", "), number: price.doubts.length ? null : price.value, kind, href: `gpus/${record.id}/#prices`, note: [price.who, ...price.doubts].join("; ") };
  });
  return [[`New, ${currency}`, row("new")], [`Used, ${currency}`, row("used")], [`Whole machine, ${currency}`, row("system")], [`Rent on demand, median, ${currency} an hour`, row("rent")], [`Rent on a marketplace, ${currency} an hour`, row("marketplace")]]
    .map(([label, cells]) => (cells.some(Boolean) ? { label, group: PRICES, better: "lower", cells } : null));
}

// Experiments that two or more of these cards share: those of most cards first, few of one set, so that they differ.
function measured(view, records) {
  const places = records.map((record) => view.measured.ids.indexOf(record.id));
  const shared = view.measured.experiments.map((experiment) => ({ experiment, of: places.map((place) => experiment.rows.find(([gpu]) => gpu === place)) }));
  const covers = (entry) => entry.of.filter(Boolean).length;
  shared.sort((a, b) => covers(b) - covers(a) || a.experiment.gpus - b.experiment.gpus || b.experiment.rows.length - a.experiment.rows.length);
  const works = new Set(), sets = new Map(), kept = [];
  for (const entry of shared) {
    const { set, model, metric } = entry.experiment;
    const work = [set, model, metric].join(), fromSet = sets.get(set) ?? 0;
    if (covers(entry) < 2 || works.has(work) || fromSet === OF_ONE_SET || kept.length === EXPERIMENTS) continue;
    works.add(work);
    sets.set(set, fromSet + 1);
    kept.push(measuredLine(entry));
  }
  return kept;
}

function measuredLine({ experiment, of }) {
  const { label, set, model, metric, precision, gpus, batch, higher } = experiment;
  const address = `charts/benchmarks/?${new URLSearchParams({ set, model, metric, precision, gpus, batch })}`;
  const cells = of.map((row) => row && { text: round3(row[1]), when: row[2] || "no date", number: row[1], href: address, note: "The experiment with every card and its source" });
  return { label, group: MEASURED, better: higher ? "higher" : "lower", cells };
}

function line(view, row) {
  const made = make("tr");
  const head = cell("th", row.label, "row");
  made.append(head);
  const numbers = row.cells.map((entry) => entry?.number ?? null);
  const known = numbers.filter((number) => number !== null && number > 0);
  const best = row.better && known.length > 1 ? Math[row.better === "higher" ? "max" : "min"](...known) : null;
  // The ratio is to the next best card; with two cards that is the other one.
  const next = best === null ? null : known.sort((a, b) => (row.better === "higher" ? b - a : a - b))[1];
  row.cells.forEach((entry) => {
    const made_ = cell("td", "");
    made_.className = "n";
    made_.append(entry ? figureLink(view, entry) : unsourced());
    if (entry && best !== null && entry.number === best && best !== next) {
      made_.classList.add("ga-better");
      made_.append(make("span", { className: "ga-ratio" }, `${lead(best, next)} ${row.better === "higher" ? "more" : "less"}`));
    }
    if (entry?.when) made_.append(" ", make("span", { className: "ga-when" }, entry.when));
    made.append(made_);
  });
  return made;
}

function figureLink(view, entry) {
  const link = make("a", { href: new URL(entry.href, view.root).href, title: entry.note, className: entry.number === null ? "" : "ga-fig" }, entry.text);
  if (entry.kind) Object.assign(link.dataset, { price: entry.kind, market: marketOf() });
  return link;
}

const ratio = (one, other) => `${Number((one > other ? one / other : other / one).toPrecision(2))}×`;
const lead = (one, other) => {
  const times = one > other ? one / other : other / one;
  return times < EVEN ? `${Number((100 * (times - 1)).toPrecision(1))} %` : ratio(one, other);
};
const round = (value) => (value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString("en-US"));

function cell(tag, text, scope) {
  const made = make(tag, {}, text);
  if (scope) made.scope = scope;
  return made;
}

// What changed, for those who do not see it: in a few words, not the whole table.
function say(view, text) {
  view.place.parentElement.querySelector("[data-compare-said]").textContent = text;
}

function note(view, text) {
  say(view, text);
  view.place.querySelector(":scope > .ga-note")?.remove();
  view.place.prepend(make("p", { className: "ga-note" }, text));
}
