import { useState } from "preact/hooks";
import { listUnknownKeysAtGateway } from "../../api/gateway-endpoints.ts";
import { api } from "../../api/client.ts";
import type { SyncedGateway } from "../../api/gateways.ts";
import { grouped } from "../../api/numbers.ts";
import { useQuery } from "../../api/queries.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { useBusy } from "../../parts/toasts.tsx";

/** The result of the last comparison, with the gateway's keys that Keydesk does not know. */
export function Compared({ of: { id, reconciled, reconciled_at, reading }, isAsked, onCompare }: {
  of: SyncedGateway;
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
      {isAsked && <p class="notice" role="status">The comparison runs. Its result appears soon.</p>}
      {reconciled === null
        ? <p class="muted">Each day its keys are compared, both ways. That is not done yet.</p>
        : (
          <Facts>
            <Fact name="When">
              {reconciled_at !== null && <Time at={reconciled_at} />}
              {reconciled.dry_run && <span class="muted">, nothing was put right</span>}
            </Fact>
            <Fact name="Compared">{grouped(reconciled.compared)}</Fact>
            <Fact name="Missing at the gateway">{grouped(reconciled.missing)}</Fact>
            <Fact name="Came back">{grouped(reconciled.returned)}</Fact>
            <Fact name="Still to read">{reading > 0 && grouped(reading)}</Fact>
            <Fact name="Unknown to Keydesk">
              {grouped(reconciled.foreign)}
              {reconciled.foreign > 0 && (
                <details onToggle={(event) => setUnfolded(event.currentTarget.open)}>
                  <summary class="text-link">
                    Keys at the gateway that Keydesk does not know
                  </summary>
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

/** Names that are read at once. */
const MOST = 100;

/** Every key there that was not decided here, page by page. */
function UnknownKeys({ id, all, at }: {
  id: string;
  /** How many there are. */
  all: number;
  /** Of which comparison. */
  at: string | null;
}) {
  const [more, setMore] = useState<{ names: readonly string[]; next: string | null }>();
  const [busy, run] = useBusy();
  const read = (cursor?: string) =>
    api.call(listUnknownKeysAtGateway, { params: { id }, query: { limit: MOST, cursor } });
  const { data, error, refetch } = useQuery({
    queryKey: ["gateways", id, "unknown", at ?? ""],
    queryFn: () => read(),
    gcTime: 30_000,
  });
  if (!data) return <Unread of={{ error, refetch }} lines={2} />;
  const names = [...data.data.map(({ name }) => name), ...more?.names ?? []];
  const next = more ? more.next : data.next_cursor;
  const readOn = () =>
    run(async () => {
      const page = await read(next ?? undefined);
      const known = more?.names ?? [];
      setMore({ names: [...known, ...page.data.map(({ name }) => name)], next: page.next_cursor });
    });
  return (
    <>
      <ul class="gateway-foreign" tabIndex={0}>
        {names.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
      {next !== null && (
        <Button busy={busy} onClick={() => void readOn()}>
          {say`The next of ${grouped(all)}`}
        </Button>
      )}
      <small class="field-hint">They are never touched.</small>
    </>
  );
}
