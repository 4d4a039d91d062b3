import { useEffect } from "preact/hooks";
import { api } from "../api/client.ts";
import { endElevation } from "../api/elevation-endpoints.ts";
import { known, renewed } from "../api/session.ts";
import { LinkButton } from "../parts/button.tsx";
import { clockOf } from "../parts/time.tsx";
import { toast, useBusy } from "../parts/toasts.tsx";

/** Stands on every screen while this session is elevated; goes with that. */
export default function ElevationLine() {
  const [busy, run] = useBusy();
  const elevation = known()?.elevation;
  const ends = elevation?.expires_at ?? "";
  useEffect(() => {
    if (ends === "") return;
    // The server says so first: by its clock it may be a moment later.
    const timer = setTimeout(
      () => void renewed(),
      Math.max(Date.parse(ends) - Date.now(), 0) + 1000,
    );
    return () => clearTimeout(timer);
  }, [ends]);
  if (!elevation) return null;
  const end = () =>
    run(() =>
      api.call(endElevation, { params: { id: elevation.id } })
        .then(() => toast({ text: "You are elevated no more." }))
        .finally(renewed)
    );
  return (
    <div role="status" class="offline-place">
      <p class="offline is-elevated">
        <span>
          You are elevated until{" "}
          {clockOf(ends)}. Everything that you do is marked, and administrators know.
        </span>
        <LinkButton disabled={busy} onClick={() => void end()}>End it now</LinkButton>
      </p>
    </div>
  );
}
