// Where the browser keeps an annotator's work: one record for each name, shared by all tabs.

import { WIRE } from "../../generated/annotate";

export interface Drawer {
  get(name: string): Promise<unknown>;
  put(name: string, value: unknown): Promise<void>;
  remove(name: string): Promise<void>;
  names(): Promise<string[]>;
  /** Runs a job that reads and writes; no other tab does so meanwhile. */
  alone<T>(job: () => Promise<T>): Promise<T>;
}

const HERE = new URL("./", location.href).pathname;
const OURS = `isogloss work ${HERE} `;
/** Work that was kept by a program of other words is not read. */
const CACHE = OURS + WIRE;

/** The browser's drawer; one that keeps nothing where it has none, without TLS for instance. */
export function browserDrawer(): Drawer {
  if (typeof caches === "undefined" || !navigator.locks) return NOTHING;
  void removeOthers();
  return CACHED;
}

async function removeOthers(): Promise<void> {
  for (const name of await caches.keys().catch(() => [])) {
    if (name.startsWith(OURS) && name !== CACHE) await caches.delete(name);
  }
}

const at = (name: string) => `${HERE}kept/${encodeURIComponent(name)}`;

const CACHED: Drawer = {
  async get(name) {
    const found = await (await caches.open(CACHE)).match(at(name));
    return found ? ((await found.json()) as unknown) : null;
  },
  async put(name, value) {
    await (await caches.open(CACHE)).put(at(name), new Response(JSON.stringify(value)));
  },
  async remove(name) {
    await (await caches.open(CACHE)).delete(at(name));
  },
  async names() {
    const asked = await (await caches.open(CACHE)).keys();
    return asked.map(({ url }) => decodeURIComponent(url.slice(url.lastIndexOf("/") + 1)));
  },
  alone: (job) => navigator.locks.request(CACHE, job),
};

const NOTHING: Drawer = {
  get: () => Promise.resolve(null),
  put: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  names: () => Promise.resolve([]),
  alone: (job) => job(),
};
