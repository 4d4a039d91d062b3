import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import { getKey } from "../../api/endpoints.ts";
import { limitsOf, usePlans } from "../../api/plans.ts";
import { queries, useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { OneTimeLinkState } from "../../parts/one-time-link-state.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../parts/drawer.tsx";
import { LeakMark } from "../../parts/leak-mark.tsx";
import { Pill } from "../../parts/pill.tsx";
import { Time } from "../../parts/time.tsx";
import { MessageHistory } from "../../parts/message-history.tsx";
import { DeniedCalls } from "../../parts/denied-calls.tsx";
import { UnknownPlans } from "../../parts/unknown-plans.tsx";
import { Usage } from "../../parts/usage.tsx";
import { listed, say } from "../../said.ts";
import type { Asked } from "../../parts/keys/key-dialogs.tsx";
import { KeyHistory } from "./key-history.tsx";
import {
  addressOf,
  calledKey,
  can,
  type Key,
  kinds,
  ownerOf,
  stateView,
} from "../../parts/keys/key.ts";

const ConditionFacts = lazily(() => import("../../parts/condition-facts.tsx"));
const AlertPanel = lazily(() => import("../../parts/alert-panel.tsx"));
const Schedule = lazily(() => import("../../parts/unused/schedule.tsx"));
const AtGateways = lazily(() => import("../../parts/gateways/at-gateways.tsx"));
const LabelFacts = lazily(() => import("../../parts/labels/label-facts.tsx"));

/** So soon it is seen that a key is at its gateways. */
const THERE_MS = 3000;

/** A key in full. `row` is what the list knows of it: shown until the rest is read. */
export function KeyDrawer({ id, row, onRead, onAsk, onKept, onDeveloper, onClose }: {
  id: string;
  row: Key | undefined;
  onRead: (key: Key) => void;
  onAsk: (asked: Asked) => void;
  /** Called with the key once the user said that it is needed. */
  onKept: (key: Key) => void;
  /** Shows all keys of this developer. */
  onDeveloper: (id: string) => void;
  onClose: () => void;
}) {
  const queryKey = ["keys", id];
  const known = queries.peek<Key>(queryKey).data;
  const read = useCall(queryKey, getKey, { params: { key_id: id } }, {
    gcTime: 30_000,
    ...known && known.at_gateways.length > 0 ? { refetchInterval: THERE_MS } : {},
  });
  useEffect(() => {
    if (read.data) onRead(read.data);
  }, [read.data]);
  const key = read.data ?? row;
  if (!key) {
    return (
      <UnreadDrawer
        of={id}
        title="Key"
        read={read}
        gone={[
          "There is no such key",
          "The link is wrong, or the key belongs to another organisation.",
        ]}
        onClose={onClose}
      />
    );
  }
  return (
    <Drawer
      of={id}
      title={calledKey(key)}
      onClose={onClose}
      footer={<Actions of={key} onAsk={onAsk} />}
    >
      <About of={key} onDeveloper={onDeveloper} onAsk={onAsk} />
      <LabelFacts
        of={key}
        onChange={may("approve") ? () => onAsk({ kind: "labels", key }) : undefined}
      />
      <OneTimeLinkState of={{ key_id: key.key_id }} />
      <AtGateways
        id={key.key_id}
        isActive={key.state === "active"}
        onRotate={may("approve") && can.rotate(key)
          ? () => onAsk({ kind: "rotate", key })
          : undefined}
      />
      <Plans of={key} onAsk={onAsk} />
      {may("approve") && can.reissue(key) && (
        <p class="notice key-lost">
          <span>
            Never reached the developer? Only a hash is kept, so it can't be shown again.{" "}
            <LinkButton onClick={() => onAsk({ kind: "reissue", key })}>Issue it anew</LinkButton>
          </span>
        </p>
      )}
      <Schedule of={key} mayDecide={may("approve")} onKept={onKept} />
      <Usage of={{ key: key.key_id }} />
      <DeniedCalls of={{ key: key.key_id }} />
      <KeyHistory of={key} />
      <MessageHistory of={key.key_id} />
      <h3 class="group-title">Key id</h3>
      <CopyId id={key.key_id} label="key id" />
      <AlertPanel of={{ object: "key", id: key.key_id }} mayMute={may("approve")} />
    </Drawer>
  );
}

/** Why each call of an active key is denied, and what to do. */
const deniedSince: Record<NonNullable<Key["denied"]>, string> = {
  unknown_plan: "None of its plans exists. Give it another plan, or create the missing one.",
  plan_inactive: "Its plan is switched off. Activate the plan, or give the key another one.",
  wrong_api: "Its plans set limits and are for no API. Give it a plan for one.",
};

function Actions({ of: key, onAsk }: { of: Key; onAsk: (asked: Asked) => void }) {
  if (key.state === "revoked") {
    return may("approve") && can.restore(key)
      ? <Button kind="primary" onClick={() => onAsk({ kind: "restore", key })}>Restore</Button>
      : null;
  }
  return (
    <>
      {may("approve") && can.rotate(key) && (
        <Button
          kind="primary"
          shortcut="R"
          onClick={() => onAsk({ kind: "rotate", key })}
        >
          Rotate
        </Button>
      )}
      {may("approve") && <SuspendOrResume of={key} onAsk={onAsk} />}
      {may("revoke") && (
        <Button
          kind="danger"
          shortcut="D"
          onClick={() => onAsk({ kind: "revoke", key })}
        >
          Revoke
        </Button>
      )}
    </>
  );
}

function SuspendOrResume({ of: key, onAsk }: { of: Key; onAsk: (asked: Asked) => void }) {
  return can.resume(key)
    ? (
      <Button kind="primary" shortcut="S" onClick={() => onAsk({ kind: "resume", key })}>
        Resume
      </Button>
    )
    : <Button shortcut="S" onClick={() => onAsk({ kind: "suspend", key })}>Suspend</Button>;
}

function About({ of: key, onDeveloper, onAsk }: {
  of: Key;
  onDeveloper: (id: string) => void;
  onAsk: (asked: Asked) => void;
}) {
  const { tone, text } = stateView(key);
  return (
    <Facts>
      <Fact name="State">
        <Pill tone={key.leaked && key.state === "active" ? "bad" : tone}>{text}</Pill>
        {key.state_changed_at && (
          <span class="muted key-since">
            since <Time at={key.state_changed_at} />
          </span>
        )}
      </Fact>
      <Fact name="Reason">{key.reason}</Fact>
      <Fact name="Denied">{key.denied && deniedSince[key.denied]}</Fact>
      <Fact name="Back until">
        {key.undo && (
          <>
            <Time at={key.undo.until} />
            <small class="field-hint">
              {key.undo.with_developer
                ? "It went with its developer, and comes back with them."
                : "Until then, a person who may approve can restore it. After that it is revoked for good."}
            </small>
          </>
        )}
      </Fact>
      <Fact name="Leaked">
        {key.leaked && (
          <>
            <LeakMark of={key.leaked} />
            {may("revoke") && (
              <>
                {" "}
                <LinkButton onClick={() => onAsk({ kind: "dismiss", key })}>
                  False positive
                </LinkButton>
              </>
            )}
          </>
        )}
      </Fact>
      <Fact name="Developer">
        <button
          type="button"
          class="link-button is-plain"
          title="All keys of this developer"
          onClick={() => onDeveloper(key.developer_id)}
        >
          {ownerOf(key)}
        </button>
        {key.developer_name && <span class="muted key-address">{addressOf(key)}</span>}
      </Fact>
      <Fact name="Kind">{kinds[key.kind]}</Fact>
      <Fact name="Created" of={<Time at={key.created} />} />
      <Fact name="Expires">
        <Time at={key.expires_at} />
        <Change of={key} what="expiry" label="Change when it expires" onAsk={onAsk} />
      </Fact>
      {key.conditions && (
        <ConditionFacts
          of={key.conditions}
          change={
            <Change of={key} what="addresses" label="Change from where it is valid" onAsk={onAsk} />
          }
        />
      )}
      <Fact name="Last used" of={<Time at={key.last_used_at} />} />
      <Fact name="Replaced by">
        {key.replaced_by && (
          <Link class="text-link" href={`/keys/${key.replaced_by}`}>
            <code>…{key.replaced_by.slice(-12)}</code>
          </Link>
        )}
      </Fact>
      <Fact name="Request">
        {key.key_request_id && (
          <Link
            class="text-link"
            href={`/requests/${encodeURIComponent(key.key_request_id)}?state=all`}
          >
            <code>…{key.key_request_id.slice(-12)}</code>
          </Link>
        )}
      </Fact>
      <Fact name="Hash">
        {key.algorithm !== "sha256" && say`${key.algorithm}, until it is used`}
      </Fact>
      <Fact name="Imported as">{key.imported_as && <code>{key.imported_as}</code>}</Fact>
      <Fact name="Use before">{key.use_before && <Time at={key.use_before} />}</Fact>
    </Facts>
  );
}

/** A small way into a dialog, beside what it changes. */
function Change({ of: key, what, label, onAsk }: {
  of: Key;
  what: "plans" | "expiry" | "addresses";
  label: string;
  onAsk: (asked: Asked) => void;
}) {
  if (!may("approve") || !can.change(key)) return null;
  return (
    <LinkButton
      class="key-change"
      aria-label={label}
      onClick={() => onAsk({ kind: what, key })}
    >
      Change
    </LinkButton>
  );
}

function Plans({ of: key, onAsk }: { of: Key; onAsk: (asked: Asked) => void }) {
  const plans = usePlans();
  return (
    <>
      <div class="key-plans-head">
        <h3 class="group-title">{key.plans.length === 1 ? "Plan" : "Plans"}</h3>
        <Change of={key} what="plans" label="Change plans" onAsk={onAsk} />
      </div>
      <ul class="key-plans">
        {key.plans.map((id) => {
          const plan = plans.get(id);
          return (
            <li key={id}>
              <Link class="line-1 text-link" href={`/apis/plans/${encodeURIComponent(id)}`}>
                {plan?.name ?? id}
              </Link>
              {plan && (
                <span class="line-2">
                  {listed([plan.apis, limitsOf(plan)].filter(Boolean), " · ")}
                </span>
              )}
            </li>
          );
        })}
      </ul>
      <UnknownPlans of={key.plans} />
    </>
  );
}
