import { usePlans } from "../../api/plans.ts";
import { may } from "../../api/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { LeakMark } from "../../parts/leak-mark.tsx";
import { Pill } from "../../parts/pill.tsx";
import { dayOf, relativeTime } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { sentenceOf } from "../../parts/denied-calls/words.ts";
import { addressOf, can, planNames, stateView } from "../../parts/keys/key.ts";
import type { Item } from "./order.ts";
import type { FoundKey } from "./search.ts";

/** A key's owner and state. */
export function KeyCard({ of: { key, owner, from, denied } }: { of: FoundKey }) {
  const plans = usePlans();
  const { tone, text } = stateView(key);
  const facts = [
    ...key.name ? [["Name", key.name]] : [],
    ...key.environment ? [["Environment", key.environment]] : [],
    ["Plan", planNames(key, plans) || "None"],
    ["Issued", dayOf(key.created)],
    ["Expires", key.expires_at ? dayOf(key.expires_at) : "Never"],
    ["Last used", key.last_used_at ? relativeTime(key.last_used_at) : "Never"],
    [
      "Last denied",
      denied
        ? say`${relativeTime(denied.at)} at ${
          denied.gateway === "other" ? "a gateway without a name" : denied.gateway
        }: ${sentenceOf(denied)}`
        : "Not in the last 30 days",
    ],
  ];
  return (
    <>
      <p class="palette-group">This key belongs to</p>
      <div class="palette-card">
        <div class="palette-owner">
          <Avatar name={owner} id={key.developer_id} />
          <div>
            <p>
              <b>{owner}</b> <span class="muted">{from}</span>
            </p>
            <p class="muted">{addressOf(key)}</p>
          </div>
          <Pill tone={tone}>{text}</Pill>
        </div>
        <dl class="palette-facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {key.leaked && <LeakMark of={key.leaked} />}
      </div>
      {may("approve") && can.revoke(key) && (
        <p class="notice">
          <span>
            <b>Found it somewhere public?</b>{" "}
            Rotate or revoke it now. The pasted text is hidden and never stored.
          </span>
        </p>
      )}
    </>
  );
}

/** The actions on a key that was found: its page, and the ones of its state. */
export function keyItems({ key, owner, denied }: FoundKey): Item[] {
  const href = `/keys/${encodeURIComponent(key.key_id)}`;
  const act = (kind: string, title: string, detail: string): Item => ({
    kind: "action",
    id: kind,
    title,
    detail,
    href,
    act: kind,
    about: key.key_id,
    isBad: kind === "revoke",
  });
  return [
    { kind: "action", id: "open", title: "Open the key", detail: "history, plans, use", href },
    ...denied === undefined ? [] : [{
      kind: "action" as const,
      id: "denied",
      title: "Why was it denied?",
      detail: "its last denied call, and the fix",
      href: `/logs/${encodeURIComponent(denied.id)}?key=${encodeURIComponent(key.key_id)}`,
    }],
    ...key.developer_email === "" ? [] : [{
      kind: "action" as const,
      id: "owner",
      title: say`Open ${owner}`,
      detail: "keys and requests",
      href: `/developers/${encodeURIComponent(key.developer_id)}`,
    }],
    ...may("approve")
      ? [
        ...can.rotate(key)
          ? [act("rotate", "Rotate it", "a new key now, this one expires after a while")]
          : [],
        ...can.suspend(key)
          ? [act("suspend", "Suspend it", "it is valid for nothing until resumed")]
          : [],
        ...can.resume(key) ? [act("resume", "Resume it", "it is valid for its plans again")] : [],
        ...can.revoke(key) ? [act("revoke", "Revoke it", "for good")] : [],
      ]
      : [],
  ];
}
