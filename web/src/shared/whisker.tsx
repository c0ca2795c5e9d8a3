// A line with a dot, in pixels: an interval and what it is of, small enough for a table.

export function WhiskerLine(props: {
  width: number;
  low: number;
  high: number;
  dot: number;
  /** Where nothing would be: a mark to look from. */
  zero?: number;
  people?: boolean;
}) {
  return (
    <svg
      width={props.width}
      height="14"
      viewBox={`0 0 ${props.width} 14`}
      aria-hidden="true"
      class={props.people ? "people" : ""}
    >
      <line class="rule" x1={0} x2={props.width} y1={7} y2={7} />
      {props.zero !== undefined && (
        <line class="rule zero" x1={props.zero} x2={props.zero} y1={1} y2={13} />
      )}
      <line class="whisker" x1={props.low} x2={props.high} y1={7} y2={7} />
      <circle class="dot" cx={props.dot} cy={7} r={3} />
    </svg>
  );
}
