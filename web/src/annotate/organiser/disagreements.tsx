// Adjudication: where annotators disagree, the organiser says who is right; nothing is overwritten.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { AnswerView, Disagreement } from "../../generated/annotate";
import { useShortcuts } from "../input/shortcuts";
import { sameValue } from "../saving/outbox";
import { Passage } from "../task/passage";
import { type Kind, said } from "../task/values";
import { useDeciding } from "./deciding";
import { Fetched } from "./page";

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
  const step = (by: number) => setAt(Math.max(0, Math.min(places.length - 1, at + by)));
  const decide = async (number: number) => {
    const place = places[at];
    const opinion = place?.opinions[number];
    if (!place || !opinion) return;
    const { task, item } = place;
    const revision = place.decision?.revision ?? 0;
    const [outcome] = await deciding.decide([
      { task, item, revision, value: opinion.answer.value },
    ]);
    if (!outcome) return;
    setPlaces(places.map((each, i) => (i === at ? { ...each, decision: outcome.stands } : each)));
    const next = places.findIndex((each, i) => i > at && !each.decision);
    if (next >= 0) setAt(next);
  };
  useShortcuts({
    title: "Disagreements",
    shortcuts: [
      {
        keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        label: "This one is right",
        run: (key) => void decide(Number(key) - 1),
      },
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
          onHere={() => setAt(from + i)}
          onDecide={(number) => void decide(number)}
        />
      ))}
    </main>
  );
}

function Place(props: {
  place: Disagreement;
  here: boolean;
  onHere: () => void;
  onDecide: (number: number) => void;
}) {
  const { place, here } = props;
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (here) element.current?.scrollIntoView({ block: "nearest" });
  }, [here]);
  return (
    <article
      ref={element}
      class={`dispute${here ? " here" : ""}${place.decision ? " answered" : ""}`}
      onClick={props.onHere}
    >
      <h2>
        <bdi>{place.document}</bdi>, {place.segment + 1}
        {place.system && (
          <>
            {" · "}
            <bdi>{place.system}</bdi>
          </>
        )}
        {place.markable && (
          <>
            {" · "}
            <bdi>{place.markable}</bdi>
          </>
        )}
      </h2>
      <div class="pair">
        <div class="before">
          <Passage text={place.source} language={null} />
        </div>
        <div class="now">
          {place.output !== null && <Passage text={place.output} language={null} />}
        </div>
      </div>
      <ul class="opinions">
        {place.opinions.map((opinion, i) => (
          <li key={opinion.annotator}>
            <button
              type="button"
              class="verdict"
              disabled={!here}
              aria-pressed={isDecision(place.decision, opinion.answer)}
              onClick={() => props.onDecide(i)}
            >
              <bdi>{opinion.annotator}</bdi> {here && <kbd>{i + 1}</kbd>}
            </button>
            <span>{said(place.kind as Kind, opinion.answer.value)}</span>
          </li>
        ))}
      </ul>
    </article>
  );
}

function isDecision(decision: AnswerView | null, opinion: AnswerView): boolean {
  return decision !== null && sameValue(decision.value, opinion.value);
}
