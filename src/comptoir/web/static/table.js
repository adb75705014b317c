/** A table's page. It holds no rules: it shows what the server says can be done, and sends what was chosen. */

import { TurnAlerts } from "./turn-alerts.js";
import { Choices } from "./choices.js";
import { Clock } from "./clock.js";
import { Presence } from "./presence.js";
import { TurnEnd } from "./turn-end.js";
import { SeatDetails } from "./seat-details.js";
import { LessonGuide } from "./lesson.js";
import { Connection } from "./connection.js";
import { remember } from "./motion.js";
import { TALL, all, closest, byId, uiText } from "./dom.js";
import { BotSpeed } from "./bot-speed.js";
import { Rules } from "./rules.js";
import { UpdateQueue } from "./update-queue.js";
import { Chat } from "./chat.js";
import { Log } from "./log.js";
import { Zoom } from "./zoom.js";
import { Idiomorph } from "./vendor/idiomorph.esm.js";

/** @typedef {import("./dom.js").View} View */
/** @typedef {import("./dom.js").Answer} Answer */

/** @type {Record<string, number>} */
const CLOSER = { "+": 1.25, "=": 1.25, "-": 0.8 };
const SIDEWAYS = 0.6; // of the window's width: so wide a board is alone on a phone that is held sideways
const tall = matchMedia(TALL);
const table = byId("table");
const turnAlerts = new TurnAlerts();
const clock = new Clock();
const presence = new Presence();
const seatDetails = new SeatDetails();
const rules = new Rules();
const log = new Log();
const updateQueue = new UpdateQueue(show);
const zoom = new Zoom(all(".board")[0]);
const botSpeed = new BotSpeed((message) => connection.send(message), skip);
const turnEnd = new TurnEnd((message) => connection.send(message), act, undo);
const choices = new Choices(play, (about) => connection.ask("why", about));
const lesson = new LessonGuide(choices, back, bring);
const chat = new Chat((message) => connection.send(message));
const connection = new Connection(address, (view, mine) => updateQueue.add(view, mine), hear, (open) => (byId("lost").hidden = open), hearOthers);

let shown = 0; // the version of the table that is seen
/** @type {string | undefined} */
let laid; // the layout of the board that is seen
let wide = 0; // pixels of the board's pane
let undone = -1; // the version at which it was last asked to undo

function layout() {
  return tall.matches ? "tall" : "wide";
}

/** @param {number} latest the version that was last heard */
function address(latest) {
  return `${location.origin.replace(/^http/, "ws")}/tables/${table.dataset.table}/socket?layout=${layout()}&patches=1&seen=${Math.max(Number(table.dataset.rendered ?? 0), latest)}${document.hidden ? "&hidden=1" : ""}`;
}

/** @param {string} action */
function play(action) {
  if (!turnEnd.hold(action)) act(action);
}

/** @param {string} action */
function act(action) {
  if (connection.act("play", action)) choices.sent(true);
}

/** In a lesson: back to where it was left, or to its start.
 * @param {"retrace" | "restart"} what */
function back(what) {
  /** @type {HTMLDetailsElement} */ (byId("menu")).open = false;
  if (connection.act(what)) choices.sent(true);
}

/** @param {View} view
 * @param {boolean} mine
 * @returns {import("./update-queue.js").Shown} */
function show(view, mine) {
  const glide = remember(mine || view.tempo !== "at once");
  for (const [name, html] of Object.entries(view.parts)) morph(name, html);
  const moment = log.tell(view.log);
  botSpeed.tell(view);
  choices.refresh(view.last);
  lesson.refresh();
  turnEnd.tell(view);
  const lasts = glide();
  connection.version = view.version;
  if (view.version !== shown) choices.forget();
  shown = view.version;
  table.dataset.version = String(shown);
  turnAlerts.tell(view.yours, view.title, moment, byId("notice").dataset.state === "over");
  clock.set(view.now);
  seat();
  presence.refresh();
  seatDetails.refresh();
  settle(mine, view.yours);
  if (byId("notice").dataset.state === "over") showAlone(false); // the score sheet has the room
  cover();
  if (laid !== byId("chart").dataset.layout) centre();
  else {
    if (mine) zoom.moved = false;
    if (mine || !zoom.moved) zoom.bring(onBoard(view.last)); // what is done is seen where it is done
    if (view.yours) bring();
  }
  return { lasts, moment };
}

/** What bots do until a person is to decide is not shown any more. */
function skip() {
  updateQueue.hurry();
  log.hush();
}

/** The first of these places that is on the board, if any is.
 * @param {string[]} names */
function onBoard(names) {
  const spots = all("#pieces .spot");
  return names.flatMap((name) => spots.filter((spot) => spot.dataset.spot === name)).slice(0, 1);
}

/** What a lesson points at, first of all the main place of what it asks for; or else where I can go; where I can
 * only end my turn, what it can be ended with. */
function places() {
  const asked = onBoard(choices.pointed);
  if (asked.length) return asked;
  const wanted = all("#pieces .spot.wanted");
  const may = all("#pieces .spot.may");
  const going = may.filter((spot) => !choices.ends(spot));
  return [wanted, going, may].find((spots) => spots.length) ?? [];
}

/** Where the board is larger than its place, what matters now is brought into view, if none of it is: where I can go,
 * or else what was done last. */
function bring() {
  const here = places();
  zoom.bring(here.length ? here : all("#pieces .spot.last"));
}

/** There it opens on what matters now: where I can go, or what was done last. */
function centre() {
  cover();
  if (!byId("chart").childElementCount) return; // before the match there is no board
  laid = byId("chart").dataset.layout;
  zoom.centre(places().concat(all("#pieces .spot.last")));
}

/** The board alone on a phone's screen, or all of the table again; the device's own way back does the same.
 * @param {boolean} alone */
function showAlone(alone) {
  if (alone === document.body.classList.contains("alone")) return;
  document.body.classList.toggle("alone", alone);
  byId("alone").setAttribute("aria-pressed", String(alone));
  cover();
  if (alone) history.pushState("alone", "");
  else if (history.state === "alone") history.back();
  zoom.by((alone && innerWidth > innerHeight ? SIDEWAYS : 1) / zoom.times);
  centre();
}

/** How much of the board's foot lies under strip, sentence and dock. */
function cover() {
  const board = all(".board")[0].getBoundingClientRect();
  const feet = all(".told, .says, .dock").map((one) => one.getBoundingClientRect());
  const over = feet.filter(({ width, left, top }) => width && left < board.right - 1 && top > board.top && top < board.bottom);
  zoom.cover(Math.round(board.bottom - Math.min(board.bottom, ...over.map(({ top }) => top))));
}

/** A device that is turned, or a window of another width, opens the board again. */
function turned() {
  const now = all(".board")[0].offsetWidth;
  if (now !== wide) centre();
  wide = now;
}

/** What a person types is theirs: fields are left as they are.
 * @param {string} name
 * @param {string} html */
function morph(name, html) {
  const callbacks = { beforeNodeMorphed: (/** @type {Node} */ old) => !(old instanceof HTMLElement && old.matches("input, select, .here")) };
  Idiomorph.morph(byId(name), html, { morphStyle: "outerHTML", callbacks });
}

/** The buttons outside the parts that are about the seat one looks from. */
function seat() {
  const leave = document.getElementById("leave");
  if (leave instanceof HTMLButtonElement) leave.value = byId("notice").dataset.seat ?? "";
}

/** After one's own action the focus is on the choices; the curtain's button has it at once.
 * @param {boolean} mine
 * @param {boolean} yours */
function settle(mine, yours) {
  const curtain = all("[data-take]")[0];
  const lost = document.activeElement === document.body;
  if (curtain) curtain.focus();
  else if (mine || (lost && yours && !document.querySelector("dialog[open]"))) choices.focus();
}

/** @param {import("./dom.js").Present | import("./connection.js").ChatUpdate} update */
function hearOthers(update) {
  if ("here" in update) return presence.tell(update);
  chat.tell(update.chat);
  if (update.chat.messages.some((one) => one.mine && one.written)) chat.written();
}

/** @param {Answer} answer */
function hear(answer) {
  if (answer.type === "chat") return chat.answer(answer.text);
  choices.sent(false);
  choices.hear(answer);
  if (answer.type === "refused" && undone === connection.version) refuseUndo(answer.text);
}

/** @param {MouseEvent} event */
function clicked(event) {
  const button = closest(event, "button");
  for (const menu of ["menu", "talk"]) {
    if (!closest(event, `#${menu}`)) /** @type {HTMLDetailsElement} */ (byId(menu)).open = false;
  }
  if (closest(event, ".who, .facts")) explain(event);
  if (closest(event, ".board")) provisional(event);
  if (!(button instanceof HTMLButtonElement)) return;
  const { do: what, take, copy, share: shared, confirm, ask: wish } = button.dataset;
  if (what === "hint") connection.ask("hint");
  if (what === "undo") undo();
  if (what === "agree" || what === "decline" || what === "resume") connection.act(what);
  if (wish !== undefined) propose(wish);
  if (take !== undefined) connection.send({ type: "take_device", seat: Number(take) });
  if (copy !== undefined) void copyLink(button, copy);
  if (shared !== undefined) void share(shared);
  if (confirm !== undefined) ask(event, button, confirm);
  if ("help" in button.dataset) help();
  if ("forget" in button.dataset) choices.forget();
}

/** @param {MouseEvent} event */
function explain(event) {
  const seat = closest(event, ".seat")?.id.replace("seat-", "");
  if (seat !== undefined) seatDetails.toggle(seat, event.timeStamp);
}

/** The note that figures are provisional is on the chart, under the pieces: what it means is told.
 * @param {MouseEvent} event */
function provisional(event) {
  const note = document.elementsFromPoint(event.clientX, event.clientY).find((one) => one.closest(".placeholder-note"));
  const told = note?.closest(".placeholder-note")?.getAttribute("data-told");
  if (told) choices.tell(told);
}

/** Asks the others for something; alone among bots, it is so at once.
 * @param {string} what */
function propose(what) {
  /** @type {HTMLDetailsElement} */ (byId("menu")).open = false;
  connection.act("ask", what);
}

function undo() {
  if (turnEnd.undo()) return;
  if (!all("[data-do=undo]:not(:disabled)").length) return;
  undone = connection.version;
  if (all("[data-do=undo][data-far]").length) return propose("undo");
  if (connection.act("undo")) choices.sent(true);
}

/** @param {HTMLButtonElement} button
 * @param {string} path */
async function copyLink(button, path) {
  const link = new URL(path, location.href).href;
  if (navigator.clipboard) await navigator.clipboard.writeText(link);
  else copyOldWay(link);
  const text = button.textContent;
  button.textContent = uiText("copied");
  setTimeout(() => (button.textContent = text), 1500);
}

/** By what the device has for it: messages, mail, and so on. Who thinks better of it has done nothing wrong.
 * @param {string} path */
async function share(path) {
  await navigator.share({ title: uiText("shareText"), url: new URL(path, location.href).href }).catch(() => undefined);
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

function why() {
  const sheet = /** @type {HTMLDetailsElement | undefined} */ (/** @type {unknown} */ (all(".why-not")[0]));
  if (sheet) sheet.open = !sheet.open;
}

/** What cannot be taken back says why where a finger or a mouse is on it; what was refused stays off until something has happened.
 * @param {string} why */
function refuseUndo(why) {
  for (const button of all("[data-do=undo]")) {
    button.setAttribute("disabled", "");
    button.title = why;
  }
}

function help() {
  /** @type {HTMLDialogElement} */ (byId("help")).showModal();
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || closest(event, "input, select, textarea, dialog:modal")) return;
  const key = event.key.toLowerCase();
  if (/^[1-9]$/.test(key)) choices.digit(key);
  else if (key === "u") undo();
  else if (key === "escape") turnEnd.undo();
  else if (key === "h") all("[data-do=hint]:not(:disabled)")[0]?.click();
  else if (key === "r") rules.toggle();
  else if (key === "l") log.focus();
  else if (key in CLOSER) zoom.by(CLOSER[key]);
  else if (key === "0") zoom.whole();
  else if (key === "?") why();
  else if (key === "k") help();
}

byId("alone").addEventListener("click", () => showAlone(!document.body.classList.contains("alone")));
addEventListener("popstate", () => showAlone(false));
document.body.classList.toggle("can-share", "share" in navigator);
document.addEventListener("click", clicked);
document.addEventListener("keydown", pressed);
document.addEventListener("pointerup", (event) => {
  const off = closest(event, "[data-do=undo]:disabled");
  if (off) choices.tell(off.title);
}); // a click on it is no event
tall.addEventListener("change", () => {
  table.dataset.layout = layout();
  connection.send({ type: "layout", layout: layout() });
});
for (const link of all("[data-link]")) if (link instanceof HTMLInputElement) link.value = new URL(link.value, location.href).href;
document.addEventListener("focusin", (event) => event.target instanceof HTMLInputElement && event.target.readOnly && event.target.select());
const field = document.getElementById("my-name");
if (field instanceof HTMLInputElement && byId("notice").dataset.seat === "") field.value = table.dataset.name ?? "";
new ResizeObserver(() => turned()).observe(all(".board")[0]);
const feet = new ResizeObserver(() => {
  const before = zoom.under;
  cover();
  if (zoom.under > before && !zoom.moved) bring(); // what matters is not left under the dock
});
for (const foot of all(".told, .says, .dock")) feet.observe(foot);
table.dataset.layout = layout();
choices.refresh((table.dataset.last ?? "").split(" "));
lesson.refresh();
centre();
