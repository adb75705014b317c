/** The line to the server: opens again by itself, and keeps an action until the server has acknowledged it. Without a
 * network no action is taken. */

import { FROM_CACHE, uiText } from "./dom.js";

const BEAT = 5000; // between pings
const SILENCE = 10000; // without a word for so long, the line is dead
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
const NO_TABLE = 4404;
const SESSION_ENDED = 4401; // on another device; whoever has this one is somebody new

/** @typedef {import("./dom.js").View} View */
/** @typedef {import("./dom.js").Answer} Answer */
/** @typedef {import("./dom.js").Present} Present */
/** @typedef {{chat: import("./dom.js").ChatNews}} ChatUpdate */
/** @typedef {"play" | "undo" | "retrace" | "restart" | "ask" | "agree" | "decline" | "resume"} CommandType */
/** @typedef {{type: CommandType, version: number, action?: string, id: number}} Command */

export class Connection {
  /**
   * @param {(latest: number) => string} address where to connect, asked anew each time
   * @param {(view: View, mine: boolean) => void} onView `mine`: it answers what this page has done
   * @param {(answer: Answer) => void} onAnswer
   * @param {(open: boolean) => void} onState
   * @param {(told: Present | ChatUpdate) => void} onOthers who is here, and what they say
   */
  constructor(address, onView, onAnswer, onState, onOthers) {
    this.address = address;
    this.onView = onView;
    this.onAnswer = onAnswer;
    this.onState = onState;
    this.onOthers = onOthers;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Command | null} */
    this.command = null;
    /** @type {number | null} */
    this.resent = null; // the last command that was sent twice
    /** @type {Map<string, string>} */
    this.parts = new Map(); // each as it was last sent
    this.version = 0; // of what the person sees
    this.latest = 0; // of what was heard, and may be waiting to be shown
    this.ids = 0;
    this.wait = FIRST_WAIT;
    this.heard = 0;
    this.timer = 0;
    setInterval(() => this.beat(), BEAT);
    addEventListener("online", () => this.open());
    document.addEventListener("visibilitychange", () => this.beat());
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    if (FROM_CACHE || (this.socket && this.socket.readyState <= WebSocket.OPEN)) return;
    const socket = new WebSocket(this.address(this.latest));
    this.socket = socket;
    this.heard = Date.now();
    socket.onopen = () => this.opened();
    socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    socket.onclose = (event) => socket === this.socket && this.closed(event.code);
  }

  opened() {
    this.onState(true);
    if (document.hidden) this.beat(); // whose page nobody sees is told by a notice
    if (this.command) {
      this.resent = this.command.id;
      this.send(this.command);
    }
  }

  /** @param {number} code */
  closed(code) {
    this.onState(false);
    if (code === NO_TABLE) return;
    if (code === SESSION_ENDED) return location.reload();
    this.timer = setTimeout(() => this.open(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  /** A sleeping device's socket can be dead without having been closed. */
  beat() {
    if (this.socket?.readyState === WebSocket.OPEN && Date.now() - this.heard > SILENCE) {
      const dead = this.socket;
      this.socket = null;
      dead.close();
      this.closed(0);
    }
    this.send({ type: "ping", hidden: document.hidden });
  }

  /** @param {object} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Without a network nothing is asked for, and the reader is told so: by the time it is back, the table may be another.
   * @returns {boolean} */
  refuses() {
    const offline = FROM_CACHE || !navigator.onLine;
    if (offline) this.onAnswer({ type: "refused", text: uiText("offline"), rule: null, actions: [], ack: null });
    return offline;
  }

  /** Asks for something that changes the table; false while the last such thing is still under way.
   * @param {CommandType} what
   * @param {string} [action]
   * @returns {boolean} */
  act(what, action) {
    if (this.command || this.refuses()) return false;
    this.command = { type: what, version: this.version, action, id: ++this.ids };
    this.send(this.command);
    return true;
  }

  /** Asks a question about the table as it is seen now.
   * @param {"hint" | "why"} what
   * @param {object} [about] */
  ask(what, about) {
    if (!this.refuses()) this.send({ type: what, version: this.version, ...about, id: ++this.ids });
  }

  /** @param {View | Answer | Present | ChatUpdate | {pong: 1}} message */
  hear(message) {
    this.heard = Date.now();
    this.wait = FIRST_WAIT; // a server that opens the line and says nothing is not asked again and again
    if ("pong" in message) return;
    if ("here" in message || "chat" in message) return this.onOthers(message);
    const mine = this.settles(message);
    if (mine) this.command = null;
    if ("parts" in message) {
      this.latest = message.version;
      this.mend(message);
      this.onView(message, mine);
    } else if (message.ack === null || message.ack !== this.resent) {
      this.onAnswer(message); // a command that was sent twice may have been done the first time: no need to say so
    }
  }

  /** Makes whole parts of those of which only what has changed was sent: `[place, length, text]`, each a cut in the last one.
   * @param {View} view */
  mend(view) {
    for (const [name, cuts] of Object.entries(view.patches ?? {})) {
      const old = this.parts.get(name) ?? "";
      let html = "";
      let at = 0;
      for (const [place, length, text] of cuts) {
        html += old.slice(at, place) + text;
        at = place + length;
      }
      view.parts[name] = html + old.slice(at);
    }
    for (const [name, html] of Object.entries(view.parts)) this.parts.set(name, html);
  }

  /** Whether the command under way is over with: it was answered, or the table has moved on, by it or without it.
   * @param {View | Answer} message
   * @returns {boolean} */
  settles(message) {
    if (this.command === null) return false;
    return message.ack === this.command.id || ("parts" in message && message.version > this.command.version);
  }
}
