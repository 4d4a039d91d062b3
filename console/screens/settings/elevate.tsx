import type { z } from "zod";
import { useState } from "preact/hooks";
import type { getOwnElevations as own } from "../../../src/features/sign-in/temporary-access/elevations.operations.ts";
import { api } from "../../api/client.ts";
import {
  challengeForElevation,
  confirmElevation,
  endElevation,
  getOwnElevations,
  startElevation,
} from "../../api/elevation-endpoints.ts";
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
  "Not signed, so you are not elevated. It takes a passkey of yours: add one below.";

/** What somebody may hold for a while, and to whose elevation they may say yes. Nothing: none. */
export default function Elevate() {
  const [rule, setRule] = useState<Rule>();
  const read = useCall(["elevations", "own"], getOwnElevations, {});
  const { elevation = null, here = false, rules = [], to_confirm = [] } = read.data ?? {};
  if (rules.length === 0 && to_confirm.length === 0) return null;
  return (
    <>
      <h2 class="group-title">Elevations</h2>
      <ul class="cards is-wide">
        {to_confirm.map((one) => (
          <li key={one.id} class="card" aria-label={one.person.name}>
            <p class="card-head">
              <b>{one.person.name}</b> asks to be elevated by {one.rule.name}
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
          const current = elevation?.rule.id === one.id ? elevation : undefined;
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
                    : here
                    ? "You are elevated in this session until "
                    : "You are elevated in another session until "}
                  {clockOf(current.expires_at)}.
                </p>
              )}
              <div class="card-actions">
                {current
                  ? (
                    <Button
                      onClick={() =>
                        void api.call(endElevation, { params: { id: current.id } })
                          .catch(() => {}).then(again)}
                    >
                      {current.state === "asked" ? "Withdraw" : "End it now"}
                    </Button>
                  )
                  : (
                    <Button
                      label={say`Elevate by ${one.name}`}
                      disabled={elevation !== null}
                      onClick={() => setRule(one)}
                    >
                      Elevate…
                    </Button>
                  )}
              </div>
            </li>
          );
        })}
      </ul>
      {rule && <ElevateForm rule={rule} onClose={() => setRule(undefined)} />}
    </>
  );
}

function sayYes({ id, person: { name }, reason }: Asked): void {
  ask({
    title: say`Say yes to ${name}?`,
    note: say`Then they hold the role for a while. Their reason: ${reason ?? ""}`,
    action: "Say yes",
    run: () => api.call(confirmElevation, { params: { id } }).finally(again),
    done: say`${name} is elevated.`,
  });
}

function ElevateForm({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  return (
    <FormDialog
      name={`elevate ${rule.id}`}
      title={say`Elevate by ${rule.name}`}
      note={rule.proof === "passkey"
        ? "In this session alone. Administrators are told at once. Your passkey signs the reason and the end."
        : "In this session alone. Administrators are told at once. A second person has to say yes within ten minutes."}
      action={rule.proof === "passkey" ? "Sign and elevate" : "Ask"}
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
          const given = await api.call(challengeForElevation, { body });
          const signature = { ends: given.ends, ...await signedBy(given, NOT_SIGNED) };
          await api.call(startElevation, { body: { ...body, signature } });
          toast({ text: "You are elevated." });
        } else {
          await api.call(startElevation, { body });
          toast({ text: "Asked: now a second person has to say yes." });
        }
        await again();
      }}
      onClose={onClose}
      fields={[
        {
          of: "reason",
          label: "Reason",
          hint: "Stands in the audit log and in the mail. Name the incident.",
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
  await queries.invalidateQueries({ queryKey: ["elevations"] });
  await renewed();
}
