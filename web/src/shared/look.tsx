// Light or dark: as the system has it, or as the reader wants it.

import { useEffect, useState } from "preact/hooks";

type Look = "light dark" | "light" | "dark";
const NEXT: Record<Look, Look> = { "light dark": "light", light: "dark", dark: "light dark" };
const NAMES: Record<Look, string> = { "light dark": "as the system", light: "light", dark: "dark" };
const KEPT = "isogloss.look";

/** Remembered where the browser remembers anything. */
export function LookSwitch() {
  const [look, setLook] = useState<Look>(kept);
  useEffect(() => {
    document.documentElement.style.colorScheme = look;
    try {
      localStorage.setItem(KEPT, look);
    } catch {
      // A page opened from disk may have no storage; the choice then lasts as long as the page.
    }
  }, [look]);
  return (
    <button type="button" class="look" onClick={() => setLook(NEXT[look])}>
      Look: {NAMES[look]}
    </button>
  );
}

function kept(): Look {
  try {
    const look = localStorage.getItem(KEPT);
    return look !== null && look in NEXT ? (look as Look) : "light dark";
  } catch {
    return "light dark";
  }
}
