// Offsets: Python counts code points, JavaScript strings count UTF-16 units.

const ASTRAL = /[\ud800-\udbff][\udc00-\udfff]/;

/** Turns code-point offsets of one text into offsets of its UTF-16 units. */
export class Offsets {
  /** The unit at which each code point begins; null where both counts agree. */
  private readonly units: number[] | null;

  constructor(private readonly text: string) {
    this.units = ASTRAL.test(text) ? begins(text) : null;
  }

  /** The UTF-16 offset of a code-point offset; what lies outside the text is its end. */
  unit(point: number): number {
    const last = this.text.length;
    return this.units === null ? Math.min(point, last) : (this.units[point] ?? last);
  }

  /** The code-point offset of a UTF-16 offset, for selections made on the page. */
  point(unit: number): number {
    if (this.units === null) return unit;
    let low = 0;
    let high = this.units.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.units[middle] as number) < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function begins(text: string): number[] {
  const units: number[] = [];
  let unit = 0;
  for (const character of text) {
    units.push(unit);
    unit += character.length;
  }
  return units;
}
