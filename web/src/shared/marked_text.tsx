// Text with marks: every highlight of every page is drawn here, as text nodes and nothing else.

import { type Mark, runs } from "./runs";

/** A mark that knows its look and the things (evidence, error, markable) that it belongs to. */
export interface ShownMark extends Mark {
  readonly look: string;
  readonly group?: number;
  readonly note?: string;
}

export interface Hovering {
  /** The group under the pointer or the keyboard's focus. */
  readonly active: number | null;
  readonly onEnter: (group: number, anchor: Element) => void;
  readonly onLeave: (anchor: Element) => void;
}

/** One segment of text; its direction follows its own first strong letter. */
export function MarkedText(props: {
  text: string;
  language: string | null;
  marks: readonly ShownMark[];
  hovering?: Hovering;
}) {
  return (
    <p class="text" dir="auto" {...(props.language ? { lang: props.language } : {})}>
      {runs(props.text, props.marks).map((run, i) =>
        run.marks.length === 0 ? (
          run.text
        ) : (
          <MarkedRun key={i} text={run.text} marks={run.marks} hovering={props.hovering} />
        ),
      )}
    </p>
  );
}

function MarkedRun(props: {
  text: string;
  marks: readonly ShownMark[];
  hovering: Hovering | undefined;
}) {
  const { hovering } = props;
  // The innermost mark is the one that a pointer means: marks come the longest first.
  const inner = props.marks[props.marks.length - 1] as ShownMark;
  const groups = props.marks.flatMap((mark) => (mark.group === undefined ? [] : [mark.group]));
  const active = hovering?.active !== null && groups.includes(hovering?.active as number);
  const looks = [...new Set(props.marks.map((mark) => mark.look))].join(" ");
  const group = inner.group;
  const handlers =
    hovering && group !== undefined
      ? {
          onMouseEnter: (event: Event) => hovering.onEnter(group, event.currentTarget as Element),
          onMouseLeave: (event: Event) => hovering.onLeave(event.currentTarget as Element),
        }
      : {};
  return (
    <mark
      class={`${looks}${active ? " active" : ""}${props.text === "" ? " gap" : ""}`}
      {...(groups.length ? { "data-groups": groups.join(" ") } : {})}
      {...(inner.note ? { title: inner.note } : {})}
      {...handlers}
    >
      {props.text || inner.gap}
    </mark>
  );
}
