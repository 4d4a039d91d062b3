import { useState } from "preact/hooks";
import { listOrganisations } from "../../api/token-endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { known } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Tag } from "../../parts/pill.tsx";
import { Empty, Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { OrganisationForm } from "./organisation-form.tsx";
import { SectionOfCards } from "./sections.tsx";

const MOST = 100;

/** The organisations of this server: names alone, since each is closed to the others. */
export default function Organisations() {
  const [adds, setAdds] = useState(false);
  const read = useCall(["organisations"], listOrganisations, { query: { limit: MOST } });
  const add = () => setAdds(true);
  const mine = known()?.organisation.id;
  return (
    <SectionOfCards name="Organisations" add="Add an organisation" onAdd={add}>
      {read.data === undefined && <Unread of={read} />}
      <ul class="cards is-wide">
        {read.data?.data.map(({ id, name, date_created }) => (
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
      {read.data && read.data.data.length <= 1 && (
        <Empty
          title="Yours is the only one"
          action={<Button onClick={add}>Add an organisation</Button>}
        >
          Another organisation has people, requests, keys and certificates of its own, which only
          its own people see.
        </Empty>
      )}
      {read.data && read.data.next_cursor !== null && (
        <p class="muted">This list shows the newest {MOST}.</p>
      )}
      {adds && <OrganisationForm onClose={() => setAdds(false)} />}
    </SectionOfCards>
  );
}
