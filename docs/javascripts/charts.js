// Charts: a static picture until somebody touches it; then Plotly, from our own host, loaded once.

const IMAGE = { format: "png", width: 1200, height: 720, scale: 2 };
const drawn = new Set();
let library;

export function start(page, root) {
  for (const figure of page.querySelectorAll("[data-chart]")) {
    if (figure.dataset.ready) continue;
    figure.dataset.ready = "yes";
    const begin = () => draw(figure, root);
    figure.querySelector("[data-chart-start]")?.addEventListener("click", async () => (await begin())?.plot.focus());
    figure.querySelector("[data-chart-image]")?.addEventListener("click", async () => save(await begin()));
    const stage = figure.querySelector(".ga-stage");
    stage.addEventListener("pointerenter", begin, { once: true });
    stage.addEventListener("focusin", begin, { once: true });
  }
}

// Draws a figure once: {plot, chart, figure}, or nothing where it could not be loaded.
function draw(figure, root) {
  figure.drawing ??= load(figure, root).catch((error) => {
    figure.drawing = undefined;
    figure.dataset.state = "";
    figure.querySelector("[data-chart-start]").textContent = "The chart could not be loaded; try again";
    console.warn(error);
  });
  return figure.drawing;
}

async function load(figure, root) {
  figure.dataset.state = "loading";
  const button = figure.querySelector("[data-chart-start]");
  button.textContent = "Loading …";
  const address = new URL(figure.dataset.chart, document.baseURI);
  const [plotly, chart] = await Promise.all([plotlyFrom(root), fetch(address).then((answer) => {
    if (!answer.ok) throw new Error(`${address.pathname}: ${answer.status}`);
    return answer.json();
  })]);
  const stage = figure.querySelector(".ga-stage");
  const plot = frame(figure, stage);
  stage.append(plot);
  await plotly.newPlot(plot, chart.data, themed(chart, figure), { responsive: true, displaylogo: false, displayModeBar: true, modeBarButtons: [["zoom2d", "pan2d", "resetScale2d"]] });
  for (const svg of stage.querySelectorAll(":scope > svg")) svg.remove();
  const entry = { plot, chart, figure };
  plot.on("plotly_click", (event) => open(event.points[0], root));
  steps(entry, root);
  drawn.add(entry);
  figure.dataset.state = "drawn";
  button.remove();
  return entry;
}

// As high as the picture that it replaces, so that nothing below it moves.
function frame(figure, stage) {
  const plot = document.createElement("div");
  plot.className = "ga-plot";
  plot.tabIndex = 0;
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-label", `${figure.dataset.chartName}, interactive. Left and right step from point to point, Enter opens the card, plus and minus zoom, 0 shows all.`);
  const picture = [...stage.querySelectorAll("svg")].find((svg) => svg.getBoundingClientRect().height);
  if (picture) plot.style.setProperty("height", `${picture.getBoundingClientRect().height}px`);
  return plot;
}

function open(point, root) {
  if (point?.data.meta?.key === "gpu") window.location.assign(new URL(`gpus/${point.customdata}/`, root));
}

// The keyboard: from point to point in the order of the horizontal axis, and zoom about the middle.
function steps({ plot, chart }, root) {
  const points = chart.data.flatMap((trace, curveNumber) => trace.x.map((x, pointNumber) => ({ curveNumber, pointNumber, x })));
  points.sort((a, b) => (a.x < b.x ? -1 : a.x > b.x ? 1 : 0));
  const said = plot.parentElement.appendChild(document.createElement("p"));
  said.className = "ga-quiet-text";
  said.setAttribute("aria-live", "polite");
  let at = -1;
  plot.addEventListener("keydown", (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const times = { "+": 0.7, "=": 0.7, "-": 1 / 0.7 }[event.key];
    if (move) {
      at = (at + move + points.length) % points.length;
      const { curveNumber, pointNumber } = points[at];
      window.Plotly.Fx.hover(plot, [{ curveNumber, pointNumber }]);
      said.textContent = chart.data[curveNumber].text[pointNumber];
    } else if (times) zoom(plot, times);
    else if (event.key === "0") window.Plotly.relayout(plot, { "xaxis.autorange": true, "yaxis.autorange": true });
    else if (event.key === "Enter" && at >= 0) {
      const { curveNumber, pointNumber } = points[at];
      open({ data: chart.data[curveNumber], customdata: chart.data[curveNumber].customdata[pointNumber] }, root);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function zoom(plot, times) {
  const ranges = {};
  for (const name of ["xaxis", "yaxis"]) {
    const dates = plot.layout[name].type === "date";
    const [low, high] = plot.layout[name].range.map((end) => (dates ? Date.parse(end) : end));
    const middle = (low + high) / 2;
    ranges[`${name}.range`] = [low, high].map((end) => middle + (end - middle) * times).map((end) => (dates ? new Date(end).toISOString() : end));
  }
  window.Plotly.relayout(plot, ranges);
}

// An image that says by itself what it shows and whence it comes.
function save(entry) {
  if (!entry) return;
  const { chart, figure } = entry;
  const layout = themed(chart, figure);
  const page = getComputedStyle(figure).getPropertyValue("--ga-page").trim();
  const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const source = { text: `GPU Almanac, CC BY-SA 4.0, ${window.location.host}${window.location.pathname}`, showarrow: false, xref: "paper", yref: "paper", x: 1, y: 1.04, xanchor: "right", font: { size: 11 } };
  window.Plotly.downloadImage({
    data: chart.data,
    layout: { ...layout, title: { text: plain(figure.dataset.chartTitle), font: { size: 18 }, x: 0.02, xanchor: "left" }, margin: { ...layout.margin, t: 80 }, annotations: [source], paper_bgcolor: page, plot_bgcolor: page },
  }, { ...IMAGE, filename: new URL(figure.dataset.chart, document.baseURI).pathname.split("/").pop().replace(".json", "") });
}

// Plotly's own file needs a classic script: it hangs itself on window.
function plotlyFrom(root) {
  library ??= new Promise((resolve, reject) => {
    if (window.Plotly) return resolve(window.Plotly);
    const script = document.createElement("script");
    script.src = new URL("javascripts/vendor/plotly-basic.min.js", root);
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      library = undefined;
      script.remove();
      reject(new Error("plotly-basic.min.js did not load"));
    };
    document.head.append(script);
  });
  return library;
}

// The page's colours, light or dark, from the style sheet's variables: each trace names its own.
function themed(chart, figure) {
  const style = getComputedStyle(figure);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  for (const trace of chart.data) if (trace.meta?.colour) trace.marker.color = colour(trace.meta.colour) || trace.marker.color;
  const axis = { gridcolor: colour("ga-line"), zerolinecolor: colour("ga-line"), linecolor: colour("ga-faint") };
  return {
    ...chart.layout,
    shapes: chart.layout.shapes?.map((shape) => ({ ...shape, line: { ...shape.line, color: colour(shape.name) } })),
    font: { family: style.fontFamily, size: 12, color: colour("ga-ink") },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("ga-faint"), activecolor: colour("ga-ink") },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    hoverlabel: { bgcolor: colour("ga-page"), bordercolor: colour("ga-faint"), font: { color: colour("ga-ink") } },
    xaxis: { ...chart.layout.xaxis, ...axis },
    yaxis: { ...chart.layout.yaxis, ...axis },
  };
}

new MutationObserver(() => {
  for (const entry of drawn) {
    if (!entry.plot.isConnected) drawn.delete(entry);
    else window.Plotly.react(entry.plot, entry.chart.data, themed(entry.chart, entry.figure));
  }
}).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
