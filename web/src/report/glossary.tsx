// What the words of the report mean: a line at each of them, and all of them behind "?".

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { tip } from "../shared/tip";

export const GLOSSARY = {
  cluster: [
    "rank cluster",
    "Systems that cannot be kept apart. Every system of a better cluster is significantly better than every system of a worse one.",
  ],
  interval: [
    "interval",
    "Where the score would likely lie on other documents of the same kind: a studentised bootstrap of whole documents.",
  ],
  p: [
    "p",
    "How often chance alone makes a difference as large as this one. It is corrected for how many pairs of systems are compared before it decides.",
  ],
  weight: [
    "weight",
    "How much one piece of evidence counts in its metric: pairs lost, words concerned, or points of cost.",
  ],
  chain: [
    "chain",
    "All mentions of one thing in a document: the same word, or words of the same meaning, from segment to segment.",
  ],
  outlier: ["outlier", "A score far from what this document and this system lead one to expect."],
  "acc-eq": [
    "acc-eq",
    "Pairwise accuracy with tie calibration: how often a metric orders two translations of a segment as people do, ties included; the threshold below which it sees a tie is chosen in its favour.",
  ],
  "soft-pairwise-accuracy": [
    "soft pairwise accuracy",
    "How well a metric is as sure as people are that one system beats another: 1 minus the mean distance of the two p-values.",
  ],
  "pairwise-accuracy": [
    "pairwise accuracy",
    "In how many pairs of systems the metric prefers the same one as people.",
  ],
  pearson: ["Pearson’s r", "Correlation along a straight line: 1 is full agreement, 0 none."],
  spearman: ["Spearman’s ρ", "Correlation of ranks: 1 is the same order, 0 no relation."],
  tau: [
    "Kendall’s τ",
    "Pairs ordered alike minus pairs ordered differently, as a share of all pairs.",
  ],
  darr: [
    "daRR",
    "The Kendall-like τ of WMT20 over pairs of translations whose human scores differ by 25 points or more.",
  ],
  average: [
    "average",
    "The weighted mean of the columns beside it, correlations mapped to 0 to 1; its rank begins anew where a metric above is significantly better.",
  ],
  human: ["human", "A human translation that was scored as if it were a system; it has no rank."],
} as const satisfies Record<string, readonly [string, string]>;

export type TermName = keyof typeof GLOSSARY;

/** A word with a line of help. */
export function Term(props: { of: TermName; children?: ComponentChildren }) {
  const [name, meaning] = GLOSSARY[props.of];
  return (
    <dfn class="term" tabIndex={0} {...tip(() => <p>{meaning}</p>)}>
      {props.children ?? name}
    </dfn>
  );
}

/** The term that a statistic's name holds, such as "segment acc-eq by item". */
export function termOf(statistic: string): TermName | null {
  const names = ["acc-eq", "soft-pairwise-accuracy", "pairwise-accuracy", "pearson", "spearman"];
  const found = [...names, "tau", "darr"].find((name) => statistic.includes(name));
  return (found as TermName | undefined) ?? null;
}

const KEYS: readonly (readonly [string, string])[] = [
  ["?", "this help"],
  ["Tab", "from one thing to the next"],
  ["← ↑ → ↓", "within a table, from cell to cell"],
  ["Enter", "open the document of a cell"],
  ["Escape", "close what is open"],
];

/** The button in the masthead and the key "?": keys and glossary. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = () => dialog.current?.showModal();
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const typing = (event.target as Element | null)?.closest("input, textarea, select");
      if (event.key === "?" && !typing && !dialog.current?.open) open();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return (
    <>
      <button type="button" class="look" onClick={open} aria-keyshortcuts="?">
        Help <kbd>?</kbd>
      </button>
      <dialog ref={dialog} class="help" aria-labelledby="help-title">
        <form method="dialog">
          <h2 id="help-title">Keys and words</h2>
          <button type="submit" class="look">
            Close
          </button>
        </form>
        <dl class="keys">
          {KEYS.map(([key, meaning]) => (
            <>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </>
          ))}
        </dl>
        <dl>
          {Object.values(GLOSSARY).map(([name, meaning]) => (
            <>
              <dt>{name}</dt>
              <dd>{meaning}</dd>
            </>
          ))}
        </dl>
      </dialog>
    </>
  );
}
