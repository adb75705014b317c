/** A table's page. It holds no rules: it shows what the server says can be done, and sends what was chosen. */

import { Bell } from "./bell.js";
import { Choices } from "./choices.js";
import { Clock } from "./clock.js";
import { Company } from "./company.js";
import { Ending } from "./ending.js";
import { Explained } from "./explained.js";
import { Guide } from "./guide.js";
import { Line } from "./line.js";
import { remember } from "./motion.js";
import { TALL, all, around, byId, said } from "./page.js";
import { Pace } from "./pace.js";
import { Rules } from "./rules.js";
import { Stage } from "./stage.js";
import { Talk } from "./talk.js";
import { Told } from "./told.js";
import { Zoom } from "./zoom.js";
import { Idiomorph } from "./vendor/idiomorph.esm.js";

/** @typedef {import("./page.js").View} View */
/** @typedef {import("./page.js").Answer} Answer */

/** @type {Record<string, number>} */
const CLOSER = { "+": 1.25, "=": 1.25, "-": 0.8 };
const tall = matchMedia(TALL);
const table = byId("table");
const bell = new Bell();
const clock = new Clock();
const company = new Company();
const explained = new Explained();
const rules = new Rules();
const told = new Told();
const stage = new Stage(show);
const zoom = new Zoom(all(".board")[0]);
const pace = new Pace((message) => line.send(message), skip);
const ending = new Ending((message) => line.send(message), act, undo);
const choices = new Choices(play, (about) => line.ask("why", about));
const guide = new Guide(choices, back, bring);
const talk = new Talk((message) => line.send(message));
const line = new Line(address, (view, mine) => stage.add(view, mine), hear, (open) => (byId("lost").hidden = open), gathered);

let shown = 0; // the version of the table that is seen
/** @type {string | undefined} */
let laid; // the layout of the board that is seen
let wide = 0; // pixels of the board's pane

function layout() {
  return tall.matches ? "tall" : "wide";
}

/** @param {number} latest the version that was last heard */
function address(latest) {
  return `${location.origin.replace(/^http/, "ws")}/tables/${table.dataset.table}/socket?layout=${layout()}&patches=1&seen=${Math.max(Number(table.dataset.rendered ?? 0), latest)}${document.hidden ? "&hidden=1" : ""}`;
}

/** @param {string} action */
function play(action) {
  if (!ending.hold(action)) act(action);
}

/** @param {string} action */
function act(action) {
  if (line.act("play", action)) choices.sent(true);
}

/** In a lesson: back to where it was left, or to its start.
 * @param {"retrace" | "restart"} what */
function back(what) {
  /** @type {HTMLDetailsElement} */ (byId("menu")).open = false;
  if (line.act(what)) choices.sent(true);
}

/** @param {View} view
 * @param {boolean} mine
 * @returns {import("./stage.js").Shown} */
function show(view, mine) {
  const glide = remember(mine || view.tempo !== "at once");
  for (const [name, html] of Object.entries(view.parts)) morph(name, html);
  const moment = told.tell(view.log);
  pace.tell(view);
  choices.refresh(view.last);
  guide.refresh();
  ending.tell(view);
  const lasts = glide();
  line.version = view.version;
  if (view.version !== shown) choices.forget();
  shown = view.version;
  table.dataset.version = String(shown);
  bell.tell(view.yours, view.title);
  clock.set(view.now);
  seat();
  company.refresh();
  explained.refresh();
  settle(mine, view.yours);
  if (laid !== byId("chart").dataset.layout) centre();
  else {
    if (mine) zoom.bring(onBoard(view.last)); // what I have done is seen where it was done
    if (view.yours) bring();
  }
  return { lasts, moment };
}

/** What bots do until a person is to decide is not shown any more. */
function skip() {
  stage.hurry();
  told.hush();
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
  laid = byId("chart").dataset.layout;
  zoom.centre(places().concat(all("#pieces .spot.last")));
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

/** @param {import("./page.js").Present | import("./line.js").Talk} told */
function gathered(told) {
  if ("here" in told) return company.tell(told);
  talk.tell(told.talk);
  if (told.talk.said.some((one) => one.mine && one.written)) talk.written();
}

/** @param {Answer} answer */
function hear(answer) {
  if (answer.say === "talk") return talk.answer(answer.text);
  choices.sent(false);
  choices.hear(answer);
}

/** @param {MouseEvent} event */
function clicked(event) {
  const button = around(event, "button");
  for (const menu of ["menu", "talk"]) {
    if (!around(event, `#${menu}`)) /** @type {HTMLDetailsElement} */ (byId(menu)).open = false;
  }
  if (around(event, ".who, .facts")) explain(event);
  if (!(button instanceof HTMLButtonElement)) return;
  const { do: what, take, copy, share: shared, confirm, ask: wish } = button.dataset;
  if (what === "hint") line.ask("hint");
  if (what === "undo") undo();
  if (what === "agree" || what === "decline" || what === "resume") line.act(what);
  if (wish !== undefined) propose(wish);
  if (take !== undefined) line.send({ do: "take", seat: Number(take) });
  if (copy !== undefined) void copyLink(button, copy);
  if (shared !== undefined) void share(shared);
  if (confirm !== undefined) ask(event, button, confirm);
  if ("help" in button.dataset) help();
  if ("forget" in button.dataset) choices.forget();
}

/** @param {MouseEvent} event */
function explain(event) {
  const seat = around(event, ".seat")?.id.replace("seat-", "");
  if (seat !== undefined) explained.toggle(seat, event.timeStamp);
}

/** Asks the others for something; alone among bots, it is so at once.
 * @param {string} what */
function propose(what) {
  /** @type {HTMLDetailsElement} */ (byId("menu")).open = false;
  line.act("ask", what);
}

function undo() {
  if (ending.undo()) return;
  if (!all("[data-do=undo]:not(:disabled)").length) return;
  if (all("[data-do=undo][data-far]").length) return propose("undo");
  if (line.act("undo")) choices.sent(true);
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

/** By what the device has for it: messages, mail, and so on. Who thinks better of it has done nothing wrong.
 * @param {string} path */
async function share(path) {
  await navigator.share({ title: said("shareText"), url: new URL(path, location.href).href }).catch(() => undefined);
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
  else if (key === "escape") ending.undo();
  else if (key === "h") all("[data-do=hint]:not(:disabled)")[0]?.click();
  else if (key === "r") rules.toggle();
  else if (key === "l") told.focus();
  else if (key in CLOSER) zoom.by(CLOSER[key]);
  else if (key === "0") zoom.whole();
  else if (key === "?") help();
}

document.body.classList.toggle("can-share", "share" in navigator);
document.addEventListener("click", clicked);
document.addEventListener("keydown", pressed);
tall.addEventListener("change", () => {
  table.dataset.layout = layout();
  line.send({ do: "layout", layout: layout() });
});
const field = document.getElementById("my-name");
if (field instanceof HTMLInputElement && byId("notice").dataset.seat === "") field.value = table.dataset.name ?? "";
new ResizeObserver(() => turned()).observe(all(".board")[0]);
table.dataset.layout = layout();
choices.refresh((table.dataset.last ?? "").split(" "));
guide.refresh();
centre();
