// When nothing can be shown, or not yet: what happens, and what helps.

import { address } from "../../shared/router";
import { Refusal, Unreachable } from "../api";

export function Trouble(props: { error: unknown; again: () => void; home?: boolean }) {
  const { error } = props;
  const away = error instanceof Unreachable;
  const what = away
    ? "The campaign cannot be reached."
    : sentence(String((error as Error).message));
  const remedy = away
    ? "Your answers are kept in this browser. Check the network and try again."
    : error instanceof Refusal
      ? sentence(error.remedy)
      : "";
  return (
    <main class="trouble">
      <h1>{what}</h1>
      {remedy && <p>{remedy}</p>}
      <p class="ways">
        <button type="button" class="plain" onClick={props.again}>
          Try again
        </button>
        {props.home && <a href={address("home")}>All tasks</a>}
      </p>
    </main>
  );
}

function sentence(text: string): string {
  return text && `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

/** Says so only where it takes a while. */
export function Loading() {
  return (
    <main class="loading" aria-busy="true">
      Loading…
    </main>
  );
}
