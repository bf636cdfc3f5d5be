// Charts: a static picture until somebody touches it; then Plotly, from our own host, loaded once.

const drawn = new Set();
let library;

export function start(page, root) {
  for (const figure of page.querySelectorAll("[data-chart]")) {
    if (figure.dataset.ready) continue;
    figure.dataset.ready = "yes";
    const begin = () => draw(figure, root);
    figure.querySelector("[data-chart-start]")?.addEventListener("click", begin);
    const stage = figure.querySelector(".ga-stage");
    stage.addEventListener("pointerenter", begin, { once: true });
    stage.addEventListener("focusin", begin, { once: true });
  }
}

async function draw(figure, root) {
  if (figure.dataset.state) return;
  figure.dataset.state = "loading";
  const button = figure.querySelector("[data-chart-start]");
  button.textContent = "Loading …";
  try {
    const address = new URL(figure.dataset.chart, document.baseURI);
    const [plotly, chart] = await Promise.all([load(root), fetch(address).then((answer) => {
      if (!answer.ok) throw new Error(`${address.pathname}: ${answer.status}`);
      return answer.json();
    })]);
    const plot = document.createElement("div");
    plot.className = "ga-plot";
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", `${figure.dataset.chartName}, interactive`);
    const stage = figure.querySelector(".ga-stage");
    const picture = [...stage.querySelectorAll("svg")].find((svg) => svg.getBoundingClientRect().height);
    if (picture) plot.style.setProperty("height", `${picture.getBoundingClientRect().height}px`);
    stage.append(plot);
    await plotly.newPlot(plot, chart.data, themed(chart, figure), { responsive: true, displaylogo: false, displayModeBar: true, modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]] });
    for (const svg of stage.querySelectorAll(":scope > svg")) svg.remove();
    plot.on("plotly_click", (event) => {
      const gpu = event.points[0]?.customdata;
      if (gpu) window.location.assign(new URL(`gpus/${gpu}/`, root));
    });
    drawn.add({ plot, chart, figure });
    figure.dataset.state = "drawn";
    button.remove();
  } catch (error) {
    figure.dataset.state = "";
    button.textContent = "The chart could not be loaded; try again";
    console.warn(error);
  }
}

// Plotly's own file needs a classic script: it hangs itself on window.
function load(root) {
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

// The page's colours, light or dark, from the style sheet's variables.
function themed(chart, figure) {
  const style = getComputedStyle(figure);
  const colour = (name) => style.getPropertyValue(`--ga-${name}`).trim();
  for (const trace of chart.data) if (trace.meta?.vendor) trace.marker.color = colour(`v-${trace.meta.vendor}`) || trace.marker.color;
  const axis = { gridcolor: colour("line"), zerolinecolor: colour("line"), linecolor: colour("faint") };
  return {
    ...chart.layout,
    font: { family: style.fontFamily, size: 12, color: colour("ink") },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("faint"), activecolor: colour("ink") },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    hoverlabel: { bgcolor: colour("page"), bordercolor: colour("faint"), font: { color: colour("ink") } },
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
