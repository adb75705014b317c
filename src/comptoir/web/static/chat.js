/** Table talk: phrases and, where it is allowed, what people write; a bubble at the speaker's panel, and a list of the last. */

import { all, closest, byId, uiText } from "./dom.js";

const LASTS = 5000; // milliseconds that a bubble is shown
const MAX_LINES = 50;
const EDGE = 8; // from the window's
const NAME = 30; // pixels of a panel that its name takes

/** @typedef {import("./dom.js").ChatNews} ChatNews */
/** @typedef {import("./dom.js").ChatMessage} ChatMessage */

export class Chat {
  /** @param {(message: object) => void} send */
  constructor(send) {
    this.send = send;
    this.sheet = /** @type {HTMLDetailsElement} */ (byId("talk"));
    this.log = byId("talk-log");
    this.list = byId("sayings");
    this.unheard = 0;
    /** @type {Map<number, number>} */
    this.timers = new Map(); // of bubbles, by seat
    this.sheet.addEventListener("toggle", () => this.opened());
    this.sheet.addEventListener("click", (event) => this.clicked(event));
    this.sheet.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    this.form()?.addEventListener("submit", (event) => this.write(event));
  }

  form() {
    return document.getElementById("write");
  }

  field() {
    return /** @type {HTMLInputElement} */ (byId("written"));
  }

  /** @param {ChatNews} news */
  tell(news) {
    if (news.reset) this.list.replaceChildren();
    for (const one of news.messages) this.add(one);
    while (this.list.children.length > MAX_LINES) this.list.firstElementChild?.remove();
    byId("muted").replaceChildren(...news.muted.map(({ seat, name }) => unmuting(seat, name)));
    byId("talk-none").hidden = this.list.children.length > 0;
    this.log.hidden = !this.list.children.length;
    this.log.scrollTop = this.log.scrollHeight;
    if (!news.reset) this.notice(news.messages);
  }

  /** @param {ChatMessage} one */
  add(one) {
    const item = document.createElement("li");
    item.className = `of-${one.seat}`;
    const name = document.createElement("b");
    name.textContent = one.name;
    const text = document.createElement("span");
    text.textContent = one.text;
    item.append(name, " ", text);
    if (!one.mine) item.append(about(one));
    this.list.append(item);
  }

  /** What has just been said: a bubble each, and a number of those of others, if the list is not open.
   * @param {ChatMessage[]} news */
  notice(news) {
    if (this.sheet.open) return;
    for (const one of news) this.bubble(one);
    this.unheard += news.filter((one) => !one.mine).length;
    this.count();
  }

  count() {
    const mark = byId("unheard");
    mark.hidden = !this.unheard;
    mark.textContent = String(Math.min(99, this.unheard));
  }

  /** @param {ChatMessage} one */
  bubble(one) {
    const place = all(`#seat-${one.seat}, .seating li.of-${one.seat}`).find((panel) => panel.checkVisibility());
    if (!place) return;
    document.getElementById(`bubble-${one.seat}`)?.remove();
    clearTimeout(this.timers.get(one.seat));
    const others = all(".bubble").map((other) => other.getBoundingClientRect());
    const bubble = document.createElement("p");
    bubble.id = `bubble-${one.seat}`;
    bubble.className = `bubble of-${one.seat}`;
    const name = document.createElement("span");
    name.className = "unseen";
    name.textContent = `${one.name} `;
    bubble.append(name, one.text);
    byId("bubbles").append(bubble);
    // within the speaker's own panel, below the name; where it is too small, below all of them
    const { left, top: head, bottom, width } = place.getBoundingClientRect();
    const within = head + NAME + bubble.offsetHeight <= bottom + 4 && bubble.offsetWidth <= width;
    const start = within ? left + 8 : Math.min(left + Math.min(width / 3, 40), innerWidth - bubble.offsetWidth - EDGE);
    const foot = Math.max(bottom, ...all(".seats > .seat").map((seat) => seat.getBoundingClientRect().bottom));
    const top = within ? head + NAME : Math.max(foot, ...others.map((other) => other.bottom)) + 6; // below those that are shown
    bubble.style.left = `${Math.max(EDGE, start)}px`;
    bubble.style.top = `${Math.max(EDGE, Math.min(top, innerHeight - bubble.offsetHeight - EDGE))}px`;
    this.timers.set(one.seat, setTimeout(() => bubble.remove(), LASTS));
  }

  close() {
    this.sheet.open = false;
    this.sheet.querySelector("summary")?.focus();
  }

  opened() {
    if (!this.sheet.open) return;
    this.unheard = 0;
    this.count();
    this.answer("");
    this.log.scrollTop = this.log.scrollHeight;
  }

  /** What the server says to what was sent; nothing, if all went well.
   * @param {string} text */
  answer(text) {
    byId("talk-said").textContent = text;
    if (text && !this.sheet.open) this.sheet.open = true;
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const { phrase, mute, unmute, report } = closest(event, "button")?.dataset ?? {};
    if (phrase !== undefined) {
      this.send({ type: "phrase", phrase });
      this.close(); // the bubble is to be seen
    }
    if (mute !== undefined) this.send({ type: "mute", n: Number(mute) });
    if (unmute !== undefined) this.send({ type: "unmute", seat: Number(unmute) });
    if (report !== undefined) this.send({ type: "report", n: Number(report) });
  }

  /** What was written stays in its field until the server has taken it: nothing is lost.
   * @param {Event} event */
  write(event) {
    event.preventDefault();
    const text = this.field().value.trim();
    if (text) this.send({ type: "chat", text });
  }

  /** Mine has come back: it is said. */
  written() {
    if (this.form()) this.field().value = "";
  }
}

/** What can be done about what somebody has said.
 * @param {ChatMessage} one */
function about(one) {
  const more = document.createElement("details");
  const opens = document.createElement("summary");
  opens.textContent = "⋯";
  opens.setAttribute("aria-label", uiText("about").replace("{name}", one.name));
  const choices = [button(uiText("mute"), "mute", one.n)];
  if (one.written) choices.push(button(uiText("report"), "report", one.n));
  more.append(opens, ...choices);
  return more;
}

/** @param {number} seat
 * @param {string} name */
function unmuting(seat, name) {
  const line = document.createElement("p");
  line.append(uiText("muted").replace("{name}", name), " ", button(uiText("unmute"), "unmute", seat));
  return line;
}

/** @param {string} label
 * @param {string} what
 * @param {number} value */
function button(label, what, value) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "quiet";
  made.textContent = label;
  made.dataset[what] = String(value);
  return made;
}
