import type { z } from "zod";
import { useState } from "preact/hooks";
import type { getOwnTemporaryAccess as own } from "../../../src/features/sign-in/temporary-access/temporary-access.operations.ts";
import { api } from "../../api/client.ts";
import {
  challengeForTemporaryAccess,
  confirmTemporaryAccess,
  endTemporaryAccess,
  getOwnTemporaryAccess,
  startTemporaryAccess,
} from "../../api/temporary-access-endpoints.ts";
import { signedBy } from "../../api/passkeys.ts";
import { queries, useCall } from "../../api/queries.ts";
import { renewed } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { clockOf } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { listed, say } from "../../said.ts";
import { permissionName, sorted } from "./permission-words.ts";

type Own = z.output<typeof own.response>;
type Rule = Own["rules"][number];
type Asked = Own["to_confirm"][number];

const NOT_SIGNED =
  "Not signed, so you have no temporary access. It takes a passkey of yours: add one below.";

/**
 * The temporary access that a person may take, and requests of others that they may approve.
 * Nothing without any.
 */
export default function TakeTemporaryAccess() {
  const [rule, setRule] = useState<Rule>();
  const read = useCall(["temporary-access", "own"], getOwnTemporaryAccess, {});
  const { temporary_access: mine = null, in_this_session = false, rules = [], to_confirm = [] } =
    read.data ?? {};
  if (rules.length === 0 && to_confirm.length === 0) return null;
  return (
    <>
      <h2 class="group-title">Temporary access</h2>
      <ul class="cards is-wide">
        {to_confirm.map((one) => (
          <li key={one.id} class="card" aria-label={one.person.name}>
            <p class="card-head">
              <b>{one.person.name}</b> requests temporary access by {one.rule.name}
            </p>
            <p>{one.reason}</p>
            <p class="muted">
              Waits for a second person until {clockOf(one.expires_at)}.
            </p>
            <div class="card-actions">
              <Button label={say`Say yes to ${one.person.name}`} onClick={() => sayYes(one)}>
                Say yes…
              </Button>
            </div>
          </li>
        ))}
        {rules.map((one) => {
          const current = mine?.rule.id === one.id ? mine : undefined;
          return (
            <li key={one.id} class="card" aria-label={one.name}>
              <p class="card-head">
                <b>{one.name}</b>
              </p>
              <p class="muted">
                {one.role.name}, for {one.minutes} minutes at most:{" "}
                {listed(sorted(one.permissions).map(permissionName), " · ")}
              </p>
              {current && (
                <p>
                  {current.state === "asked"
                    ? "Waits for a second person until "
                    : in_this_session
                    ? "You have temporary access in this session until "
                    : "You have temporary access in another session until "}
                  {clockOf(current.expires_at)}.
                </p>
              )}
              <div class="card-actions">
                {current
                  ? (
                    <Button
                      onClick={() =>
                        void api.call(endTemporaryAccess, { params: { id: current.id } })
                          .catch(() => {}).then(again)}
                    >
                      {current.state === "asked" ? "Withdraw" : "Revoke it now"}
                    </Button>
                  )
                  : (
                    <Button
                      label={say`Get access by ${one.name}`}
                      disabled={mine !== null}
                      onClick={() => setRule(one)}
                    >
                      Get access…
                    </Button>
                  )}
              </div>
            </li>
          );
        })}
      </ul>
      {rule && <TakeTemporaryAccessForm rule={rule} onClose={() => setRule(undefined)} />}
    </>
  );
}

function sayYes({ id, person: { name }, reason }: Asked): void {
  ask({
    title: say`Say yes to ${name}?`,
    note: say`Then they have the role for a while. Their reason: ${reason ?? ""}`,
    action: "Say yes",
    run: () => api.call(confirmTemporaryAccess, { params: { id } }).finally(again),
    done: say`${name} has temporary access.`,
  });
}

function TakeTemporaryAccessForm({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  return (
    <FormDialog
      name={`temporary access ${rule.id}`}
      title={say`Get access by ${rule.name}`}
      note={rule.proof === "passkey"
        ? "In this session alone. Administrators are notified at once. Your passkey signs the reason and the expiry."
        : "In this session alone. Administrators are notified at once. A second person has to say yes within ten minutes."}
      action={rule.proof === "passkey" ? "Sign and get access" : "Ask"}
      initial={{ reason: "", minutes: String(Math.min(rule.minutes, 30)) }}
      onSave={async (draft) => {
        const minutes = Number(draft.minutes);
        const reason = draft.reason.trim();
        if (reason.length < 5) throw new Unfit({ reason: "Say why, in some words." });
        if (!(Number.isInteger(minutes) && minutes > 0 && minutes <= rule.minutes)) {
          throw new Unfit({ minutes: say`Write a number from 1 to ${rule.minutes}.` });
        }
        const body = { rule_id: rule.id, reason, minutes };
        if (rule.proof === "passkey") {
          const given = await api.call(challengeForTemporaryAccess, { body });
          const { access_expires_at } = given;
          const signature = { access_expires_at, ...await signedBy(given, NOT_SIGNED) };
          await api.call(startTemporaryAccess, { body: { ...body, signature } });
          toast({ text: "You have temporary access." });
        } else {
          await api.call(startTemporaryAccess, { body });
          toast({ text: "Asked: now a second person has to say yes." });
        }
        await again();
      }}
      onClose={onClose}
      fields={[
        {
          of: "reason",
          label: "Reason",
          hint: "The audit log and the mail show it. Name the incident.",
          rows: 3,
          maxLength: 500,
          autoFocus: true,
          required: true,
        },
        {
          of: "minutes",
          label: "Minutes",
          type: "number",
          min: 1,
          max: rule.minutes,
          required: true,
        },
      ]}
    />
  );
}

/** After a change: the session holds something else now. */
async function again(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ["temporary-access"] });
  await renewed();
}
