import { api } from "../../api/client.ts";
import { useDeadLetters } from "../../api/deliveries.ts";
import { queries } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { deliverNow } from "../../api/target-endpoints.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button } from "../../parts/button.tsx";
import { useBusy } from "../../parts/toasts.tsx";

/**
 * How many wait for their next try, and a way to have them sent at once. Nothing where none waits.
 */
export function WaitingLine() {
  const counts = useDeadLetters();
  const [busy, run] = useBusy();
  if (!counts || counts.waiting === 0) return null;
  const { waiting, waiting_by_target: by } = counts;
  const send = () =>
    run(async () => {
      for (const { target_id: id } of by) await api.call(deliverNow, { params: { id } });
      announce("What waits is sent within five seconds.");
      void queries.invalidateQueries({ queryKey: ["deliveries"] });
    });
  return (
    <p class="waiting-line muted">
      {many(waiting)} {waiting === 1 ? "delivery waits" : "deliveries wait"}.{" "}
      {may("admin") && <Button busy={busy} onClick={() => void send()}>Deliver now</Button>}
    </p>
  );
}

function many(n: number): string {
  return n < 1000 ? String(n) : "1,000 or more";
}
