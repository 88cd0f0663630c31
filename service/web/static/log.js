/** What happened: the log, newest first, and the news since the own last turn. */

import { byId, el, fill } from "./dom.js";
import { _ } from "./words.js";

export class Log {
  constructor(lines, ownSeat) {
    this.lines = lines;
    this.ownSeat = ownSeat;
  }

  /** The number of the last move that is known here. */
  get last() {
    return this.lines.at(-1)?.n ?? 0;
  }

  /** The points after the last move; null before the first. */
  get scores() {
    return this.lines.at(-1)?.scores ?? null;
  }

  /** Write on. A pick that was changed stands again under its number. Gives what is new. */
  add(lines) {
    const known = this.last;
    const again = new Map(lines.map((line) => [line.n, line]));
    this.lines = this.lines.map((line) => again.get(line.n) ?? line);
    const fresh = lines.filter((line) => line.n > known);
    this.lines.push(...fresh);
    if (lines.length > 0) {
      this.#show(fresh);
    }
    return fresh;
  }

  /** Go on with all that was played before what the page showed. */
  addBefore(lines) {
    const first = this.lines[0]?.n ?? Infinity;
    this.lines.unshift(...lines.filter((line) => line.n < first));
    fill(byId("log-lines"), this.lines.toReversed().map(row));
  }

  #show(fresh) {
    const list = byId("log-lines");
    list.parentElement.querySelector(".empty")?.remove();
    fill(list, this.lines.toReversed().map(row));
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
