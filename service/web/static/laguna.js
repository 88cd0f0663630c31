/** What every page does: times that tick, the number of waiting decisions, and lost connections. */

import { el, fill } from "./dom.js";
import { startNotices } from "./notices.js";
import { onConnection } from "./stream.js";
import { tick } from "./times.js";
import { fillTimeZone } from "./time_zone.js";
import { onTurns } from "./turns.js";
import { _, ngettext } from "./words.js";

const PATIENCE = 5_000; // milliseconds without a connection until we speak of it

/** Say in the title, in the navigation and on the icon how many decisions wait. */
function showBadge(count) {
  const title = document.title.replace(/^\(\d+\) /, "");
  document.title = count > 0 ? `(${count}) ${title}` : title;
  const link = document.querySelector('.top nav a[href="/"]');
  link?.querySelector(".tag")?.remove();
  if (count > 0) {
    const words = ngettext("%(n)d decision waits for you", "%(n)d decisions wait for you", count);
    link?.append(
      el("span", { class: "tag warm" },
        el("span", { "aria-hidden": "true", text: count }),
        el("span", { class: "hidden", text: words }),
      ),
    );
  }
  const marked = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  marked?.catch(() => {}); // only an installed page has an icon to mark
}

/** A line at the foot of the window, empty most of the time so that it is heard when it speaks. */
function showConnection(line) {
  let timer = 0;
  onConnection((connected) => {
    clearTimeout(timer);
    if (connected) {
      fill(line);
    } else {
      timer = setTimeout(() => fill(line, lost()), PATIENCE);
    }
  });
}

function lost() {
  return el("p", { class: "notice", text: _("The connection is lost. Trying again …") });
}

function showSignedOut(line) {
  const next = encodeURIComponent(location.pathname);
  const link = el("a", { href: `/sign-in?next=${next}`, text: _("Sign in") });
  const words = _("You are no longer signed in on this page.");
  fill(line, el("p", { class: "notice refused" }, words, " ", link));
}

function start() {
  fillTimeZone();
  const [connection, session] = [el("div", { role: "status" }), el("div", { role: "alert" })];
  document.body.append(el("div", { class: "live" }, connection, session));
  window.addEventListener("signed-out", () => {
    fill(connection);
    showSignedOut(session);
  });
  tick();
  showConnection(connection);
  onTurns((turns) => showBadge(turns.length));
  startNotices();
  navigator.serviceWorker?.register("/sw.js").catch(() => {}); // a page works without it
}

start();
