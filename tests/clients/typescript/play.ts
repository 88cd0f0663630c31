/** Answer whatever waits for us, until a game is over. */
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

type Schemas = components["schemas"];
type Json = `application/${string}`; // events come as a stream too, which we do not ask for
type House = ReturnType<typeof enter>;

function enter(baseUrl: string, token: string) {
  return createClient<paths, Json>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
}

/** The answer, or the problem as an error. */
async function told<T>(asked: Promise<{ data?: T; error?: Schemas["Problem"] }>): Promise<T> {
  const { data, error } = await asked;
  if (data === undefined) throw new Error(error ? `${error.code}: ${error.detail}` : "no answer");
  return data;
}

/** The move that scores most now, for whomever. */
function best(decision: Schemas["Decision"]): Schemas["Answer"] {
  const worth = (offered: Schemas["OfferedMove"]) =>
    offered.points.reduce((sum, item) => sum + item.points, 0);
  const chosen = decision.moves.reduce((a, b) => (worth(b) > worth(a) ? b : a));
  return { decision: decision.id, move: chosen.move };
}

async function answerAll(house: House): Promise<number> {
  const waiting = await told(house.GET("/v1/decisions"));
  let answered = 0;
  for (const { game: game_id } of waiting.items) {
    const params = { path: { game_id } };
    const { decision } = await told(house.GET("/v1/games/{game_id}", { params }));
    if (decision === null) continue; // the clock was faster
    await told(house.POST("/v1/games/{game_id}/moves", { params, body: best(decision) }));
    answered += 1;
  }
  return answered;
}

async function play(house: House, gameId: string): Promise<number> {
  let answered = 0;
  for (let after = 0, over = false; !over; ) {
    answered += await answerAll(house);
    const news = await told(house.GET("/v1/events", { params: { query: { after, wait: 25 } } }));
    after = news.last;
    over = news.items.some(({ type, game }) => type === "game.finished" && game === gameId);
  }
  return answered;
}

/** Open a table for all of us and a bot, and play. */
async function main(baseUrl: string, game: string, tokens: string[]): Promise<void> {
  const houses = tokens.map((token) => enter(baseUrl, token));
  const [host, ...guests] = houses;
  if (host === undefined) throw new Error("Nobody wants to play.");
  const body = { game, seats: houses.length + 1, bots: 1 };
  const table = await told(host.POST("/v1/games", { body }));
  const params = { path: { game_id: table.id } };
  for (const guest of guests) {
    await told(guest.POST("/v1/games/{game_id}/join", { params, body: {} }));
  }
  const answered = await Promise.all(houses.map((house) => play(house, table.id)));
  const { id, status, outcome } = await told(host.GET("/v1/games/{game_id}", { params }));
  console.log(JSON.stringify({ id, status, answered, outcome }));
}

const { LAGUNA_URL = "http://localhost:8000", LAGUNA_TOKENS = "" } = process.env;
await main(LAGUNA_URL, process.argv[2] ?? "", LAGUNA_TOKENS.split(","));
