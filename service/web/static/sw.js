/**
 * What runs beside our pages: a page for when there is no connection, and clicks on notices.
 *
 * Pages and answers of the API are never kept: they would be old, and they are private.
 */

const KEPT = "laguna-offline";
const OFFLINE = "/offline";

addEventListener("install", (event) => {
  event.waitUntil(keepOfflinePage().then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  event.waitUntil(clients.claim());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") {
    return;
  }
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match(OFFLINE, { ignoreVary: true })));
  } else if (["style", "image"].includes(request.destination) && isOurs(request)) {
    event.respondWith(fetch(request).catch(() => keptOrFailed(request)));
  }
});

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
});

/** The page says in its markup which style sheet and which picture it needs. */
async function keepOfflinePage() {
  const page = await fetch(OFFLINE, { cache: "no-store" });
  const markup = await page.clone().text();
  const cache = await caches.open(KEPT);
  await cache.put(OFFLINE, page);
  await cache.addAll(new Set(markup.match(/\/static\/[^"]+/g)));
}

function isOurs(request) {
  return new URL(request.url).pathname.startsWith("/static/");
}

async function keptOrFailed(request) {
  return (await caches.match(request)) ?? Response.error();
}

/** Go to the tab that shows this page already, or open one. */
async function show(path) {
  const address = new URL(path, location.origin).href;
  const tabs = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const tab = tabs.find(({ url }) => url.split("#")[0] === address);
  await (tab === undefined ? clients.openWindow(address) : tab.focus());
}
