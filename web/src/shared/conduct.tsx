// How annotators judge beside each other: figures with intervals, and what of it stands out.

import { WhiskerLine } from "./whisker";

interface Measured {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

export interface Conduct {
  readonly annotator: string;
  readonly kind: string;
  readonly documents: number;
  readonly shared: number;
  readonly mildness: Measured | null;
  readonly spread: Measured | null;
  readonly agreement: Measured | null;
  readonly drift: Measured | null;
  readonly beside_others: boolean;
  readonly spoilt: number;
  readonly spoilt_seen: number;
  readonly stands_out: boolean;
  readonly words: readonly string[];
}

type Name = "mildness" | "drift" | "agreement" | "spread";
const NAMES: readonly (readonly [Name, string])[] = [
  ["mildness", "Milder by"],
  ["drift", "Drift"],
  ["agreement", "Agreement"],
  ["spread", "Spread"],
];
const MILD: Record<string, string> = {
  preference: "More ties by, %",
  consistency: "Lets differ more by, %",
};
const NOTHING: Record<Name, number> = { mildness: 0, drift: 0, agreement: 0, spread: 1 };
const FINE = ["phase1", "phase2"];
const WIDTH = 120;

export function ConductCards(props: { all: readonly Conduct[] }) {
  const kinds = new Set(props.all.map((each) => each.kind));
  return (
    <>
      <p class="conduct-answer">{answer(props.all)}</p>
      <ul class="conduct">
        {props.all.map((each) => (
          <li key={`${each.annotator} ${each.kind}`} class={each.stands_out ? "out" : ""}>
            <h3>
              <bdi>{each.annotator}</bdi>{" "}
              <span class="soft">
                {kinds.size > 1 && `${each.kind}, `}
                {each.documents} {each.documents === 1 ? "document" : "documents"}
              </span>
            </h3>
            <ul class={each.stands_out ? "" : "soft"}>
              {each.words.map((words) => (
                <li key={words}>
                  <bdi>{words.charAt(0).toUpperCase() + words.slice(1)}</bdi>.
                </li>
              ))}
            </ul>
            <Figures of={each} all={props.all.filter((other) => other.kind === each.kind)} />
          </li>
        ))}
      </ul>
      <Meaning />
    </>
  );
}

function answer(all: readonly Conduct[]): string {
  const people = [...new Set(all.map((each) => each.annotator))];
  const out = [...new Set(all.filter((each) => each.stands_out).map((each) => each.annotator))];
  if (out.length === 0) return "Nobody stands out.";
  return `${out.length} of ${people.length} stand out: ${out.join(", ")}.`;
}

function Figures(props: { of: Conduct; all: readonly Conduct[] }) {
  const { of } = props;
  const digits = (name: Name) =>
    name === "agreement" || name === "spread" || FINE.includes(of.kind) ? 2 : 1;
  return (
    <dl>
      {NAMES.filter(([name]) => of[name]).map(([name, title]) => {
        const figure = of[name] as Measured;
        return (
          <div key={name}>
            <dt>{name === "mildness" ? (MILD[of.kind] ?? title) : title}</dt>
            <dd>
              {shown(figure.value, digits(name), NOTHING[name] === 0 && name !== "agreement")}{" "}
              {figure.low !== null && figure.high !== null && (
                <span class="soft">
                  [{shown(figure.low, digits(name))}, {shown(figure.high, digits(name))}]
                </span>
              )}
            </dd>
            <Line figure={figure} all={props.all.map((each) => each[name])} zero={NOTHING[name]} />
          </div>
        );
      })}
      {of.spoilt > 0 && (
        <div>
          <dt>Spoilt items seen</dt>
          <dd>
            {of.spoilt_seen} of {of.spoilt}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** All annotators of a kind on one scale, with the place of nothing on it. */
function Line(props: { figure: Measured; all: readonly (Measured | null)[]; zero: number }) {
  const { low, high, value } = props.figure;
  if (low === null || high === null) return null;
  const ends = props.all.flatMap((each) =>
    each ? [each.low ?? each.value, each.high ?? each.value] : [],
  );
  const from = Math.min(props.zero, ...ends);
  const to = Math.max(props.zero, ...ends);
  const x = (at: number) => 4 + ((at - from) / (to - from || 1)) * (WIDTH - 8);
  return (
    <WhiskerLine width={WIDTH} low={x(low)} high={x(high)} dot={x(value)} zero={x(props.zero)} />
  );
}

function shown(value: number, digits: number, signed = false): string {
  const text = value.toFixed(digits).replace("-", "−");
  return signed && value > 0 ? `+${text}` : text;
}

function Meaning() {
  return (
    <details class="meaning">
      <summary>What this means, and what to do</summary>
      <dl>
        <dt>Milder or stricter (bias)</dt>
        <dd>
          By how much somebody scores above (+) or below (−) the others on the same translations. It
          is a habit and no mistake. Where one person judges all translations of a document, every
          system gains or loses alike; results take it out besides. It matters where scores are read
          by themselves: then show both the same examples.
        </dd>
        <dt>Drift</dt>
        <dd>
          How that changed from the first document to the last. Somebody who becomes stricter sees
          more, or is tired: ask for the first documents again, or for a break. Where nobody else
          judged the same documents it is of the scores themselves.
        </dd>
        <dt>Agreement</dt>
        <dd>
          Correlation with the mean of the others; of choices and words the share of others who say
          the same. Low agreement with good will is a question for the guidelines: read the
          disagreements together.
        </dd>
        <dt>Spread</dt>
        <dd>
          One’s deviation over that of the others: below 1 uses less of the scale, and counts for
          less in a mean. z-scores even that out.
        </dd>
      </dl>
      <p>
        Intervals are over documents and hold for all annotators together with 95 %: nobody stands
        out because there are many.
      </p>
    </details>
  );
}
