import { useState } from "preact/hooks";
import type { Gateway } from "../../api/gateways.ts";
import { grouped } from "../../api/numbers.ts";
import { LinkButton } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Time } from "../../parts/time.tsx";
import { UnknownKeys } from "./unknown-keys.tsx";

/** What the last comparison has found, with the keys there that nobody decided here. */
export function Compared({ of: { id, reconciled, reconciled_at, reading }, isAsked, onCompare }: {
  of: Gateway;
  /** Whether another one was asked for and is not done. */
  isAsked: boolean;
  onCompare: (() => void) | undefined;
}) {
  const [unfolded, setUnfolded] = useState(false);
  return (
    <>
      <div class="key-plans-head">
        <h3 class="group-title">Reconcile</h3>
        {onCompare && <LinkButton class="key-change" onClick={onCompare}>Reconcile now</LinkButton>}
      </div>
      {isAsked && <p class="notice" role="status">It is compared. The result stands here soon.</p>}
      {reconciled === null
        ? <p class="muted">Each day its keys are compared, both ways. That is not done yet.</p>
        : (
          <Facts>
            <Fact name="When">
              {reconciled_at !== null && <Time at={reconciled_at} />}
              {reconciled.dry_run && <span class="muted">, nothing was put right</span>}
            </Fact>
            <Fact name="Compared">{grouped(reconciled.compared)}</Fact>
            <Fact name="Missing there">{grouped(reconciled.missing)}</Fact>
            <Fact name="Came back">{grouped(reconciled.returned)}</Fact>
            <Fact name="Still to read">{reading > 0 && grouped(reading)}</Fact>
            <Fact name="Unknown here">
              {grouped(reconciled.foreign)}
              {reconciled.foreign > 0 && (
                <details onToggle={(event) => setUnfolded(event.currentTarget.open)}>
                  <summary class="text-link">Keys there that nobody knows here</summary>
                  {unfolded && (
                    <UnknownKeys
                      key={reconciled_at}
                      id={id}
                      all={reconciled.foreign}
                      at={reconciled_at}
                    />
                  )}
                </details>
              )}
            </Fact>
          </Facts>
        )}
    </>
  );
}
