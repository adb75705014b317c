/** A table's page. It holds no rules: it shows what the server says can be done, and sends what was chosen. */

import { Bell } from "./bell.js";
import { Choices } from "./choices.js";
import { Clock } from "./clock.js";
import { Line } from "./line.js";
import { remember } from "./motion.js";
import { all, around, byId, said } from "./page.js";
import { Rules } from "./rules.js";
import { Idiomorph } from "./vendor/idiomorph.esm.js";

/** @typedef {import("./page.js").View} View */
/** @typedef {import("./page.js").Answer} Answer */

const tall = matchMedia("(max-width: 760px) or (max-aspect-ratio: 4/5)"); // as in table.css
const table = byId("table");
const log = byId("log");
const lines = byId("lines");
const bell = new Bell();
const clock = new Clock();
const rules = new Rules();
const choices = new Choices(play, (action) => line.ask("why", action));
const line = new Line(address, show, hear, (open) => (byId("lost").hidden = open));

let shown = 0; // the number of the table that is seen
let opened = ""; // the seat whose facts are open, on a phone

function layout() {
  return tall.matches ? "tall" : "wide";
}

function address() {
  return `${location.origin.replace(/^http/, "ws")}/tables/${table.dataset.table}/socket?layout=${layout()}&patches=1`;
}

/** @param {string} action */
function play(action) {
  if (line.act("play", action)) choices.sent(true);
}

/** @param {View} view
 * @param {boolean} mine */
function show(view, mine) {
  const glide = remember();
  for (const [name, html] of Object.entries(view.parts)) morph(name, html);
  tell(view.log);
  choices.refresh(view.last);
  glide();
  if (view.number !== shown) choices.forget();
  shown = view.number;
  table.dataset.number = String(shown);
  bell.tell(view.yours, view.title);
  clock.set(view.due, view.now);
  seat();
  settle(mine, view.yours);
}

/** What a person types is theirs: fields are left as they are.
 * @param {string} name
 * @param {string} html */
function morph(name, html) {
  const callbacks = { beforeNodeMorphed: (/** @type {Node} */ old) => !(old instanceof HTMLInputElement || old instanceof HTMLSelectElement) };
  Idiomorph.morph(byId(name), html, { morphStyle: "outerHTML", callbacks });
}

/** The log grows, or shrinks by what was taken back; it stays at its end if that is where it was.
 * @param {View["log"]} told */
function tell(told) {
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  const first = log.dataset.told === undefined;
  while (lines.children.length > told.from) lines.lastElementChild?.remove();
  const before = lines.children.length;
  lines.insertAdjacentHTML("beforeend", told.lines.join(""));
  if (!first) [...lines.children].slice(before).forEach((item) => item.classList.add("fresh"));
  log.dataset.told = "";
  if (atEnd || first) log.scrollTop = log.scrollHeight;
  const newest = lines.lastElementChild?.firstChild?.textContent;
  if (newest) byId("show-log").textContent = newest;
}

/** The buttons outside the parts that are about the seat one looks from. */
function seat() {
  const leave = document.getElementById("leave");
  if (leave instanceof HTMLButtonElement) leave.value = byId("notice").dataset.seat ?? "";
}

/** After one's own action the focus is on the next choice; the curtain's button has it at once.
 * @param {boolean} mine
 * @param {boolean} yours */
function settle(mine, yours) {
  const curtain = all("[data-take]")[0];
  const lost = document.activeElement === document.body;
  if (curtain) curtain.focus();
  else if (mine || (lost && yours && !document.querySelector("dialog[open]"))) choices.focus();
}

/** @param {Answer} answer */
function hear(answer) {
  choices.sent(false);
  choices.hear(answer);
}

/** @param {MouseEvent} event */
function clicked(event) {
  const button = around(event, "button");
  const menu = /** @type {HTMLDetailsElement} */ (byId("menu"));
  if (!around(event, "#menu")) menu.open = false;
  if (!(button instanceof HTMLButtonElement)) return;
  const { do: what, take, copy, confirm, seat: who } = button.dataset;
  if (what === "hint") line.ask("hint");
  if (what === "undo") undo();
  if (take !== undefined) line.send({ do: "take", seat: Number(take) });
  if (copy !== undefined) void copyLink(button, copy);
  if (confirm !== undefined) ask(event, button, confirm);
  if (who !== undefined) openSeat(who);
  if (button.id === "show-log") button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") !== "true"));
  if ("help" in button.dataset) help();
}

function undo() {
  if (!all("[data-do=undo]:not(:disabled)").length) return;
  if (line.act("undo")) choices.sent(true);
}

/** On a phone a seat's facts open below the strip.
 * @param {string} who */
function openSeat(who) {
  opened = opened === who ? "" : who;
  byId("seats").dataset.open = opened;
}

/** @param {HTMLButtonElement} button
 * @param {string} path */
async function copyLink(button, path) {
  const link = new URL(path, location.href).href;
  if (navigator.clipboard) await navigator.clipboard.writeText(link);
  else copyOldWay(link);
  const text = button.textContent;
  button.textContent = said("copied");
  setTimeout(() => (button.textContent = text), 1500);
}

/** Over plain http, as in a home network, browsers have no clipboard for pages.
 * @param {string} link */
function copyOldWay(link) {
  const field = document.createElement("input");
  field.value = link;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/** Asks before a form is sent.
 * @param {MouseEvent} event
 * @param {HTMLButtonElement} button
 * @param {string} id */
function ask(event, button, id) {
  event.preventDefault();
  const dialog = /** @type {HTMLDialogElement} */ (byId(id));
  dialog.returnValue = "";
  dialog.addEventListener("close", () => dialog.returnValue === "yes" && button.form?.requestSubmit(button), { once: true });
  dialog.showModal();
}

function help() {
  /** @type {HTMLDialogElement} */ (byId("help")).showModal();
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || around(event, "input, select, textarea, dialog:modal")) return;
  const key = event.key.toLowerCase();
  if (/^[1-9]$/.test(key)) choices.digit(key);
  else if (key === "u") undo();
  else if (key === "h") all("[data-do=hint]:not(:disabled)")[0]?.click();
  else if (key === "r") rules.toggle();
  else if (key === "l") log.focus();
  else if (key === "?") help();
}

document.addEventListener("click", clicked);
document.addEventListener("keydown", pressed);
tall.addEventListener("change", () => line.send({ do: "layout", layout: layout() }));
const field = document.getElementById("my-name");
if (field instanceof HTMLInputElement && byId("notice").dataset.seat === "") field.value = table.dataset.name ?? "";
choices.refresh((table.dataset.last ?? "").split(" "));
log.scrollTop = log.scrollHeight;
