/** How much time is left, in the words of the server, kept true while a page is open. */

import { facts } from "./dom.js";
import { _, language, ngettext } from "./words.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EVERY = 20_000; // milliseconds

const MOMENT = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
  timeZone: facts("visitor")?.time_zone, // of the account; without one the browser's
});

let ticking = false;

/** `Tue 3 Nov, 14:20 CET`. */
export function local(instant) {
  return MOMENT.format(new Date(instant));
}

/** How much time is left to decide; `due` is a Date, a text of the API, or null. */
export function left(due, now = new Date()) {
  if (due === null || due === undefined) {
    return _("the clock stands still");
  }
  const milliseconds = new Date(due) - now;
  if (milliseconds <= 0) {
    return _("time is up");
  }
  return _("%(time)s left", { time: length(Math.floor(milliseconds / 1000)) });
}

/** How long ago something was. */
export function ago(instant, now = new Date()) {
  const seconds = Math.floor((now - new Date(instant)) / 1000);
  return seconds < MINUTE ? _("just now") : _("%(time)s ago", { time: length(seconds) });
}

/** Keep every `<time data-due>` of the page true, also those that come later. */
export function tick() {
  refresh();
  if (!ticking) {
    ticking = true;
    setInterval(refresh, EVERY);
    document.addEventListener("visibilitychange", refresh); // timers of hidden pages sleep
  }
}

function refresh() {
  if (document.hidden) {
    return;
  }
  const now = new Date();
  for (const element of document.querySelectorAll("time[data-due]")) {
    const words = left(element.dataset.due || null, now);
    if (element.textContent !== words) {
      element.textContent = words;
    }
  }
}

/** The two figures that matter: `2 days 4 h`, `35 min`. */
function length(seconds) {
  const days = Math.floor(seconds / DAY);
  const hours = Math.floor((seconds % DAY) / HOUR);
  const minutes = Math.floor((seconds % HOUR) / MINUTE);
  if (days > 0) {
    return together(ngettext("%(n)d day", "%(n)d days", days), hours > 0 && hoursWords(hours));
  }
  if (hours > 0) {
    return together(hoursWords(hours), minutes > 0 && `${minutes} min`);
  }
  return minutes > 0 ? `${minutes} min` : _("less than a minute");
}

function hoursWords(hours) {
  return _("%(n)d h", { n: hours });
}

function together(first, second) {
  return second ? `${first} ${second}` : first;
}
