/**
 * Files declare things of an organisation: each change of such a thing is counted, so that a
 * declaration is never applied to another state than it was compared with; and a change by anybody
 * else of what a file manages is refused or noted as drift.
 */
import { toTimestamp } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import type { Tx } from "../storage/storage.ts";
import type { Actor } from "./audit.ts";
import {
  countConfigChange,
  findChangesRule,
  managedOfKind,
  noteDrift,
} from "./config-changes.store.ts";
import { addToOutbox } from "./outbox.ts";

/** A change as the audit log has it. */
interface LoggedChange {
  readonly action: string;
  readonly object_id: string;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

/** A kind of declared things, and which of them a change concerns; undefined: any of them. */
interface Concerned {
  readonly kind: string;
  readonly object: (change: LoggedChange) => string | undefined;
  /** The actions that change what is declared; absent: all of this object. */
  readonly actions?: readonly string[];
}

const itself = ({ object_id }: LoggedChange) => object_id;
const alone = () => "";
const plan = ({ detail }: LoggedChange) => String(detail?.plan ?? "");

const CHANGED = ["created", "updated", "moved", "ending", "deleted"];

/** By the object of an action. */
const CONCERNED: Readonly<Record<string, Concerned>> = {
  plan: { kind: "plans", object: itself },
  api: { kind: "apis", object: itself },
  // A client of the older interface writes all entries at once.
  catalogue: { kind: "apis", object: () => undefined },
  documentation: { kind: "apis", object: ({ detail }) => String(detail?.api_id ?? "") },
  approval_policy: { kind: "approval_policies", object: plan },
  unused_rule: { kind: "unused_key_rules", object: plan },
  target: { kind: "channels", object: itself, actions: CHANGED },
  door: { kind: "gateways", object: itself, actions: CHANGED },
  gateway: { kind: "gateways", object: itself, actions: CHANGED },
  branding: { kind: "branding", object: alone },
  developer_pages: { kind: "portal", object: alone },
  configuration: { kind: "portal_questions", object: alone },
  alerts: { kind: "alerts", object: alone, actions: ["settings_changed"] },
  sign_in_rules: { kind: "sign_in", object: alone },
  role: { kind: "roles", object: itself },
  elevation_rule: { kind: "temporary_access_rules", object: itself },
  identity_provider: { kind: "identity_providers", object: itself },
  access_token: {
    kind: "access_tokens",
    object: itself,
    actions: ["limited", "revoked", "rotated"],
  },
};

/**
 * Counts a change of what files can declare; ignores any other. Throws `managed_by_file` if the
 * organisation refuses changes of what a file manages and this change is not the file's. If it only
 * warns, the change is drift, which is reported once.
 */
export async function noteConfigChange(tx: Tx, actor: Actor, logged: LoggedChange): Promise<void> {
  const dot = logged.action.indexOf(".");
  const concerned = CONCERNED[logged.action.slice(0, dot)];
  if (!concerned || concerned.actions?.includes(logged.action.slice(dot + 1)) === false) return;
  const { org_id } = actor;
  await countConfigChange(tx, { org_id });
  if (actor.file !== undefined) return;
  const object_id = concerned.object(logged);
  // The default policy is a kind of its own.
  const kind = concerned.kind === "approval_policies" && object_id === ""
    ? "default_approval_policy"
    : concerned.kind;
  const managed = (await managedOfKind(tx, { org_id, kind }))
    .filter((one) => object_id === undefined || one.object_id === object_id);
  const [first] = managed;
  if (!first) return;
  // Background work ends what was begun before.
  if (actor.call && await findChangesRule(tx, { org_id }) === "refuse") {
    const { name, source } = first;
    const message = `${name} is managed by ${source}: change it there, and apply the file.`;
    throw new Failure("managed_by_file", { message });
  }
  const at = toTimestamp(actor.now);
  for (const { object_id, drifted_at } of managed) {
    if (drifted_at !== null) continue;
    await noteDrift(tx, { org_id, kind, object_id, drifted_at: at });
    await addToOutbox(tx, actor, { topic: "config.drifted", object_id: `${kind}/${object_id}` });
  }
}
