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
import { ask } from "../../parts/confirm.tsx";
import { LastUsed } from "../../parts/session-cards.tsx";
import { Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { forgetPeople, type Person } from "./person.ts";

/** The name of each way to sign in, its removal, and the words of the dialog. */
const KINDS = {
  passkey: {
    name: "Passkey",
    verb: "Remove",
    note:
      "It no longer signs in, and their sessions by passkey are revoked. They are notified by mail.",
  },
  account: {
    name: "Account",
    verb: "Unlink",
    note: "It no longer signs in, and sessions by it are revoked. They are notified by mail.",
  },
  codes: {
    name: "One-time codes",
    verb: "Remove",
    note:
      "Their recovery codes are removed too, and their sessions by access token are revoked. They are notified by mail, and sign in without a code if the organisation allows it.",
  },
};

/** The way that is removed, as the dialog names it. */
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
  const { id } = person;
  const read = useCall(["people", id, "ways-in"], listWaysIn, { params: { id } });
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
              {KINDS[kind].name} · added <Time at={date_created} /> · <LastUsed at={last_used_at} />
            </p>
            {!managed && person.state !== "deactivated" && may("admin") && (
              <div class="card-actions">
                <Button
                  label={say`${KINDS[kind].verb} ${name}`}
                  onClick={() =>
                    take({ kind, id, name }, person)}
                >
                  {KINDS[kind].verb}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Takes one away from its person. */
function take({ kind, id: one, name }: Taken, { id, name: owner }: Person): void {
  const params = { id };
  ask({
    title: kind === "codes"
      ? say`Remove ${owner}’s one-time codes?`
      : kind === "passkey"
      ? say`Remove ${owner}’s passkey “${name}”?`
      : say`Unlink ${owner}’s account at ${name}?`,
    note: KINDS[kind].note,
    action: KINDS[kind].verb,
    danger: true,
    run: async () => {
      if (kind === "codes") await api.call(deletePersonOneTimeCodes, { params });
      else if (kind === "passkey") {
        await api.call(deletePersonPasskey, { params: { ...params, passkey_id: one } });
      } else await api.call(deletePersonIdentity, { params: { ...params, identity_id: one } });
      void queries.invalidateQueries({ queryKey: ["people", id, "ways-in"] });
      void forgetPeople();
    },
    done: kind === "codes"
      ? say`${owner} gives no code any more.`
      : say`“${name}” signs ${owner} in no more.`,
  });
}
