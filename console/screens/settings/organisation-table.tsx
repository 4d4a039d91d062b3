import { listOrganisations } from "../../api/token-endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { session } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Tag } from "../../parts/pill.tsx";
import { Empty, Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";

const MOST = 100;

/** The organisations of this server: names alone, since nobody sees into another one. */
export function OrganisationTable({ onAdd }: { onAdd: () => void }) {
  const { data, error, refetch } = useCall(["organisations"], listOrganisations, {
    query: { limit: MOST },
  });
  if (!data) return <Unread of={{ error, refetch }} />;
  const signed = session.value;
  const mine = signed === null || signed === "unknown" ? "" : signed.organisation.id;
  return (
    <div class="page-scroll" tabIndex={0} role="region" aria-label="Organisations">
      <ul class="cards is-wide">
        {data.data.map(({ id, name, date_created }) => (
          <li key={id} class="card">
            <p class="card-head">
              <b>{name}</b>
              {id === mine && <Tag>yours</Tag>}
            </p>
            <p class="muted">
              Made <Time at={date_created} /> · <CopyId id={id} label={say`id of ${name}`} />
            </p>
          </li>
        ))}
      </ul>
      {data.data.length <= 1 && (
        <Empty
          title="Yours is the only one"
          action={<Button onClick={onAdd}>Add an organisation</Button>}
        >
          Another one has people, requests, keys and certificates of its own. Nobody here sees into
          it.
        </Empty>
      )}
      {data.next_cursor !== null && <p class="muted">Only the newest {MOST} stand here.</p>}
    </div>
  );
}
