// More cards, or another card: several.py and upgrade.py of pipeline/advise/choose/calculators once more. No DOM.

import { checked, estimate, EstimateError, fixed, general, parameters, required } from "./estimate.js";
import { ability, bestPrice, card, fits, KILO, number, orDash, own, sheet, sourceOf, table, WEEKS_A_YEAR, words } from "./costs-base.js";
import { dollars, figure, gib, money, span, times } from "./costs-words.js";

const LAYERS = "layers", TENSOR = "tensor", LAYOUTS = { layers: "layers split", tensor: "tensor parallel" };

// ---------------------------------------------------------------- several

export function several(asked, known) {
  const stated = known.facts.get(asked.gpu).card, model = known.models.get(asked.model);
  const one = asked.link === "pcie" ? { ...stated, link_gb_s: undefined } : stated;
  const counts = known.c.counts.map((count) => countOf(one, model, count, asked, known));
  const least = counts.find((some) => some.fits) ?? null;
  const twice = counts.find((some) => least && some.count === 2 * least.count) ?? null;
  const notes = least && twice ? severalNotes(one, least, twice, asked, known) : [];
  return sheet(severalLead(one, model, counts, least, asked), notes, [memoryTable(counts), speedTable(counts, asked)], null, {
    least: least?.count ?? null, room_gib: counts[0].room, one_stream: least?.one[LAYERS].rate?.median ?? null,
    tensor_times: ratio(least, twice, "one", TENSOR), layers_times: ratio(least, twice, "one", LAYERS),
    many_tensor_times: ratio(least, twice, "many", TENSOR),
  });
}

function linkWords(one) {
  if (one.link_gb_s) return `its own link (${general(one.link_gb_s)} GB/s, both directions)`;
  return one.pcie_gen ? `PCI Express ${general(one.pcie_gen)}` : "PCI Express of a generation not known";
}

function countOf(one, model, count, asked, known) {
  const ask = (streams) => Object.fromEntries([LAYERS, TENSOR].map((layout) => [layout, speedOf(one, model, count, streams, layout, asked, known)]));
  const single = ask(1), many = ask(asked.streams), { memory } = many[LAYERS];
  if (memory.usable === null) throw new EstimateError(`the memory of ${one.name} is the buyer’s choice or not known, so nothing can be said`);
  const layer = count > 1 ? memory.parts.weights / (model.layers || 1) : 0;
  return { count, each: memory.total / count, usable: memory.usable / count, room: memory.room, fits: memory.room >= layer, one: single, many };
}

function speedOf(one, model, count, streams, layout, asked, known) {
  const { context } = asked;
  const request = {
    quant: asked.quant, engine: asked.engine, context, batch: streams, gpus: count, layout,
    prompt_tokens: Math.min(512, Math.max(1, Math.floor(context / 2))),
  };
  const got = estimate(one, model, request, known.coefficients, count === 1 || layout === LAYERS ? known.points : []);
  return { memory: got.memory, rate: got.decode_tokens_per_s, kind: got.decode_basis?.kind ?? "" };
}

function ratio(least, twice, streams, layout) {
  const [a, b] = [least, twice].map((some) => some?.[streams][layout].rate);
  return a && b ? b.median / a.median : null;
}

function severalLead(one, model, counts, least, asked) {
  const what = `${model.name} at ${asked.quant}, ${figure(asked.context)} tokens${asked.streams > 1 ? `, ${asked.streams} streams` : ""}`;
  if (!least) return `Even ${times(one.name, counts.at(-1).count)} do not hold ${what}: ${gib(-counts.at(-1).room)} are missing.`;
  if (least.count === 1) return `One ${one.name} holds ${what}, with ${gib(least.room)} to spare.`;
  return `It takes ${times(one.name, least.count)} to hold ${what}, with ${gib(least.room)} to spare; one lacks ${gib(-counts[0].room)}.`;
}

function severalNotes(one, least, twice, asked, known) {
  const than = least.count === 1 ? " as one" : ` as ${least.count}`;
  const faster = (value) => {
    if (value < 1 / known.c.not_faster) return `slower, ${figure(value)} times as fast`;
    return value >= known.c.not_faster ? `${figure(value)} times as fast` : "not faster, about as fast";
  };
  const told = [
    ["Layers split, one stream", ratio(least, twice, "one", LAYERS), ". A token passes one card after the other."],
    [`Tensor parallel over ${linkWords(one)}, one stream`, ratio(least, twice, "one", TENSOR), "."],
  ];
  if (asked.streams > 1) told.push([`Tensor parallel, ${asked.streams} streams together`, ratio(least, twice, "many", TENSOR), "."]);
  const said = told.filter(([, value]) => value !== null).map(([what, value, end]) => `${what}: ${twice.count} are ${faster(value)}${than}${end}`);
  const sets = known.coefficients.terms[known.t.speed.tensor_term]?.sets ?? [];
  const basis = `Tensor parallel rests on ${sets.length === 1 ? "one set" : `${sets.length} sets`} of measured runs alone; layers split on many more.`;
  return said.length ? [...said, basis] : ["The speed of this card is not known."];
}

function memoryTable(counts) {
  const heads = [["Cards", null], ["Needed on each", "GiB"], ["Usable of each", "GiB"], ["Room in all", "GiB"]];
  return table("Memory", heads, counts.map((some) => [words(String(some.count)), ...[some.each, some.usable, some.room].map((value) => number(fixed(value, 1)))]));
}

function speedTable(counts, asked) {
  const heads = [["Cards and layout", null], ["Streams", ""], ["Together", "tokens/s"], ["80 % interval", ""]];
  const rows = [];
  for (const some of counts.filter((one) => one.fits)) {
    for (const [streams, byLayout] of [[1, some.one], [asked.streams, some.many]].slice(0, asked.streams > 1 ? 2 : 1)) {
      for (const layout of some.count > 1 ? [LAYERS, TENSOR] : [LAYERS]) rows.push(speedRow(some.count, layout, streams, byLayout[layout]));
    }
  }
  return table("Speed", heads, rows);
}

function speedRow(count, layout, streams, { rate, kind }) {
  return [
    words(count > 1 ? `${count}, ${LAYOUTS[layout]}` : "1"), number(String(streams)),
    number(rate ? figure(rate.median) : "–", rate ? kind : ""), number(rate ? span(rate.p10, rate.p90) : "–"),
  ];
}

// ---------------------------------------------------------------- upgrade

export function upgrade(asked, known) {
  const a = known.facts.get(asked.gpu), b = known.facts.get(asked.to), model = known.models.get(asked.model);
  if (a === b) throw new EstimateError(`both are ${a.card.name}; choose two cards`);
  const can = [a, b].map((facts) => doesWork(known, facts, asked));
  const faster = speedUp(can);
  const [worth, sentence] = verdict(a, b, model, can, faster, known.c);
  const sold = asked.brings !== null ? own(asked.brings, known) : a.used?.firm ? a.used : null;
  const bought = asked.price !== null ? own(asked.price, known) : bestPrice(b);
  const net = bought && sold ? bought.usd - sold.usd : null;
  const gain = faster ? can[1].rate.median - can[0].rate.median : null;
  const watts = a.power_w === null || b.power_w === null ? null : b.power_w - a.power_w;
  const year = watts === null ? null : (watts / KILO) * asked.hours_per_week * WEEKS_A_YEAR * asked.tariff;
  const newly = newlyFits(known, a, b, asked.context);
  return sheet(
    `${a.card.name} to ${b.card.name}: ${sentence}`,
    [priceWords(a, b, net, bought, sold), ...gainWords(net, gain, a, b), known.c.rule],
    [compared(a, b, can, watts, year), upgradePrices(a, b, bought, sold), newlyTable(newly)], null,
    {
      times: faster ? faster[1] : null, low: faster ? faster[0] : null, high: faster ? faster[2] : null, net_usd: net, watts,
      usd_per_year: year, newly: newly.filter(([, old]) => old === null).length, worth: worth ? 1 : 0,
    },
  );
}

function doesWork(known, facts, asked) {
  const can = ability(known, facts, 1, { ...asked, batch: 1 });
  if (can.needed === 0 && can.problem) throw new EstimateError(`${facts.card.name}: ${can.problem}`);
  return can;
}

function speedUp([old, fresh]) {
  const a = old.rate, b = fresh.rate;
  if (!a || !b || !fits(old) || !fits(fresh)) return null;
  return [b.p10 / a.p90, b.median / a.median, b.p90 / a.p10];
}

function verdict(a, b, model, can, faster, c) {
  const unknown = [a, b].find((_, i) => can[i].room === null);
  if (unknown) return [false, `nobody can say: the memory of ${unknown.card.name} is the buyer’s choice or not known.`];
  if (!fits(can[1])) return [false, `not worth it. The new card does not hold ${model.name}${fits(can[0]) ? "" : " either"}: ${gib(-can[1].room)} are missing.`];
  if (!fits(can[0])) return [true, `worth it. Only the new card holds ${model.name}, with ${gib(can[1].room)} to spare.`];
  if (!faster) return [false, "nobody can say: the speed of one of them is not known."];
  const [low, middle, high] = faster, worth = middle >= c.worth_faster && low >= 1;
  const said = `${figure(middle)} times as fast with ${model.name} (${span(low, high)})`;
  return [worth, worth ? `worth it. It is ${said}.` : `not worth it for the speed. It is ${said}.`];
}

function priceWords(a, b, net, bought, sold) {
  if (!bought) return `No price of the last 12 months to buy ${b.card.name} is known; type yours.`;
  if (!sold) return `The new card costs ${dollars(bought.usd)}; no used price of the last 12 months of ${a.card.name} is known, type what yours brings.`;
  return `It costs ${dollars(net)} after selling the old one: ${dollars(bought.usd)} less ${dollars(sold.usd)}; asking prices, a seller keeps less.`;
}

function gainWords(net, gain, a, b) {
  if (net === null || net <= 0) return [];
  const said = [], more = (b.card.memory_gb ?? 0) - (a.card.memory_gb ?? 0);
  if (gain !== null && gain > 0) said.push(`${dollars(net / gain)} for each further token a second`);
  if (a.card.memory_gb && b.card.memory_gb && more > 0) said.push(`${dollars(net / more)} for each further GB of memory`);
  return said.length ? [`That is ${said.join(" and ")}.`] : [];
}

function newlyFits(known, a, b, context) {
  const { quants } = known.c, found = [];
  for (const model of known.models.values()) {
    if (model.kind !== "language") continue;
    const [old, fresh] = [a, b].map((facts) => bestQuant(known, facts, model, context));
    if (fresh !== null && (old === null || quants.indexOf(fresh) < quants.indexOf(old))) found.push([model, old, fresh]);
  }
  const key = (old) => (old === null ? 0 : 1);
  return found.sort(([x, a], [y, b]) => key(a) - key(b) || parameters(y) - parameters(x) || (x.id < y.id ? -1 : 1));
}

function bestQuant(known, facts, model, context) {
  const length = Math.min(context, model.context || context);
  return known.c.quants.find((quant) => {
    const request = checked({ quant, context: length, prompt_tokens: 1 }, model, known.t);
    return required(facts.card, model, request, known.t).fits;
  }) ?? null;
}

function compared(a, b, can, watts, year) {
  const both = (value, write) => value.map((one) => orDash(one === null || one === undefined ? null : write(one)));
  const rate = (one) => (one.rate && fits(one) ? number(figure(one.rate.median), one.measured ? "measured" : "estimated") : number("–"));
  const interval = (one) => number(one.rate && fits(one) ? span(one.rate.p10, one.rate.p90) : "–");
  const faster = speedUp(can), rooms = can.map((one) => one.room);
  const difference = rooms.includes(null) ? null : fixed(rooms[1] - rooms[0], 1);
  return table("Side by side", [["What", null], ["Now", ""], ["New", ""], ["Difference", ""]], [
    [words("Room for your model, GiB"), ...both(rooms, (value) => fixed(value, 1)), orDash(difference)],
    [words("Speed, tokens/s"), ...can.map(rate), number(faster ? `× ${figure(faster[1])}` : "–")],
    [words("80 % interval"), ...can.map(interval), number("")],
    [words("Memory, GB"), ...both([a.card.memory_gb, b.card.memory_gb], figure), number("")],
    [words("Board power, W"), ...both([a.power_w, b.power_w], figure), orDash(watts === null ? null : figure(watts))],
    [words("Electricity a year, USD"), number(""), number(""), orDash(year === null ? null : money(year))],
  ]);
}

function upgradePrices(a, b, bought, sold) {
  const rows = [["Buy", b, bought], ["Sell", a, sold]].filter(([, , one]) => one).map(([what, facts, one]) => [
    card(`${what} ${facts.card.name}`, facts.card.id), number(money(one.usd), "price"), words(one.date), words(one.kind), sourceOf(facts, one),
  ]);
  return table("Prices", [["Deal", null], ["USD", ""], ["Seen", null], ["Kind", null], ["Who", null]], rows);
}

function newlyTable(newly) {
  const rows = newly.map(([model, old, fresh]) => [words(model.name), number(figure(parameters(model) / 1e9)), words(old ?? "–"), words(fresh)]);
  return table("What newly fits, or fits better", [["Model", null], ["Parameters", "billion"], ["Before", null], ["After", null]], rows);
}
