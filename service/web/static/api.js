/** The public API, as any program calls it; the page's cookie says who asks. */

import { meta } from "./dom.js";
import { _ } from "./words.js";

const KEPT = 300; // answers, so that a long replay does not fill the memory
const WAITS = [400, 1600]; // milliseconds before the first and the second retry
const RESTARTING = [502, 503, 504]; // nothing was done; a moment later it may be

const kept = new Map();
let saidSignedOut = false;

/** Why something was refused: the fields of problem+json, and how many seconds to wait, if it says. */
export class Problem extends Error {
  constructor({ status = 0, code, title, detail = "", errors = [], suggestions = [], wait = null }) {
    super(detail || title);
    this.name = "Problem";
    Object.assign(this, { status, code, title, detail, errors, suggestions, wait });
  }
}

/** Whether somebody is signed in here; strangers may only read. */
export function isSignedIn() {
  return meta("form-token") !== null;
}

/** Read something: `{data, etag}`. What has not changed since the last time is not sent again. */
export function get(path, query) {
  return read(path, query, (response) => response.json());
}

/** The same for what is not JSON, such as a board. */
export function getText(path, query) {
  return read(path, query, (response) => response.text());
}

/** Take an answer that came with the page for one that was read. */
export function remember(path, query, answer) {
  keep(path + queryOf(query), answer);
}

/** Do something once, however often it has to be sent: `{data, etag}`. */
export function post(path, body) {
  return write("POST", path, body, { "Idempotency-Key": crypto.randomUUID() });
}

/** The same where the answer tells a secret, which the server does not keep: sent only once. */
export function postForSecret(path, body) {
  return write("POST", path, body, {}, (attempt) => attempt());
}

export function put(path, body) {
  return write("PUT", path, body);
}

/** Change a part; `etag` names the version that is changed, where the API wants to know. */
export function patch(path, body, etag) {
  return write("PATCH", path, body, etag ? { "If-Match": etag } : {});
}

export function remove(path, body) {
  return write("DELETE", path, body);
}

/** What the API answers to one request; refusals are thrown as `Problem`. */
export async function send(path, options) {
  const response = await fetch(path, { credentials: "same-origin", ...options }).catch((error) => {
    throw error.name === "AbortError" ? error : offline();
  });
  if (response.ok || response.status === 304) {
    return response;
  }
  const problem = await problemOf(response);
  if (isSignedIn() && (problem.status === 401 || problem.code === "csrf_failed")) {
    saySignedOut();
    const { status, code } = problem; // its words are for programs
    throw new Problem({ status, code, title: _("You are no longer signed in on this page.") });
  }
  throw problem;
}

/** The session of this page is over; somebody may have signed in again in another tab. */
function saySignedOut() {
  if (!saidSignedOut) {
    saidSignedOut = true;
    window.dispatchEvent(new Event("signed-out"));
  }
}

async function read(path, query, content) {
  const address = path + queryOf(query);
  const before = kept.get(address);
  const headers = before?.etag ? { "If-None-Match": before.etag } : {};
  const response = await persistently(() => send(address, { headers, cache: "no-store" }));
  if (response.status === 304) {
    return before;
  }
  const answer = { data: await content(response), etag: response.headers.get("ETag") };
  keep(address, answer);
  return answer;
}

function keep(address, answer) {
  kept.delete(address);
  if (answer.etag !== null) {
    kept.set(address, answer);
  }
  if (kept.size > KEPT) {
    kept.delete(kept.keys().next().value);
  }
}

async function write(method, path, body, more = {}, insist = persistently) {
  const headers = { "X-Form-Token": meta("form-token") ?? "", ...more };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
  }
  const options = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
  const response = await insist(() => send(path, options));
  const data = response.status === 204 ? null : await response.json();
  return { data, etag: response.headers.get("ETag") };
}

/** Try again when the network or a starting server is to blame: nothing we send counts twice. */
async function persistently(attempt) {
  for (const wait of WAITS) {
    try {
      return await attempt();
    } catch (problem) {
      if (problem.code !== "offline" && !RESTARTING.includes(problem.status)) {
        throw problem;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, wait * (0.75 + Math.random() / 2)));
  }
  return attempt();
}

function queryOf(query) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

function offline() {
  return new Problem({
    code: "offline",
    title: _("No connection"),
    detail: _("Laguna cannot be reached just now. Try again in a moment."),
  });
}

async function problemOf(response) {
  const { status } = response;
  const wait = Number(response.headers.get("Retry-After")) || null;
  try {
    return new Problem({ ...(await response.json()), status, wait });
  } catch {
    return new Problem({ status, code: "unavailable", title: _("Something went wrong"), wait });
  }
}
