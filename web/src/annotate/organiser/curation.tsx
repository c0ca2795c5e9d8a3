// Curation: which of the proposed markables go out to annotators, and where exactly they are.

import { useState } from "preact/hooks";

import type { CandidateView, CurationDocument, Proposals } from "../../generated/annotate";
import type { ShownMark } from "../../shared/marked_text";
import { asked, told } from "../api";
import {
  type Selecting,
  type SelectionAction,
  SelectionBar,
  useSelecting,
} from "../input/selecting";
import { type Selected, SOURCE } from "../input/selection";
import { useShortcuts } from "../input/shortcuts";
import { Passage } from "../task/passage";
import { CandidateForm } from "./candidate";
import { create, type List, save, useList } from "./list";
import { ordered, sides, type State } from "./markables";
import { Fetched } from "./page";

export function CurationView() {
  return (
    <Fetched<readonly CurationDocument[]> path="/api/curation">
      {(documents) => <Curation documents={documents} />}
    </Fetched>
  );
}

function Curation(props: { documents: readonly CurationDocument[] }) {
  const [documents, setDocuments] = useState(props.documents);
  const [round, setRound] = useState(0);
  const [at, setAt] = useState(0);
  const document = documents[at];
  if (!document) return <main class="trouble">There are no documents.</main>;
  const keep = (candidates: readonly CandidateView[]) =>
    setDocuments(documents.map((each, i) => (i === at ? { ...each, candidates } : each)));
  return (
    <main class="curation">
      <nav class="documents" aria-label="Documents">
        <ForAll
          documents={documents}
          onNews={(fresh) => {
            setDocuments(fresh);
            setRound(round + 1);
          }}
        />
        <ul>
          {documents.map((each, i) => (
            <li key={each.document}>
              <button type="button" aria-current={i === at} onClick={() => setAt(i)}>
                <bdi>{each.document}</bdi>
                <span class="soft">{countIn(each, "proposed")} open</span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <DocumentCuration key={`${round} ${document.document}`} document={document} onChange={keep} />
    </main>
  );
}

function countIn(document: CurationDocument, state: State): number {
  return document.candidates.filter((each) => each.markable.state === state).length;
}

/** What is done for all documents at once: programs propose (once: texts do not change), work goes out. */
function ForAll(props: {
  documents: readonly CurationDocument[];
  onNews: (documents: readonly CurationDocument[]) => void;
}) {
  const [said, setSaid] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const accepted = props.documents.reduce((sum, each) => sum + countIn(each, "accepted"), 0);
  const run = async (meanwhile: string, work: () => Promise<string>) => {
    setBusy(true);
    setSaid(meanwhile);
    try {
      setSaid(await work());
    } catch (error) {
      setSaid(`This did not work: ${(error as Error).message}`);
    }
    setBusy(false);
  };
  const release = () =>
    run("Aligning words and giving out the work…", async () => {
      const { tasks } = await told<{ tasks: number }>("/api/curation/release", {});
      return tasks ? `${tasks} tasks were given out.` : "Everything accepted was out already.";
    });
  const propose = () =>
    run("Aligning words, which takes a while for many translations…", async () => {
      const { added, joined } = await told<Proposals>("/api/curation/propose", {});
      props.onNews(await asked<readonly CurationDocument[]>("/api/curation"));
      return `${added} new markables proposed${joined ? `, ${joined} that had been reported` : ""}.`;
    });
  const proposed = props.documents.some((each) => each.proposed);
  return (
    <div class="release">
      {!proposed && (
        <button type="button" class="plain" disabled={busy} onClick={propose}>
          Propose markables
        </button>
      )}
      <button type="button" class="main" disabled={busy || accepted === 0} onClick={release}>
        Give out {accepted} accepted
      </button>
      <p class="soft" role="status">
        {said}
      </p>
    </div>
  );
}

/** One document's list: the candidates, the one that is being looked at, its places in the source. */
function DocumentCuration(props: {
  document: CurationDocument;
  onChange: (candidates: readonly CandidateView[]) => void;
}) {
  const { document } = props;
  const list = useList(document, props.onChange);
  const selecting = useSelecting(sourceActions(list));
  const decide = useCurationKeys(list, selecting);
  return (
    <>
      <section class="candidates" aria-label="Candidates" tabIndex={0}>
        {list.deciding.trouble && (
          <p class="warning" role="alert">
            {list.deciding.trouble}
          </p>
        )}
        {list.items.length === 0 && (
          <p class="soft">Nothing was proposed. Select words in the source to begin.</p>
        )}
        <ul>
          {list.items.map((each) => (
            <Entry key={each} list={list} item={each} decide={decide} />
          ))}
        </ul>
      </section>
      <section class="source" aria-label="Source" tabIndex={0}>
        <ol>
          {document.source.map((text, segment) => (
            <li key={segment} value={segment + 1}>
              <div data-place={SOURCE(segment)}>
                <Passage
                  text={text}
                  language={null}
                  marks={marksIn(document, list.chosen, segment)}
                />
              </div>
            </li>
          ))}
        </ol>
      </section>
      <SelectionBar selecting={selecting} />
    </>
  );
}

function useCurationKeys(list: List, selecting: Selecting): (state: State) => void {
  const { chosen, items } = list;
  const step = (by: number) => {
    const next = items[items.indexOf(chosen?.item ?? "") + by];
    if (next) list.choose(next);
  };
  const decide = (state: State) => {
    if (!chosen) return;
    void save(list, [[chosen, { ...chosen.markable, state }]]);
    step(1);
  };
  const pick = () => selecting.picking.begin(SOURCE(chosen?.markable.occurrences[0]?.segment ?? 0));
  useShortcuts({
    title: "Curation",
    shortcuts: [
      { keys: ["j", "ArrowDown"], label: "Next candidate", run: () => step(1) },
      { keys: ["k", "ArrowUp"], label: "Previous candidate", run: () => step(-1) },
      { keys: ["a"], label: "Accept, and go on", run: () => decide("accepted") },
      { keys: ["x"], label: "Reject, and go on", run: () => decide("rejected") },
      { keys: ["p"], label: "Leave it open", run: () => decide("proposed") },
      { keys: ["s"], label: "Choose words of the source", run: pick },
    ],
  });
  return decide;
}

function sourceActions(list: List): SelectionAction[] {
  const { chosen } = list;
  const inSource = (selected: Selected) => selected.place.startsWith("source");
  const segment = (selected: Selected) => Number(selected.place.split(" ")[1]);
  return [
    {
      keys: ["Enter"],
      label: `Add to ${chosen?.markable.head ?? ""}`,
      applies: (selected) => inSource(selected) && chosen !== null,
      run: (selected) => {
        if (!chosen) return;
        const place = { segment: segment(selected), start: selected.start, end: selected.end };
        const occurrences = ordered([...chosen.markable.occurrences, place]);
        void save(list, [[chosen, { ...chosen.markable, occurrences }]]);
      },
    },
    {
      keys: ["n"],
      label: "New markable",
      applies: inSource,
      run: (selected) => void create(list, selected.text),
    },
  ];
}

function marksIn(
  document: CurationDocument,
  chosen: CandidateView | null,
  segment: number,
): ShownMark[] {
  const marks = (candidate: CandidateView, look: string) =>
    candidate.markable.occurrences
      .filter((place) => place.segment === segment)
      .map(({ start, end }) => ({ start, end, look }));
  const others = document.candidates.filter(
    (each) => each.item !== chosen?.item && each.markable.state === "accepted",
  );
  return [
    ...others.flatMap((each) => marks(each, "elsewhere")),
    ...(chosen ? marks(chosen, "markable") : []),
  ];
}

const SHOWN: Record<State, string> = {
  proposed: "open",
  accepted: "accepted",
  rejected: "rejected",
};

function Entry(props: { list: List; item: string; decide: (state: State) => void }) {
  const { list, item } = props;
  const candidate = list.document.candidates.find((each) => each.item === item);
  if (!candidate) return null;
  const { markable } = candidate;
  const here = list.chosen?.item === item;
  return (
    <li class={`candidate ${markable.state}${here ? " here" : ""}`}>
      <button type="button" class="head" aria-current={here} onClick={() => list.choose(item)}>
        <bdi>{markable.head}</bdi>
        <span class="soft">
          {[`${markable.occurrences.length} ×`, ...sides(markable), SHOWN[markable.state]].join(
            " · ",
          )}
        </span>
      </button>
      {here && <CandidateForm list={list} candidate={candidate} decide={props.decide} />}
    </li>
  );
}
