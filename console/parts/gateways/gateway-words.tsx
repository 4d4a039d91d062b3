import { checksWithKeydesk, OPENS_MORE } from "../../../src/contract/gateway-states.ts";
import type { CheckingGateway, KeyThere, SyncedGateway } from "../../api/gateways.ts";
import { say } from "../../said.ts";
import { Pill, type Tone } from "../pill.tsx";
import { Time } from "../time.tsx";

const states: Record<KeyThere["state"], { tone: Tone; text: string }> = {
  waiting: { tone: "quiet", text: "Waits" },
  late: { tone: "waiting", text: "Late" },
  delivered: { tone: "good", text: "Delivered" },
  stuck: { tone: "bad", text: "Stuck" },
  diverged: { tone: "waiting", text: "Differs" },
  closing: { tone: "waiting", text: "Closing" },
  gone: { tone: "quiet", text: "Gone" },
};

/** The state of a key at a gateway, in a word. */
export function StatePill({ state }: { state: KeyThere["state"] }) {
  return <Pill tone={states[state].tone}>{states[state].text}</Pill>;
}

/** The words before the time at which a state began. */
export const sinceWords: Record<KeyThere["state"], string> = {
  waiting: "waits since",
  late: "waits since",
  delivered: "at the gateway since",
  stuck: "stuck since",
  diverged: "found",
  closing: "revoked at the gateway",
  gone: "gone since",
};

const reasons: Readonly<Record<string, string>> = {
  secret_gone: "Only its holder has the secret that is written to the gateway. Rotate it.",
  conditions:
    "It was granted on conditions that this gateway can't enforce, so it is not written to it.",
  damaged: "Its row was changed outside Keydesk, so it is not valid.",
  hashed_otherwise:
    "The gateway hashes it in another way. Set hash_key_function at the gateway, then try.",
  not_a_token:
    "A map has no user names and no OAuth clients: this gateway checks them with Keydesk.",
  other_hash:
    "It was imported by another hash: until it is used, this gateway asks Keydesk for it.",
  short_key: "Its text is too short for a map: this gateway asks Keydesk for it.",
  end: "This gateway does not check expiry, so it checks this key with Keydesk.",
  redis_away: "The gateway's Redis does not answer. Look whether it may be reached, then try.",
  another_redis: "That Redis does not have this gateway's keys. Name the right one, then try.",
  not_read:
    "Its file is without the key. It is valid at its proxy until that reads the file again.",
  not_fetched: "A proxy has not yet said that it has a map without the key.",
  unknown_there: "Keydesk does not know its id at the gateway. Look for it at the gateway by hand.",
};

/** Why a key is not there as it should be, and what helps; `plans` by either id. */
export function reasonText(
  { state, reason }: Pick<KeyThere, "state" | "reason">,
  plans: ReadonlyMap<string, { readonly name: string }>,
): string {
  if (reason.startsWith("no_policy ")) {
    const id = reason.slice("no_policy ".length);
    return say`No policy for the plan ${
      plans.get(id)?.name ?? id
    } at the gateway. Make one, then try.`;
  }
  if (reason.startsWith("redis_refuses ")) {
    return say`The gateway's Redis refuses it: ${reason.slice("redis_refuses ".length)}`;
  }
  const known = reasons[reason];
  if (known !== undefined) return known;
  if (reason.startsWith(OPENS_MORE)) {
    return say`It is valid for more at the gateway: ${reason.slice(OPENS_MORE.length)}`;
  }
  if (state === "diverged") return say`Changed at the gateway: ${reason}`;
  return reason;
}

/** Until when a key that was ended may open there; else undefined. */
export function MayOpen({ of: { state, reason, valid, may_be_valid_until } }: {
  of: Pick<KeyThere, "state" | "reason" | "valid" | "may_be_valid_until">;
}) {
  if (state !== "closing" || !valid) return null;
  if (reason !== "") {
    return may_be_valid_until === null ? null : (
      <p>
        It may be valid at the gateway until <Time at={may_be_valid_until} />.
      </p>
    );
  }
  return (
    <p>
      {may_be_valid_until === null
        ? "It may be valid at the gateway as long as calls with it go on: the gateway restores it. Its deletion is repeated."
        : (
          <>
            The gateway’s cache may accept it until <Time at={may_be_valid_until} />.
          </>
        )}
    </p>
  );
}

/** How often it was tried in vain, behind other words; "": never. */
export function triesText(tries: number): string {
  if (tries === 0) return "";
  return tries === 1 ? ", tried once" : say`, tried ${tries} times`;
}

/** Whether trying it now may help: with the others something else has to be done before. */
export function mayHelp({ state, reason }: Pick<KeyThere, "state" | "reason">): boolean {
  const isHelpless = reason === "secret_gone" || reason === "conditions" || reason === "damaged";
  return state !== "gone" && state !== "closing" && state !== "delivered" && !isHelpless &&
    !checksWithKeydesk("", reason);
}

/** The problem of a gateway, and the setting to change at it. */
export const findings: Record<
  SyncedGateway["findings"][number]["code"],
  { text: (detail: string) => string; setting?: (detail: string) => string | undefined }
> = {
  cache_on: {
    text: (detail) =>
      detail === "undone"
        ? "Its session cache is on, so a key with a quota goes on as long as calls with it do."
        : say`Its session cache is on, so keys shut about ${detail} seconds late.`,
    // A key that is about ten seconds late is no reason to change it.
    setting: (detail) =>
      detail === "undone"
        ? '"local_session_cache": {"disable_cached_session_state": true}'
        : undefined,
  },
  quota_in_policies: {
    text: (detail) =>
      say`Calls in flight undo revocations, which are repeated: quotas are in ${
        detail || "its policies"
      }. Leave quotas to Keydesk, or live with seconds.`,
  },
  not_checked: {
    text: () => "Revocation was not tested. Name an API behind it that any key may call.",
  },
  clock_differs: {
    text: (detail) =>
      say`Its clock is ${detail} seconds ahead. Keys expire that much early or late.`,
  },
  no_policy: { text: (detail) => say`The gateway has no policy for the plan ${detail}. Make one.` },
  policy_differs: { text: (detail) => say`A policy differs from its plan: ${detail}` },
  no_list: {
    text: () => "It does not list its keys, so what came back by itself is not noticed.",
    setting: () => '"enable_hashed_keys_listing": true',
  },
  redis_unusable: { text: (reason) => reasonText({ state: "stuck", reason }, new Map()) },
};

/** Whether it works, in a word. */
export function GatewayPill({ of }: { of: SyncedGateway }) {
  if (of.unconfirmed_since !== null) return <Pill tone="waiting">Waits for a yes</Pill>;
  if (of.state === "paused") return <Pill tone="quiet">Paused</Pill>;
  if (of.state === "ending") return <Pill tone="waiting">Ending</Pill>;
  if (of.missing_outbound !== null) return <Pill tone="waiting">Not allowed yet</Pill>;
  if (of.failing_since !== null) return <Pill tone="bad">Failing</Pill>;
  return <Pill tone="good">On</Pill>;
}

const calls: Record<CheckingGateway["state"], { tone: Tone; text: string }> = {
  waiting: { tone: "quiet", text: "Waits for its first call" },
  calling: { tone: "good", text: "Calls" },
  silent: { tone: "bad", text: "Silent" },
};

/** Whether a gateway that checks each call does so, in a word. */
export function CheckingPill({ of: { state } }: { of: CheckingGateway }) {
  return <Pill tone={calls[state].tone}>{calls[state].text}</Pill>;
}
