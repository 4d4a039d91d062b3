import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import {
  deletePersonIdentity,
  deletePersonOneTimeCodes,
  deletePersonPasskey,
  listWaysIn,
} from "../../api/identity-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { forgetPeople, type Person } from "./person.ts";

/** What each is called, what takes it away, and what the dialog says of that. */
const KINDS = {
  passkey: {
    name: "Passkey",
    verb: "Remove",
    note: "It signs in no more, and their sessions by passkey end. They are mailed.",
  },
  account: {
    name: "Account",
    verb: "Unlink",
    note: "It signs in no more, and sessions by it end. They are mailed.",
  },
  codes: {
    name: "One-time codes",
    verb: "Remove",
    note:
      "Their recovery codes go too, and their sessions by access token end. They are mailed, and sign in without a code, where the organisation lets them.",
  },
};

/** What is taken away, as the dialog names it. */
interface Taken {
  kind: keyof typeof KINDS;
  id: string;
  name: string;
}

/**
 * A person's passkeys, accounts and one-time codes, each of which an administrator takes away.
 * Nothing: none.
 */
export default function WaysIn({ person }: { person: Person }) {
  const [taking, setTaking] = useState<Taken>();
  const params = { id: person.id };
  const key = ["people", person.id, "ways-in"];
  const read = useCall(key, listWaysIn, { params });
  if (read.error !== null) {
    return <Problem error={read.error} onRetry={() => void read.refetch()} />;
  }
  const { passkeys = [], identities = [], one_time_codes = null } = read.data ?? {};
  const all = [
    ...passkeys.map((one) => ({ ...one, kind: "passkey" as const, managed: false })),
    ...identities.map((one) => ({ ...one, kind: "account" as const, name: one.provider })),
    ...one_time_codes === null ? [] : [{
      kind: "codes" as const,
      id: "codes",
      name: "Authenticator app",
      date_created: one_time_codes.set_up_at,
      last_used_at: one_time_codes.last_used_at,
      managed: false,
    }],
  ];
  if (all.length === 0) return null;
  return (
    <>
      <h3 class="group-title">Passkeys, accounts and codes</h3>
      <ul class="cards">
        {all.map(({ kind, id, name, date_created, last_used_at, managed }) => (
          <li key={id} class="card">
            <p class="card-head">
              <b>{name || "A provider that can’t be read"}</b>
            </p>
            <p class="muted">
              {KINDS[kind].name} · added <Time at={date_created} /> ·{" "}
              {last_used_at === null ? "never used" : (
                <>
                  last used <Time at={last_used_at} />
                </>
              )}
            </p>
            {!managed && person.state !== "deactivated" && may("admin") && (
              <div class="card-actions">
                <Button
                  label={say`${KINDS[kind].verb} ${name}`}
                  onClick={() =>
                    setTaking({ kind, id, name })}
                >
                  {KINDS[kind].verb}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {taking && (
        <Confirm
          title={taking.kind === "codes"
            ? say`Remove ${person.name}’s one-time codes?`
            : taking.kind === "passkey"
            ? say`Remove ${person.name}’s passkey “${taking.name}”?`
            : say`Unlink ${person.name}’s account at ${taking.name}?`}
          note={KINDS[taking.kind].note}
          action={KINDS[taking.kind].verb}
          danger
          onConfirm={async () => {
            if (taking.kind === "codes") {
              await api.call(deletePersonOneTimeCodes, { params });
            } else if (taking.kind === "passkey") {
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
            toast({
              text: taking.kind === "codes"
                ? say`${person.name} gives no code any more.`
                : say`“${taking.name}” signs ${person.name} in no more.`,
            });
          }}
          onClose={() => setTaking(undefined)}
        />
      )}
    </>
  );
}
