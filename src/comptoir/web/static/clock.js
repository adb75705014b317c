/** What each seat has left of its turn and in reserve, by the server's time; only the clock that runs counts down. */

import { all, byId, uiText } from "./dom.js";

const LATE = 10; // seconds
const LATE_DAYS = 3600;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;

export class Clock {
  constructor() {
    this.ahead = 0; // seconds that the server's clock is ahead of ours
    setInterval(() => this.tick(), 250);
  }

  /** After the page has changed.
   * @param {number} now the server's time */
  set(now) {
    this.ahead = now - Date.now() / 1000;
    this.tick();
  }

  tick() {
    const now = Date.now() / 1000 + this.ahead;
    const large = byId("clock");
    const panels = all(".seat > .time");
    large.hidden = !panels.some((panel) => "since" in panel.dataset);
    for (const panel of panels) {
      const { turn, reserve, late } = left(panel, now);
      const text = [turn, reserve].filter(Boolean).join(" + ");
      write(panel.getElementsByClassName("left")[0], text);
      panel.classList.toggle("late", late);
      if (!("since" in panel.dataset)) continue;
      write(large, turn || reserve);
      large.classList.toggle("late", late);
    }
  }
}

/** @param {Element} element
 * @param {string} text */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** What is left on a panel: of the turn, nothing once it is used up.
 * @param {HTMLElement} panel
 * @param {number} now
 * @returns {{turn: string, reserve: string, late: boolean}} */
function left({ dataset }, now) {
  const used = "since" in dataset ? passed(Number(dataset.since), dataset.nights ?? "", now) : 0;
  const turn = Math.max(0, Number(dataset.turn) - used);
  const reserve = Math.max(0, Number(dataset.reserve) - Math.max(0, used - Number(dataset.turn)));
  const days = "days" in dataset;
  const late = "since" in dataset && turn + reserve <= (days ? LATE_DAYS : LATE);
  const words = days ? inDays : inMinutes;
  return { turn: turn > 0 ? words(turn) : "", reserve: reserve > 0 || turn <= 0 ? words(reserve) : "", late };
}

/** The seconds since then, without those of nights: `from-to from-to`.
 * @param {number} since
 * @param {string} nights
 * @param {number} now */
function passed(since, nights, now) {
  let seconds = Math.max(0, now - since);
  for (const night of nights.split(" ").filter(Boolean)) {
    const [from, to] = night.split("-").map(Number);
    seconds -= Math.max(0, Math.min(now, to) - Math.max(since, from));
  }
  return seconds;
}

/** @param {number} seconds */
function inMinutes(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / MINUTE)}:${String(whole % MINUTE).padStart(2, "0")}`;
}

/** @param {number} seconds */
function inDays(seconds) {
  const minutes = Math.ceil(seconds / MINUTE);
  const [days, hours] = [Math.floor((minutes * MINUTE) / DAY), Math.floor((minutes * MINUTE) / HOUR) % 24];
  if (days) return hours ? `${days} ${uiText("day")} ${hours} h` : `${days} ${uiText("day")}`;
  return hours ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}
