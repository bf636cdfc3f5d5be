// An answer in, its words and numbers as text out: pipeline/choose/view.py and words.py once more.

import { hostUsd, period, unit } from "./choose.js";
import { fixed, general, gib, grouped, hours, percent, price, three, usd } from "./choose-format.js";
import { asWords } from "./choose-need.js";

const bare = (need) => unit(need).replace(" each", "");
const each = (o) => (o.way === "buy" ? "each" : "a GPU-hour");
const reasons = (o) => o.failures.map((one) => one.text()).join("; ");
const cost = (o, line) => line.fixed + line.slope * o.price;

/** The answer as the page shows it; "" is unknown or not asked. The long lists are worked out when read. */
export function view(shelf, answer) {
  const { need, rule } = answer, shown = (o) => card(shelf, o, need, rule);
  return {
    pick: answer.first ? shown(answer.first) : null,
    why: objective(shelf, answer),
    binding: answer.binding.text,
    flip: answer.flip ? flipWords(answer.flip) : "",
    workload: workloadWords(answer.workload),
    alternatives: answer.alternatives.map((a) => ({ ...shown(a.option), why: a.why, gives_up: a.gives_up, below: below(shelf, a) })),
    unpriced: answer.unpriced.map(([o, usdBelow]) => ({ gpu: o.gpu.id, vendor: o.gpu.vendor, name: o.name, card: o.gpu.name, reason: o.failures[0].text(), below: amount(usdBelow) })),
    get ranked() {
      return answer.ranked.slice(0, shelf.constants.ranked_shown).map(shown);
    },
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
    total_words: quote ? `${usd(cost(o, total))} ${period(rule)}` : "",
    caveats: o.caveats,
  };
}

/** Dollars in a table: whole from a hundred on, cents from one on, three digits below. */
export const amount = (dollars) => (dollars >= 1 ? grouped(dollars, dollars >= 100 ? 0 : 2) : three(dollars));

const objective = (shelf, { need, rule }) => shelf.data.objectives[need.objective ?? rule.objective];
const quoteWords = (shelf, quote) => (quote.kind === "own" ? "your price" : `${shelf.data.price_kinds[quote.kind]}, ${quote.who}, ${quote.date}`);

function roomWords(room) {
  if (room === null) return "";
  return room >= 0 ? `fits with ${gib(room)} to spare` : `${gib(-room)} too little`;
}

function below(shelf, { option: o, wins_below: usdBelow }) {
  return usdBelow === null || usdBelow < shelf.constants.worth_saying * o.price ? "" : `${amount(usdBelow)} dollars ${each(o)}`;
}

const workloadWords = (flow) => (flow ? `below ${grouped(flow.amount)} ${flow.unit} renting ${flow.rent} is cheaper, above it buying ${flow.buy}` : "");

/** The command that prints the same answer. */
export const command = (shelf, words) => [shelf.constants.command, ...Object.entries(words).map(([name, text]) => shellWord(`${name}=${text}`))].join(" ");
const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

/** What was taken for granted and can be typed over. */
function assumptions(shelf, need, rule) {
  const hosts = Object.entries(shelf.constants.host_usd).map(([count, dollars]) => `${grouped(dollars)} with ${count}`).join(", ");
  return [
    `the machine around the GPUs costs, in dollars beyond what you have: ${need.host_usd === null ? hosts : usd(need.host_usd)}`,
    `electricity ${general(need.electricity_usd_per_kwh)} dollars a kWh, ${fixed(shelf.constants.rest_of_machine_w, 0)} W besides the GPUs`,
    `what you buy brings ${percent(need.resale_share)} of its price when you sell it`,
    ...(rule.once ? [] : [`${general(need.hours_per_week)} hours a week for ${general(need.horizon_months)} months`]),
    "power is the board's limit, an upper bound",
  ];
}

// One line about an option: price and its date, speed, room, cost.
function optionWords(shelf, o, need, rule) {
  const parts = [`${o.name} to ${o.way}`], { rate, room_gib: room, measured } = o.ability;
  if (o.quote) parts.push(`${price(o.price)} ${each(o)} (${quoteWords(shelf, o.quote)})`);
  if (rate) parts.push(`${three(rate.p10)} to ${three(rate.p90)} ${bare(need)} (${measured ? "measured" : "estimated"})`);
  if (room !== null) parts.push(room >= 0 ? `${fixed(room, 1)} GiB to spare` : `${fixed(-room, 1)} GiB too little`);
  if (o.cost.run_hours !== null) parts.push(`a run takes ${hours(o.cost.run_hours)}`);
  if (o.total_usd !== null) parts.push(`${usd(o.total_usd)} ${period(rule)}`);
  return parts.join("; ");
}

/** The sentence about the price at which the pick changes. */
export function flipWords(flip) {
  const now = flip.price_now === null ? "no price now" : `now ${price(flip.price_now)}`;
  const because = flip.then && flip.because.startsWith(flip.then) ? "" : `; ${flip.because}`;
  return `${flip.direction} ${price(flip.threshold)} ${flip.way === "buy" ? "each" : "a GPU-hour"} for ${flip.name} (${now}): then ${flip.then || "nothing meets the need"}${because}`;
}

/** The whole answer as text that can be pasted into a message. */
export function asText(shelf, answer) {
  const { need, rule, first } = answer, words = (o) => optionWords(shelf, o, need, rule), rules = shelf.data.price_rules;
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
  const lines = answer.flip ? [`Turns: ${flipWords(answer.flip)}`] : [], flow = answer.workload;
  if (flow) lines.push(`Buy or rent: below ${grouped(flow.amount)} ${flow.unit} renting ${flow.rent} is cheaper, above it buying ${flow.buy}`);
  return [...lines, ...answer.unpriced.map(([o, usdBelow]) => `  ${o.name} has no price of today (${o.failures[0].text()}); it would be first below ${price(usdBelow)}`)];
}
