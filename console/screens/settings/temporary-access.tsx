import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { TemporaryAccessEnd } from "../../../src/contract/temporary-access.ts";
import { api } from "../../api/client.ts";
import {
  deleteTemporaryAccessRule,
  endTemporaryAccess,
  listTemporaryAccess,
  listTemporaryAccessRules,
} from "../../api/temporary-access-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Managed } from "../../parts/managed.tsx";
import { Unread } from "../../parts/states.tsx";
import { clockOf, Time } from "../../parts/time.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { listed, say } from "../../said.ts";
import { TemporaryAccessRuleForm } from "./temporary-access-form.tsx";
import type { TemporaryAccessRule } from "./temporary-access-rule.ts";
import { permissionName, sorted } from "./permission-words.ts";
import { usePeopleNames } from "./people-names.ts";
import { SectionOfCards } from "./sections.tsx";

const ENDS: Readonly<Record<TemporaryAccessEnd, string>> = {
  time: "by itself",
  by_hand: "by hand",
  session: "with its session",
  rule: "with its rule",
  role: "with its role",
  person: "with what its person may",
};

/** The rules of temporary access, and its present and past uses. */
export default function TemporaryAccess() {
  const rules = useCall(["temporary-access", "rules"], listTemporaryAccessRules, {});
  const list = useCall(["temporary-access", "all"], listTemporaryAccess, {});
  const [doing, setDoing] = useState<{ changes?: TemporaryAccessRule }>();
  const named = usePeopleNames();
  const all = rules.data?.data ?? [];
  return (
    <SectionOfCards name="Temporary access" add="Add a rule" onAdd={() => setDoing({})}>
      <p class="muted">
        In an incident, people named by a rule have a role for a while, in one session.
        Administrators are notified, and every action is marked.
      </p>
      {rules.data === undefined && <Unread of={rules} />}
      <ul class="cards is-wide">
        {all.map((rule) => (
          <li key={rule.id} class="card" aria-label={rule.name}>
            <p class="card-head">
              <b>{rule.name}</b>
            </p>
            <Managed kind="temporary_access_rules" id={rule.id} />
            <Facts>
              <Fact name="Who">{listed(rule.people.map(named))}</Fact>
              <Fact name="May">{listed(sorted(rule.permissions).map(permissionName), " · ")}</Fact>
              <Fact name="At most">{say`${rule.minutes} minutes`}</Fact>
              <Fact name="Proof">
                {rule.proof === "passkey"
                  ? "A passkey"
                  : say`Yes of ${listed(rule.seconds.map(named))}`}
              </Fact>
              <Fact name="Notified">
                {rule.receivers.length === 0
                  ? "Administrators"
                  : say`Administrators, ${listed(rule.receivers.map(named))}`}
              </Fact>
            </Facts>
            {!rule.usable && (
              <p class="notice is-warning">
                No one can use this now: there is no passkey or second person, or the role gives
                nothing.
              </p>
            )}
            {rule.notified.people + rule.notified.webhooks === 0 && (
              <p class="notice is-warning">
                No one would be alerted: there is no channel that mails administrators with an
                address, nor a webhook with this topic.
              </p>
            )}
            {may("admin") && (
              <div class="card-actions">
                <Button
                  label={say`Change ${rule.name}`}
                  onClick={() => setDoing({ changes: rule })}
                >
                  Change
                </Button>
                <Button label={say`Remove ${rule.name}`} onClick={() => remove(rule)}>
                  Remove
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {rules.data && all.length === 0 && <p>There is none.</p>}
      <h2 class="group-title">Given until now</h2>
      {list.data?.data.length === 0 && <p>There was no temporary access yet.</p>}
      <ul class="cards is-wide">
        {list.data?.data.map((one) => (
          <li key={one.id} class="card" aria-label={one.person.name}>
            <p class="card-head">
              <b>{one.person.name}</b> {one.rule.name && say`by ${one.rule.name}`}
            </p>
            {one.reason && <p>{one.reason}</p>}
            <p class="muted">
              {one.state === "ended"
                ? (
                  <>
                    {one.date_started === null ? "Never began; expired " : "Ended "}
                    <Time at={one.date_ended ?? one.expires_at} />{" "}
                    {one.end_reason && ENDS[one.end_reason]}
                  </>
                )
                : (
                  <>
                    {one.state === "asked" ? "Waits for a second person until " : "Waits until "}
                    {clockOf(one.expires_at)}
                  </>
                )} · {one.actions === 1 ? "1 action" : say`${one.actions} actions`}
            </p>
            <div class="card-actions">
              <Link
                class="button"
                href={`/audit-log?temporary_access=${one.id}`}
                aria-label={say`What was done by ${one.person.name}`}
              >
                What was done
              </Link>
              {one.state !== "ended" && may("admin") && (
                <Button
                  label={say`Revoke it now: ${one.person.name}`}
                  onClick={() =>
                    void api.call(endTemporaryAccess, { params: { id: one.id } })
                      .then(() =>
                        toast({ text: say`${one.person.name} has no temporary access any more.` })
                      )
                      .catch(toastFailure)
                      .then(forget)}
                >
                  Revoke it now
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {doing && (
        <TemporaryAccessRuleForm
          before={doing.changes}
          onSaved={forget}
          onClose={() => setDoing(undefined)}
        />
      )}
    </SectionOfCards>
  );
}

function remove({ id, name }: TemporaryAccessRule): void {
  ask({
    title: say`Remove ${name}?`,
    note:
      "It gives no temporary access any more, and access that it gave is revoked at once. Administrators are notified.",
    action: "Remove",
    danger: true,
    run: () => api.call(deleteTemporaryAccessRule, { params: { id } }).finally(forget),
    done: say`${name} is removed.`,
  });
}

function forget(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ["temporary-access"] });
}
