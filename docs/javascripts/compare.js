// Compare: two to six cards as columns; the address holds which. Figures of one row are of one kind only.

import { load as loadNames, one } from "./names.js";

const PRICES = "Prices, with the day on which they were seen";

export async function start(page, root) {
  const place = page.querySelector("[data-compare]");
  if (!place || place.dataset.ready) return;
  place.dataset.ready = "yes";
  const view = { place, root, most: Number(place.dataset.most), names: await loadNames(root), rows: await json(new URL("compare/rows.json", root)), records: new Map() };
  const form = page.querySelector("form[data-compare-add]");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const input = form.querySelector("input");
    const found = input.dataset.id ?? one(view.names, input.value)?.id;
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

async function json(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address.pathname}: ${answer.status}`);
  return answer.json();
}

// The cards that the address asks for; short names work, unknown ones are told.
function wanted(view) {
  const asked = (new URLSearchParams(window.location.search).get("g") ?? "").split(",").map((text) => text.trim()).filter(Boolean);
  const found = asked.map((text) => [text, view.names.find(([id]) => id === text)?.[0] ?? one(view.names, text)?.id]);
  return {
    ids: [...new Set(found.map(([, id]) => id).filter(Boolean))].slice(0, view.most),
    unknown: found.filter(([, id]) => !id).map(([text]) => text),
  };
}

function write(ids) {
  history.pushState(history.state, "", ids.length ? `?g=${ids.join(",")}` : window.location.pathname);
}

async function show(view) {
  const { ids, unknown } = wanted(view);
  try {
    await Promise.all(ids.filter((id) => !view.records.has(id)).map(async (id) => view.records.set(id, await json(new URL(`gpus/${id}.json`, view.root)))));
  } catch (error) {
    return note(view, `The figures could not be loaded (${error.message}). Reload the page to try again.`);
  }
  const records = ids.map((id) => view.records.get(id));
  view.place.replaceChildren();
  if (unknown.length) view.place.append(make("p", { className: "ga-note" }, `No card is called ${unknown.map((u) => `“${u}”`).join(", ")}.`));
  if (records.length < 2) view.place.append(make("p", {}, records.length ? "Add a second card to see the difference." : "Add two cards, for example RTX 4090 and RTX 3090."));
  if (records.length) view.place.append(table(view, records));
  document.title = records.length ? `${records.map((r) => r.name).join(" against ")} - GPU Almanac` : document.title;
}

function table(view, records) {
  const region = make("div", { className: "ga-scroll", tabIndex: 0 });
  region.setAttribute("role", "region");
  region.setAttribute("aria-label", "Comparison");
  const made = make("table", { className: "ga-table ga-compare" });
  const head = made.createTHead().insertRow();
  head.append(cell("th", "Figure", "col"), ...records.map((record) => title(view, record)));
  const body = made.createTBody();
  let group = "";
  for (const row of [...view.rows.map((row) => figures(row, records)), ...prices(records)].filter(Boolean).sort(byGroup(view))) {
    if (row.group !== group) body.append(heading((group = row.group), records.length + 1));
    body.append(line(view, row));
  }
  region.append(made);
  return region;
}

// Prices stand behind what matters first, all else as rows.json has it.
function byGroup(view) {
  const order = [...new Set(view.rows.map((row) => row.group))];
  order.splice(1, 0, PRICES);
  return (a, b) => order.indexOf(a.group) - order.indexOf(b.group);
}

function heading(text, width) {
  const row = document.createElement("tr");
  row.className = "ga-group";
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
  head.append(make("a", { href: new URL(`gpus/${record.id}/`, view.root).href }, record.name), remove);
  return head;
}

// A row: {label, better, cells: [{text, number, href, note}]}.
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

function prices(records) {
  const buy = (kind) => records.map((record) => {
    const price = record.buy.find((entry) => entry.kind === kind);
    return price && { text: `${round(price.usd)} (${price.date}${price.old ? ", old" : ""})`, number: price.old ? null : price.usd, href: `gpus/${record.id}/#prices`, note: price.source };
  });
  const rent = records.map((record) => record.rent && { text: `${round(record.rent.median_usd)} (${record.rent.month})`, number: record.rent.median_usd, href: `gpus/${record.id}/#prices`, note: `median of ${record.rent.offers} offers on demand` });
  return [["New, USD", buy("retail")], ["Used, USD", buy("used")], ["Rent on demand, median, USD an hour", rent]]
    .map(([label, cells]) => (cells.some(Boolean) ? { label, group: PRICES, better: "lower", cells } : null));
}

function line(view, row) {
  const made = document.createElement("tr");
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
    if (!entry) made_.append(Object.assign(make("span", { className: "ga-unknown" }, "–"), { title: "no source yet" }));
    else made_.append(make("a", { href: new URL(entry.href, view.root).href, title: entry.note }, entry.text));
    if (entry && best !== null && entry.number === best && best !== next) {
      made_.classList.add("ga-better");
      made_.append(make("span", { className: "ga-ratio" }, `${ratio(best, next)} ${row.better === "higher" ? "more" : "less"}`));
    }
    made.append(made_);
  });
  return made;
}

const ratio = (one, other) => `${Number((one > other ? one / other : other / one).toPrecision(2))}×`;
const round = (value) => (value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString("en-US"));

function cell(tag, text, scope) {
  const made = make(tag, {}, text);
  if (scope) made.scope = scope;
  return made;
}

function make(tag, properties, text) {
  const made = Object.assign(document.createElement(tag), properties);
  if (text) made.textContent = text;
  return made;
}

function note(view, text) {
  view.place.querySelector(":scope > .ga-note")?.remove();
  view.place.prepend(make("p", { className: "ga-note" }, text));
}
