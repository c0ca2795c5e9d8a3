// The page of a tutorial: the work of a phase on items whose answers are known.

import { useEffect, useMemo, useState } from "preact/hooks";

import type { TutorialView } from "../../generated/annotate";
import { getTutorial } from "../api";
import type { Panels } from "../app";
import { Loading, Trouble } from "../frame/trouble";
import type { Session } from "../session";
import { Asked } from "../task/page";
import { paperBasket, TriedAnswers, Tutor } from "./tutor";

type Found = { readonly view: TutorialView } | { readonly error: unknown } | null;

export function TutorialPage(props: { phase: string; session: Session; panels: Panels }) {
  const [found, setFound] = useState<Found>(null);
  const fetch = (again: boolean) => {
    setFound(null);
    getTutorial(props.phase, again).then(
      (view) => setFound({ view }),
      (error: unknown) => setFound({ error }),
    );
  };
  useEffect(() => fetch(false), []);
  if (!found) return <Loading />;
  if ("error" in found) return <Trouble error={found.error} again={() => fetch(false)} home />;
  return (
    <Trying
      key={found.view.task.id}
      view={found.view}
      session={props.session}
      panels={props.panels}
      again={() => fetch(true)}
    />
  );
}

function Trying(props: {
  view: TutorialView;
  session: Session;
  panels: Panels;
  again: () => void;
}) {
  const tutor = useMemo(() => new Tutor(props.view, props.again), []);
  const outbox = useMemo(paperBasket, []);
  const answers = useMemo(() => new TriedAnswers(props.view.task, tutor, outbox), []);
  useEffect(() => () => answers.close(), []);
  return (
    <Asked
      answers={answers}
      around={{ session: { ...props.session, outbox }, panels: props.panels, tutor }}
    />
  );
}
