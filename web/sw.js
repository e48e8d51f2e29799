// Keeps the page for when there is no network: everything it is made of is fetched once and answered from then on. Another build is
// another version, which replaces the one before when it has come whole.
const VERSION = "trample-@VERSION@";
const PARTS = ["./", "index.html", "still.png", "trample-play.js", "trample-play_bg.wasm"];

self.addEventListener("install", event => {
  // Past the browser's own cache, or an old part could be kept with a new one.
  const whole = PARTS.map(part => new Request(part, { cache: "reload" }));
  event.waitUntil(caches.open(VERSION).then(cache => cache.addAll(whole)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", event => {
  const old = names => names.filter(name => name.startsWith("trample-") && name !== VERSION);
  event.waitUntil(caches.keys().then(names => Promise.all(old(names).map(name => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", event => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  // What the address says after the question mark is for the simulator, not for the server.
  const kept = () => caches.open(VERSION).then(cache => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept().then(found => found ?? fetch(event.request)));
});
