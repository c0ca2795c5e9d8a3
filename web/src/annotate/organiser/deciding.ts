// The organiser's decisions: sent at once, never over somebody else's.

import { useState } from "preact/hooks";

import type { AnswerView, Receipt, SentAnswer } from "../../generated/annotate";
import { sendAnswers } from "../api";
import { newKey } from "../saving/outbox";

export interface Decision {
  readonly task: string;
  readonly item: string;
  readonly revision: number;
  readonly value: object;
}

/** What became of a decision: it stands, or something else does. */
export interface Outcome {
  readonly item: string;
  readonly stands: AnswerView;
}

export interface Deciding {
  /** What went wrong the last time. */
  readonly trouble: string | null;
  readonly busy: boolean;
  decide(decisions: readonly Decision[]): Promise<readonly Outcome[]>;
}

export function useDeciding(path: string): Deciding {
  const [trouble, setTrouble] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const decide = async (decisions: readonly Decision[]) => {
    setBusy(true);
    try {
      const answers = decisions.map(sentNow);
      const { receipts } = await sendAnswers(path, answers, false);
      setTrouble(receipts.map(complaint).find(Boolean) ?? null);
      return receipts.flatMap((receipt, i) => outcome(answers[i] as SentAnswer, receipt));
    } catch (error) {
      setTrouble(`This was not saved: ${(error as Error).message}.`);
      return [];
    } finally {
      setBusy(false);
    }
  };
  return { trouble, busy, decide };
}

function sentNow({ task, item, revision, value }: Decision): SentAnswer {
  return { key: newKey(), task, item, revision, value: { ...value }, at: Date.now() };
}

function complaint(receipt: Receipt): string | null {
  if (receipt.refused) return `This was not saved: ${receipt.refused}.`;
  if (!receipt.conflict) return null;
  return "This was changed elsewhere in the meantime. It is shown as it stands; decide again.";
}

function outcome(sent: SentAnswer, receipt: Receipt): Outcome[] {
  const { item, value, at } = sent;
  if (receipt.conflict) return [{ item, stands: receipt.conflict }];
  if (receipt.revision === null) return [];
  return [{ item, stands: { revision: receipt.revision, value, at } }];
}
