// Who has passed which tutorial; the organiser can let somebody work who has not.

import { useState } from "preact/hooks";

import type { AnnotatorTutorials, TutorialStanding } from "../../generated/annotate";
import { told } from "../api";
import { Fetched } from "./page";

const PHASES: Record<TutorialStanding["phase"], string> = {
  phase1: "Lines",
  phase2: "Markables",
  da: "Scores",
  spans: "Errors",
  contrastive: "Errors, side by side",
  document: "Whole documents",
  preference: "Better translations",
  consistency: "Repeated words",
};
const OFTEN = 10_000;

export function Tutorials() {
  return (
    <Fetched<readonly AnnotatorTutorials[]> path="/api/tutorials" every={OFTEN}>
      {(all) => (all.length > 0 ? <Table all={all} /> : null)}
    </Fetched>
  );
}

function Table(props: { all: readonly AnnotatorTutorials[] }) {
  return (
    <section class="block" aria-label="Tutorials">
      <h2>Tutorials</h2>
      <p class="soft">
        The best attempt of each, and how many there were. Who has not passed cannot begin, unless
        you let them in.
      </p>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Annotator</th>
            <th scope="col">Work</th>
            <th scope="col">Tutorial</th>
          </tr>
        </thead>
        <tbody>
          {props.all.flatMap((each) =>
            each.tutorials.map((standing) => (
              <Standing
                key={`${each.name} ${standing.phase}`}
                name={each.name}
                standing={standing}
              />
            )),
          )}
        </tbody>
      </table>
    </section>
  );
}

function Standing(props: { name: string; standing: TutorialStanding }) {
  const [letIn, setLetIn] = useState<TutorialStanding | null>(null);
  const standing = letIn ?? props.standing;
  const { phase } = standing;
  const open = () =>
    void told<TutorialStanding>("/api/tutorials/let-in", {
      name: props.name,
      phase,
      at: Date.now(),
    }).then(setLetIn, () => undefined);
  return (
    <tr>
      <th scope="row">
        <bdi>{props.name}</bdi>
      </th>
      <td>{PHASES[phase]}</td>
      <td>
        {saidOf(standing)}{" "}
        {standing.state !== "passed" && (
          <button
            type="button"
            class="plain"
            onClick={open}
            aria-label={`Let ${props.name} in: ${PHASES[phase]}`}
          >
            Let in
          </button>
        )}
      </td>
    </tr>
  );
}

function saidOf({ best, total, attempts, state, let_in }: TutorialStanding): string {
  if (best === null) return let_in ? "let in" : "not yet";
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const words = {
    passed: let_in ? "let in" : "passed",
    open: "not passed yet",
    failed: "not passed",
  };
  return `${words[state]}, ${best}/${total}, ${tries}`;
}
