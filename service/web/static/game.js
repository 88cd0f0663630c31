/** The page of a game: what it showed when it came is kept true, and played on, by the API. */

import { get, getText, post, remember } from "./api.js";
import { Board } from "./board.js";
import { Choosing } from "./choosing.js";
import { byId, el, facts, fill } from "./dom.js";
import { explain } from "./help.js";
import { Log } from "./log.js";
import { Plan } from "./plan.js";
import { follow } from "./stream.js";
import { keepNote, Talk } from "./talk.js";
import { _, language, ngettext } from "./words.js";

const PATIENCE = 150; // milliseconds; several events often come together
const WATCH_EVERY = 15_000; // milliseconds; nobody tells who has no seat
const ASK_AGAIN = 10; // seconds, for what could not be asked, unless the server says when
const NOT_FOR_US = [401, 403, 404];
const LINES_AT_ONCE = 200; // the most the API gives
const UNCERTAIN = 20; // lines; more than anybody takes back in a turn
const SENTENCES_READ = 6; // aloud; who was away for long reads the log

const began = facts("facts");
const address = `/v1/games/${began.game.id}`;
const title = byId("game-title").textContent;
const live = el("div", { class: "hidden", role: "status" });

let game = began.game;
let shown = began.etag; // the ETag of what is shown
let linesFrom = Infinity; // the first line of the log that has to be asked for again
let saidMore = true; // at the table since it was asked for, or while the page came
let refreshing = null;
let next = null; // the refresh after that

const log = new Log(began.log, began.undone, game);
const talk = byId("talk") === null ? null : new Talk(game, began.messages);
const choosing = byId("decision") === null ? null : new Choosing(byId("decision"), { sends, undoes, refreshes: refresh });
const plan = byId("plan") === null ? null : new Plan(game, (move) => choosing.confirm(move));
const board = byId("board") === null ? null : new Board(byId("board"), {
  chooses: (spot, byKey) => choosing?.choose(spot, { byKey, fromBoard: true }),
  turnsTo: (spot) => choosing?.turnTo(spot),
  goesBack: () => choosing?.back(),
});

async function sends(answer) {
  return (await post(`${address}/moves`, answer)).data;
}

async function undoes(decision) {
  return (await post(`${address}/undo`, { decision })).data;
}

/** Show the game as it is now. Who asks while that is done gets it done once more: what is under
 * way may have been asked for before their answer. */
function refresh() {
  if (refreshing === null) {
    refreshing = load().finally(() => {
      refreshing = null;
    });
    return refreshing;
  }
  next ??= refreshing.catch(ignored).then(() => {
    next = null;
    return refresh();
  });
  return next;
}

/** Who cannot ask now is told by the stream when the server is back. */
function ignored() {}

async function load() {
  const { data, etag } = await get(address, { language });
  const [{ items, undone, after }, said] = await Promise.all([newLines(data), newMessages()]);
  const fresh = log.add(items, undone, after, data.moves);
  if (etag !== shown) {
    const svg = board === null || data.position === null ? null : (await getText(`${address}/board.svg`, { language })).data;
    const before = game;
    game = data;
    shown = etag;
    if (shapeOf(before) !== shapeOf(game) && showAnew()) {
      return;
    }
    if (svg !== null) {
      board.draw(svg);
    }
    showStanding();
    choosing?.show(game);
    announce(before, fresh);
    plan?.show(game.decision).catch(ignored);
    loadBoardText();
  }
  const heard = talk?.add(said) ?? [];
  heard.forEach(({ name, text }) => say(`${name}: ${text}`));
}

/** The lines of the log that are not known yet, and those that were changed. */
async function newLines(data) {
  // Nobody tells who has no seat what was taken back.
  const certain = data.your_seat === null && data.version !== game.version ? log.last - UNCERTAIN : log.last;
  const after = Math.max(0, Math.min(certain, linesFrom - 1));
  const known = data.moves <= log.last && certain === log.last && linesFrom === Infinity;
  if (data.status === "open" || data.frozen || known) {
    return { items: [], undone: [], after: Infinity };
  }
  const { items, undone } = (await get(`${address}/log`, { after, limit: LINES_AT_ONCE, language })).data;
  linesFrom = Infinity;
  return { items, undone, after };
}

/** What was said, if we were told that there is something; nobody tells who has no seat. */
async function newMessages() {
  if (talk === null || !(saidMore || game.your_seat === null)) {
    return [];
  }
  saidMore = false;
  try {
    return (await get(`${address}/messages`, { after: talk.last })).data.items;
  } catch (problem) {
    saidMore = true;
    throw problem;
  }
}

/** The board in letters is only worth a request for who reads it. */
async function loadBoardText() {
  const text = byId("board-text");
  if (text?.closest("details").open) {
    text.textContent = (await getText(`${address}/board.txt`, { language })).data;
  }
}

/** What the page has forms for, or leaves out, depends on this. */
function shapeOf({ status, frozen, paused_until, free_seats, your_seat, your_misses, seats }) {
  const own = your_seat === null ? null : seats[your_seat];
  return JSON.stringify([status, frozen, paused_until, free_seats, your_misses, own?.resigned, own?.away_since, seats.map((seat) => [seat.wants_to_end, seat.wants_pause])]);
}

/** Show the page anew, or offer to where that would lose what somebody is writing or choosing. */
function showAnew() {
  const written = [...document.querySelectorAll("textarea, input[type=text], input[type=email]")]
    .some((field) => field.value.trim() !== field.defaultValue.trim());
  if (!written && !choosing?.isUnderWay()) {
    openAnew();
    return true;
  }
  if (byId("changed") === null) {
    byId("content").prepend(el("div", { class: "notice", id: "changed", role: "status" },
      el("p", {}, _("Something has changed at this table."), " ",
        el("button", { type: "button", class: "plain", onclick: openAnew }, _("Show it")))));
  }
  return false;
}

/** A page that answered a form has the form's address, and to load that again would send it again. */
function openAnew() {
  const page = `/games/${game.id}`;
  if (location.pathname === page) {
    location.reload();
  } else {
    location.replace(page);
  }
}

// What stands at the top

function showStanding() {
  const asked = game.decision !== null && !game.decision.revising;
  const [count] = document.title.match(/^\(\d+\) /) ?? [""];
  const words = asked ? _("Your turn: %(title)s", { title }) : title;
  document.title = `${count}${words} · Laguna`;
  fill(byId("players"), game.seats.map(player));
  if (game.status === "running") {
    const choosers = game.waiting?.count ?? 0;
    fill(byId("standing"),
      asked && el("span", { class: "tag warm" }, _("your turn")),
      !asked && choosers > 0 && el("span", { class: "tag grey" },
        ngettext("waiting for %(n)d player", "waiting for %(n)d players", choosers)),
      game.paused_until !== null && el("span", { class: "tag" }, _("paused")));
  }
}

function player(seat) {
  const scores = game.outcome?.scores ?? log.scores;
  const chooses = game.waiting?.seats.includes(seat.seat) ?? false;
  const before = byId("players").children[seat.seat]?.querySelector(".score")?.firstChild.textContent;
  const score = scores?.[seat.seat] ?? before;
  const won = game.outcome?.winners.includes(seat.seat) ?? false;
  return el("li", { class: (chooses && "chooses") || (won && "won") },
    el("span", { class: "name" }, seat.name || _("Free seat")),
    score !== undefined && el("span", { class: String(score) === before ? "score" : "score fresh" },
      String(score), el("span", { class: "hidden" }, " ", _("points"))),
    el("span", { class: "state" }, stateWords(seat, chooses)));
}

function stateWords(seat, chooses) {
  const own = seat.seat === game.your_seat;
  const words = [];
  if (game.outcome?.winners.includes(seat.seat)) {
    words.push(_("won"));
  } else if (seat.resigned) {
    words.push(game.status === "running" ? _("resigned, a bot plays") : _("resigned"));
  } else if (seat.away_since !== null) {
    words.push(_("away, a bot plays"));
  } else if (chooses) {
    words.push(own ? _("your choice") : _("chooses now"));
  } else if (own) {
    words.push(_("you"));
  } else if (seat.kind === "free") {
    words.push(_("waits for somebody"));
  } else {
    words.push(seat.kind === "person" && !seat.played_by_bot ? _("player") : _("bot"));
  }
  return [
    ...words,
    seat.unreachable && _("not reachable by mail"),
    seat.wants_to_end && _("offers to end"),
    seat.wants_pause && game.paused_until === null && _("would like a pause"),
  ].filter(Boolean).join(", ");
}

// What is said aloud

function announce(before, fresh) {
  const sentences = fresh.filter((line) => line.seat !== game.your_seat).flatMap((line) => line.sentences);
  const asked = game.decision !== null && !game.decision.revising && game.decision.id !== before.decision?.id;
  say([...sentences.slice(-SENTENCES_READ), asked && game.decision.question].filter(Boolean).join(" "));
}

function say(words) {
  if (words !== "") {
    live.append(el("p", {}, words));
    while (live.childElementCount > 5) {
      live.firstChild.remove();
    }
  }
}

/** The rest of the log comes into the page instead of a new one. */
function offerWholeLog() {
  const link = byId("whole-log");
  link?.addEventListener("click", async (event) => {
    event.preventDefault();
    const earlier = [];
    const undone = [];
    for (let after = 0; after !== null && after < log.lines[0].n - 1; ) {
      const { data } = await get(`${address}/log`, { after, limit: LINES_AT_ONCE, language });
      earlier.push(...data.items);
      undone.push(...data.undone);
      after = data.next_after;
    }
    log.addBefore(earlier, undone);
    link.parentElement.remove();
    byId("log-title").setAttribute("tabindex", "-1");
    byId("log-title").focus({ preventScroll: true });
  });
}

function listen() {
  let timer = 0;
  const soon = (milliseconds = PATIENCE) => {
    clearTimeout(timer);
    timer = setTimeout(() => refresh().catch(later), milliseconds);
  };
  const later = ({ status, wait }) => NOT_FOR_US.includes(status) || soon((wait ?? ASK_AGAIN) * 1000);
  follow((event) => {
    if (event.type === "table.rematch" && event.data.of === game.id) {
      showAnew();
    } else if (event.game === game.id) {
      const changed = { "pick.changed": event.data.n, "move.undone": event.data.from }[event.type];
      linesFrom = Math.min(linesFrom, changed ?? Infinity);
      saidMore ||= event.type === "message.posted";
      soon();
    }
  });
  document.addEventListener("visibilitychange", () => document.hidden || soon());
  window.addEventListener("pageshow", ({ persisted }) => persisted && soon());
  if (game.your_seat === null && ["open", "running"].includes(game.status)) {
    setInterval(() => document.hidden || soon(), WATCH_EVERY);
  }
}

function start() {
  remember(address, { language }, { data: game, etag: shown });
  document.body.append(live);
  if (board !== null) {
    explain(board.view, board.tools, game.game);
    byId("board-text").closest("details").addEventListener("toggle", () => loadBoardText().catch(ignored));
  }
  if (choosing !== null) {
    choosing.board = board;
    choosing.show(game);
    board.reveal();
  }
  if (talk !== null) {
    keepNote(game);
  }
  plan?.show(game.decision).catch(ignored);
  offerWholeLog();
  listen();
}

start();
