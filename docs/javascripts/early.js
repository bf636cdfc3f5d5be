// Runs before the theme's own script and before anything is drawn: light or dark, and a search that waits.
// A classic script in the head of the page, so that no page shows in one colour and then in the other.

// The theme says so later, and each time the whole page is styled again; here nothing is styled yet.
document.documentElement.className = "js js-focus-visible";

const AUTOMATIC = "(prefers-color-scheme)";
const KEPT = "__palette"; // where the theme keeps the reader's choice

// The theme's instant navigation makes every address absolute, which loads each style sheet anew and styles the whole
// page again. Here the same is done while there is no page yet.
for (const sheet of /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll("link[rel=stylesheet]"))) sheet.setAttribute("href", sheet.href);

// A page that the address asks for cards keeps room for them.
if (/[?&][abg]=/.test(window.location.search)) document.documentElement.dataset.asked = "yes";

// The market whose prices show: of the address, else as chosen before; without either the first of the header's switch.
(() => {
  const choice = /** @type {HTMLSelectElement} */ (document.querySelector("form[data-markets] select"));
  const known = [...choice.options].map((option) => option.value);
  let market = new URLSearchParams(window.location.search).get("market") ?? "";
  try {
    if (known.includes(market)) window.localStorage.setItem("ga-market", market);
    else market = window.localStorage.getItem("ga-market") ?? "";
  } catch {
    // A browser that keeps nothing shows what the address says.
  }
  choice.value = document.documentElement.dataset.market = known.includes(market) ? market : known[0];
})();

// Light or dark. The theme's own switch makes the browser style the whole page three times over at the start.
(() => {
  const inputs = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll(`input[name="${KEPT}"]`)]);
  const { __md_get: get, __md_set: set } = /** @type {{ __md_get: (key: string) => any, __md_set: (key: string, value: any) => void }} */ (/** @type {unknown} */ (window));
  const light = window.matchMedia("(prefers-color-scheme: light)");
  const scheme = document.head.appendChild(Object.assign(document.createElement("meta"), { name: "color-scheme" }));
  const tint = document.head.appendChild(Object.assign(document.createElement("meta"), { name: "theme-color" }));
  let index = Math.max(0, Math.min(get(KEPT)?.index ?? 0, inputs.length - 1));

  const coloursOf = (/** @type {HTMLInputElement} */ input) => Object.fromEntries(["scheme", "primary", "accent"].map((name) => [name, input.getAttribute(`data-md-color-${name}`)]));
  const show = () => {
    const media = inputs[index].getAttribute("data-md-color-media");
    const wanted = (media === AUTOMATIC && inputs.find((input) => input.getAttribute("data-md-color-media") === `(prefers-color-scheme: ${light.matches ? "light" : "dark"})`)) || inputs[index];
    const colours = /** @type {Record<string, string | null>} */ ({ media, ...coloursOf(wanted) });
    for (const [name, value] of Object.entries(colours))
      if (document.body.getAttribute(`data-md-color-${name}`) !== value) document.body.setAttribute(`data-md-color-${name}`, value ?? "");
    inputs.forEach((input, at) => { input.nextElementSibling?.toggleAttribute("hidden", at !== index); });
    scheme.content = colours.scheme === "slate" ? "dark" : "light";
    return colours;
  };
  const paintFrame = () => { tint.content = window.getComputedStyle(document.querySelector(".md-header") ?? document.body).backgroundColor; };

  show();
  window.addEventListener("load", paintFrame);
  const change = () => {
    set(KEPT, { index, color: show() });
    paintFrame();
  };
  inputs.forEach((input, at) => input.addEventListener("change", () => {
    index = at;
    change();
  }));
  light.addEventListener("change", () => {
    show();
    paintFrame();
  });
  inputs[0].form?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const next = inputs[(index + 1) % inputs.length];
    next.click();
    next.focus();
  });
})();

// The search: an index and a worker that few readers need, held back until somebody turns to it.
// Each of the two patches undoes itself once it has caught what it waits for.
(() => {
  const asked = new URLSearchParams(window.location.search);
  const wanted = /** @type {Promise<void>} */ (new Promise((resolve) => {
    if (asked.has("q") || asked.has("h")) resolve();
    else document.addEventListener("focusin", ({ target }) => /** @type {Element} */ (target).closest?.(".md-search") && resolve());
  }));

  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (/** @type {any[]} */ ...asked) {
    open.apply(this, /** @type {any} */ (asked));
    if (!new URL(asked[1], document.baseURI).pathname.endsWith("/search/search_index.json")) return;
    XMLHttpRequest.prototype.open = open;
    this.send = (body) => wanted.then(() => XMLHttpRequest.prototype.send.call(this, body));
  };

  // The theme writes to its worker once it has the index; only then is there a real one.
  const RealWorker = window.Worker;
  window.Worker = /** @type {any} */ (class extends EventTarget {
    constructor(/** @type {string} */ address) {
      super();
      this.address = address;
      window.Worker = RealWorker;
    }

    postMessage(/** @type {unknown} */ message) {
      if (!this.worker) {
        this.worker = new RealWorker(this.address);
        this.worker.addEventListener("message", ({ data }) => this.dispatchEvent(new MessageEvent("message", { data })));
      }
      this.worker.postMessage(message);
    }
  });
})();
