// A button that passes on the page as it stands: by the sheet of a phone, else its address is copied.

import { copied } from "./elements.js";

/** @param {Document} page */
export function start(page) {
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (page.querySelectorAll("button[data-share]:not([data-ready])"))) {
    button.dataset.ready = "yes";
    button.addEventListener("click", () => {
      const { href: url } = window.location;
      if (navigator.share) navigator.share({ title: document.title, url }).catch(() => {}); // closed again
      else copied(url, /** @type {HTMLElement} */ (button.nextElementSibling));
    });
  }
}
