import { useEffect } from "preact/hooks";
import { api } from "../api/client.ts";
import { endTemporaryAccess } from "../api/temporary-access-endpoints.ts";
import { known, renewed } from "../api/session.ts";
import { LinkButton } from "../parts/button.tsx";
import { clockOf } from "../parts/time.tsx";
import { toast, useBusy } from "../parts/toasts.tsx";

/** Stands on every screen while this session has temporary access. */
export default function TemporaryAccessLine() {
  const [busy, run] = useBusy();
  const temporaryAccess = known()?.temporary_access;
  const ends = temporaryAccess?.expires_at ?? "";
  useEffect(() => {
    if (ends === "") return;
    // The server says so first: by its clock it may be a moment later.
    const timer = setTimeout(
      () => void renewed(),
      Math.max(Date.parse(ends) - Date.now(), 0) + 1000,
    );
    return () => clearTimeout(timer);
  }, [ends]);
  if (!temporaryAccess) return null;
  const end = () =>
    run(() =>
      api.call(endTemporaryAccess, { params: { id: temporaryAccess.id } })
        .then(() => toast({ text: "You have no temporary access any more." }))
        .finally(renewed)
    );
  return (
    <div role="status" class="offline-place">
      <p class="offline has-temporary-access">
        <span>
          You have temporary access until{" "}
          {clockOf(ends)}. Everything that you do is marked, and administrators know.
        </span>
        <LinkButton disabled={busy} onClick={() => void end()}>Revoke it now</LinkButton>
      </p>
    </div>
  );
}
