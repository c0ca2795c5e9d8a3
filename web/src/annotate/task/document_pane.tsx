// The whole source document, with the present line in its place.

import { useEffect, useRef } from "preact/hooks";

import type { ShownMark } from "../../shared/marked_text";
import { SOURCE } from "../input/selection";
import { Passage } from "./passage";
import type { Screen } from "./screens";
import { firstGap, halfDone, type Kind } from "./values";
import { answered, type Work } from "./work";

type State = "answered" | "half" | "open";

const STATES: Record<State, string> = { answered: "answered", half: "half done", open: "open" };

export function DocumentPane<K extends Kind>(props: {
  work: Work<K>;
  marks: (segment: number) => readonly ShownMark[];
}) {
  const { work } = props;
  const { task, cursor } = work;
  const list = useRef<HTMLOListElement>(null);
  const current = cursor.current.segment;
  useEffect(() => {
    list.current?.querySelector(".line.here")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const states = statesOf(work);
  return (
    <section class="document" aria-label="Source document" tabIndex={0}>
      <ol ref={list}>
        {task.source.map((text, segment) => (
          <Line
            key={segment}
            segment={segment}
            text={text}
            language={task.source_language}
            state={states.get(segment) ?? null}
            here={segment === current}
            marks={props.marks(segment)}
            reference={
              segment === current || cursor.current.whole
                ? (task.reference?.[segment] ?? null)
                : null
            }
            referenceLanguage={task.target_language}
            onGo={() => cursor.go({ screen: screenAt(work, segment), row: 0, field: 0 })}
          />
        ))}
      </ol>
    </section>
  );
}

function Line(props: {
  segment: number;
  text: string;
  language: string | null;
  state: State | null;
  here: boolean;
  marks: readonly ShownMark[];
  reference: string | null;
  referenceLanguage: string | null;
  onGo: () => void;
}) {
  return (
    <li class={`line ${props.state ?? ""}${props.here ? " here" : ""}`}>
      <button
        type="button"
        class="number"
        tabIndex={-1}
        onClick={props.onGo}
        aria-label={`Line ${props.segment + 1}${props.state ? `, ${STATES[props.state]}` : ""}`}
        {...(props.here ? { "aria-current": "true" as const } : {})}
      >
        {props.segment + 1}
      </button>
      <div>
        <div data-place={SOURCE(props.segment)}>
          <Passage text={props.text} language={props.language} marks={props.marks} />
        </div>
        {props.reference !== null && (
          <div class="reference">
            <h3>Reference</h3>
            <Passage text={props.reference} language={props.referenceLanguage} marks={[]} />
          </div>
        )}
      </div>
    </li>
  );
}

/** By segment, whether what it asks is answered; segments that ask nothing have no state. */
function statesOf<K extends Kind>(work: Work<K>): Map<number, State> {
  const states = new Map<number, State>();
  for (const screen of work.screens) {
    const state = stateOf(work, screen);
    const before = states.get(screen.segment) ?? state;
    states.set(screen.segment, before === state ? state : "half");
  }
  return states;
}

function stateOf<K extends Kind>(work: Work<K>, screen: Screen): State {
  if (answered(work, screen)) return "answered";
  const kind = work.answers.task.kind;
  const begun = screen.rows.some((row) => {
    const value = work.answers.value(row.item);
    return value !== null && (firstGap(kind, value) === null || halfDone(kind, value));
  });
  return begun ? "half" : "open";
}

function screenAt<K extends Kind>(work: Work<K>, segment: number): number {
  const found = work.screens.findIndex((screen) => screen.segment === segment);
  return found < 0 ? work.cursor.screen : found;
}
