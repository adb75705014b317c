/** The rules beside the board: fetched when they are first asked for, opened at a rule by any link to it. */

import { PHONE, closest, byId, uiText } from "./dom.js";

const phone = matchMedia(PHONE);

export class Rules {
  constructor() {
    this.panel = /** @type {HTMLDialogElement} */ (byId("rules"));
    this.text = byId("rules-text");
    this.address = `/rules/${byId("table").dataset.game}`;
    /** @type {Promise<void> | null} */
    this.fetched = null;
    document.addEventListener("click", (event) => this.clicked(event));
    this.panel.addEventListener("keydown", (event) => event.key === "Escape" && this.panel.close());
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const link = closest(event, "a[data-rules], a.rule, #rules-text a");
    if (!(link instanceof HTMLAnchorElement) || link.pathname !== this.address || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void this.open(link.hash.slice(1));
  }

  toggle() {
    if (this.panel.open) this.panel.close();
    else void this.open("");
  }

  /** @param {string} rule */
  async open(rule) {
    if (!this.panel.open) {
      if (phone.matches) this.panel.showModal();
      else this.panel.show();
    }
    this.fetched ??= this.fetch();
    await this.fetched;
    this.text.querySelectorAll(".here").forEach((one) => one.classList.remove("here"));
    const found = rule ? this.text.querySelector(`#${CSS.escape(rule)}`) : null;
    found?.classList.add("here");
    found?.scrollIntoView({ block: "center" });
    this.text.focus({ preventScroll: true });
  }

  async fetch() {
    try {
      const answer = await fetch(`${this.address}?fragment=1`);
      if (!answer.ok) throw new Error(answer.statusText);
      this.text.innerHTML = await answer.text(); // our own page
    } catch {
      this.text.textContent = uiText("noRules");
      this.fetched = null;
    }
  }
}
