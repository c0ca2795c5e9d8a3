// Where the reader is: the part of the address after #, so that links, bookmarks and "back" work.

import { useLayoutEffect, useState } from "preact/hooks";

/** A view, what it is about, and how it is set; `set` is which of several collections it is of. */
export interface Route {
  readonly set: number | null;
  readonly view: string;
  readonly subject: string | null;
  readonly settings: URLSearchParams;
}

export function parsed(hash: string): Route {
  const [whole = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const within = WITHIN.exec(whole);
  const path = within ? whole.slice(within[0].length) : whole;
  const slash = path.indexOf("/");
  const view = slash < 0 ? path : path.slice(0, slash);
  const subject = slash < 0 ? null : decoded(path.slice(slash + 1));
  const set = within ? Number(within[1]) : null;
  return { set, view, subject, settings: new URLSearchParams(query) };
}

const WITHIN = /^@(\d+)(?:\/|$)/;
let home = "";

/** From now on addresses are of this one of several collections; null where there is but one. */
export function settle(set: number | null): void {
  home = set === null ? "" : `@${set}/`;
}

/** The text of an encoded part of an address; what was never encoded stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export type Settings = Record<string, string | number | null | undefined>;

/** The address of a view; settings that are null or empty are left out. */
export function address(
  view: string,
  subject: string | null = null,
  settings: Settings = {},
): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(settings)) {
    if (value !== null && value !== undefined && value !== "") query.set(key, String(value));
  }
  const path = subject === null ? view : `${view}/${encodeURIComponent(subject)}`;
  const text = query.toString();
  return `#/${home}${path}${text ? `?${text}` : ""}`;
}

/** The route, kept up to date. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  // Before the page is shown: a click that follows at once must not be lost.
  useLayoutEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parsed(hash);
}

/** Changes settings of the present view without a new step in the history. */
export function change(route: Route, settings: Settings): void {
  const present: Settings = Object.fromEntries(route.settings);
  location.replace(address(route.view, route.subject, { ...present, ...settings }));
}

export function go(target: string): void {
  location.hash = target;
}
