/** The board: a drawing of ours, on which places can be chosen by pointer and by key. */

import { el, svg } from "./dom.js";
import { _ } from "./words.js";

const READABLE = 720; // pixels; narrower boards are scrolled instead
const LARGEST = 4; // times the room there is
const STEP = 1.3;
const SHAPES = "path, rect, circle, ellipse, polygon";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  /**
   * `chooses(spot, byKey)` is told what was chosen, `turnsTo(spot)` what a pointer or the focus
   * rests on (null: nothing any more), `goesBack()` that somebody wants to.
   */
  constructor(figure, { chooses, turnsTo, goesBack }) {
    this.view = figure.querySelector(".view");
    this.drawing = this.view.querySelector("svg");
    this.told = { chooses, turnsTo, goesBack };
    this.offered = [];
    this.hinted = [];
    this.zoom = 1;
    this.text = null;
    figure.querySelector("figcaption").append(this.#tools());
    this.#prepare();
    this.fit();
    this.view.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** Show another position; what changed with it pulses. Focus and scroll stay where they are. */
  draw(text) {
    if (text === this.text) {
      return;
    }
    const before = changedIn(this.drawing);
    const focused = this.#focusedSpot();
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const drawing = document.importNode(parsed, true);
    this.drawing.replaceWith(drawing);
    this.drawing = drawing;
    this.text = text;
    this.#prepare();
    this.#scale();
    for (const ring of drawing.querySelectorAll("[data-changed]")) {
      ring.classList.toggle("fresh", !before.has(ring.dataset.changed));
    }
    this.offer(this.offered);
    if (focused !== null) {
      this.focus(focused);
    }
  }

  /** Let these be chosen: `{spot, words, gain, kind}`; kind is `open`, `other` or `chosen`. */
  offer(offered) {
    this.offered = offered;
    this.hinted = [];
    this.marks.replaceChildren();
    const drawn = offered.flatMap((offer) => this.#places(offer.spot).map((place) => [offer, place]));
    drawn.sort(([, one], [, other]) => sizeOf(other) - sizeOf(one)); // the small ones lie on top
    const marks = drawn.map(([offer, place]) => this.#mark(offer, place));
    const badges = drawn.map(([offer, place]) => this.#badge(offer, place));
    this.hints = svg("g", { class: "hints" });
    this.marks.append(this.hints, ...marks, ...badges.filter(Boolean));
    marks.find((mark) => mark.classList.contains("open"))?.setAttribute("tabindex", "0");
  }

  /** Show where something would lead, without letting it be chosen; and what is meant. */
  hint(spots, from = null) {
    const hints = spots.flatMap((spot) => this.#places(spot)).map((place) => this.#outline(place));
    this.hints.replaceChildren(...hints);
    for (const mark of this.marks.querySelectorAll(".mark")) {
      mark.classList.toggle("lit", mark.dataset.for === from);
    }
  }

  focus(spot) {
    const mark = spot === null ? this.#open()[0] : this.#open().find((found) => found.dataset.for === spot);
    if (mark !== undefined) {
      this.#rove(mark);
    }
    return mark !== undefined;
  }

  has(spot) {
    return this.#places(spot).length > 0;
  }

  /** Bring what can be chosen into the part of the board that is seen, where only a part is. */
  reveal() {
    const mark = this.marks.querySelector(".mark.best") ?? this.#open()[0];
    const { view } = this;
    if (mark === undefined || view.scrollWidth <= view.clientWidth + 1) {
      return;
    }
    const seen = view.getBoundingClientRect();
    const place = mark.getBoundingClientRect();
    view.scrollBy({
      left: place.x + place.width / 2 - seen.x - seen.width / 2,
      top: place.y + place.height / 2 - seen.y - seen.height / 2,
      behavior: calm() ? "auto" : "smooth",
    });
  }

  fit() {
    const room = this.view.clientWidth;
    this.#zoomTo(room > 0 && room < READABLE * 0.8 ? READABLE / room : 1);
  }

  /** The drawing as it came is one picture; with marks in it, it is a group of buttons. */
  #prepare() {
    this.drawing.setAttribute("role", "group");
    this.marks = svg("g", { class: "marks" });
    this.hints = svg("g", { class: "hints" });
    this.marks.append(this.hints);
    this.drawing.append(this.marks);
  }

  #tools() {
    const tool = (words, sign, act) =>
      el("button", { type: "button", class: "tool", "aria-label": words, title: words, onclick: act }, sign);
    this.tools = el("div", { class: "tools", role: "group", "aria-label": _("Size of the board") },
      tool(_("Smaller"), "−", () => this.#zoomTo(this.zoom / STEP)),
      tool(_("As large as there is room"), "⤢", () => this.#zoomTo(1)),
      tool(_("Larger"), "+", () => this.#zoomTo(this.zoom * STEP)));
    return this.tools;
  }

  #zoomTo(zoom) {
    const { view } = this;
    const middle = [
      (view.scrollLeft + view.clientWidth / 2) / Math.max(1, view.scrollWidth),
      (view.scrollTop + view.clientHeight / 2) / Math.max(1, view.scrollHeight),
    ];
    this.zoom = Math.min(LARGEST, Math.max(1, zoom));
    this.#scale();
    view.classList.toggle("zoomed", this.zoom > 1);
    view.scrollLeft = middle[0] * view.scrollWidth - view.clientWidth / 2;
    view.scrollTop = middle[1] * view.scrollHeight - view.clientHeight / 2;
  }

  #scale() {
    this.drawing.style.width = `${100 * this.zoom}%`;
  }

  /** The shapes of a spot, which is drawn nowhere, once, or several times. */
  #places(spot) {
    const found = this.drawing.querySelectorAll(`[data-spot="${CSS.escape(spot)}"]`);
    return [...found].map((group) => group.querySelector(SHAPES)).filter((shape) => shape !== null);
  }

  /** The outline of a shape, where it lies in the whole drawing. */
  #outline(shape) {
    const outline = document.importNode(shape, false);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "data-spot"]) {
      outline.removeAttribute(name);
    }
    const { a, b, c, d, e, f } = this.drawing.getScreenCTM().inverse().multiply(shape.getScreenCTM());
    outline.setAttribute("transform", `matrix(${a} ${b} ${c} ${d} ${e} ${f})`);
    return outline;
  }

  #mark({ spot, words, kind, best }, shape) {
    const mark = svg("g", { class: `mark ${kind}${best ? " best" : ""}`, "data-for": spot },
      this.#outline(shape), svg("title", {}, words));
    if (kind === "chosen") {
      return mark;
    }
    const { chooses, turnsTo } = this.told;
    mark.setAttribute("role", "button");
    mark.setAttribute("aria-label", words);
    mark.setAttribute("tabindex", "-1");
    mark.addEventListener("click", (event) => chooses(spot, event.detail === 0));
    for (const [name, meant] of [["pointerenter", spot], ["pointerleave", null], ["focus", spot], ["blur", null]]) {
      mark.addEventListener(name, () => turnsTo(meant));
    }
    return mark;
  }

  /** What a place would bring, at its corner. */
  #badge({ gain, kind }, shape) {
    if (!gain || kind !== "open") {
      return null;
    }
    const { x, y } = cornerOf(shape, this.drawing);
    const words = gain > 0 ? `+${gain}` : `${gain}`;
    const wide = 9 + 7 * words.length;
    return svg("g", { class: "badge", transform: `translate(${x} ${y})`, "aria-hidden": "true" },
      svg("rect", { x: -wide / 2, y: -8, width: wide, height: 16, rx: 8 }),
      svg("text", { y: 4 }, words));
  }

  #open() {
    return [...this.marks.querySelectorAll(".mark.open")];
  }

  #focusedSpot() {
    const focused = document.activeElement;
    return this.marks.contains(focused) ? focused.dataset.for : null;
  }

  #rove(mark) {
    for (const other of this.#open()) {
      other.setAttribute("tabindex", other === mark ? "0" : "-1");
    }
    mark.focus({ preventScroll: true });
    mark.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #onKey(event) {
    const mark = event.target.closest?.(".mark");
    if (event.key === "Escape") {
      this.told.goesBack();
    } else if (mark && (event.key === "Enter" || event.key === " ")) {
      this.told.chooses(mark.dataset.for, true);
    } else if (mark && event.key in ARROWS) {
      const next = nearest(mark, this.#open(), ARROWS[event.key]);
      if (next) {
        this.#rove(next);
      }
    } else {
      return;
    }
    event.preventDefault();
  }
}

/** Whether whoever looks wants nothing to move. */
export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function changedIn(drawing) {
  return new Set([...drawing.querySelectorAll("[data-changed]")].map((ring) => ring.dataset.changed));
}

function sizeOf(shape) {
  const { width, height } = shape.getBoundingClientRect();
  return width * height;
}

/** The right upper corner of a shape in the coordinates of the drawing. */
function cornerOf(shape, drawing) {
  const { right, top } = shape.getBoundingClientRect();
  const { x, y } = new DOMPoint(right, top).matrixTransform(drawing.getScreenCTM().inverse());
  const { width } = drawing.viewBox.baseVal;
  return { x: Math.min(x - 4, width - 16), y: Math.max(y + 3, 9) };
}

/** The mark that lies nearest in a direction; sideways counts double. */
function nearest(from, marks, [right, down]) {
  const start = centre(from);
  let best = null;
  let least = Infinity;
  for (const mark of marks) {
    const { x, y } = centre(mark);
    const ahead = (x - start.x) * right + (y - start.y) * down;
    const aside = Math.abs((x - start.x) * down) + Math.abs((y - start.y) * right);
    if (mark !== from && ahead > 1 && ahead + 2 * aside < least) {
      best = mark;
      least = ahead + 2 * aside;
    }
  }
  return best;
}

function centre(mark) {
  const { x, y, width, height } = mark.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}
