import { useLayoutEffect, useRef } from "preact/hooks";
import { holdSession } from "../api/session.ts";

/**
 * While the component stands, the page is not left unasked: back stays where it is and calls
 * `onAttempt`, as Esc does; closing the tab makes the browser ask. Not even the end of the session
 * takes the page away. `isKept` false: nothing is lost by leaving, and all goes its way.
 */
export function useLeaveGuard(onAttempt: () => void, isKept = true): void {
  const attempt = useRef(onAttempt);
  attempt.current = onAttempt;
  useLayoutEffect(holdSession, []);
  // With the layout: an Esc that comes at once after Done is no attempt to leave any more.
  useLayoutEffect(() => {
    if (!isKept) return;
    const [here, { state }] = [location.href, history];
    const back = (event: PopStateEvent) => {
      // The browser has gone back already: the entry that it came from is put behind it again.
      event.stopImmediatePropagation();
      history.pushState(state, "", here);
      attempt.current();
    };
    const unload = (event: BeforeUnloadEvent) => event.preventDefault();
    const escape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      attempt.current();
    };
    // Captured: before the router hears of it.
    addEventListener("popstate", back, { capture: true });
    addEventListener("keydown", escape, { capture: true });
    addEventListener("beforeunload", unload);
    return () => {
      removeEventListener("popstate", back, { capture: true });
      removeEventListener("keydown", escape, { capture: true });
      removeEventListener("beforeunload", unload);
    };
  }, []);
}
