import { lookNow, reachable } from "../api/connection.ts";

/** Stands while the server does not answer; goes by itself. */
export function OfflineBanner() {
  return (
    <div role="status" class="offline-place">
      {!reachable.value && (
        <p class="offline">
          <span>The server does not answer. What you see may be out of date; trying again…</span>
          <button type="button" class="link-button" onClick={() => void lookNow()}>Try now</button>
        </p>
      )}
    </div>
  );
}
