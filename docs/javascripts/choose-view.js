// An answer in, its words and numbers as text out: pipeline/choose/view.py and words.py once more.

import { hostUsd, period, pricedIn, unit } from "./choose.js";
import { fixed, general, gib, grouped, hours, money, percent, price, three } from "./choose-format.js";
import { asWords } from "./choose-need.js";

const bare = (need) => unit(need).replace(" each", "");
const each = (o) => (o.way === "buy" ? "each" : "a GPU-hour");
const reasons = (o) => o.failures.map((one) => one.text()).join("; ");
const cost = (o, line) => line.fixed + line.slope * o.price;

/** The answer as the page shows it; "" is unknown or not asked. The long lists are worked out when read. */
export function view(known, answer) {
  const { need, rule } = answer, shelf = pricedIn(known, need.money), shown = (o) => card(shelf, o, need, rule);
  return {
    pick: answer.first ? shown(answer.first) : null,
    why: objective(shelf, answer),
    binding: answer.binding.text,
    money: need.money.word, sign: need.money.sign, rate: need.money.rate,
    flip: answer.flip ? flipWords(answer.flip, need) : "",
    workload: workloadWords(answer.workload),
    alternatives: answer.alternatives.map((a) => ({ ...shown(a.option), why: a.why, gives_up: a.gives_up, below: below(shelf, a, need) })),
    unpriced: answer.unpriced.map(([o, usdBelow]) => ({ gpu: o.gpu.id, vendor: o.gpu.vendor, name: o.name, card: o.gpu.name, reason: o.failures[0].text(), below: amount(usdBelow) })),
    ranked: answer.ranked.slice(0, shelf.constants.ranked_first).map(shown),
    get further() {
      return answer.ranked.slice(shelf.constants.ranked_first, shelf.constants.ranked_shown).map(shown);
    },
    further_words: furtherWords(answer.ranked.length, shelf.constants),
    total_is: period(rule), speed_unit: bare(need),
    nearest: answer.nearest.map((o) => ({ ...shown(o), misses: reasons(o) })),
    get ways_out() {
      return answer.ways_out.map((way) => ({ change: way.change, words: optionWords(shelf, way.option, need, rule) }));
    },
    offload: answer.offload,
    assumptions: assumptions(shelf, need, rule),
    command: command(shelf, asWords(need, shelf)),
  };
}

/** Why each other GPU and way is not first. */
export const lostWords = (answer) => answer.lost.map(({ option: o, reason }) => ({ gpu: o.gpu.id, vendor: o.gpu.vendor, name: `${o.name} to ${o.way}`, reason: reason() }));

function card(shelf, o, need, rule) {
  const { quote, ability: able, cost: costs } = o, { rate, room_gib: room } = able, total = costs.total;
  return {
    gpu: o.gpu.id, vendor: o.gpu.vendor, name: o.name, way: o.way, count: o.count, card: o.gpu.name,
    price: quote ? amount(o.price) : "", each: each(o), from: quote ? quoteWords(shelf, quote) : "", url: quote ? quote.url : "",
    speed: rate ? `${three(rate.p10)} to ${three(rate.p90)}` : "", middle: rate ? three(rate.median) : "",
    basis: able.measured ? "measured" : "estimated", basis_from: able.statement,
    room: room === null ? "" : fixed(room, 1), room_words: roomWords(room),
    run: costs.run_hours === null ? "" : hours(costs.run_hours),
    paid: quote ? amount(cost(o, costs.paid)) : "", total: quote ? amount(cost(o, total)) : "",
    hour: quote ? amount(cost(o, total) / costs.used_hours) : "",
    million: quote && costs.per_million ? amount(cost(o, costs.per_million)) : "",
    total_words: quote ? `${money(cost(o, total), need)} ${period(rule)}` : "",
    caveats: o.caveats,
  };
}

/** Money in a table: whole from a hundred on, cents from one on, three digits below. */
export const amount = (value) => (value >= 1 ? grouped(value, value >= 100 ? 0 : 2) : three(value));

const objective = (shelf, { need, rule }) => shelf.data.objectives[need.objective ?? rule.objective];
const quoteWords = (shelf, quote) => (quote.kind === "own" ? "your price" : `${shelf.data.price_kinds[quote.kind]}, ${quote.who}, ${quote.date}`);

function furtherWords(meeting, { ranked_first: first, ranked_shown: most }) {
  const more = Math.min(meeting, most) - first;
  return more > 0 ? `${more} more of the ${meeting} that meet the need` : "";
}

function roomWords(room) {
  if (room === null) return "";
  return room >= 0 ? `fits with ${gib(room)} to spare` : `${gib(-room)} too little`;
}

function below(shelf, { option: o, wins_below: usdBelow }, need) {
  return usdBelow === null || usdBelow < shelf.constants.worth_saying * o.price ? "" : `${amount(usdBelow)} ${need.money.word} ${each(o)}`;
}

const workloadWords = (flow) => (flow ? `below ${grouped(flow.amount)} ${flow.unit} renting ${flow.rent} is cheaper, above it buying ${flow.buy}` : "");

/** The command that prints the same answer. */
export const command = (shelf, words) => [shelf.constants.command, ...Object.entries(words).map(([name, text]) => shellWord(`${name}=${text}`))].join(" ");
const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

/** What was taken for granted and can be typed over. */
function assumptions(shelf, need, rule) {
  const hosts = Object.entries(shelf.constants.host_usd).map(([count, amount]) => `${grouped(amount)} with ${count}`).join(", ");
  const { word, rate } = need.money;
  return [
    ...(rate ? [rate] : []),
    `the machine around the GPUs costs, in ${word} beyond what you have: ${need.host_usd === null ? hosts : money(need.host_usd, need)}`,
    `electricity ${general(need.electricity_usd_per_kwh)} ${word} a kWh, ${fixed(shelf.constants.rest_of_machine_w, 0)} W besides the GPUs`,
    `what you buy brings ${percent(need.resale_share)} of its price when you sell it`,
    ...(rule.once ? [] : [`${general(need.hours_per_week)} hours a week for ${general(need.horizon_months)} months`]),
    "power is the board's limit, an upper bound",
  ];
}

// One line about an option: price and its date, speed, room, cost.
function optionWords(shelf, o, need, rule) {
  const parts = [`${o.name} to ${o.way}`], { rate, room_gib: room, measured } = o.ability;
  if (o.quote) parts.push(`${price(o.price, need)} ${each(o)} (${quoteWords(shelf, o.quote)})`);
  if (rate) parts.push(`${three(rate.p10)} to ${three(rate.p90)} ${bare(need)} (${measured ? "measured" : "estimated"})`);
  if (room !== null) parts.push(room >= 0 ? `${fixed(room, 1)} GiB to spare` : `${fixed(-room, 1)} GiB too little`);
  if (o.cost.run_hours !== null) parts.push(`a run takes ${hours(o.cost.run_hours)}`);
  if (o.total_usd !== null) parts.push(`${money(o.total_usd, need)} ${period(rule)}`);
  return parts.join("; ");
}

/** The sentence about the price at which the pick changes. */
export function flipWords(flip, need) {
  const now = flip.price_now === null ? "no price now" : `now ${price(flip.price_now, need)}`;
  const because = flip.then && flip.because.startsWith(flip.then) ? "" : `; ${flip.because}`;
  return `${flip.direction} ${price(flip.threshold, need)} ${flip.way === "buy" ? "each" : "a GPU-hour"} for ${flip.name} (${now}): then ${flip.then || "nothing meets the need"}${because}`;
}

/** The whole answer as text that can be pasted into a message. */
export function asText(known, answer) {
  const { need, rule, first } = answer, shelf = pricedIn(known, need.money), words = (o) => optionWords(shelf, o, need, rule), rules = shelf.data.price_rules;
  const lines = [`What: ${rule.words}, ${need.model}${rule.engine ? `, ${need.quant}` : ""}`];
  if (first) {
    lines.push(`Pick: ${words(first)}`, `Why: ${objective(shelf, answer)}`, ...first.caveats.map((caveat) => `  note: ${caveat}`), `  speed: ${first.ability.statement}`);
  } else {
    lines.push("Pick: nothing meets the need", ...answer.nearest.map((o) => `  nearest: ${words(o)}; ${reasons(o)}`));
    if (answer.offload) lines.push(`  way out: ${answer.offload}`);
    lines.push(...answer.ways_out.map((way) => `  way out: ${way.change} → ${words(way.option)}`));
  }
  lines.push(`What decides: ${answer.binding.text}`, "Alternatives:");
  for (const other of answer.alternatives) lines.push(`  ${other.why}: ${words(other.option)}`, `    gives up: ${other.gives_up}`);
  lines.push(...turningPoints(answer), "Why others lost:");
  lines.push(...lostShown(shelf, answer).map(({ option: o, reason }) => `  ${o.name} to ${o.way}: ${reason()}`));
  lines.push(`Taken for granted: ${assumptions(shelf, need, rule).join("; ")}`);
  lines.push(`Prices: ${rules.street}. Rent: ${rules.rent}. Newest reading ${shelf.data.read}.`);
  return `${lines.join("\n")}\n`;
}

const lostShown = (shelf, answer) => answer.lost.slice(0, shelf.constants.lost_shown);

function turningPoints(answer) {
  const lines = answer.flip ? [`Turns: ${flipWords(answer.flip, answer.need)}`] : [], flow = answer.workload;
  if (flow) lines.push(`Buy or rent: below ${grouped(flow.amount)} ${flow.unit} renting ${flow.rent} is cheaper, above it buying ${flow.buy}`);
  return [...lines, ...answer.unpriced.map(([o, usdBelow]) => `  ${o.name} has no price of today (${o.failures[0].text()}); it would be first below ${price(usdBelow, answer.need)}`)];
}
