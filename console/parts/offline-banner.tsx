import { lookNow, reachable } from "../api/connection.ts";
import { LinkButton } from "./button.tsx";

/** Stands while the server does not answer; goes by itself. */
export function OfflineBanner() {
  return (
    <div role="status" class="offline-place">
      {!reachable.value && (
        <p class="offline">
          <span>The server does not answer. What you see may be out of date; trying again…</span>
          <LinkButton onClick={() => void lookNow()}>Try now</LinkButton>
        </p>
      )}
    </div>
  );
}
