/** Answer all open decisions until a game is over. */
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

type Schemas = components["schemas"];
type Json = `application/${string}`; // not the stream of events
type Client = ReturnType<typeof connect>;

function connect(baseUrl: string, token: string) {
  return createClient<paths, Json>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
}

/** The body of a response; a problem becomes an error. */
async function unwrap<T>(request: Promise<{ data?: T; error?: Schemas["Problem"] }>): Promise<T> {
  const { data, error } = await request;
  if (data === undefined) throw new Error(error ? `${error.code}: ${error.detail}` : "no answer");
  return data;
}

/** The move with the most points in all. */
function best(decision: Schemas["Decision"]): Schemas["Answer"] {
  const worth = (offered: Schemas["OfferedMove"]) =>
    offered.points.reduce((sum, item) => sum + item.points, 0);
  const chosen = decision.moves.reduce((a, b) => (worth(b) > worth(a) ? b : a));
  return { decision: decision.id, move: chosen.move };
}

async function answerAll(client: Client): Promise<number> {
  const waiting = await unwrap(client.GET("/v1/decisions"));
  let answered = 0;
  for (const { game: game_id } of waiting.items) {
    const params = { path: { game_id } };
    const { decision } = await unwrap(client.GET("/v1/games/{game_id}", { params }));
    if (decision === null) continue; // the clock was faster
    await unwrap(client.POST("/v1/games/{game_id}/moves", { params, body: best(decision) }));
    answered += 1;
  }
  return answered;
}

async function play(client: Client, gameId: string): Promise<number> {
  let answered = 0;
  for (let after = 0, over = false; !over; ) {
    answered += await answerAll(client);
    const events = await unwrap(client.GET("/v1/events", { params: { query: { after, wait: 25 } } }));
    after = events.last;
    over = events.items.some(({ type, game }) => type === "game.finished" && game === gameId);
  }
  return answered;
}

/** Open a table for all of us and a bot, and play. */
async function main(baseUrl: string, game: string, tokens: string[]): Promise<void> {
  const clients = tokens.map((token) => connect(baseUrl, token));
  const [host, ...guests] = clients;
  if (host === undefined) throw new Error("Nobody wants to play.");
  const body = { game, seats: clients.length + 1, bots: 1 };
  const table = await unwrap(host.POST("/v1/games", { body }));
  const params = { path: { game_id: table.id } };
  for (const guest of guests) {
    await unwrap(guest.POST("/v1/games/{game_id}/join", { params, body: {} }));
  }
  const answered = await Promise.all(clients.map((client) => play(client, table.id)));
  const { id, status, outcome } = await unwrap(host.GET("/v1/games/{game_id}", { params }));
  console.log(JSON.stringify({ id, status, answered, outcome }));
}

const { LAGUNA_URL = "http://localhost:8000", LAGUNA_TOKENS = "" } = process.env;
await main(LAGUNA_URL, process.argv[2] ?? "", LAGUNA_TOKENS.split(","));
