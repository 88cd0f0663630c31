/** The replay of a game: a slider over all moves, boards fetched ahead, the curves, the proof.
 * Without it the page does the same by links; here they only no longer leave the page. */

import { get, getText } from "./api.js";
import { byId, el, facts, fill, svg } from "./dom.js";
import { curves, rangeOf } from "./plots.js";
import { mount as mountProof } from "./verify.js";
import { _, language } from "./words.js";

const game = facts("facts");
const api = `/v1/games/${game.game}`;

const BOARDS_KEPT = 60;
const BOARDS_AHEAD = 3;
const LINES_AT_ONCE = 200; // the most the API gives
const SETTLED = 90; // milliseconds on a move after which somebody wants to see it
const SPEEDS = { slow: 3000, normal: 1600, fast: 700 }; // milliseconds for a move
const PLAY = "M6 4L16 10L6 16Z";
const PAUSE = "M6 4V16M14 4V16";
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

let at = game.at;
let lines = [];
let start = null; // the points before the first move
let plots = [];
let settling = 0; // a timer
let playing = 0; // a timer; 0 while paused

const boards = new Map(); // promises by the number of the move
const boardHolder = byId("board");
const player = byId("player");
const sentences = byId("sentences");
const note = el("p", { class: "notice refused", role: "alert", hidden: true });
const slider = el("input", { type: "range", min: 0, max: game.moves, step: 1, id: "slider", "aria-label": _("Move") });
const playButton = el("button", { type: "button" });
const speed = el("select", { "aria-label": _("Speed") },
  el("option", { value: "slow", text: _("slow") }),
  el("option", { value: "normal", text: _("normal"), selected: true }),
  el("option", { value: "fast", text: _("fast") }),
);

// Boards

function board(n) {
  if (!boards.has(n)) {
    const fetched = getText(`${api}/board.svg`, { at: n, language }).then(({ data }) => data);
    fetched.catch(() => boards.delete(n));
    boards.set(n, fetched);
    forgetFarBoards(n);
  }
  return boards.get(n);
}

/** Only so many stay in memory: those around the move. */
function forgetFarBoards(n) {
  if (boards.size > BOARDS_KEPT) {
    const farthest = [...boards.keys()].reduce((far, other) => (Math.abs(other - n) > Math.abs(far - n) ? other : far));
    boards.delete(farthest);
  }
}

async function showBoard(n) {
  try {
    const drawing = await board(n);
    if (n === at) {
      const parsed = new DOMParser().parseFromString(drawing, "image/svg+xml");
      fill(boardHolder, document.importNode(parsed.documentElement, true));
      note.hidden = true;
    }
  } catch (problem) {
    if (n === at) {
      pause();
      note.textContent = problem.message;
      note.hidden = false;
    }
  }
}

/** The next boards, one after another, so that they are there when they are wanted. */
async function fetchAhead(n) {
  for (const next of [n + 1, n - 1, ...range(n + 2, n + BOARDS_AHEAD)]) {
    if (at !== n) {
      return;
    }
    if (next >= 0 && next <= game.moves) {
      await board(next).catch(() => null);
    }
  }
}

function range(first, last) {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_unused, index) => first + index);
}

// Where we are

/** Go to a move: what is known of it at once, its board as soon as somebody stays there. */
function goTo(wanted) {
  const n = Math.max(0, Math.min(game.moves, wanted));
  if (n === at) {
    return;
  }
  at = n;
  showWords();
  clearTimeout(settling);
  settling = setTimeout(settle, boards.has(n) ? 0 : SETTLED, n);
}

async function settle(n) {
  history.replaceState(null, "", `?at=${n}`);
  byId("board-text").href = `${api}/board.txt?at=${n}&language=${language}`;
  await showBoard(n);
  fetchAhead(n);
}

function showWords() {
  const line = at === 0 ? null : lines[at - 1];
  const said = line?.sentences ?? [_("Everything lies ready.")];
  const where = at === 0 ? _("Before the first move") : _("Move %(n)d of %(last)d", { n: at, last: game.moves });
  byId("position").textContent = where;
  fill(sentences, said.map((sentence) => el("li", { text: sentence })));
  showPoints(line?.scores ?? start);
  slider.value = at;
  slider.setAttribute("aria-valuetext", `${where}. ${said.join(" ")}`);
  showSteps();
  showInList();
  plots.forEach((plot) => plot.mark(at));
}

function showPoints(scores) {
  document.querySelectorAll("#points .score").forEach((node, seat) => {
    node.textContent = scores[seat];
  });
}

function showSteps() {
  const steps = { first: 0, previous: at - 1, next: at + 1, last: game.moves };
  for (const [id, n] of Object.entries(steps)) {
    const to = Math.max(0, Math.min(game.moves, n));
    const link = byId(id);
    link.href = `?at=${to}`;
    link.dataset.at = to;
    link.setAttribute("aria-disabled", to === at);
  }
}

function showInList() {
  const box = byId("moves-box");
  box.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = byId(`move-${at}`);
  item?.setAttribute("aria-current", "true");
  box.scrollTop = item === null ? 0 : item.offsetTop - (box.clientHeight - item.offsetHeight) / 2;
}

// Playing by itself

function play() {
  if (at === game.moves) {
    goTo(0);
  }
  sentences.setAttribute("aria-live", "off"); // nobody could listen that fast
  playing = setTimeout(playOn, SPEEDS[speed.value]);
  showPlayButton();
}

function pause() {
  clearTimeout(playing);
  playing = 0;
  sentences.setAttribute("aria-live", "polite");
  showPlayButton();
}

async function playOn() {
  const n = at;
  await board(Math.min(n + 1, game.moves)).catch(() => null); // its own showing says what is wrong
  if (playing === 0) {
    return;
  }
  if (at === n) {
    goTo(n + 1);
  }
  if (at >= game.moves) {
    pause();
  } else {
    playing = setTimeout(playOn, SPEEDS[speed.value]);
  }
}

function toggle() {
  (playing === 0 ? play : pause)();
}

function showPlayButton() {
  const [shape, words] = playing === 0 ? [PLAY, _("Play")] : [PAUSE, _("Pause")];
  const icon = svg("svg", { class: "icon", viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" }, svg("path", { d: shape }));
  fill(playButton, icon, words);
}

// What people do

function listen() {
  slider.addEventListener("input", () => goTo(slider.valueAsNumber));
  playButton.addEventListener("click", toggle);
  player.addEventListener("keydown", press);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-at]");
    const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (link !== null && plain) {
      event.preventDefault();
      goTo(Number(link.dataset.at));
    }
  });
}

/** The keys of the slider, wherever in the player the focus is; there the space bar plays too. */
function press(event) {
  if (event.target === slider && event.key === " ") {
    toggle();
  } else if (event.key in STEPS && event.target !== slider && event.target !== speed) {
    goTo(at + STEPS[event.key]);
  } else {
    return;
  }
  event.preventDefault();
}

// The curves

async function fetchLog() {
  const found = [];
  for (let after = 0; after !== null; ) {
    const { data } = await get(`${api}/log`, { after, limit: LINES_AT_ONCE, language });
    found.push(...data.items);
    after = data.next_after;
  }
  return found.slice(0, game.moves); // a game that goes on may have grown since
}

/** The points before the first move: those after it without what it brought. */
function pointsAtStart({ scores, events }) {
  const before = [...scores];
  events.filter((event) => event.type === "points").forEach((event) => {
    before[event.seat] -= event.points;
  });
  return before;
}

function seriesOf(values) {
  const signs = [...document.querySelectorAll("#points .mark path")].map((path) => path.getAttribute("d"));
  return game.names.map((name, seat) => ({ seat, name, sign: signs[seat], values: values(seat) }));
}

function drawScores() {
  const series = seriesOf((seat) => [start[seat], ...lines.map((line) => line.scores[seat])]);
  const label = _("Points over the moves: the arrow keys look around, Enter shows a move");
  plots.push(curves(byId("score-plot"), { label, series, onpick: goTo }));
}

/** A small plot for each cause, all on one scale: what mattered is seen at a glance. */
async function drawCauses() {
  const { data } = await get(`${api}/statistics`, { language });
  const total = (cause) => data.causes[cause].reduce((sum, points) => sum + points, 0);
  const found = Object.keys(data.causes).sort((one, other) => total(other) - total(one)).map((cause) => ({
    words: data.cause_words[cause],
    series: seriesOf((seat) => [0, ...data.curve_by_cause.map(({ scores }) => scores[cause]?.[seat] ?? 0)]),
  }));
  const scale = rangeOf(found.flatMap(({ series }) => series));
  const figures = found.map(({ words, series }) => {
    const holder = el("div");
    plots.push(curves(holder, { label: words, series, range: scale, small: true, onpick: goTo }));
    return el("figure", {}, el("figcaption", { text: words }), holder);
  });
  fill(byId("cause-plots"), figures);
}

async function drawPlots() {
  drawScores();
  if (game.finished && byId("cause-plots") !== null) {
    await drawCauses();
  }
  plots.forEach((plot) => plot.mark(at));
}

async function begin() {
  mountProof(byId("verify"), game);
  if (game.moves === 0) {
    return;
  }
  lines = await fetchLog();
  start = pointsAtStart(lines[0]);
  byId("jump").replaceWith(el("div", { class: "playing" }, slider, el("div", { class: "buttons" }, playButton, speed)));
  player.append(note);
  showPlayButton();
  showWords();
  listen();
  fetchAhead(at);
  await drawPlots();
}

begin().catch(() => {}); // without an answer the page stays as it is: its links work
