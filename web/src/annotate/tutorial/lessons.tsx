// What a tutorial says of answers, below the translations, and how it ends.

import { useEffect, useRef } from "preact/hooks";

import { address } from "../../shared/router";
import { useShortcuts } from "../input/shortcuts";
import { useWatched } from "../session";
import { asks, together } from "../task/screens";
import type { Kind } from "../task/values";
import type { Work } from "../task/work";
import type { Tutor } from "./tutor";

/** Where real work says whether it is saved. */
export function Practice(props: { tutor: Tutor }) {
  useWatched(props.tutor);
  const { standing } = props.tutor;
  return (
    <span class="save-state fine" role="status">
      Tutorial · {props.tutor.right} of {standing?.total ?? 0} right
    </span>
  );
}

export function Lessons<K extends Kind>(props: { work: Work<K>; tutor: Tutor }) {
  const { work, tutor } = props;
  const rows = work.cursor.current.rows.filter(asks).flatMap(together);
  const told = rows.flatMap(({ item, slot }) => {
    const lesson = tutor.lesson(item);
    return lesson ? [{ item, slot, lesson }] : [];
  });
  const element = useRef<HTMLDivElement>(null);
  const count = told.length;
  useEffect(() => {
    if (count > 0) element.current?.scrollIntoView({ block: "nearest" });
  }, [count, tutor.trouble]);
  return (
    <div class="lessons" ref={element} role="status" aria-label="What the tutorial says">
      {tutor.trouble && <p class="lesson wrong">{tutor.trouble}</p>}
      {told.map(({ item, slot, lesson }) => {
        const right = lesson.lacking.length === 0;
        return (
          <section key={item} class={right ? "lesson right" : "lesson wrong"}>
            <h3>
              {slot && <span class="letter">{slot}</span>} {right ? "✓ Right" : "✗ Not quite"}
            </h3>
            {lesson.lacking.map((each) => (
              <p key={each}>{sentence(each)}</p>
            ))}
            {lesson.explanation && <p class="soft">{lesson.explanation}</p>}
          </section>
        );
      })}
      {tutor.ended && <TheEnd tutor={tutor} />}
    </div>
  );
}

function TheEnd(props: { tutor: Tutor }) {
  const { tutor } = props;
  const { standing } = tutor;
  const again = standing?.state === "open";
  useShortcuts(
    {
      title: "The end of the tutorial",
      shortcuts: [{ keys: ["r"], label: "Try again", run: tutor.again }],
    },
    again,
  );
  if (!standing) return null;
  const { total, needed, state } = standing;
  return (
    <section class="the-end">
      <h3>{state === "passed" ? "You have passed." : "This was not enough yet."}</h3>
      <p>
        {tutor.right} of {total} were right; {needed} are needed.{" "}
        {triesLeft(standing.tries_left, state)}
      </p>
      <p class="choices">
        {again && (
          <button type="button" class="main" onClick={tutor.again}>
            Try again <kbd>R</kbd>
          </button>
        )}
        <a class={again ? "plain" : "main"} href={address("home")}>
          {state === "passed" ? "To the work" : "Back to all tasks"} <kbd>H</kbd>
        </a>
      </p>
    </section>
  );
}

function triesLeft(tries: number | null, state: string): string {
  if (state === "failed") return "There is no try left: ask the organiser, who can let you work.";
  if (state === "passed" || tries === null) return "";
  return tries === 1 ? "There is one try left." : `There are ${tries} tries left.`;
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}
