/** What waits for the person who looks at this page. */

import { get, isSignedIn } from "./api.js";
import { follow } from "./stream.js";

const PATIENCE = 250; // milliseconds; several events often come together
const MOST = 100;

const listeners = new Set();
let known = null;
let timer = 0;

/** Hear of the open decisions, soonest first: at once if they are known, and when they change. */
export function onTurns(listener) {
  if (!isSignedIn()) {
    return;
  }
  listeners.add(listener);
  if (known !== null) {
    listener(known);
  } else if (listeners.size === 1) {
    follow(soon);
    refresh();
  }
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, PATIENCE);
}

async function refresh() {
  try {
    known = (await get("/v1/decisions", { limit: MOST })).data.items;
  } catch {
    return; // the next event, or the next page, asks again
  }
  listeners.forEach((listener) => listener(known));
}
