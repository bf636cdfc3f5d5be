// A question in words in, one calculator's answer out: pipeline/advise/choose/calculators once more, the same sentences and
// numbers, which tests/test_costs_js.py holds to 1e-9. Tables and constants are data from Python (calculators/costs.json).
// `answer(id, asked, known)` gives {lead, notes, tables, picture, values}. No DOM, no dependency.

import { EstimateError, fixed, general } from "./estimate.js";
import {
  ability, bestPrice, buyPrice, card, checked, fits, HOUR, KILO, number, orDash, own, powerEach, pricesTable, rentPrice, sheet, sourceOf, table,
  WEEKS_A_YEAR, words,
} from "./costs-base.js";
import { several, upgrade } from "./costs-scaling.js";
import { dollars, figure, gib, hours, money, moneySpan, span, times } from "./costs-words.js";

const MILLION = 1e6, WEEKS_A_MONTH = 52 / 12, HOURS_A_WEEK = 168, MONTHS_A_YEAR = 12;

/** The answer of one calculator; an EstimateError of one sentence when there is none. */
export function answer(id, asked, known) {
  return ANSWERS[id](checked(asked, known.fields[id], known), known);
}

// ---------------------------------------------------------------- buy or rent

function buyOrRent(asked, known) {
  const facts = known.facts.get(asked.gpu), count = asked.gpus, c = known.c;
  const bought = buyPrice(facts, asked.price, known), rented = rentPrice(facts, asked.rent, known);
  const kw = (powerEach(facts, asked.watts) * count + c.rest_of_machine_w) / KILO;
  const host = asked.host ?? c.host_usd.find(([size]) => size >= count)[1];
  const resale = (bought.usd * count * asked.resale) / 100;
  const kept = bought.usd * count - resale + host;
  const hourly = rented.usd * count, power = asked.tariff * kw * asked.pue;
  const running = power + asked.upkeep;
  const [after, said] = breakEven(kept, hourly - running, c);
  const used = asked.hours_per_week * WEEKS_A_MONTH * asked.months;
  const rentAll = hourly * used, buyAll = kept + running * used;
  const name = times(facts.card.name, count);
  return sheet(
    `${name}: ${said}. ${bill(asked, used, rentAll, buyAll)}`,
    [when(after, asked), how(kept, hourly, power, asked.upkeep)],
    [bills(asked, [bought.usd * count, host, resale, power * used, asked.upkeep * used], rentAll),
      pricesTable(facts, [["to buy", bought], ["to rent, an hour", rented]])],
    drawn(`${name}: what renting and buying cost by hours of use`, { look: "rent", name: "renting", start: 0, slope: hourly }, { look: "buy", name: "buying", start: kept, slope: running }, after, used, c),
    { hours: after, kept_usd: kept, saved_usd_per_hour: hourly - running, used_hours: used, rent_usd: rentAll, buy_usd: buyAll, kw },
  );
}

function breakEven(kept, saved, c) {
  if (saved <= 0) return [null, c.never];
  if (kept <= 0) return [0, c.at_once];
  return [kept / saved, `after ${figure(kept / saved)} hours of use buying costs less`];
}

function bill(asked, used, rent, buy) {
  const [less, more, gap] = rent <= buy ? ["renting", "buying", buy - rent] : ["buying", "renting", rent - buy];
  const share = figure((100 * asked.hours_per_week) / HOURS_A_WEEK);
  return `At ${figure(asked.hours_per_week)} hours a week (${share} % of the time) for ${figure(asked.months)} months (${figure(used)} hours) ${less} costs ${dollars(gap)} less than ${more}.`;
}

function when(after, asked) {
  if (after === null) return "An hour of rent costs no more than an hour of electricity and upkeep, so the price never comes back.";
  if (after === 0) return "What the card sells for at the end pays for it.";
  const weekly = after / (asked.months * WEEKS_A_MONTH), kept = figure(asked.months);
  if (weekly > HOURS_A_WEEK) return `Renting costs less even if the card works day and night for ${kept} months.`;
  return `Over ${kept} months buying costs less from ${figure(weekly)} hours a week on.`;
}

const how = (kept, hourly, power, upkeep) =>
  `Break-even = what the card loses and the machine costs (${dollars(kept)}) / (rent ${money(hourly)} − electricity ${money(power)} − upkeep ${money(upkeep)} dollars an hour).`;

function bills(asked, [cost, host, resale, energy, upkeep], rent) {
  const rows = [
    ["Price", cost, null], ["Machine around it", host, null], ["Electricity", energy, 0], ["Upkeep", upkeep, 0],
    ["Sold again", -resale, null], ["Rent", null, rent], ["Sum", cost + host + energy + upkeep - resale, rent],
  ];
  const cells = rows.map(([what, ...both]) => [words(what), ...both.map((v) => number(v === null ? "–" : money(v)))]);
  return table(`Both bills after ${figure(asked.months)} months`, [["Item", null], ["Buy", "USD"], ["Rent", "USD"]], cells);
}

// ---------------------------------------------------------------- the picture of two lines

function drawn(title, rent, buy, cross, used, c) {
  const [width, height, left, right, top, bottom] = c.picture;
  const at = (line, hours) => line.start + line.slope * hours;
  const seen = cross !== null && cross <= c.far * used ? cross : null;
  const far = c.behind * Math.max(used, seen ?? 0);
  const high = Math.max(c.head_room * Math.max(...[rent, buy].flatMap((line) => [at(line, 0), at(line, far)])), 1e-9);
  const x = (hours) => fixed(left + ((right - left) * hours) / far, 1), y = (usd) => fixed(bottom - ((bottom - top) * usd) / high, 1);
  const shapes = ticks(high, c).map((usd) => ({ look: "grid", d: `M${left} ${y(usd)}H${right}` }));
  shapes.push({ look: "used", d: `M${x(used)} ${top}V${bottom}` });
  for (const one of [rent, buy]) shapes.push({ look: one.look, d: `M${x(0)} ${y(at(one, 0))}L${x(far)} ${y(at(one, far))}` });
  if (seen !== null) shapes.push({ look: "cross", d: `M${x(seen)} ${y(at(rent, seen))}m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0` });
  const label = (look, x, y, anchor, text) => ({ look, x: String(x), y: String(y), anchor, text });
  const [above, below] = at(rent, far) >= at(buy, far) ? [rent, buy] : [buy, rent];
  const labels = [
    ...ticks(high, c).map((usd) => label("axis", left - 6, fixed(Number(y(usd)) + 4, 1), "end", figure(usd))),
    ...ticks(far, c).map((hours) => label("axis", x(hours), bottom + 16, "middle", figure(hours))),
    label("title", left, 11, "start", "dollars"),
    label("title", right, bottom + 32, "end", "hours of use"),
    label("title", x(used), bottom + 32, used < 0.7 * far ? "middle" : "end", "your hours"),
    ...[[above, -6], [below, 26]].map(([line, shift]) => label(line.look, right - 4, fixed(Number(y(at(line, far))) + shift, 1), "end", line.name)),
  ];
  return { title, width, height, shapes, labels };
}

function ticks(most, c) {
  let unit = 1;
  while (unit * 10 <= most) unit *= 10;
  while (unit > most) unit /= 10;
  const step = unit * c.steps.find((part) => most / (unit * part) <= c.most_ticks);
  const found = [0];
  while (step * found.length <= most) found.push(step * found.length);
  return found;
}

// ---------------------------------------------------------------- power

function power(asked, known) {
  const facts = known.facts.get(asked.gpu), count = asked.gpus, c = known.c;
  const [each, machine, kind, basis] = workWatts(facts, asked.watts);
  const work = each * count + (machine ? 0 : asked.rest);
  const kwh = (work / KILO) * asked.hours_per_week * WEEKS_A_YEAR * asked.pue;
  const year = kwh * asked.tariff;
  const most = Math.max(facts.power_w ?? 0, each) * count + Math.max(c.rest_w, asked.rest);
  const lead = `${times(facts.card.name, count)} at work ${figure(asked.hours_per_week)} hours a week: ${figure(kwh)} kWh and ${dollars(year)} a year, ${dollars(year / MONTHS_A_YEAR)} a month.`;
  return sheet(
    lead, [`${figure(work)} W with the machine, ${basis}.`, supply(facts, count, most, c)],
    [energyTable(work, kind, kwh, year, c), wall(most, c)], null,
    { watts: work, kwh_per_year: kwh, usd_per_year: year, heat_btu_per_hour: work * c.btu_a_watt_hour, most_w: most, supply_w: supplyWatts(most, c) },
  );
}

function workWatts(facts, typed) {
  if (typed !== null) return [typed, false, "computed", "from the power that you typed"];
  if (facts.measured) return [facts.measured.watts, facts.measured.machine, "measured", `measured: ${facts.measured.words}`];
  return [powerEach(facts, null), false, "computed", "from the board’s limit, an upper bound: nobody has measured this card at work for the dataset"];
}

function supplyWatts(most, c) {
  let steps = 0;
  while (steps * c.supply_step_w < most / c.psu_share) steps += 1;
  return steps * c.supply_step_w;
}

function supply(facts, count, most, c) {
  const said = `Power supply: ${figure(supplyWatts(most, c))} W, so that ${figure(most)} W at most is ${figure(100 * c.psu_share)} % of what it can give.`;
  return facts.psu_w === null || count > 1 ? said : `${said} The maker recommends ${figure(facts.psu_w)} W.`;
}

function energyTable(work, kind, kwh, year, c) {
  const rows = [["Power at work", work, "W", kind], ["Energy a year", kwh, "kWh", "computed"], ["Heat", work * c.btu_a_watt_hour, "BTU/h", "computed"]];
  const cells = rows.map(([what, value, unit, of]) => [words(what), number(figure(value), of), words(unit)]);
  cells.push([words("Cost a year"), number(money(year), "computed"), words("USD")]);
  return table("Energy, heat and cost", [["What", null], ["Amount", ""], ["Unit", null]], cells);
}

const wall = (most, c) =>
  table("What it draws from the wall at most", [["Voltage", null], ["Current", "A"]], c.volts.map((volts) => [words(`${volts} V`), number(figure(most / volts), "computed")]));

// ---------------------------------------------------------------- training cost

function training(asked, known) {
  const facts = known.facts.get(asked.gpu), count = asked.gpus, model = known.models.get(asked.model), c = known.c;
  const tokens = tokensOf(asked, c);
  const can = ability(known, facts, count, asked);
  const run = runOf(facts, can, tokens);
  const rented = asked.rent !== null ? own(asked.rent, known) : facts.rent;
  const rent = rented ? rented.usd * count : null;
  const lead = `${c.does[asked.task]} ${model.name} on ${figure(tokens / MILLION)} million tokens with ${times(facts.card.name, count)}: ${runWords(facts, can, run, rent === null ? null : rent * billed(run.middle, c))}`;
  const bought = asked.price !== null ? own(asked.price, known) : bestPrice(facts);
  const energy = facts.power_w === null ? null : ((facts.power_w * count + c.rest_of_machine_w) / KILO) * run.middle * asked.tariff * asked.pue;
  const share = bought ? shareOf(bought.usd * count, run.middle, asked) : null;
  const used = [["to rent, an hour", rented], ["to buy", bought]].filter(([, one]) => one);
  return sheet(
    lead, runNotes(facts, can),
    [costsTable(run, rent, energy, share, c), offers(known, tokens, asked), ...(used.length ? [pricesTable(facts, used)] : [])], null,
    {
      hours: run.middle, hours_fast: run.fast, hours_slow: run.slow, room_gib: can.room,
      rent_usd: rent === null ? null : rent * billed(run.middle, c), energy_usd: energy, share_usd: share,
    },
  );
}

const billed = (value, c) => Math.max(value, c.one_hour_billed);

function tokensOf(asked, c) {
  if (asked.tokens !== null) return asked.tokens * MILLION;
  const tokens = asked.examples * asked.each * asked.epochs;
  if (tokens > c.most_tokens) throw new EstimateError(`Examples × tokens in each × times over is ${general(tokens)} tokens; the most is ${general(c.most_tokens)}`);
  return tokens;
}

function runOf(facts, can, tokens) {
  if (!can.rate) throw new EstimateError(`${facts.card.name}: ${can.problem || "its speed is not known"}`);
  const end = (rate) => (rate > 0 ? tokens / rate / HOUR : Infinity);
  const run = { middle: end(can.rate.median), fast: end(can.rate.p90), slow: end(can.rate.p10) };
  if (!Object.values(run).every(Number.isFinite)) throw new EstimateError(`${figure(tokens)} tokens never end on ${facts.card.name}; take fewer tokens`);
  return run;
}

function runWords(facts, can, run, rent) {
  const took = `${hours(run.middle)} (${hours(run.fast)} to ${hours(run.slow)})`;
  if (can.usable === null) return `${took}, if it fits: the memory of ${facts.card.name} is the buyer’s choice or not known.`;
  if (!fits(can)) return `it does not fit, ${gib(can.needed - can.usable)} of ${gib(can.needed)} are missing; it would take ${took}.`;
  return rent === null ? `${took}.` : `${took} and ${dollars(rent)} to rent.`;
}

function runNotes(facts, can) {
  const said = [`The hours are ${can.statement}.`];
  if (fits(can)) said.unshift(`It fits, with ${gib(can.usable - can.needed)} of memory to spare.`);
  if (facts.no_training) said.unshift(`${facts.card.name}: ${facts.no_training}.`);
  if (facts.inferred) said.push("No source states its 16-bit matrix rate; related cards have it in the same ratio to the FP32 rate.");
  return said;
}

function shareOf(cost, run, asked) {
  const life = asked.hours_per_week * WEEKS_A_MONTH * asked.months;
  return cost * (1 - asked.resale / 100) * Math.min(1, run / life);
}

function costsTable(run, rent, energy, share, c) {
  const ends = rent === null ? null : [run.middle, run.fast, run.slow].map((value) => rent * billed(value, c));
  const mine = energy === null || share === null ? null : energy + share;
  const said = (value) => orDash(value === null ? null : money(value));
  return table("What the run costs", [["What", null], ["Cost", "USD"], ["Range", "USD"], ["How", null]], [
    [words("Rent it"), said(ends && ends[0]), number(ends ? moneySpan(ends[1], ends[2]) : ""), words("the whole run, at least one hour paid")],
    [words("Your own: electricity"), said(energy), number(""), words(`the board’s limit and ${general(c.rest_of_machine_w)} W for the machine`)],
    [words("Your own: the card’s share"), said(share), number(""), words("its loss of value by hours of use")],
    [words("Your own: together"), said(mine), number(""), words("")],
  ]);
}

function offers(known, tokens, asked) {
  const found = [];
  for (const facts of known.facts.values()) {
    let best = null;
    for (const count of facts.rent && !facts.no_training ? known.c.counts : []) {
      const one = offer(known, facts, count, tokens, asked);
      if (one && (!best || one.cost < best.cost * known.c.cheaper)) best = one;
    }
    if (best) found.push(best);
  }
  found.sort((a, b) => a.cost - b.cost || a.run.middle - b.run.middle || (a.facts.card.id < b.facts.card.id ? -1 : 1));
  const heads = [["Cheapest to rent", null], ["Cost", "USD"], ["Seen", null], ["Hours", ""], ["80 % interval", "hours"], ["One GPU-hour", "USD"], ["Who", null]];
  return table("The cheapest offers that hold it", heads, found.slice(0, known.c.offers).map(offerRow));
}

function offer(known, facts, count, tokens, asked) {
  const { rent } = facts;
  if (rent.most_gpus !== null && count > rent.most_gpus) return null;
  const can = ability(known, facts, count, asked);
  if (!can.rate || !fits(can)) return null;
  try {
    const run = runOf(facts, can, tokens);
    return { cost: rent.usd * count * billed(run.middle, known.c), facts, count, run };
  } catch (error) {
    if (error instanceof EstimateError) return null;
    throw error;
  }
}

function offerRow({ cost, facts, count, run }) {
  return [
    card(times(facts.card.name, count), facts.card.id), number(money(cost), "computed"), words(facts.rent.date),
    number(figure(run.middle)), number(span(run.fast, run.slow), "estimated"), number(money(facts.rent.usd), "price"), sourceOf(facts, facts.rent),
  ];
}

const ANSWERS = { training, "buy-or-rent": buyOrRent, power, several, upgrade };
