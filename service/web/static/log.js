/** What happened: the log, newest first, and the news since the own last turn. */

import { byId, el, fill } from "./dom.js";
import { _ } from "./words.js";

export class Log {
  constructor(lines, undone, game) {
    this.lines = lines;
    this.undone = undone; // moves that were taken back
    this.ownSeat = game.your_seat;
  }

  /** The number of the last move that is known here. */
  get last() {
    return this.lines.at(-1)?.n ?? 0;
  }

  /** The points after the last move; null before the first. */
  get scores() {
    return this.lines.at(-1)?.scores ?? null;
  }

  /** Write on, without lines after the last move: they were taken back. A line that was changed
   * stands again under its number. `undone` replaces what was taken back after a number. Gives what
   * is new. */
  add(lines, undone, after, moves) {
    const dropped = this.lines.some((line) => line.n > moves);
    this.lines = this.lines.filter((line) => line.n <= moves);
    this.undone = [...this.undone.filter((line) => line.n <= after), ...undone];
    const known = this.last;
    const again = new Map(lines.map((line) => [line.n, line]));
    this.lines = this.lines.map((line) => again.get(line.n) ?? line);
    const fresh = lines.filter((line) => line.n > known);
    this.lines.push(...fresh);
    if (lines.length > 0 || undone.length > 0 || dropped) {
      this.#show(fresh);
    }
    return fresh;
  }

  /** Go on with all that was played before what the page showed. */
  addBefore(lines, undone) {
    const first = this.lines[0]?.n ?? Infinity;
    this.lines.unshift(...lines.filter((line) => line.n < first));
    this.undone.unshift(...undone.filter((line) => line.n < first));
    fill(byId("log-lines"), this.#rows());
  }

  /** Newest first; what was taken back under a number is older than the line with that number. */
  #rows() {
    const all = [...this.undone, ...this.lines].sort((one, other) => one.n - other.n);
    return all.toReversed().map((line) => (line.undone_at === undefined ? row(line) : undoneRow(line)));
  }

  #show(fresh) {
    const list = byId("log-lines");
    list.parentElement.querySelector(".empty")?.remove();
    fill(list, this.#rows());
    if (fresh.length > 0) {
      this.#showNews(fresh);
    }
  }

  #showNews(fresh) {
    const place = byId("news");
    const own = fresh.findLastIndex((line) => line.seat === this.ownSeat);
    const later = this.ownSeat === null ? fresh.slice(-1) : fresh.slice(own + 1);
    const before = this.ownSeat === null || own >= 0 ? [] : [...place.querySelectorAll("li")];
    const told = later.flatMap((line) => line.sentences).map((text) => el("li", { class: "fresh" }, text));
    before.forEach((item) => item.classList.remove("fresh"));
    fill(place, before.length + told.length > 0
      ? el("ul", { class: "news" }, before, told)
      : el("p", { class: "empty" }, _("Nothing has happened yet.")));
  }
}

function row({ n, sentences, scores }) {
  return el("li", {},
    el("span", { class: "n" }, n),
    el("div", {}, sentences.map((text) => el("p", {}, text))),
    el("span", { class: "scores" }, scores.join(" : ")));
}

function undoneRow({ n, summary }) {
  return el("li", { class: "undone" },
    el("span", { class: "n" }, n),
    el("div", {}, el("p", {}, summary)));
}
