// Charts: the picture made at build stands at once; Plotly, from our own host, takes over by itself once the page is
// idle and the picture in view. Axes, labels and colours are those of the picture, so that nothing moves. What else a
// reader may ask of it (measures.js) is fetched when it is asked.

import { lines, save as saveText } from "./csv.js";
import { json, make } from "./elements.js";
import { asksMore, axisOf, filtered, loadMeasures, measureOf, saidOf } from "./measures.js";

/**
 * @typedef {{ x: any[], y: number[], text: string[], customdata: string[], name: string, marker: Record<string, any>,
 *   meta: { colour: string, key?: string, segments?: string[] }, [other: string]: any }} Trace
 * @typedef {{ data: Trace[], layout: Record<string, any> }} Chart
 * @typedef {import("./measures.js").Asked} Asked
 * @typedef {import("./measures.js").Measures} Measures
 * @typedef {{ off: Set<string>, find: string, linear: boolean, asked: Asked }} View which makers and classes are off, what is looked for
 * @typedef {{ plot: any, chart: Chart, figure: HTMLElement, base: Record<string, any>, view: View, measures?: Measures }} Drawn
 * @typedef {{ low: number, high: number, log: boolean, start: number, end: number }} Scale
 */

const MIDDLE_OF_TEXT = 4; // above the line on which a label of 11 pixels stands
const IMAGE = { format: "png", width: 1200, height: 720, scale: 2 };
const OF_THE_PICTURE = ["range", "tickmode", "tickvals", "ticktext", "dtick"]; // of an axis; another scale has its own
const MIDDLES = new Map([[4, "-07-01"], [7, "-16"]]); // of a year and of a month, by the length of their text
const FOUND = 1.8, FAINT = 0.15; // how much larger what was looked for is drawn, and how faint the rest
/** @type {Set<Drawn>} */
const drawn = new Set();
/** @type {Map<HTMLElement, Promise<Drawn | undefined>>} */
const begun = new Map();
/** @type {Promise<any> | undefined} */
let library;

const plotly = () => /** @type {any} */ (window).Plotly;

/** @param {Document} page @param {URL} root */
export function start(page, root) {
  for (const figure of /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll("[data-chart]"))) {
    if (figure.dataset.ready) continue;
    figure.dataset.ready = "yes";
    const begin = () => draw(figure, root);
    figure.querySelector("[data-chart-start]")?.addEventListener("click", async () => (await begin())?.plot.focus());
    figure.querySelector("[data-chart-image]")?.addEventListener("click", async () => save(await begin()));
    figure.querySelector("[data-chart-csv]")?.addEventListener("click", async ({ target }) => saveView(await begin(), /** @type {HTMLElement} */ (target).dataset.chartCsv ?? ""));
    if (saves()) offer(figure);
    else whenInView(figure, begin);
  }
}

// A reader who saves data is asked first: the library is the largest file of the site.
const saves = () => /** @type {any} */ (navigator).connection?.saveData === true;

/** @param {HTMLElement} figure */
function offer(figure) {
  figure.querySelector("[data-chart-start]")?.removeAttribute("hidden");
}

/** Begin once the page has loaded, has nothing else to do, and the figure is on the screen. @param {HTMLElement} figure @param {() => void} begin */
function whenInView(figure, begin) {
  const idle = window.requestIdleCallback ?? ((/** @type {() => void} */ act) => setTimeout(act, 200));
  const watch = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    if (document.readyState === "complete") idle(begin);
    else window.addEventListener("load", () => idle(begin), { once: true });
  });
  watch.observe(/** @type {Element} */ (figure.querySelector(".ga-stage")));
}

/** Draw a figure once; undefined where it could not be loaded, and then the picture stays. @param {HTMLElement} figure @param {URL} root */
function draw(figure, root) {
  const drawing = begun.get(figure) ?? load(figure, root).catch((error) => {
    begun.delete(figure);
    figure.dataset.state = "";
    offer(figure);
    console.warn(error);
    return undefined;
  });
  begun.set(figure, drawing);
  return drawing;
}

/** @param {HTMLElement} figure @param {URL} root @returns {Promise<Drawn>} */
async function load(figure, root) {
  figure.dataset.state = "loading";
  const address = new URL(figure.dataset.chart ?? "", document.baseURI);
  const [, chart] = await Promise.all([plotlyFrom(root), /** @type {Promise<Chart>} */ (json(address))]);
  const stage = /** @type {HTMLElement} */ (figure.querySelector(".ga-stage"));
  const picture = [...stage.querySelectorAll("svg")].find((svg) => svg.getBoundingClientRect().height);
  if (chart.layout.xaxis?.type === "date") inTheMiddle(chart.data);
  const entry = /** @type {Drawn} */ ({ chart, figure, base: picture ? framed(chart.layout, picture) : chart.layout, view: asked() });
  if (asksMore(entry.view.asked)) entry.measures = await loadMeasures(root);
  entry.plot = frame(figure, picture);
  stage.append(entry.plot);
  const settings = { responsive: true, displaylogo: false, displayModeBar: "hover", modeBarButtons: [["zoom2d", "pan2d", "resetScale2d"]] };
  await plotly().newPlot(entry.plot, visible(entry), themed(entry), settings);
  for (const svg of stage.querySelectorAll(":scope > svg")) svg.remove();
  entry.plot.on("plotly_click", (/** @type {any} */ { points: [point] }) => (matchMedia("(hover: none)").matches && entry.plot.dataset.tapped !== point.customdata ? (entry.plot.dataset.tapped = point.customdata) : open(point, root))); // a finger has no other way to ask what a point is
  steps(entry, root);
  controls(entry, root);
  drawn.add(entry);
  figure.dataset.state = "drawn";
  figure.querySelector("[data-chart-start]")?.remove();
  return entry;
}

/** A date told only as a month or a year stands in its middle, as in the picture. @param {Trace[]} traces */
function inTheMiddle(traces) {
  for (const trace of traces) trace.x = trace.x.map((date) => (typeof date === "string" ? `${date}${MIDDLES.get(date.length) ?? ""}` : date));
}

/**
 * The place of the plot, as high as the picture that it replaces, so that nothing below it moves.
 * @param {HTMLElement} figure
 * @param {SVGElement | undefined} picture
 */
function frame(figure, picture) {
  const plot = make("div", { className: "ga-plot", tabIndex: 0 });
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-label", `${figure.dataset.chartName}, interactive. Left and right step from point to point, Enter opens the card, plus and minus zoom, 0 shows all.`);
  if (picture) plot.style.setProperty("height", `${picture.getBoundingClientRect().height}px`);
  return plot;
}

/**
 * The layout with the picture's own axes, ticks and labels; a picture without a frame keeps Plotly's.
 * @param {Record<string, any>} layout
 * @param {SVGElement} picture
 */
function framed(layout, picture) {
  const told = picture.querySelector("[data-frame]")?.getAttribute("data-frame");
  if (!told) return layout;
  const { size, x, y } = /** @type {{ size: number[], x: Scale, y: Scale }} */ (JSON.parse(told));
  const enlarged = picture.getBoundingClientRect().width / size[0], dates = layout.xaxis?.type === "date";
  const acrossAt = (/** @type {number} */ place) => (dates ? dateOf(valueAt(x, place)) : valueAt(x, place));
  const titles = [...picture.querySelectorAll(":scope > .ga-axis")];
  const titleOf = (/** @type {boolean} */ turned) => titles.find((title) => title.hasAttribute("transform") === turned)?.textContent ?? "";
  const ticks = [...picture.querySelectorAll(".ga-ticks text")];
  const ticksOf = (/** @type {string} */ anchor) => ticks.filter((tick) => tick.getAttribute("text-anchor") === anchor);
  const axis = (/** @type {Record<string, any>} */ own, /** @type {Scale} */ scale, /** @type {(place: number) => any} */ value, /** @type {Element[]} */ marks, /** @type {string} */ at) => ({
    ...own,
    title: { ...own.title, text: titleOf(at === "y") },
    range: [scale.start, scale.end].map((end) => (scale.log ? Math.log10(value(end)) : value(end))),
    tickmode: "array",
    tickvals: marks.map((mark) => value(Number(mark.getAttribute(at)))),
    ticktext: marks.map((mark) => mark.textContent),
    tickfont: { size: 11.5 * enlarged },
    automargin: false,
  });
  const annotations = [...picture.querySelectorAll(".ga-names text")].map((name) => {
    const along = (/** @type {string} */ at) => Number(name.getAttribute(at)) + Number(name.getAttribute(`d${at}`));
    const [across, down] = [along("x"), along("y") - MIDDLE_OF_TEXT];
    // Plotly hides a label that begins outside the axes: it begins at the edge and is moved.
    const [inX, inY] = [Math.min(Math.max(across, x.start + 1), x.end - 1), Math.min(Math.max(down, y.end + 1), y.start - 1)];
    const [left, top] = [acrossAt(inX), valueAt(y, inY)];
    const anchor = { start: "left", middle: "center", end: "right" }[name.getAttribute("text-anchor") ?? "start"];
    const text = (name.textContent ?? "").replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    return { x: x.log ? Math.log10(Number(left)) : left, y: y.log ? Math.log10(top) : top, text, xanchor: anchor, yanchor: "middle", xshift: (across - inX) * enlarged, yshift: (inY - down) * enlarged, showarrow: false, font: { size: 11 * enlarged }, borderpad: 0 };
  });
  return {
    ...layout,
    annotations,
    shapes: [...(layout.shapes ?? []), ...leaders(picture, x, y)],
    margin: { l: x.start * enlarged, r: (size[0] - x.end) * enlarged, t: y.end * enlarged, b: (size[1] - y.start) * enlarged, pad: 0 },
    xaxis: axis(layout.xaxis, x, acrossAt, ticksOf("middle"), "x"),
    yaxis: axis(layout.yaxis, y, (place) => valueAt(y, place), ticksOf("end"), "y"),
  };
}

/** The fine lines from where something ends to its name beside the frame. @param {SVGElement} picture @param {Scale} x @param {Scale} y */
function leaders(picture, x, y) {
  const share = (/** @type {Scale} */ { start: from, end }, /** @type {number} */ place) => (place - from) / (end - from);
  return [...picture.querySelectorAll(".ga-leader")].map((leader) => {
    const [x0, y0, x1, y1] = (leader.getAttribute("d") ?? "").slice(1).split(/[ L]/).map(Number);
    return { type: "line", xref: "paper", yref: "paper", x0: share(x, x0), y0: share(y, y0), x1: share(x, x1), y1: share(y, y1), line: { width: 1 }, name: "ga-line" };
  });
}

/** @param {Scale} scale @param {number} place in the picture's own pixels */
function valueAt({ low, high, log, start: from, end }, place) {
  const share = (place - from) / (end - from);
  return log ? 10 ** (Math.log10(low) + share * Math.log10(high / low)) : low + share * (high - low);
}

/** A year with its fraction as a day: twelve equal months, as pipeline/derive/metrics.py counts them. @param {number} year */
function dateOf(year) {
  const whole = Math.floor(year), months = (year - whole) * 12, month = Math.floor(months + 1e-6);
  return new Date(Date.UTC(whole, month, 1) + (months - month) * (365.25 / 12) * 86400e3).toISOString();
}

/** @returns {View} what the address asks to see */
function asked() {
  const query = new URLSearchParams(window.location.search), told = (/** @type {string} */ name) => query.get(name) ?? "";
  return {
    off: new Set(told("off").split(",").filter(Boolean)), find: told("find"), linear: told("scale") === "linear",
    asked: { memory: told("memory"), price: told("price"), x: told("x"), y: told("y") },
  };
}

/** @param {View} view */
function remember(view) {
  const query = new URLSearchParams(window.location.search);
  for (const [name, value] of [["off", [...view.off].join(",")], ["find", view.find], ["scale", view.linear ? "linear" : ""], ...Object.entries(view.asked)])
    if (value) query.set(name, value);
    else query.delete(name);
  const text = query.toString();
  history.replaceState(history.state, "", text ? `?${text}` : window.location.pathname);
}

/** The traces without the makers and classes that are off; what is looked for is large and the rest faint. @param {Drawn} entry @returns {object[]} */
function visible({ chart, view, measures }) {
  const wanted = view.find.toLowerCase().replace(/[^a-z0-9]/g, "");
  return filtered(chart.data, measures, view.asked).map((trace) => {
    if (!trace.meta?.segments) return trace;
    const hit = trace.text.map((text) => wanted !== "" && text.toLowerCase().replace(/[^a-z0-9]/g, "").includes(wanted));
    const shown = trace.meta.segments.map((segment) => !view.off.has(segment));
    return {
      ...trace,
      visible: !view.off.has(trace.name),
      y: trace.y.map((value, at) => (shown[at] ? value : null)),
      marker: {
        ...trace.marker,
        size: hit.map((found) => trace.marker.size * (found ? FOUND : 1)),
        opacity: hit.map((found) => (wanted && !found ? FAINT : 1)),
      },
    };
  });
}

/** What the picture cannot do: makers and classes on and off, a card looked for, linear axes, other figures. @param {Drawn} entry @param {URL} root */
function controls(entry, root) {
  const { figure, view } = entry;
  const redraw = () => {
    remember(view);
    plotly().react(entry.plot, visible(entry), themed(entry));
  };
  more(entry, root, redraw);
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (figure.querySelectorAll(".ga-legend button"))) {
    const name = button.dataset.key ?? "";
    button.disabled = false;
    const press = () => button.setAttribute("aria-pressed", String(!view.off.has(name)));
    press();
    button.addEventListener("click", () => {
      if (!view.off.delete(name)) view.off.add(name);
      press();
      redraw();
    });
  }
  const find = /** @type {HTMLInputElement | null} */ (figure.querySelector("[data-chart-find]"));
  if (!find) return;
  find.disabled = false;
  find.value = view.find;
  find.addEventListener("input", () => {
    view.find = find.value;
    redraw();
  });
  const linear = /** @type {HTMLInputElement | null} */ (figure.querySelector("[data-chart-linear]"));
  if (!linear) return;
  linear.disabled = false;
  linear.checked = view.linear;
  linear.addEventListener("change", () => {
    view.linear = linear.checked;
    redraw();
  });
}

/** Filters by memory and price, and another figure on an axis. @param {Drawn} entry @param {URL} root @param {() => void} redraw */
function more(entry, root, redraw) {
  const { figure, view: { asked: wish } } = entry;
  const fields = /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */ (figure.querySelectorAll("[data-chart-ask]"));
  const said = /** @type {HTMLElement | null} */ (figure.querySelector("[data-chart-said]"));
  if (!said) return;
  const tell = () => {
    said.textContent = entry.measures && asksMore(wish) ? saidOf(entry.chart.data, entry.measures, wish) : "";
    said.hidden = !said.textContent;
  };
  for (const field of fields) {
    const name = /** @type {keyof Asked} */ (field.dataset.chartAsk);
    field.disabled = false;
    field.value = wish[name];
    field.addEventListener("input", async () => {
      wish[name] = field.value;
      entry.measures ??= await loadMeasures(root);
      redraw();
      tell();
    });
  }
  tell();
  if (asksMore(wish)) figure.querySelector(".ga-chart-more")?.setAttribute("open", "");
  document.addEventListener("ga-market", () => {
    if (!figure.isConnected || !entry.measures || !asksMore(wish)) return;
    redraw();
    tell();
  });
}

/** @param {any} point @param {URL} root */
function open(point, root) {
  if (point?.data.meta?.key === "gpu") window.location.assign(new URL(`gpus/${point.customdata}/`, root));
}

/** The keyboard: from point to point in the order of the horizontal axis, and zoom about the middle. @param {Drawn} entry @param {URL} root */
function steps({ plot, chart, base, view }, root) {
  const points = chart.data.flatMap((trace, curveNumber) => trace.x.map((x, pointNumber) => ({ curveNumber, pointNumber, x }))).filter(({ x }) => x !== null); // not the gaps
  points.sort((a, b) => (a.x < b.x ? -1 : a.x > b.x ? 1 : 0));
  const said = plot.parentElement.appendChild(make("p", { className: "ga-quiet-text", ariaLive: "polite" }));
  let at = -1;
  plot.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const times = { "+": 0.7, "=": 0.7, "-": 1 / 0.7 }[event.key];
    if (move) {
      at = (at + move + points.length) % points.length;
      const { curveNumber, pointNumber } = points[at];
      plotly().Fx.hover(plot, [{ curveNumber, pointNumber }]);
      said.textContent = chart.data[curveNumber].text[pointNumber];
    } else if (times) zoom(plot, times);
    else if (event.key === "0") plotly().relayout(plot, whole(view.linear ? {} : base));
    else if (event.key === "Enter" && at >= 0) {
      const { curveNumber, pointNumber } = points[at];
      open({ data: chart.data[curveNumber], customdata: chart.data[curveNumber].customdata[pointNumber] }, root);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** What brings both axes back to where they began. @param {Record<string, any>} layout */
function whole({ xaxis, yaxis }) {
  const ends = (/** @type {string} */ name, /** @type {any} */ axis) => (axis?.range ? { [`${name}.range`]: axis.range } : { [`${name}.autorange`]: true });
  return { ...ends("xaxis", xaxis), ...ends("yaxis", yaxis) };
}

/** @param {any} plot @param {number} times */
function zoom(plot, times) {
  /** @type {Record<string, (number | string)[]>} */
  const ranges = {};
  for (const name of ["xaxis", "yaxis"]) {
    const dates = plot.layout[name].type === "date";
    const [low, high] = plot.layout[name].range.map((/** @type {any} */ end) => (dates ? Date.parse(end) : end));
    const middle = (low + high) / 2;
    ranges[`${name}.range`] = [low, high].map((end) => middle + (end - middle) * times).map((end) => (dates ? new Date(end).toISOString() : end));
  }
  plotly().relayout(plot, ranges);
}

/** Save an image that says by itself what it shows and whence it comes. @param {Drawn | undefined} entry */
function save(entry) {
  if (!entry) return;
  const { figure } = entry;
  const layout = themed(entry);
  const page = getComputedStyle(figure).getPropertyValue("--ga-page").trim();
  const plain = (/** @type {string} */ text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const source = { text: `GPU Almanac, CC BY-SA 4.0, ${window.location.host}${window.location.pathname}`, showarrow: false, xref: "paper", yref: "paper", x: 1, y: 1.04, xanchor: "right", font: { size: 11 } };
  plotly().downloadImage({
    data: visible(entry),
    layout: { ...layout, title: { text: plain(figure.dataset.chartTitle ?? ""), font: { size: 18 }, x: 0.02, xanchor: "left" }, margin: { ...layout.margin, t: 80 }, annotations: [...(layout.annotations ?? []), source], paper_bgcolor: page, plot_bgcolor: page },
  }, { ...IMAGE, filename: fileOf(figure, "").slice(0, -1) });
}

/** The points that are drawn now, as a file. @param {Drawn | undefined} entry @param {string} heads of its first columns */
function saveView(entry, heads) {
  if (!entry) return;
  const { xaxis, yaxis } = themed(entry), title = (/** @type {any} */ axis) => axis.title.text.replace(" (log)", "");
  const traces = /** @type {Trace[]} */ (visible(entry)).filter(({ meta, visible: shown }) => meta?.segments && shown !== false);
  const points = traces.flatMap(({ x, y, text, customdata, name }) => x.map((across, at) => [customdata[at], text[at].split(": ")[0], name, across, y[at]]));
  saveText(lines([[...heads.split(","), title(xaxis), title(yaxis)], ...points.filter((point) => !point.includes(null)).map((point) => point.map(String))]), fileOf(entry.figure, "csv"));
}

const fileOf = (/** @type {HTMLElement} */ figure, /** @type {string} */ kind) => new URL(figure.dataset.chart ?? "", document.baseURI).pathname.split("/").pop()?.replace("json", kind) ?? "";

/** Plotly's own file needs a classic script: it hangs itself on window. @param {URL} root */
function plotlyFrom(root) {
  library ??= new Promise((resolve, reject) => {
    if (plotly()) return resolve(plotly());
    const script = make("script");
    script.src = new URL("javascripts/vendor/plotly-basic.min.js", root).href;
    script.onload = () => setTimeout(() => resolve(plotly())); // its first drawing waits, so that a tap between the two is heard
    script.onerror = () => {
      library = undefined;
      script.remove();
      reject(new Error("plotly-basic.min.js did not load"));
    };
    document.head.append(script);
  });
  return library;
}

/**
 * The layout in the page's colours, light or dark, from the style sheet's variables: each trace names its own.
 * @param {Drawn} entry
 * @returns {Record<string, any>}
 */
function themed({ chart, base, figure, view, measures }) {
  const style = getComputedStyle(figure);
  const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  for (const trace of chart.data) if (trace.meta?.colour) trace.marker.color = colour(trace.meta.colour) || trace.marker.color;
  const colours = { gridcolor: colour("ga-line"), zerolinecolor: colour("ga-line"), linecolor: colour("ga-faint"), tickcolor: colour("ga-faint") };
  const other = { x: measureOf(measures, view.asked.x), y: measureOf(measures, view.asked.y) }, moved = view.linear || other.x || other.y;
  const axis = (/** @type {Record<string, any>} */ own, /** @type {import("./measures.js").Measure | undefined} */ measure) => {
    if (!view.linear && !measure) return { ...own, ...colours };
    const rest = Object.fromEntries(Object.entries(own).filter(([name]) => !OF_THE_PICTURE.includes(name)));
    if (measure) return { ...rest, ...colours, ...axisOf(measure, view.linear) };
    return { ...rest, ...colours, type: "linear", autorange: true, title: { ...own.title, text: own.title?.text?.replace(" (log)", "") } };
  };
  return {
    ...base,
    shapes: (other.x || other.y ? [] : base.shapes)?.map((/** @type {any} */ shape) => ({ ...shape, line: { ...shape.line, color: colour(shape.name) } })),
    annotations: moved ? [] : base.annotations?.map((/** @type {any} */ note) => ({ ...note, font: { ...note.font, color: colour("ga-ink") } })),
    font: { family: style.fontFamily, size: 12, color: colour("ga-ink") },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("ga-faint"), activecolor: colour("ga-ink") },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    hoverlabel: { bgcolor: colour("ga-page"), bordercolor: colour("ga-faint"), font: { color: colour("ga-ink") } },
    xaxis: axis(base.xaxis, other.x),
    yaxis: axis(base.yaxis, other.y),
  };
}

new MutationObserver(() => {
  for (const entry of drawn) {
    if (!entry.plot.isConnected) drawn.delete(entry);
    else plotly().react(entry.plot, visible(entry), themed(entry));
  }
}).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
