// Colours that say something; each step is a class, so that light and dark look choose the shade.

/** Worse than usual (negative) to better than usual (positive), in 11 steps: "d-5" to "d5". */
export function divergingClass(value: number, reach: number): string {
  if (Number.isNaN(value)) return "none";
  const step = Math.round(Math.max(-1, Math.min(1, reach ? value / reach : 0)) * 5);
  return `d${step}`;
}

/** Low to high in 10 steps: "q0" to "q9". */
export function sequentialClass(value: number, low: number, high: number): string {
  if (Number.isNaN(value)) return "none";
  const share = high > low ? (value - low) / (high - low) : 0.5;
  return `q${Math.max(0, Math.min(9, Math.floor(share * 10)))}`;
}

const UNLIKELY = 12; // nats: anything as improbable as this gets the strongest colour

/** A log-probability in 8 steps: "h0" (expected) to "h7" (a great surprise). */
export function heatClass(logProbability: number): string {
  return `h${Math.max(0, Math.min(7, Math.floor((-logProbability / UNLIKELY) * 8)))}`;
}
