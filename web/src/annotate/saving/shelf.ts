// Where answers wait until the server has them: the browser's own storage, which outlives the page.

import type { SentAnswer } from "../../generated/annotate";

/** An answer that waits; once it may have reached the server, it must not be changed any more. */
export interface Waiting extends SentAnswer {
  readonly order: number;
  readonly tried: boolean;
}

export interface Shelf {
  all(): Waiting[];
  has(key: string): boolean;
  /** False where the browser has no room: the answer then lives only as long as the page. */
  put(entry: Waiting): boolean;
  remove(key: string): void;
}

const PREFIX = "isogloss.waiting.";

/** One record for each answer, so that two tabs never write over each other. */
export class BrowserShelf implements Shelf {
  private readonly unkept = new Map<string, Waiting>();

  all(): Waiting[] {
    const found = [...this.unkept.values()];
    for (const name of names()) {
      const entry = read(name);
      if (entry) found.push(entry);
    }
    return found.sort((one, other) => one.order - other.order);
  }

  has(key: string): boolean {
    return this.unkept.has(key) || stored(() => localStorage.getItem(PREFIX + key)) !== null;
  }

  put(entry: Waiting): boolean {
    try {
      localStorage.setItem(PREFIX + entry.key, JSON.stringify(entry));
      return true;
    } catch {
      this.unkept.set(entry.key, entry);
      return false;
    }
  }

  remove(key: string): void {
    this.unkept.delete(key);
    stored(() => localStorage.removeItem(PREFIX + key));
  }
}

function names(): string[] {
  const all = stored(() => Object.keys(localStorage)) ?? [];
  return all.filter((name) => name.startsWith(PREFIX));
}

function read(name: string): Waiting | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") as Waiting | null;
  } catch {
    return null;
  }
}

/** Null where the browser keeps nothing at all. */
export function stored<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
