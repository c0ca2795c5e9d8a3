// The page of one task: fetches it, and hands it to the view of its kind.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { TaskView } from "../../generated/annotate";
import type { Panels } from "../app";
import { Loading, Trouble } from "../frame/trouble";
import { Consistency } from "../phases/consistency";
import { Contrastive } from "../phases/contrastive";
import { Documents } from "../phases/documents";
import { Lines } from "../phases/lines";
import { Occurrences } from "../phases/occurrences";
import { Preferences } from "../phases/preferences";
import { Scores } from "../phases/scores";
import { Spans } from "../phases/spans";
import { Answers } from "../saving/answers";
import type { Session } from "../session";
import type { Kind } from "./values";
import { type Surroundings, useWork, type Work } from "./work";

type Found = { readonly task: TaskView } | { readonly error: unknown } | null;

export function TaskPage(props: { id: string; session: Session; panels: Panels }) {
  const [found, setFound] = useState<Found>(null);
  const fetch = () => {
    setFound(null);
    props.session.source.getTask(props.id).then(
      (task) => setFound({ task }),
      (error: unknown) => setFound({ error }),
    );
  };
  useEffect(fetch, []);
  if (!found) return <Loading />;
  if ("error" in found) return <Trouble error={found.error} again={fetch} home />;
  if (found.task.items.length === 0) {
    return <Trouble error={new Error("this task asks nothing")} again={fetch} />;
  }
  return <Shown task={found.task} session={props.session} panels={props.panels} />;
}

function Shown(props: { task: TaskView; session: Session; panels: Panels }) {
  const { task, session, panels } = props;
  const [answers] = useState(() => new Answers(task, session.outbox));
  useEffect(() => () => answers.close(), []);
  return <Asked answers={answers} around={{ session, panels }} />;
}

/** A task in the view of its kind. */
export function Asked(props: { answers: Answers<Kind>; around: Surroundings }) {
  const { answers, around } = props;
  switch (answers.task.kind) {
    case "phase1":
      return <Working view={Lines} answers={of("phase1", answers)} around={around} />;
    case "phase2":
      return <Working view={Occurrences} answers={of("phase2", answers)} around={around} />;
    case "da":
      return <Working view={Scores} answers={of("da", answers)} around={around} />;
    case "spans":
      return <Working view={Spans} answers={of("spans", answers)} around={around} />;
    case "contrastive":
      return <Working view={Contrastive} answers={of("contrastive", answers)} around={around} />;
    case "document":
      return <Working view={Documents} answers={of("document", answers)} around={around} />;
    case "preference":
      return <Working view={Preferences} answers={of("preference", answers)} around={around} />;
    case "consistency":
      return <Working view={Consistency} answers={of("consistency", answers)} around={around} />;
  }
}

function Working<K extends Kind>(props: {
  view: ComponentType<{ work: Work<K> }>;
  answers: Answers<K>;
  around: Surroundings;
}) {
  const View = props.view;
  return <View work={useWork(props.answers, props.around)} />;
}

/** A task does not change its kind, so the answers are of that kind for good. */
function of<K extends Kind>(_: K, answers: Answers<Kind>): Answers<K> {
  return answers as unknown as Answers<K>;
}
