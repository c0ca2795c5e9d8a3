// The program at hand without a network: a service worker for the page and its two parts.
//
// What the server has goes first, always, so that nothing old hides an update; what was fetched
// last is shown where nobody answers. Work and answers are none of its business (see kept.ts). All
// addresses are relative to the worker's own, so that a campaign may lie in a folder of a site.

interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface Fetching extends Lasting {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

interface Scope {
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(name: "install" | "activate", listener: (event: Lasting) => void): void;
  addEventListener(name: "fetch", listener: (event: Fetching) => void): void;
}

const worker = self as unknown as Scope;
const HERE = new URL("./", location.href);
const CACHE = `isogloss program ${HERE.pathname}`;
const PARTS = ["./", "app/annotate.js", "app/annotate.css"].map((part) => new URL(part, HERE).href);
const PATIENCE = 5000; // milliseconds that a slow network has before what is at hand is shown

worker.addEventListener("install", (event) => {
  const filled = caches.open(CACHE).then((cache) => cache.addAll(PARTS));
  event.waitUntil(filled.then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (event) => {
  const part = event.request.url.replace(/[?#].*$/s, "");
  if (event.request.method !== "GET" || !PARTS.includes(part)) return;
  const asked = fetched(event.request, part);
  event.waitUntil(asked.catch(() => undefined));
  event.respondWith(answered(asked, part));
});

async function fetched(request: Request, part: string): Promise<Response> {
  const response = await fetch(request);
  if (response.ok) await (await caches.open(CACHE)).put(part, response.clone());
  return response;
}

async function answered(asked: Promise<Response>, part: string): Promise<Response> {
  const slow = new Promise<null>((done) => setTimeout(() => done(null), PATIENCE));
  const response = await Promise.race([asked.catch(() => null), slow]);
  // A proxy that does not find the campaign answers for it.
  if (response && ![502, 503, 504].includes(response.status)) return response;
  const kept = await caches.open(CACHE).then((cache) => cache.match(part));
  return kept ?? asked;
}

export {};
