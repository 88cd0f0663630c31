/**
 * What a person is told, as it happens: one stream for all tabs of a browser.
 *
 * One tab leads: it holds a lock, reads the stream and passes everything on. Events are numbered
 * without gaps, so that each tab notices by itself what it missed, whoever led meanwhile, and asks
 * for it. The stream is read by `fetch`: an EventSource tells neither why it failed nor events
 * whose types it does not know, and it does not notice that the other side has gone silent.
 */

import { get, isSignedIn, send } from "./api.js";
import { facts } from "./dom.js";

const visitor = facts("visitor");
const NAME = `laguna-events-${visitor?.person}`; // tabs of two people do not mix
const EVENTS = "/v1/events";
const MOST = 500; // events of one answer
const NEWEST = 2 ** 53 - 1; // after the last of all events there is none, and the answer says so
const SILENT_FOR = 40_000; // milliseconds; the server says every 15 s that it is still there
const RETRY = 2_000; // until the server says how long to wait after the end of a stream
const LOOK_EVERY = 5; // seconds, when the server has no place for our stream and does not say
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 10_000;

const listeners = new Set();
const connectionListeners = new Set();
let channel = null;
let last = visitor?.last_event ?? null; // the number of what was told last; null: not known yet
let asking = null;
let connected = true;
let leading = false;
let hurry = () => {};

/** Hear of every event from now on; gives a function that ends it. */
export function follow(listener) {
  if (!isSignedIn()) {
    return () => {};
  }
  listeners.add(listener);
  begin();
  return () => listeners.delete(listener);
}

/** Hear whether the stream runs: at once, and whenever that changes. */
export function onConnection(listener) {
  connectionListeners.add(listener);
  listener(connected);
  return () => connectionListeners.delete(listener);
}

/** Whether this tab is the one that reads the stream, for what should happen once in a browser. */
export function isLeading() {
  return leading;
}

function begin() {
  if (channel !== null) {
    return;
  }
  channel = new BroadcastChannel(NAME);
  channel.addEventListener("message", ({ data }) => hear(data));
  document.addEventListener("visibilitychange", comeBack);
  window.addEventListener("pageshow", ({ persisted }) => persisted && comeBack());
  window.addEventListener("online", () => hurry());
  if (navigator.locks === undefined) {
    lead();
  } else {
    navigator.locks.request(NAME, { ifAvailable: true }, (lock) => (lock === null ? wait() : lead()));
  }
}

/** Another tab leads; what it said before we listened we ask for. */
function wait() {
  navigator.locks.request(NAME, lead);
  catchUp().catch(ignored);
}

function hear(said) {
  setConnected(said.connected ?? true);
  if (said.event !== undefined) {
    take(said.event).catch(ignored);
  }
}

function comeBack() {
  if (!document.hidden) {
    hurry();
    catchUp().catch(ignored);
  }
}

/** Who cannot ask now is told by the stream, or asks when the tab is looked at again. */
function ignored() {}

/** Ask for what this tab has not been told yet; the first time only for where to begin. */
function catchUp() {
  asking ??= ask().finally(() => {
    asking = null;
  });
  return asking;
}

async function ask() {
  if (last === null) {
    last = (await get(EVENTS, { after: NEWEST, limit: 1 })).data.last;
    return;
  }
  for (let more = true; more; ) {
    const { items } = (await get(EVENTS, { after: last, limit: MOST })).data;
    items.forEach(tell);
    more = items.length === MOST;
  }
}

/** An event came by the stream: tell it, or everything since the last if some are missing. */
async function take(event) {
  if (last === null) {
    await asking;
  }
  if (event.number <= last + 1) {
    tell(event);
  } else {
    await asking; // it may be older than this event
    await catchUp();
  }
}

function tell(event) {
  if (event.number > last) {
    last = event.number;
    listeners.forEach((listener) => listener(event));
  }
}

function setConnected(now) {
  if (now !== connected) {
    connected = now;
    connectionListeners.forEach((listener) => listener(now));
  }
}

/** Read the stream as long as this tab lives, and again whenever it ends. */
async function lead() {
  leading = true;
  for (let failures = 0; ; ) {
    try {
      if (last === null) {
        await catchUp();
      }
      const retry = await readStream();
      failures = 0;
      await rest(retry);
    } catch (problem) {
      if (problem.status === 401) {
        leading = false;
        return; // signed out; the next page begins anew
      }
      if (problem.code === "too_many_waiting") {
        share({ connected: true });
        await rest((problem.wait ?? LOOK_EVERY) * 1_000);
        await catchUp().catch(ignored); // without a stream, until there is a place for one
        continue;
      }
      share({ connected: false });
      await rest(backOff(failures));
      failures += 1;
    }
  }
}

function backOff(failures) {
  const longest = Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT);
  return longest * (0.5 + Math.random() / 2); // not all browsers at once after a restart
}

/** Wait; whoever comes back to the tab, or online, does not wait longer. */
function rest(milliseconds) {
  return new Promise((resolve) => {
    hurry = resolve;
    setTimeout(resolve, milliseconds);
  });
}

/** Read one stream to its end; how many milliseconds the server wants us to wait then. */
async function readStream() {
  const silence = new AbortController();
  let timer = 0;
  const waitForMore = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENT_FOR);
  };
  waitForMore();
  try {
    const response = await send(`${EVENTS}?after=${last}`, {
      headers: { Accept: "text/event-stream" },
      cache: "no-store",
      signal: silence.signal,
    });
    share({ connected: true });
    return await readBlocks(response.body, waitForMore);
  } finally {
    clearTimeout(timer);
  }
}

async function readBlocks(body, waitForMore) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let retry = RETRY;
  for (let rest = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) {
      return retry;
    }
    waitForMore();
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const fields of blocks.map(fieldsOf)) {
      retry = Number(fields.retry ?? retry);
      if (fields.data !== undefined) {
        share({ event: JSON.parse(fields.data) });
      }
    }
  }
}

/** The lines of a block by their names: `retry: 2000`, `id: 7`. */
function fieldsOf(block) {
  return Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2)));
}

/** Let all tabs hear something, this one as well. */
function share(said) {
  channel.postMessage(said);
  hear(said);
}
