import { useEffect, useState } from "preact/hooks";

/** How long a part of a page waits for what would move it. */
const MOST_MS = 1000;

/**
 * True once this is so, and then for good, or after a second at the latest: what stands below
 * something that may yet come is not drawn before.
 */
export function useSoon(isThere: boolean): boolean {
  const [isSoon, setSoon] = useState(isThere);
  useEffect(() => {
    if (isSoon) return;
    if (isThere) return setSoon(true);
    const timer = setTimeout(() => setSoon(true), MOST_MS);
    return () => clearTimeout(timer);
  }, [isThere, isSoon]);
  return isSoon || isThere;
}
