// The end for those who enrolled themselves: a code for the platform that sent them.

import { useState } from "preact/hooks";

import type { CompletionView } from "../../generated/annotate";
import { told } from "../api";

export function Completion() {
  const [found, setFound] = useState<CompletionView | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const finish = async () => {
    try {
      setFound(await told<CompletionView>("/api/finish", {}));
      setTrouble(null);
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  if (!found) {
    return (
      <>
        <button type="button" class="main" onClick={() => void finish()}>
          Finish and get the code
        </button>
        {trouble && (
          <p class="warning" role="alert">
            {trouble}
          </p>
        )}
      </>
    );
  }
  if (!found.code) {
    return <p>Thank you. The organiser looks at your work and will be in touch.</p>;
  }
  return (
    <div class="completion">
      <p>
        Your completion code: <output>{found.code}</output>
      </p>
      {found.url && (
        <a class="main" href={found.url} rel="noreferrer">
          Back to the platform
        </a>
      )}
    </div>
  );
}
