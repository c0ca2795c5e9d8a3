// What arrives later: a promise as a value that is null until it is there.

import { useEffect, useState } from "preact/hooks";

export function useLoaded<T>(load: () => Promise<T>, keys: readonly unknown[]): T | null {
  const [loaded, setLoaded] = useState<{ keys: readonly unknown[]; value: T } | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    let current = true;
    load().then(
      (value) => current && setLoaded({ keys, value }),
      (error) => current && setFailure(error),
    );
    return () => {
      current = false;
    };
  }, keys);
  if (failure) throw failure;
  const fresh = loaded !== null && loaded.keys.every((key, i) => key === keys[i]);
  return fresh ? loaded.value : null;
}
