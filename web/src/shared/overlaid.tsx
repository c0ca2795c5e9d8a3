// What several people marked in one text: a line below the words for each of them.

import { type Mark, runs } from "./runs";

export interface MarkedError {
  readonly start: number;
  readonly end: number;
  readonly severity: string;
  readonly category?: string | null;
  readonly missing: boolean;
  readonly side?: string | null;
}

export interface Voice {
  readonly name: string;
  readonly errors: readonly MarkedError[];
}

interface Laid extends Mark {
  readonly lane: number;
  readonly name: string;
  readonly error: MarkedError;
}

const LANE = 5; // pixels
const THICK: Record<string, number> = { minor: 2, major: 4, critical: 4 };
export const TONES = 8;

export function Overlaid(props: {
  text: string;
  language: string | null;
  voices: readonly Voice[];
  side: "source" | "output";
}) {
  const own = (error: MarkedError) => (error.side === "source") === (props.side === "source");
  const laid = props.voices.flatMap(({ name, errors }, lane) =>
    errors.filter(own).map((error) => ({
      start: error.start,
      end: error.end,
      lane,
      name,
      error,
      ...(error.missing && error.start === error.end ? {} : { gap: "·" }),
    })),
  ) as readonly Laid[];
  const lanes = Math.max(0, ...laid.map((each) => each.lane + 1));
  return (
    <p
      class="text overlaid"
      dir="auto"
      style={{ lineHeight: `calc(1.5em + ${lanes * LANE}px)` }}
      {...(props.language ? { lang: props.language } : {})}
    >
      {runs(props.text, laid).map((run, i) =>
        run.marks.length === 0 ? (
          run.text
        ) : (
          <mark
            key={i}
            style={lines(run.marks)}
            class={run.marks.some((each) => each.error.severity === "critical") ? "grave" : ""}
            title={run.marks.map(told).join("; ")}
          >
            {run.text || "·"}
          </mark>
        ),
      )}
    </p>
  );
}

function told({ name, error }: Laid): string {
  return `${name}: ${error.severity}${error.category ? `, ${error.category}` : ""}`;
}

/** A line for each person, always at the same height, thicker for what is worse. */
function lines(marks: readonly Laid[]) {
  const most = Math.max(...marks.map((each) => each.lane)) + 1;
  const place = (lane: number) => `0 calc(100% - ${(most - 1 - lane) * LANE}px)`;
  return {
    backgroundImage: marks
      .map(({ lane }) => `linear-gradient(var(--voice-${lane % TONES}) 0 0)`)
      .join(","),
    backgroundSize: marks.map(({ error }) => `100% ${THICK[error.severity] ?? 3}px`).join(","),
    backgroundPosition: marks.map(({ lane }) => place(lane)).join(","),
    paddingBottom: `${most * LANE}px`,
  };
}

/** The colour of somebody's lines. */
export function Swatch(props: { of: number }) {
  return (
    <span
      class="swatch"
      aria-hidden="true"
      style={{ background: `var(--voice-${props.of % TONES})` }}
    />
  );
}

/** "2 major, 1 minor, 1 left out" */
export function summed(errors: readonly MarkedError[]): string {
  const counts = new Map<string, number>();
  for (const { severity, missing } of errors) {
    const name = missing ? `${severity} left out` : severity;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ") || "no errors";
}
