/** Notices of the browser that it is your turn, for whoever wants them and looks elsewhere. */

import { byId, el, fill } from "./dom.js";
import { follow, isLeading } from "./stream.js";
import { left } from "./times.js";
import { onTurns } from "./turns.js";
import { _ } from "./words.js";

const WANTED = "laguna-notices";
const POSSIBLE = "Notification" in window && "serviceWorker" in navigator;

const opened = new Set(); // games in which a decision was opened and not yet told

/** Tell of decisions from now on, and offer the switch where the page has a place for it. */
export function startNotices() {
  if (!POSSIBLE) {
    return;
  }
  follow((event) => event.type === "decision.opened" && opened.add(event.game));
  onTurns(tellOf);
  const place = byId("notices");
  if (place !== null) {
    offer(place);
  }
}

function areWanted() {
  return Notification.permission === "granted" && localStorage.getItem(WANTED) === "yes";
}

/** One tab of a browser tells, and not to whoever looks at it. */
async function tellOf(turns) {
  const news = turns.filter((turn) => opened.has(turn.game));
  opened.clear();
  if (!areWanted() || !isLeading()) {
    return;
  }
  const registration = await navigator.serviceWorker.ready;
  await takeBack(registration, turns);
  if (document.hidden) {
    await Promise.all(news.map((turn) => tell(registration, turn)));
  }
}

function tell(registration, turn) {
  return registration.showNotification(_("Your turn: %(title)s", { title: turn.title }), {
    body: left(turn.due_at),
    tag: tagOf(turn),
    icon: new URL("laguna-192.png", import.meta.url).href,
    data: `/games/${turn.game}`,
  });
}

/** A notice that is told again, because its time began anew, takes the place of the old one. */
function tagOf({ game, decision }) {
  return `${game} ${decision}`;
}

/** What was decided elsewhere needs no notice any more. */
async function takeBack(registration, turns) {
  const waiting = new Set(turns.map(tagOf));
  for (const notice of await registration.getNotifications()) {
    if (!waiting.has(notice.tag)) {
      notice.close();
    }
  }
}

function offer(place) {
  const box = el("input", { type: "checkbox", checked: areWanted(), onchange: change });
  const refused = el("p", {
    class: "hint",
    role: "status",
    text: Notification.permission === "denied" ? refusal() : "",
  });

  async function change() {
    const allowed = box.checked && (await Notification.requestPermission()) === "granted";
    refused.textContent = box.checked && !allowed ? refusal() : "";
    box.checked = allowed;
    localStorage.setItem(WANTED, allowed ? "yes" : "no");
  }

  const label = el("label", null, box, " ", el("span", { text: _("Tell me in this browser when it is my turn") }));
  fill(place, el("div", { class: "radios" }, label), refused);
  place.hidden = false;
}

function refusal() {
  return _("The browser does not allow it; its settings for this site can change that.");
}
