// Tutorials in the list of somebody's work: what comes first, and how it went.

import type { TutorialStanding } from "../../generated/annotate";
import { address } from "../../shared/router";

/** The tutorial, if it has still to be passed. */
export function toLearn(standing: TutorialStanding | undefined): TutorialStanding | null {
  return standing && standing.state !== "passed" ? standing : null;
}

/** In the place of the button that begins the work. */
export function LearnFirst(props: { standing: TutorialStanding }) {
  const { standing } = props;
  const { best, needed, total } = standing;
  if (standing.state === "failed") {
    return (
      <p class="held" role="status">
        You got {best} of {total} right in the tutorial, and {needed} are needed. There is no try
        left: ask the organiser, who can let you work.
      </p>
    );
  }
  return (
    <>
      <p class="soft">
        First a tutorial: {total} questions with known answers, of which {needed} must be right.
        What you say there is no part of the results.
      </p>
      <a class="main" href={address("tutorial", standing.phase)}>
        {standing.attempts ? "Try the tutorial again" : "Begin with the tutorial"}
      </a>
    </>
  );
}

export function TutorialEntry(props: { standing: TutorialStanding }) {
  const { best, total, state, phase, let_in } = props.standing;
  const words = {
    open: best === null ? "Begin" : "Try again",
    passed: "Passed",
    failed: "Not passed",
  };
  return (
    <li>
      <a href={address("tutorial", phase)}>
        <span class="what">Tutorial</span>
        <span />
        <span class="count">{best !== null && `${best}/${total} right`}</span>
        <span class="state">{let_in ? "Let in" : words[state]}</span>
      </a>
    </li>
  );
}
