import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { checkKey, editPlan, getKey, getPlan } from "../../api/endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { queries, useCall } from "../../api/queries.ts";
import { spanOf } from "../../api/spans.ts";
import { announce } from "../../parts/announcer.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import type { Asked } from "../../parts/keys/key-dialogs.tsx";
import { can, type Key } from "../../parts/keys/key.ts";
import { lazily } from "../../parts/lazily.tsx";
import { toast, toastFailure } from "../../parts/toasts.tsx";
import { useField } from "../../parts/use-field.ts";
import { say } from "../../said.ts";
import { reasonTitles } from "../../parts/denied-calls/reason-titles.ts";
import { calledKey, type DeniedCall } from "../../parts/denied-calls/words.ts";
import type { Action } from "./fix.ts";

const KeyDialogs = lazily(
  () => import("../../parts/keys/key-dialogs.tsx"),
  ({ onClose }) => onClose(),
);

/** Nodes hear of a change within a second; after so many looks what they say holds. */
const LOOKS = 8;
const PAUSE_MS = 250;

/** The news of a denied call since its fix. */
export interface Since {
  readonly text: string;
  readonly isGood: boolean;
}

/** Fixes denied calls in place: what to call, the dialog that stands open, and what came of it. */
export function useFixes() {
  const [asked, setAsked] = useState<{ one: DeniedCall; keys?: Asked }>();
  const [mended, setMended] = useState<ReadonlyMap<string, Since>>(new Map());
  const note = (one: DeniedCall, since: Since) => {
    setMended((old) => new Map(old).set(sameCallAs(one), since));
    announce(say`${calledKey(one)}: ${since.text}`);
  };
  const changed = (one: DeniedCall) => {
    void queries.invalidateQueries({ queryKey: ["keys"] });
    void sinceOf(one).then((since) => note(one, since), () => {});
  };
  const begin = async (one: DeniedCall, act: Action) => {
    if (act === "limit") return setAsked({ one });
    try {
      const key = await api.call(getKey, { params: { key_id: one.key_id ?? "" } });
      const keys = dialogOf(key, act, one);
      if (keys) setAsked({ one, keys });
      // Another person was quicker.
      else changed(one);
    } catch (error) {
      toastFailure(error);
    }
  };
  const close = () => setAsked(undefined);
  const dialog = asked && (asked.keys
    ? (
      <KeyDialogs
        asked={asked.keys}
        onChanged={() => changed(asked.one)}
        onIssued={() => {
          note(asked.one, { text: "Has a fresh key", isGood: true });
          close();
        }}
        onClose={close}
      />
    )
    : <LimitDialog of={asked.one} onDone={() => changed(asked.one)} onClose={close} />);
  return {
    begin: (one: DeniedCall, act: Action) => void begin(one, act),
    sinceOf: (one: DeniedCall) => mended.get(sameCallAs(one)) ?? knownSince(one),
    /** Another one wherever another denied call is fixed. */
    mended,
    dialog,
  };
}

/** The news that the list has by itself. */
function knownSince({ reason, key_state }: DeniedCall): Since | undefined {
  if (reason === "suspended" && key_state === "active") {
    return { text: "Resumed since", isGood: true };
  }
  return undefined;
}

/** The dialog of a deed; undefined: the key is no longer so that it could be done. */
function dialogOf(key: Key, act: Exclude<Action, "limit">, one: DeniedCall): Asked | undefined {
  switch (act) {
    case "resume":
      return can.resume(key) ? { kind: "resume", key } : undefined;
    case "renew":
      if (key.state !== "revoked") return undefined;
      return can.restore(key) ? { kind: "restore", key } : { kind: "issue", like: key };
    case "plans":
      return can.change(key) ? { kind: "plans", key, opening: one.api_id ?? undefined } : undefined;
    case "addresses":
      return can.change(key) && key.conditions?.addresses
        ? { kind: "addresses", key, seen: one.network ?? undefined }
        : undefined;
    case "expiry":
      return can.change(key) ? { kind: "expiry", key } : undefined;
  }
}

/** Whether the same call would pass now; asked until it would, or the nodes must have heard. */
async function sinceOf({ key_id, api_id, reason, network }: DeniedCall): Promise<Since> {
  // The first address of the network represents the visitor's, which was not kept.
  const address = network?.split("/")[0];
  const body = {
    key_id: key_id ?? "",
    ...api_id === null ? {} : { api_id },
    ...address === undefined ? {} : { address },
  };
  for (let look = 1;; look++) {
    const answer = await api.call(checkKey, { body });
    if (answer.reason === null) return { text: "Valid again", isGood: true };
    if (answer.reason !== reason) {
      return { text: say`Now: ${reasonTitles[answer.reason].toLowerCase()}`, isGood: false };
    }
    if (look === LOOKS) {
      // Earlier calls count towards a greater rate, too, until its time is over.
      return reason === "over_rate"
        ? { text: "Limit raised", isGood: true }
        : { text: "Still refused", isGood: false };
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function sameCallAs({ key_id, api_id, reason }: DeniedCall): string {
  return JSON.stringify([key_id, api_id, reason]);
}

/** Raises the rate or the quota of the plan that a refused call went by. */
function LimitDialog({ of, onDone, onClose }: {
  of: DeniedCall;
  onDone: () => void;
  onClose: () => void;
}) {
  const { key_id, plan_id, reason } = of;
  const isRate = reason === "over_rate";
  const text = useField<string | undefined>(undefined);
  const plan = useCall(["plans", plan_id ?? ""], getPlan, { params: { id: plan_id ?? "" } }).data;
  const key = useCall(["keys", key_id ?? ""], getKey, { params: { key_id: key_id ?? "" } }).data;
  if (!plan || !key) return null;
  const now = isRate ? plan.rate : plan.quota_max;
  const seconds = isRate ? plan.per : plan.quota_renewal_rate;
  const own = isRate ? key.conditions?.rate : key.conditions?.quota;
  const wanted = text.value ?? String(now * 2);
  return (
    <Confirm
      title={say`Raise the ${isRate ? "rate" : "quota"} of ${plan.name}?`}
      note={say`Now ${grouped(now)} calls ${
        seconds > 0 ? spanOf(seconds) : "in all"
      }. It counts for all keys of the plan${
        plan.keys > 0 ? say`, ${grouped(plan.keys)} by now` : ""
      }, within a second.`}
      action="Raise"
      onClose={onClose}
      onConfirm={async () => {
        const calls = Number(wanted);
        if (!Number.isInteger(calls) || calls <= now) {
          return text.refuse(say`Write a whole number above ${grouped(now)}.`);
        }
        await api.call(editPlan, {
          params: { id: plan.id },
          body: isRate ? { rate: calls } : { quota_max: calls },
          headers: { "if-match": `"${plan.revision}"` },
        }).finally(() => void queries.invalidateQueries({ queryKey: ["plans"] }));
        toast({ text: say`${plan.name} gives ${grouped(calls)} calls now.` });
        onDone();
      }}
    >
      {own && (
        <p class="notice">
          This key was granted on a lower limit of its own, which stays:{" "}
          {say`${grouped(own.calls)} calls ${spanOf(own.seconds)}`}.
        </p>
      )}
      <TextField
        label={say`Calls ${seconds > 0 ? spanOf(seconds) : "in all"}`}
        type="number"
        min={now + 1}
        autoFocus
        value={wanted}
        error={text.error}
        onInput={text.set}
      />
    </Confirm>
  );
}
