import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { listUnknownKeysAtGateway } from "../../api/gateway-endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { useQuery } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Unread } from "../../parts/states.tsx";
import { useBusy } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";

/** Names that are read at once. */
const MOST = 100;

/** Every key there that nobody decided here, page by page. */
export function UnknownKeys({ id, all, at }: {
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
