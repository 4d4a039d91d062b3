import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import {
  deletePersonIdentity,
  deletePersonPasskey,
  listWaysIn,
} from "../../api/identity-endpoints.ts";
import { queries, useQuery } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { forgetPeople, type Person } from "./person.ts";

/** What is taken away, as the dialog names it. */
interface Taken {
  kind: "passkey" | "account";
  id: string;
  name: string;
}

/** A person's passkeys and accounts, each of which an administrator takes away. Nothing: none. */
export default function WaysIn({ person }: { person: Person }) {
  const [taking, setTaking] = useState<Taken>();
  const params = { id: person.id };
  const key = ["people", person.id, "ways-in"];
  const read = useQuery({ queryKey: key, queryFn: () => api.call(listWaysIn, { params }) });
  if (read.error !== null) {
    return <Problem error={read.error} onRetry={() => void read.refetch()} />;
  }
  const { passkeys = [], identities = [] } = read.data ?? {};
  const all = [
    ...passkeys.map((one) => ({ ...one, kind: "passkey" as const, managed: false })),
    ...identities.map((one) => ({ ...one, kind: "account" as const, name: one.provider })),
  ];
  if (all.length === 0) return null;
  return (
    <>
      <h3 class="group-title">Passkeys and accounts</h3>
      <ul class="cards">
        {all.map(({ kind, id, name, date_created, last_used_at, managed }) => (
          <li key={id} class="card">
            <p class="card-head">
              <b>{name || "A provider that can’t be read"}</b>
            </p>
            <p class="muted">
              {kind === "passkey" ? "Passkey" : "Account"} · added <Time at={date_created} /> ·{" "}
              {last_used_at === null ? "never used" : (
                <>
                  last used <Time at={last_used_at} />
                </>
              )}
            </p>
            {!managed && person.state !== "deactivated" && (
              <div class="card-actions">
                <Button
                  label={say`${kind === "passkey" ? "Remove" : "Unlink"} ${name}`}
                  onClick={() => setTaking({ kind, id, name })}
                >
                  {kind === "passkey" ? "Remove" : "Unlink"}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {taking && (
        <Confirm
          title={taking.kind === "passkey"
            ? say`Remove ${person.name}’s passkey “${taking.name}”?`
            : say`Unlink ${person.name}’s account at ${taking.name}?`}
          note={taking.kind === "passkey"
            ? "It signs in no more, and their sessions by passkey end. They are mailed."
            : "It signs in no more, and sessions by it end. They are mailed."}
          action={taking.kind === "passkey" ? "Remove" : "Unlink"}
          danger
          onConfirm={async () => {
            if (taking.kind === "passkey") {
              await api.call(deletePersonPasskey, {
                params: { ...params, passkey_id: taking.id },
              });
            } else {
              await api.call(deletePersonIdentity, {
                params: { ...params, identity_id: taking.id },
              });
            }
            void queries.invalidateQueries({ queryKey: key });
            void forgetPeople();
            toast({ text: say`“${taking.name}” signs ${person.name} in no more.` });
          }}
          onClose={() => setTaking(undefined)}
        />
      )}
    </>
  );
}
