/**
 * Choosing a move: the paths of the offered moves make a tree, which is walked stop by stop.
 *
 * It knows nothing of any game. What can be touched, what it is called and what it brings all
 * stands in the offered moves.
 */

import { el, fill } from "./dom.js";
import { left } from "./times.js";
import { _, language, ngettext } from "./words.js";

const OVER = ["decision_closed", "not_your_decision", "game_over", "not_running"];

export class Choosing {
  /** `sends(answer)` answers the decision, `undoes(decision)` takes the last answer back;
   * `refreshes()` shows the game as it is now. */
  constructor(section, { sends, undoes, refreshes }) {
    this.section = section;
    this.sends = sends;
    this.undoes = undoes;
    this.refreshes = refreshes;
    this.board = null;
    this.game = null;
    this.decision = null;
    this.chosen = []; // spots, without those to which there was no other
    this.other = null; // a move that was not chosen stop by stop
    this.changing = false;
    this.busy = false; // an answer to this decision is sent, or its result is not shown yet
    this.problem = null;
    this.head = el("div", {});
    this.step = el("div", { class: "step" });
    this.undo = el("div", {});
    this.more = el("div", {});
    this.bar = el("div", { class: "bar", hidden: true });
    fill(section, this.head, this.step, this.undo, this.more);
    section.after(this.bar);
    new IntersectionObserver(([entry]) => {
      this.bar.classList.toggle("needless", entry.isIntersecting);
    }, { rootMargin: "0px 0px -80px" }).observe(section);
    section.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.canGoBack()) {
        event.preventDefault();
        this.back();
      }
    });
  }

  /** Ask what the game asks now. A choice that was begun goes on as long as it is possible. */
  show(game) {
    const before = this.decision;
    this.game = game;
    this.decision = game.decision;
    const same = before !== null && sameQuestion(before, game.decision);
    if (!same) {
      this.chosen = [];
      this.other = null;
      this.changing = false;
      this.busy = false;
      this.problem = this.problem?.code === "offline" ? null : this.problem;
      this.#showMore();
    }
    this.#showHead();
    this.#showUndo();
    if (!same || before.moves.length !== this.decision.moves.length) {
      this.#showStep();
    } else {
      this.#offerOnBoard();
    }
  }

  /** Whether somebody is in the middle of a choice. */
  isUnderWay() {
    return this.chosen.length > 0 || this.other !== null;
  }

  canGoBack() {
    return !this.busy && (this.isUnderWay() || this.changing);
  }

  choose(spot, { byKey = false, fromBoard = false } = {}) {
    if (this.busy || this.decision === null) {
      return;
    }
    this.problem = null;
    this.chosen = [...this.#beforeChoiceOf(spot), spot];
    this.#showStep();
    if (this.#path().move !== null) {
      this.step.querySelector(".play").focus({ preventScroll: fromBoard });
    } else if (fromBoard) {
      this.board.reveal();
      if (byKey && !this.board.focus(null)) {
        this.#firstOption()?.focus();
      }
    } else {
      this.board.reveal();
      this.#firstOption()?.focus();
    }
  }

  /** Ask whether to make a move that was found elsewhere. */
  confirm(move) {
    this.other = move;
    this.problem = null;
    this.#showStep();
    this.step.querySelector(".play").focus();
  }

  back() {
    if (!this.canGoBack()) {
      return;
    }
    this.problem = null;
    const onBoard = this.board.view.contains(document.activeElement);
    const left = this.other === null ? this.chosen.at(-1) : undefined;
    if (this.other !== null) {
      this.other = null;
    } else if (this.chosen.length > 0) {
      this.chosen = this.chosen.slice(0, -1);
    } else {
      this.changing = false;
    }
    this.#showStep();
    if (!(onBoard && left !== undefined && this.board.focus(left))) {
      (this.#optionOf(left) ?? this.#firstOption() ?? this.step.querySelector("button"))?.focus();
    }
  }

  /** Light the button of what somebody points at on the board. */
  turnTo(spot) {
    for (const option of this.step.querySelectorAll(".option")) {
      option.classList.toggle("lit", option.dataset.spot === spot);
    }
    this.#hint(spot);
  }

  async send(answer) {
    const asked = this.decision;
    this.busy = true;
    this.problem = null;
    this.#showBusy();
    let done = false;
    try {
      const { stopped } = await this.sends({ decision: asked.id, ...answer });
      this.problem = stopped;
      done = true;
    } catch (problem) {
      this.problem = problem;
    }
    if (done && sameQuestion(asked, this.decision)) {
      this.chosen = [];
      this.other = null;
      this.changing = false;
    }
    await this.#settle(asked);
    return done;
  }

  /** Show what came of an answer: the next question, or why it was refused. Until then the answered
   * question cannot be answered again. */
  async #settle(asked) {
    const over = OVER.includes(this.problem?.code);
    const before = this.decision;
    try {
      await this.refreshes();
      if (over) {
        this.problem = {
          title: _("This decision is over."),
          detail: _("Here is the game as it is now."),
        };
      }
    } catch (problem) {
      this.problem ??= problem; // what is shown is old, but says so
    }
    if (sameQuestion(asked, this.decision)) {
      this.busy = false;
    }
    this.#showStep();
    if (before !== this.decision && this.decision !== null && !this.decision.revising) {
      this.#firstOption()?.focus({ preventScroll: true });
      this.board.reveal();
    }
  }

  /** What is chosen so far: the spots, the moves that are left, and the move if it is only one. */
  #path() {
    return walk(this.decision?.moves ?? [], this.chosen);
  }

  /** The choices that stay if this spot is chosen, which may have been open earlier on the way. */
  #beforeChoiceOf(spot) {
    for (let kept = this.chosen.length; kept >= 0; kept -= 1) {
      const { moves, path, move } = walk(this.decision.moves, this.chosen.slice(0, kept));
      if (move === null && moves.some((offered) => offered.path[path.length].spot === spot)) {
        return this.chosen.slice(0, kept);
      }
    }
    return [];
  }

  #isAsked() {
    return this.decision !== null && (!this.decision.revising || this.changing || this.other !== null);
  }

  #showHead() {
    const { game, decision, section } = this;
    const asked = decision !== null && !decision.revising;
    section.classList.toggle("urgent", asked);
    if (asked) {
      const away = game.seats[game.your_seat].away_since !== null;
      fill(this.head, title(decision.question), el("p", { class: "soft due" },
        away ? _("The bot will answer this, unless you are faster.") : timeLeft(decision.due_at)));
    } else if (decision !== null) {
      fill(this.head, title(_("Your choice is made")),
        decision.chosen !== null && el("p", { class: "chosen" }, decision.chosen),
        el("p", { class: "soft" }, _("You may change it until the last one is in.")));
    } else {
      const waiting = (game.waiting?.seats ?? []).map((seat) => game.seats[seat]);
      const bots = waiting.every((seat) => seat.played_by_bot);
      const names = waiting.map((seat) => seat.name).join(", ");
      fill(this.head, title(bots ? _("The bots are thinking") : _("Waiting for %(names)s", { names })),
        el("p", { class: "soft" }, _("You see here what they do as soon as they do it.")));
    }
  }

  /** The last step can be taken back for a while. */
  #showUndo() {
    const { undoable } = this.game;
    const possible = undoable !== null && Date.parse(undoable.until) > Date.now();
    fill(this.undo, possible && el("p", {}, el("button", {
      type: "button", class: "quiet", onclick: () => this.#takeBack(undoable.decision),
    }, _("Take back: %(move)s", { move: undoable.texts[0] }))));
  }

  async #takeBack(decision) {
    if (this.busy) {
      return;
    }
    const asked = this.decision;
    this.busy = true;
    this.problem = null;
    try {
      await this.undoes(decision);
    } catch (problem) {
      this.problem = problem;
    }
    await this.#settle(asked);
  }

  #showStep() {
    const { path, moves, move } = this.#path();
    const chosen = this.other ?? move;
    this.step.classList.toggle("under-way", this.isUnderWay());
    if (this.decision === null) {
      fill(this.step, this.#trouble());
    } else if (!this.#isAsked()) {
      fill(this.step, this.#trouble(), el("button", { type: "button", class: "quiet", onclick: () => {
        this.changing = true;
        this.#showStep();
        this.#firstOption()?.focus();
      } }, _("Change your pick")));
    } else if (chosen !== null) {
      fill(this.step, this.#confirmation(chosen));
    } else {
      fill(this.step, this.#trouble(), this.#trail(path), this.#options(moves, path.length));
    }
    if (this.busy) {
      this.#showBusy();
    }
    this.#showBar(chosen === null);
    this.#offerOnBoard();
  }

  /** The question at the foot of a small screen, while the board is before it. */
  #showBar(open) {
    this.bar.hidden = !(this.#isAsked() && open && this.chosen.length === 0);
    if (!this.bar.hidden) {
      fill(this.bar, el("p", {}, this.decision.question),
        el("a", { class: "button quiet", href: `#${this.section.id}` }, _("Choices")));
    }
  }

  /** The way so far, and back. */
  #trail(path) {
    if (!this.canGoBack()) {
      return null;
    }
    const words = path.map((stop) => stop.words).join(" → ");
    return el("div", { class: "trail" },
      el("p", {}, words === "" ? _("Choose another one") : _("%(chosen)s: and then?", { chosen: words })),
      this.#backButton());
  }

  #backButton() {
    return el("button", { type: "button", class: "quiet back", onclick: () => this.back() }, _("Back"));
  }

  #options(moves, depth) {
    const stops = stopsOf(moves, depth, this.game.your_seat);
    const counts = stops.some((stop) => stop.gain !== 0);
    const isList = depth === 0 && stops.every((stop) => stop.moves.length === 1);
    return el("ul", { class: "moves" }, stops.map((stop) => el("li", {}, el("button", {
      type: "button",
      class: "option",
      "data-spot": stop.spot,
      onclick: () => this.choose(stop.spot),
      onpointerenter: () => this.#hint(stop.spot),
      onpointerleave: () => this.#hint(null),
      onfocus: () => this.#hint(stop.spot),
      onblur: () => this.#hint(null),
    },
    el("span", { class: "what" },
      isList ? stop.moves[0].label : stop.words,
      !isList && small(this.#promise(stop, depth))),
    counts && gainMark(stop.gain)))));
  }

  /** What may become of a stop, in a few words. */
  #promise({ moves, gain }, depth) {
    const [move] = moves;
    if (moves.length > 1) {
      return waysWords(moves.length, gain);
    }
    return move.path.length > depth + 1 ? move.label : this.#bringsWords(move);
  }

  #confirmation(move) {
    const brought = this.#brought(move);
    return el("div", { class: "confirm", role: "group", "aria-label": _("Your move") },
      el("p", { class: "chosen" }, move.label),
      brought.length > 0 && el("ul", { class: "brings" }, brought.map(({ name, points, causes }) =>
        el("li", {}, el("strong", {}, signed(points)), ` ${name} (${causes})`))),
      move.again && el("p", { class: "soft" }, _("You choose once more afterwards.")),
      this.#trouble(),
      el("div", { class: "buttons" },
        el("button", { type: "button", class: "play", onclick: () => this.#play(move) },
          this.decision.revising ? _("Change it") : _("Play it")),
        this.canGoBack() && this.#backButton()));
  }

  #play(move) {
    if (!this.busy) {
      this.send({ move: move.move });
    }
  }

  #showBusy() {
    const button = this.step.querySelector(".play");
    button?.setAttribute("aria-disabled", "true");
    button?.classList.add("busy");
  }

  #trouble() {
    if (this.problem === null || this.problem === undefined) {
      return null;
    }
    const { title: what, detail } = this.problem;
    return el("div", { class: "notice refused", role: "alert" },
      el("p", {}, el("strong", {}, what), detail));
  }

  /** Everything at once, for who prefers to read; and a line for who prefers to write. */
  #showMore() {
    if (this.decision === null) {
      fill(this.more);
      return;
    }
    const { moves } = this.decision;
    const seat = this.game.your_seat;
    const listed = [...moves].sort((one, other) => gainOf(other, seat) - gainOf(one, seat));
    const list = el("details", {},
      el("summary", {}, ngettext("%(n)d move as a list", "All %(n)d moves as a list", moves.length)),
      el("ul", { class: "moves" }, listed.map((move) => el("li", {}, el("button", {
        type: "button",
        onclick: () => this.confirm(move),
      }, el("span", {}, move.label), gainMark(gainOf(move, seat)))))));
    const field = el("input", {
      type: "text", id: "typed-move", maxlength: 400, autocomplete: "off", autocapitalize: "off",
      spellcheck: "false", placeholder: moves[0]?.text, "aria-describedby": "typed-hint",
    });
    const typed = el("details", {},
      el("summary", {}, _("Type a move")),
      el("form", { class: "inline-form", onsubmit: (event) => {
        event.preventDefault();
        this.#sendTyped(field);
      } },
      el("div", { class: "field" },
        el("label", { for: "typed-move" }, _("In notation")), field,
        el("p", { class: "hint", id: "typed-hint" }, _("Several in a row with ; between them."))),
      el("button", {}, _("Play it"))));
    fill(this.more, list, typed);
  }

  async #sendTyped(field) {
    const lines = field.value.split(";").map((line) => line.trim()).filter(Boolean);
    if (lines.length === 0 || this.busy) {
      field.focus();
      return;
    }
    const done = await this.send(lines.length === 1 ? { text: lines[0] } : { moves: lines });
    if (done) {
      field.value = "";
    } else {
      field.focus();
    }
  }

  #offerOnBoard() {
    if (this.board === null) {
      return;
    }
    const { path, moves, move } = this.#path();
    const offers = path.map(({ spot, words }) => ({ spot, words, kind: "chosen" }));
    if (this.#isAsked() && this.other === null && !this.busy) {
      const open = move === null ? stopsOf(moves, path.length, this.game.your_seat) : [];
      const [most, least] = [Math.max, Math.min].map((pick) => pick(...open.map((stop) => stop.gain)));
      offers.push(...open.map((stop) => ({
        spot: stop.spot,
        words: [stop.words, this.#promise(stop, path.length)].filter(Boolean).join(", "),
        gain: stop.gain,
        best: stop.gain === most && most > least,
        kind: "open",
      })));
      const known = new Set(offers.map((offer) => offer.spot));
      offers.push(...this.#otherwise().filter(({ spot }) => !known.has(spot)));
    }
    this.board.offer(this.#isAsked() ? offers : []);
  }

  /** What else could have been chosen on the way, and still can. */
  #otherwise() {
    return this.chosen.flatMap((_spot, kept) => {
      const { moves, path } = walk(this.decision.moves, this.chosen.slice(0, kept));
      return stopsOf(moves, path.length, this.game.your_seat).map(({ spot, words }) => ({ spot, words, kind: "other" }));
    });
  }

  /** Show on the board where a choice leads. */
  #hint(spot) {
    const { path, moves } = this.#path();
    const next = moves
      .filter((move) => move.path[path.length]?.spot === spot)
      .flatMap((move) => move.path.slice(path.length + 1, path.length + 2));
    this.board?.hint([...new Set(next.map((stop) => stop.spot))], spot);
  }

  /** What a move brings, by player, the own points first. */
  #brought(move) {
    const items = grouped(pointsOf(move), ({ seat }) => seat);
    const own = this.game.your_seat;
    return [...items].sort(([one], [other]) => (other === own) - (one === own)).map(([seat, of]) => ({
      points: sum(of),
      causes: causesWords(of),
      name: seat === own ? _("for you") : _("for %(name)s", { name: this.game.seats[seat].name }),
    }));
  }

  #bringsWords(move) {
    const words = this.#brought(move).map(({ points, name }) => `${signed(points)} ${name}`);
    if (move.again) {
      words.push(_("then once more"));
    }
    return words.join(", ");
  }

  #firstOption() {
    return this.step.querySelector(".option, .play");
  }

  #optionOf(spot) {
    return [...this.step.querySelectorAll(".option")].find((option) => option.dataset.spot === spot);
  }
}

/**
 * Go along the choices from the root: `path` are the stops behind, also those without another
 * way; `moves` what can still become of it; `move` the one move that is left.
 */
export function walk(all, chosen) {
  const wanted = [...chosen];
  const path = [];
  let moves = all;
  while (moves.length > 0) {
    const stops = new Set(moves.map((move) => move.path[path.length]?.spot));
    if (moves.length === 1 && path.length === moves[0].path.length) {
      return { path, moves, move: moves[0] };
    }
    const spot = stops.size === 1 ? [...stops][0] : wanted.shift();
    const there = moves.filter((move) => move.path[path.length].spot === spot);
    if (there.length === 0) {
      return { path, moves, move: null };
    }
    path.push(there[0].path[path.length]);
    moves = there;
  }
  return { path, moves, move: null };
}

/** The stops that are open after so many, the best first, with what can become of each. */
function stopsOf(moves, depth, seat) {
  const stops = new Map();
  for (const move of moves) {
    const { spot, words } = move.path[depth];
    if (!stops.has(spot)) {
      stops.set(spot, { spot, words, moves: [], gain: -Infinity });
    }
    const stop = stops.get(spot);
    stop.moves.push(move);
    stop.gain = Math.max(stop.gain, gainOf(move, seat));
  }
  return [...stops.values()].sort((one, other) => other.gain - one.gain);
}

function gainOf(move, seat) {
  return sum(pointsOf(move).filter((item) => item.seat === seat));
}

/** The points of a move and of those it forces; `best` counts the first of these already. */
function pointsOf(move) {
  const forced = move.best === undefined ? move.forced ?? [] : [];
  return [...move.points ?? [], ...forced.flatMap(({ points }) => points)];
}

function waysWords(count, gain) {
  const ways = ngettext("%(n)d way", "%(n)d ways", count);
  return gain === 0 ? ways : _("%(ways)s, at best %(points)s", { ways, points: signed(gain) });
}

function gainMark(gain) {
  return el("span", { class: gain === 0 ? "gain none" : "gain", "aria-hidden": "true" }, gain === 0 ? "·" : signed(gain));
}

/** A map of what items have in common to those items. */
function grouped(items, common) {
  const groups = new Map();
  for (const item of items) {
    groups.set(common(item), [...(groups.get(common(item)) ?? []), item]);
  }
  return groups;
}

function sum(items) {
  return items.reduce((total, { points }) => total + points, 0);
}

/** What points are for: "nobili", or "nobili 6, bonus 1" if for several things. */
function causesWords(items) {
  const causes = [...grouped(items, ({ words }) => words)];
  return causes.map(([words, of]) => (causes.length > 1 ? `${words} ${sum(of)}` : words)).join(", ");
}

function signed(points) {
  return points > 0 ? `+${points}` : `${points}`.replace("-", "−");
}

function small(words) {
  return words === "" ? null : el("small", {}, words);
}

function title(words) {
  return el("h2", { id: "decision-title", tabindex: "-1" }, words);
}

function timeLeft(due) {
  const exactly = due === null ? undefined : new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short" }).format(new Date(due));
  return el("time", { "data-due": due ?? "", datetime: due, title: exactly }, left(due));
}

function sameQuestion(one, other) {
  return other !== null && one.id === other.id && one.revising === other.revising && one.question === other.question;
}
