// Searching all texts: documents are read one after the other, and hits arrive as they are found.

import { useEffect, useState } from "preact/hooks";

import type { Report } from "./report";

export interface Search {
  /** Segments (by position in the test set) in which some text holds the words; null: no search. */
  readonly hits: ReadonlySet<number> | null;
  readonly running: boolean;
}

const PAUSE = 200; // milliseconds after the last letter
const AT_ONCE = 20; // documents between two looks at the screen

export function useSearch(report: Report, words: string): Search {
  const [search, setSearch] = useState<Search>({ hits: null, running: false });
  useEffect(() => {
    const wanted = folded(words.trim());
    if (!wanted) {
      setSearch({ hits: null, running: false });
      return;
    }
    let current = true;
    const timer = setTimeout(async () => {
      const hits = new Set<number>();
      const count = report.overview.documents.ids.length;
      for (let document = 0; document < count && current; document++) {
        const { texts } = await report.document(document);
        texts.forEach((row, i) => {
          if (row.some((text) => text !== null && folded(text).includes(wanted))) {
            hits.add(report.firstSegment[document]! + i);
          }
        });
        if (document % AT_ONCE === 0 && current) setSearch({ hits: new Set(hits), running: true });
      }
      if (current) setSearch({ hits, running: false });
    }, PAUSE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [words]);
  return search;
}

/** Letter case and accents do not matter to a search. */
export function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
