// Adjudication: where annotators disagree, the organiser says who is right, or what is; nothing is
// overwritten.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { AnswerView, Disagreement, Opinion } from "../../generated/annotate";
import { useShortcuts } from "../input/shortcuts";
import { sameValue } from "../saving/outbox";
import { Overlaid, Swatch } from "../../shared/overlaid";
import { Passage } from "../task/passage";
import { type Kind, type Quote, said } from "../task/values";
import { useDeciding } from "./deciding";
import { DecisionForm } from "./decision_form";
import { Fetched } from "./page";
import { voicesOf } from "./voices";

export function DisagreementsView() {
  return (
    <Fetched<readonly Disagreement[]> path="/api/disagreements">
      {(places) => <Disagreements places={places} />}
    </Fetched>
  );
}

/** A campaign may have thousands: those around the present one are drawn. */
const SHOWN = 40;

function Disagreements(props: { places: readonly Disagreement[] }) {
  const [places, setPlaces] = useState(props.places);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      places.findIndex((each) => !each.decision),
    ),
  );
  const deciding = useDeciding("/api/adjudications");
  const decided = places.filter((each) => each.decision).length;
  const [editing, setEditing] = useState(false);
  const go = (to: number) => {
    if (to !== at) setEditing(false);
    setAt(to);
  };
  const step = (by: number) => go(Math.max(0, Math.min(places.length - 1, at + by)));
  const agree = (number: number) => {
    const opinion = places[at]?.opinions[number];
    if (opinion) void decide(decisionOf(opinion.answer));
  };
  const decide = async (value: object) => {
    const place = places[at];
    if (!place) return;
    const { task, item } = place;
    const revision = place.decision?.revision ?? 0;
    const [outcome] = await deciding.decide([{ task, item, revision, value }]);
    if (!outcome) return;
    setEditing(false);
    setPlaces(places.map((each, i) => (i === at ? { ...each, decision: outcome.stands } : each)));
    const next = places.findIndex((each, i) => i > at && !each.decision);
    if (next >= 0) go(next);
  };
  useShortcuts({
    title: "Disagreements",
    shortcuts: [
      {
        keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        label: "This one is right",
        run: (key) => agree(Number(key) - 1),
      },
      { keys: ["e"], label: "Decide otherwise", run: () => setEditing(places.length > 0) },
      { keys: ["Escape"], label: "Close", silent: true, run: () => setEditing(false) },
      { keys: ["j", "ArrowDown"], label: "Next", run: () => step(1) },
      { keys: ["k", "ArrowUp"], label: "Previous", run: () => step(-1) },
    ],
  });
  const from = Math.max(0, at - SHOWN / 2);
  return (
    <main class="disagreements">
      <p class="soft" role="status">
        {places.length === 0
          ? "Nobody disagrees with anybody."
          : `${decided} of ${places.length} decided`}
      </p>
      {places.length > 0 && (
        <p class="soft lead">
          Those furthest apart come first. Press a name to take that answer, or decide otherwise;
          what annotators said is kept.
        </p>
      )}
      {deciding.trouble && (
        <p class="warning" role="alert">
          {deciding.trouble}
        </p>
      )}
      {places.slice(from, from + SHOWN).map((place, i) => (
        <Place
          key={`${place.task} ${place.item}`}
          place={place}
          here={from + i === at}
          first={from + i === 0}
          editing={editing && from + i === at}
          onHere={() => go(from + i)}
          onAgree={agree}
          onEdit={setEditing}
          onDecide={(value) => void decide(value)}
        />
      ))}
    </main>
  );
}

function Place(props: {
  place: Disagreement;
  here: boolean;
  /** What is said above all of them is to be seen with it. */
  first: boolean;
  editing: boolean;
  onHere: () => void;
  onAgree: (number: number) => void;
  onEdit: (editing: boolean) => void;
  onDecide: (value: object) => void;
}) {
  const { place, here, editing } = props;
  const kind = place.kind as Kind;
  const own = place.decision !== null && !place.opinions.some((each) => isDecision(place, each));
  const voices = voicesOf(kind, place.opinions);
  const marked = voices.some((each) => each.errors.length > 0);
  const text = (words: string, side: "source" | "output") =>
    marked ? (
      <Overlaid text={words} language={null} voices={voices} side={side} />
    ) : (
      <Passage text={words} language={null} />
    );
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!here) return;
    if (props.first) element.current?.closest("main")?.scrollTo(0, 0);
    else element.current?.scrollIntoView({ block: "nearest" });
  }, [here, editing]);
  return (
    <article
      ref={element}
      class={`dispute${here ? " here" : ""}${place.decision ? " answered" : ""}`}
      onClick={props.onHere}
    >
      <h2>
        <bdi>{place.document}</bdi>
        {place.segment !== null && `, ${place.segment + 1}`}
        {place.system && (
          <>
            {" · "}
            <bdi>{place.system}</bdi>
            {place.against && (
              <>
                {" against "}
                <bdi>{place.against}</bdi>
              </>
            )}
          </>
        )}
        {place.markable && (
          <>
            {" · "}
            <bdi>{place.markable}</bdi>
          </>
        )}
        {place.chain && (
          <>
            {" · "}
            <bdi>{place.chain.chain.word}</bdi> → <bdi>{place.chain.chain.translation}</bdi>
          </>
        )}
      </h2>
      <div class={place.other === null ? "pair" : "pair against"}>
        <div class="before">{text(place.source, "source")}</div>
        <div class="now">
          {place.other !== null && <h3>{place.system}</h3>}
          {place.output !== null && text(place.output, "output")}
        </div>
        {place.other !== null && (
          <div class="now">
            <h3>{place.against}</h3>
            <Passage text={place.other} language={null} />
          </div>
        )}
      </div>
      <ul class="opinions">
        {place.opinions.map((opinion, i) => (
          <li key={opinion.annotator}>
            <button
              type="button"
              class="verdict"
              disabled={!here}
              aria-pressed={isDecision(place, opinion)}
              onClick={() => props.onAgree(i)}
            >
              <span class="unseen">Take the answer of </span>
              {marked && <Swatch of={i} />}
              <bdi>{opinion.annotator}</bdi> {here && <kbd>{i + 1}</kbd>}
            </button>
            <span>{said(kind, opinion.answer.value, quoted(place))}</span>
          </li>
        ))}
        {(here || own) && (
          <li>
            <button
              type="button"
              class="verdict"
              disabled={!here}
              aria-pressed={own}
              aria-expanded={editing}
              onClick={() => props.onEdit(!editing)}
            >
              Otherwise {here && <kbd>E</kbd>}
            </button>
            {own && <span>{said(kind, (place.decision as AnswerView).value, quoted(place))}</span>}
          </li>
        )}
      </ul>
      {editing && (
        <DecisionForm
          place={place}
          kind={kind}
          onDecide={props.onDecide}
          onClose={() => props.onEdit(false)}
        />
      )}
    </article>
  );
}

const QUOTED = 40;

/** The words themselves, shortened in the middle where there are many. */
function quoted(place: Disagreement): Quote {
  return (error) => {
    const letters = [...((error.side === "source" ? place.source : place.output) ?? "")];
    const words = letters.slice(error.start, error.end);
    const [half, long] = [QUOTED / 2, words.length > QUOTED];
    return `“${long ? [...words.slice(0, half), "…", ...words.slice(-half)].join("") : words.join("")}”`;
  };
}

function isDecision({ decision }: Disagreement, opinion: Opinion): boolean {
  return decision !== null && sameValue(decision.value, decisionOf(opinion.answer));
}

/** An annotator's answer as a decision: their letters for the systems mean nothing there. */
function decisionOf({ value }: AnswerView): Record<string, unknown> {
  return "same_as" in value ? { ...value, same_as: null } : value;
}
