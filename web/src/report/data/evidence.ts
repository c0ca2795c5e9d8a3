// Evidence of one layer in one document: reasons with the places they speak of.

import type { EvidenceLayer, LayerPart } from "../../generated/report";
import { unpacked, unpackedScores, unpackedSigned } from "../../shared/packing";

export interface Place {
  readonly side: number;
  readonly segment: number;
  readonly start: number;
  readonly end: number;
}

export interface Evidence {
  /** Unique within the layer and the document. */
  readonly id: number;
  readonly system: number;
  readonly reason: number;
  /** NaN where the metric gave none. */
  readonly value: number;
  readonly places: readonly Place[];
}

export function evidenceOf(part: LayerPart, layer: EvidenceLayer): Evidence[] {
  const systems = summed(unpacked(part.system));
  const reasons = unpacked(part.reason);
  const values = unpackedScores(part.value, layer.digits);
  const places = placesOf(part);
  let next = 0;
  return unpacked(part.spans).map((count, id) => ({
    id,
    system: systems[id] as number,
    reason: reasons[id] as number,
    value: values[id] as number,
    places: places.slice(next, (next += count)),
  }));
}

function placesOf(part: LayerPart): Place[] {
  const sides = summed(unpackedSigned(part.side));
  const segments = summed(unpackedSigned(part.segment));
  const starts = unpackedSigned(part.start);
  const lengths = unpacked(part.length);
  const places: Place[] = [];
  let before: Place | undefined;
  for (let i = 0; i < starts.length; i++) {
    const side = sides[i] as number;
    const segment = segments[i] as number;
    const together = before !== undefined && before.side === side && before.segment === segment;
    const start = (starts[i] as number) + (together ? (before as Place).end : 0);
    before = { side, segment, start, end: start + (lengths[i] as number) };
    places.push(before);
  }
  return places;
}

/** Numbers that were packed as differences to the one before. */
export function summed(steps: readonly number[]): number[] {
  let total = 0;
  return steps.map((step) => (total += step));
}
