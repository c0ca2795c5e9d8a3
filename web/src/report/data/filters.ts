// Which segments a reader wants to see: by domain, by length of the document, by what was found.

import { useEffect, useState } from "preact/hooks";

import { kindOf } from "../tones";
import type { Report } from "./report";

export interface Kind {
  /** "layer kind", as an address says it. */
  readonly value: string;
  readonly name: string;
}

/** The kinds of evidence that can be asked for: those of layers that mark words. */
export function kindsOf(report: Report): Kind[] {
  return report.layers.flatMap((layer) => {
    if (layer.kind !== "marks") return [];
    const kinds = [...new Set(layer.reasons.map(kindOf))];
    return kinds.map((kind) => ({
      value: `${layer.name} ${kind}`,
      name: `${layer.name}: ${kind}`,
    }));
  });
}

/** Documents of each third by length, the shortest third first. */
export function thirds(characters: readonly number[]): [number, number] {
  const sorted = [...characters].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return [at(1 / 3), at(2 / 3)];
}

export type InDocument = (document: number) => boolean;

/** Whether a document is of the domain and of the length that are wanted. */
export function documentFilter(report: Report, domain: string, length: string): InDocument {
  const { documents } = report.overview;
  const [low, high] = thirds(documents.characters);
  return (document) => {
    const of = documents.domain[document];
    const characters = documents.characters[document]!;
    if (domain && (of === null || of === undefined || documents.domains[of] !== domain))
      return false;
    if (length === "short") return characters <= low;
    if (length === "middle") return characters > low && characters <= high;
    return length !== "long" || characters > high;
  };
}

const AT_ONCE = 20; // documents between two looks at the screen

/**
 * The segments in which evidence of a kind was found on one of these systems (on any, where they
 * are null); null where no kind is asked for.
 */
export function useFound(
  report: Report,
  wanted: string,
  systems: readonly number[] | null,
): ReadonlySet<number> | null {
  const [found, setFound] = useState<ReadonlySet<number> | null>(null);
  useEffect(() => {
    if (!wanted) {
      setFound(null);
      return;
    }
    let current = true;
    const look = async () => {
      const hits = new Set<number>();
      for (let document = 0; document < report.overview.documents.ids.length; document++) {
        const { evidence } = await report.document(document);
        if (!current) return;
        for (const [layer, pieces] of evidence) {
          const { name, reasons } = report.layers[layer]!;
          for (const piece of pieces) {
            if (`${name} ${kindOf(reasons[piece.reason]!)}` !== wanted) continue;
            if (systems && !systems.includes(piece.system)) continue;
            for (const place of piece.places) {
              hits.add(report.firstSegment[document]! + place.segment);
            }
          }
        }
        if (document % AT_ONCE === 0) setFound(new Set(hits));
      }
      setFound(hits);
    };
    void look();
    return () => {
      current = false;
    };
  }, [wanted, systems?.join()]);
  return found;
}
