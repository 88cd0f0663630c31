/** The rules where they apply: who rests on a thing, holds it, or asks with "?" is told of it. */

import { get } from "./api.js";
import { el, fill } from "./dom.js";
import { _, language } from "./words.js";

const REST = 900; // milliseconds of a pointer on a thing
const HOLD = 550; // milliseconds of a finger
const GAP = 10; // pixels between a thing and what is said of it

let guide = null; // the topics of the game by key, as soon as somebody asks

/** `view` holds the drawing, `tools` gets the button, `key` names the game. */
export function explain(view, tools, key) {
  const words = el("div", { class: "help", popover: "manual", role: "tooltip", id: "help" });
  const button = el("button", { type: "button", class: "tool ask", "aria-pressed": "false", title: _("What is this?"), "aria-label": _("What is this?") }, "?");
  document.body.append(words);
  tools.append(button);
  let asking = false;
  let timer = 0;

  async function tell(thing) {
    const topic = (await topics(key)).get(thing.dataset.topic);
    if (topic === undefined || !thing.isConnected) {
      return;
    }
    fill(words, el("strong", {}, topic.title), el("p", {}, topic.text));
    words.showPopover();
    place(words, thing.getBoundingClientRect());
  }

  function hide() {
    clearTimeout(timer);
    if (words.matches(":popover-open")) {
      words.hidePopover();
    }
  }

  function ask(now) {
    asking = now;
    button.setAttribute("aria-pressed", String(now));
    view.classList.toggle("asking", now);
    for (const thing of view.querySelectorAll("[data-topic]")) {
      if (now) {
        thing.setAttribute("tabindex", "0");
      } else {
        thing.removeAttribute("tabindex");
      }
    }
    if (!now) {
      hide();
    }
  }

  button.addEventListener("click", () => ask(!asking));
  view.addEventListener("pointermove", (event) => {
    const thing = thingAt(event);
    clearTimeout(timer);
    if (thing === null) {
      hide();
    } else if (event.pointerType === "mouse" && !words.matches(":popover-open")) {
      timer = setTimeout(() => tell(thing), asking ? 60 : REST);
    }
  });
  view.addEventListener("pointerleave", hide);
  view.addEventListener("pointerdown", (event) => {
    hide();
    const thing = thingAt(event);
    if (thing !== null && event.pointerType !== "mouse") {
      timer = setTimeout(() => tell(thing), asking ? 0 : HOLD);
    }
  });
  view.addEventListener("pointerup", () => clearTimeout(timer));
  view.addEventListener("pointercancel", () => clearTimeout(timer));
  // While somebody asks, a click is a question and chooses nothing.
  view.addEventListener("click", (event) => {
    if (asking) {
      event.stopPropagation();
      const thing = thingAt(event);
      if (thing !== null) {
        tell(thing);
      }
    }
  }, true);
  view.addEventListener("focusin", (event) => {
    if (asking && event.target.dataset.topic) {
      tell(event.target);
    }
  });
  view.addEventListener("focusout", hide);
  view.addEventListener("scroll", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && (asking || words.matches(":popover-open"))) {
      event.stopPropagation();
      ask(false);
      hide();
    } else if (event.key === "?" && !event.target.closest("input, textarea, select")) {
      ask(!asking);
    }
  }, true);
}

async function topics(key) {
  guide ??= get("/v1/catalogue", { language }).then(({ data }) =>
    new Map(data.games.find((game) => game.game === key).guide.map((topic) => [topic.topic, topic])));
  guide.catch(() => {
    guide = null;
  });
  return guide;
}

/** What lies under the pointer and has a rule, also under the marks of what can be chosen. */
function thingAt({ clientX, clientY }) {
  for (const found of document.elementsFromPoint(clientX, clientY)) {
    const thing = found.closest("[data-topic]");
    if (thing !== null) {
      return thing;
    }
  }
  return null;
}

/** Beside the thing, where the window has room. */
function place(words, thing) {
  const { offsetWidth: width, offsetHeight: height } = words;
  const middle = thing.x + thing.width / 2 - width / 2;
  const below = thing.bottom + GAP + height < innerHeight;
  const top = below ? thing.bottom + GAP : Math.max(GAP, thing.top - GAP - height);
  words.style.left = `${Math.min(Math.max(GAP, middle), innerWidth - width - GAP)}px`;
  words.style.top = `${top}px`;
}
