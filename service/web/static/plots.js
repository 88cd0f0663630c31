/** Plots of points over the moves of a game. Players are told apart by colour, dashes and signs;
 * all looks are in replay.css. A pointer or the arrow keys look around, a click or Enter jumps. */

import { el, fill, svg } from "./dom.js";
import { _ } from "./words.js";

const LARGE = { height: 280, left: 40, right: 56, top: 22, bottom: 26, ticks: 6, signs: 6 };
const SMALL = { height: 150, left: 30, right: 38, top: 8, bottom: 22, ticks: 3, signs: 2 };
const LINE_HEIGHT = 16;
const LETTER = 7; // about how wide one is
const TIP_PADDING = 8;
const PAGE = 10; // moves that PageUp and PageDown go
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -PAGE, PageUp: PAGE, Home: -Infinity, End: Infinity };

/** A curve for each player. `series`: `{seat, name, sign, values}` with a value for the beginning
 * and one for each move; `range` the least and the most on the axis. Returns `{mark(n)}`. */
export function curves(holder, { label, series, range, small = false, onpick }) {
  const plot = new Plot({ label, series, range: range ?? rangeOf(series), shape: small ? SMALL : LARGE, onpick });
  fill(holder, plot.frame);
  plot.watch();
  return plot;
}

/** The least and the most of all curves, with 0. */
export function rangeOf(series) {
  const values = series.flatMap((one) => one.values);
  return [Math.min(0, ...values), Math.max(1, ...values)];
}

class Plot {
  constructor({ label, series, range, shape, onpick }) {
    const names = shape === LARGE ? Math.max(...series.map(({ name }) => shortened(name).length)) : 0;
    Object.assign(this, { series, onpick, shape: { ...shape, right: shape.right + LETTER * names } });
    this.isLarge = shape === LARGE;
    this.last = series[0].values.length - 1;
    this.ticks = roundTicks(range, shape.ticks);
    this.now = this.last;
    this.looked = null; // the move that somebody looks at
    this.canvas = svg("svg", { "aria-hidden": "true", height: shape.height });
    this.frame = el("div", {
      class: this.isLarge ? "plot" : "plot small-plot",
      role: "slider",
      tabindex: "0",
      "aria-label": label,
      "aria-valuemin": 0,
      "aria-valuemax": this.last,
    }, this.canvas);
    this.tell(this.now);
    this.listen();
  }

  /** Draw it as wide as there is room, now and whenever that changes. */
  watch() {
    let before = 0;
    new ResizeObserver(() => {
      const width = Math.floor(this.frame.clientWidth);
      if (width !== before && width > 0) {
        before = width;
        this.draw(width);
      }
    }).observe(this.frame);
  }

  /** Mark where the replay is. */
  mark(n) {
    this.now = n;
    if (this.looked === null) {
      this.tell(n);
    }
    if (this.cursor) {
      place(this.cursor, this.x(n));
    }
  }

  x(n) {
    const { left, right } = this.shape;
    return left + ((this.width - left - right) * n) / Math.max(1, this.last);
  }

  y(value) {
    const { height, top, bottom } = this.shape;
    const [least, most] = [this.ticks[0], this.ticks.at(-1)];
    return top + ((height - top - bottom) * (most - value)) / (most - least);
  }

  draw(width) {
    this.width = width;
    this.canvas.setAttribute("width", width);
    this.canvas.setAttribute("viewBox", `0 0 ${width} ${this.shape.height}`);
    this.cursor = this.upright("now");
    this.glance = this.upright("glance");
    this.tip = svg("g", { class: "tip" });
    fill(this.canvas, this.axes(), this.cursor, this.series.map((one) => this.curve(one)), this.endings(), this.glance, this.tip);
    this.mark(this.now);
    this.look(this.looked);
  }

  upright(name) {
    const { height, top, bottom } = this.shape;
    return svg("line", { class: name, y1: top, y2: height - bottom });
  }

  axes() {
    const { height, left, right, bottom } = this.shape;
    const moves = roundTicks([0, this.last], Math.max(2, Math.floor(this.width / 90))).filter((n) => n <= this.last);
    return svg("g", { class: "axes" },
      this.ticks.map((value) => [
        svg("line", { class: value === 0 ? "zero" : "grid", x1: left, x2: this.width - right, y1: this.y(value), y2: this.y(value) }),
        svg("text", { x: left - 6, y: this.y(value) + 4, "text-anchor": "end", text: value }),
      ]),
      moves.map((n) => svg("text", { x: this.x(n), y: height - bottom + 16, "text-anchor": "middle", text: n })),
      this.isLarge && [
        svg("text", { x: 0, y: 12, text: _("points") }),
        svg("text", { x: this.width - right + 12, y: height - bottom + 16, text: _("move") }),
      ],
    );
  }

  /** Points stay until a move changes them: a line of steps, with the player's sign on it. */
  curve({ seat, sign, values }) {
    let path = `M${this.x(0)} ${this.y(values[0])}`;
    values.forEach((value, n) => {
      if (n > 0 && value !== values[n - 1]) {
        path += `H${this.x(n)}V${this.y(value)}`;
      }
    });
    path += `H${this.x(this.last)}`;
    const { signs } = this.shape;
    const among = this.series.length;
    const at = Array.from({ length: signs }, (_unused, k) => Math.round((this.last * (k + (seat + 1) / (among + 1))) / signs));
    return svg("g", { class: `curve seat-${seat}` },
      svg("path", { class: "line", d: path }),
      at.map((n) => signAt(sign, this.x(n), this.y(values[n]), 0.75)),
    );
  }

  /** What stands at the end of each line: the sign, the name where there is room, the points. */
  endings() {
    const x = this.width - this.shape.right + 12;
    const ends = this.series.map((one) => ({ ...one, value: one.values[this.last] }));
    ends.sort((one, other) => other.value - one.value || one.seat - other.seat);
    const heights = spread(ends.map(({ value }) => this.y(value)), LINE_HEIGHT, this.shape.height - this.shape.bottom);
    return ends.map(({ seat, name, sign, value }, index) => svg("g", { class: `ending seat-${seat}` },
      signAt(sign, x, heights[index], 0.85),
      svg("text", { x: x + 10, y: heights[index] + 4, text: this.isLarge ? `${value} ${shortened(name)}` : value }),
    ));
  }

  /** Look at the points after a move; null: at nothing. */
  look(n) {
    this.looked = n;
    this.frame.classList.toggle("looked-at", n !== null);
    this.tell(n ?? this.now);
    if (n === null || !this.glance) {
      return;
    }
    place(this.glance, this.x(n));
    this.drawTip(n);
  }

  drawTip(n) {
    const standing = [...this.series].sort((one, other) => other.values[n] - one.values[n] || one.seat - other.seat);
    const words = svg("g", {},
      svg("text", { x: 0, y: 12, class: "tip-title", text: moveWords(n) }),
      standing.map(({ seat, sign, name, values }, index) => svg("g", { class: `seat-${seat}` },
        signAt(sign, 6, 26 + index * LINE_HEIGHT, 0.85),
        svg("text", { x: 17, y: 30 + index * LINE_HEIGHT, text: `${values[n]} ${shortened(name)}` }),
      )),
    );
    const paper = svg("rect", { rx: 6 });
    fill(this.tip, paper, words);
    const size = words.getBBox();
    const width = size.width + 2 * TIP_PADDING;
    const height = size.height + 2 * TIP_PADDING;
    setAll(paper, { x: size.x - TIP_PADDING, y: size.y - TIP_PADDING, width, height });
    const x = this.x(n);
    const left = x + 12 + width > this.width ? x - 12 - width : x + 12;
    const within = Math.max(0, Math.min(left, this.width - width));
    this.tip.setAttribute("transform", `translate(${within + TIP_PADDING - size.x} ${TIP_PADDING - size.y})`);
  }

  /** Say where we are to those who hear the plot. */
  tell(n) {
    const points = this.series.map(({ name, values }) => `${name} ${values[n]}`).join(", ");
    this.frame.setAttribute("aria-valuenow", n);
    this.frame.setAttribute("aria-valuetext", `${moveWords(n)}: ${points}`);
  }

  listen() {
    const { frame, canvas } = this;
    canvas.addEventListener("pointermove", (event) => this.look(this.moveAt(event)));
    canvas.addEventListener("pointerleave", () => this.look(document.activeElement === frame ? this.now : null));
    canvas.addEventListener("click", (event) => this.onpick(this.moveAt(event)));
    frame.addEventListener("focus", () => frame.matches(":focus-visible") && this.look(this.now));
    frame.addEventListener("blur", () => this.look(null));
    frame.addEventListener("keydown", (event) => this.press(event));
  }

  moveAt(event) {
    const { left, right } = this.shape;
    const share = (event.offsetX - left) / (this.width - left - right);
    return this.within(Math.round(share * this.last));
  }

  press(event) {
    const from = this.looked ?? this.now;
    if (event.key in KEYS) {
      this.look(this.within(from + KEYS[event.key]));
    } else if (event.key === "Enter" || event.key === " ") {
      this.onpick(from);
    } else {
      return;
    }
    event.preventDefault();
  }

  within(n) {
    return Math.max(0, Math.min(this.last, n));
  }
}

function moveWords(n) {
  return n === 0 ? _("Before the first move") : _("Move %(n)d", { n });
}

function signAt(sign, x, y, size) {
  return svg("path", { class: "sign", d: sign, transform: `translate(${x} ${y}) scale(${size})` });
}

function place(line, x) {
  setAll(line, { x1: x, x2: x });
}

function setAll(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
}

function shortened(name) {
  return name.length > 12 ? `${name.slice(0, 11)}…` : name;
}

/** Round figures for an axis, about as many as wanted, from below the least to above the most. */
function roundTicks([least, most], wanted) {
  const rough = Math.max(1, (most - least) / wanted);
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((candidate) => candidate >= rough);
  const first = Math.floor(least / step);
  const count = Math.max(1, Math.ceil(most / step) - first);
  return Array.from({ length: count + 1 }, (_unused, index) => (first + index) * step);
}

/** Heights, from the top, moved apart so that texts of this height do not overlap. */
function spread(heights, gap, bottom) {
  const apart = [];
  heights.forEach((height, index) => apart.push(index === 0 ? height : Math.max(height, apart[index - 1] + gap)));
  for (let index = apart.length - 1, most = bottom; index >= 0; index -= 1, most -= gap) {
    apart[index] = Math.min(apart[index], most);
  }
  return apart;
}
