/** The first page while it is open: your turns and your games as they are now. */

import { get } from "./api.js";
import { byId, el, facts, fill } from "./dom.js";
import { follow } from "./stream.js";
import { left, local } from "./times.js";
import { onTurns } from "./turns.js";
import { _, ngettext, pieces } from "./words.js";

const MOST_GAMES = 50; // as many as the page has when it is opened
const MOST_FINISHED = 10;
const PATIENCE = 250; // milliseconds; several events often come together

const titles = facts("titles");
let timer = 0;

/** Show something else without taking the focus from whoever is just there. */
function change(place, ...children) {
  const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  fill(place, ...children);
  if (focused !== null) {
    place.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }
}

function rows(items) {
  return el("ul", { class: "rows" }, items);
}

function row(address, title, lines, ...more) {
  const link = el("a", { href: address, text: title });
  return el("li", null, el("div", { class: "what" }, link, lines.map((line) => el("p", null, line))), more);
}

function empty(text) {
  return el("p", { class: "empty", text });
}

function showTurns(turns) {
  const waiting = ngettext("%(n)d waiting", "%(n)d waiting", turns.length);
  fill(byId("turns-count"), turns.length > 0 && el("span", { class: "tag warm", text: waiting }));
  byId("turns").classList.toggle("urgent", turns.length > 0);
  if (turns.length > 0) {
    change(byId("turns-list"), rows(turns.map(turnRow)));
  } else if (byId("turns-list").querySelector(".rows") !== null) {
    showNoTurns();
  }
}

/** For somebody who plays; whoever does not yet has read on the page how to begin. */
function showNoTurns() {
  const words = _("Nothing waits for you. The others are choosing; come back later, or open another table.");
  change(byId("turns-list"), empty(words));
}

function turnRow({ game, title, due_at: due }) {
  const address = `/games/${game}`;
  const words = { class: "button", "aria-label": _("Decide in %(title)s", { title }), text: _("Decide") };
  return row(address, title, [timeLeft(due)], el("a", { href: `${address}#decision`, ...words }));
}

function timeLeft(due) {
  const time = el("time", { dataset: { due: due ?? "" }, text: left(due) });
  if (due === null) {
    return time;
  }
  const moment = el("time", { datetime: due, text: local(due) });
  return [time, pieces(", until %(moment)s", { moment })];
}

async function showGames() {
  let games = null;
  try {
    games = (await get("/v1/games", { limit: MOST_GAMES })).data.items;
  } catch {
    return; // the next event asks again
  }
  const of = (status) => games.filter((game) => game.status === status);
  if (of("running").length > 0 && byId("turns-list").querySelector(".rows") === null) {
    showNoTurns();
  }
  games.forEach((game) => takeInvitationAway(game.id));
  const going = [...of("running").map(runningRow), ...of("open").map(openRow)];
  change(byId("games-list"), going.length > 0 ? rows(going) : empty(_("None is running.")));
  const over = of("finished").slice(0, MOST_FINISHED).map(finishedRow);
  const unfolded = byId("finished-list").querySelector("details")?.open;
  const summary = el("summary", { text: _("Finished games") });
  change(byId("finished-list"), over.length > 0 && el("details", { open: unfolded }, summary, rows(over)));
}

function gameRow(game, note, tag, kind) {
  const lines = [people(game), note].filter(Boolean);
  return row(`/games/${game.id}`, titleOf(game), lines, el("span", { class: `tag ${kind}`, text: tag }));
}

function runningRow(game) {
  let note = "";
  if (game.seats[game.your_seat].away_since !== null) {
    note = _("A bot keeps your seat; take it back whenever you like.");
  } else if (game.paused_until !== null) {
    note = _("Paused: all clocks stand still.");
  }
  return gameRow(game, note, _("move %(n)d", { n: game.moves }), "grey");
}

function openRow(game) {
  return gameRow(game, "", _("waits for players"), "");
}

function finishedRow(game) {
  const won = game.outcome.winners.includes(game.your_seat);
  const abandoned = game.outcome.winners.length === 0;
  return gameRow(game, "", won ? _("won") : abandoned ? _("abandoned") : _("finished"), won ? "" : "grey");
}

function titleOf(game) {
  return game.title || titles[game.game];
}

function people(game) {
  const names = game.seats.filter((seat) => seat.kind !== "free").map(nameOf);
  if (game.free_seats > 0) {
    names.push(ngettext("%(n)d seat free", "%(n)d seats free", game.free_seats));
  }
  return names.join(", ");
}

function nameOf({ name, kind }) {
  return kind === "person" ? name : _("%(name)s (bot)", { name });
}

/** The invitations to tables at which one does not sit yet. */
function invitationRows() {
  return byId("invitations").querySelector(".rows");
}

function takeInvitationAway(id) {
  invitationRows().querySelector(`a[href="/games/${id}"]`)?.closest("li").remove();
  byId("invitations").hidden = invitationRows().childElementCount === 0;
}

/** A new invitation comes first; one of them is enough for a table. */
async function showInvitation({ game: id, data }) {
  const { data: game } = await get(`/v1/games/${id}`);
  takeInvitationAway(id);
  const words = _("%(name)s invites you.", { name: data.by });
  const look = el("a", { class: "button quiet", href: `/games/${id}`, text: _("Look") });
  invitationRows().prepend(row(`/games/${id}`, titleOf(game), [`${words} ${people(game)}`], look));
  byId("invitations").hidden = false;
}

function refresh(event) {
  if (event.type === "table.invited" || event.type === "table.rematch") {
    showInvitation(event).catch(() => {}); // the page shows it when it is opened anew
  } else if (event.type === "table.cancelled") {
    takeInvitationAway(event.game);
  }
  clearTimeout(timer);
  timer = setTimeout(showGames, PATIENCE);
}

onTurns(showTurns);
follow(refresh);
