/** One's own page: notices on this device; and where somebody lives, as their browser knows it, until they say
 * otherwise. */

import { Notifications } from "./notifications.js";
import { all, byId } from "./dom.js";

all(".scripted").forEach((part) => part.removeAttribute("hidden"));
new Notifications();

const zone = /** @type {HTMLInputElement} */ (byId("zone"));
if (!zone.value) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
