import { z } from "zod";
import { actorTypes } from "../../contract/actor-types.ts";
import { presentAction, presentObject } from "../../contract/former-names.ts";
import { pageQuery } from "../../contract/v1.ts";
import { bom, freeForm, id, text, timestamp } from "../../contract/values.ts";

/**
 * One thing that a person did. `actor` is a person's id, or a word of ours for what acted
 * otherwise. By which call is empty where there was none, and in events of earlier releases. Names
 * are those that the event kept, else those of today, else "": where no one knows one, and where it
 * was erased.
 */
export const auditEvent = z.strictObject({
  id: text,
  at: timestamp,
  actor: text,
  actor_type: z.enum(actorTypes).meta({
    description:
      "`operator`: the command line or the start; `link`: the holder of a link; `system`: Keydesk by itself.",
  }),
  actor_name: text,
  action: text,
  object: text,
  object_id: text,
  object_name: text.meta({
    description: "The name at that time: a key's mask, a plan's or certificate's name.",
  }),
  developer_name: text.meta({ description: "The developer's name, else the e-mail address." }),
  plan_name: text.meta({ description: "For which plan, or plans." }),
  detail: freeForm,
  token_id: text.meta({ description: "The access token, also where a session stood for it." }),
  token_name: text.meta({ description: "The name of the access token." }),
  session: text,
  request_id: text.meta({ description: "Our id of the call, as the access log has it." }),
  caller_request_id: text.meta({
    description: "The `X-Request-Id` that the caller gave the call; empty where it gave none.",
  }),
  client_address: text.meta({ description: "As far as `KEYDESK_AUDIT_ADDRESSES` allows." }),
}).meta({ id: "AuditEvent" });

/** A name by which rows are found; a former one is refused by the present one. */
const present = (presentOf: (name: string) => string) =>
  id.refine((name) => presentOf(name) === name, {
    error: ({ input }) => `it is ${presentOf(String(input))} since 0.9.0`,
  });

export const filters = {
  q: z.string().max(200).optional().meta({
    description:
      "Only what names this, in any case: a person, a developer, a plan, a key's mask, a certificate, " +
      "an address, or an id.",
  }),
  kind: z.enum(["changes", "sign_ins"]).optional().meta({
    description: "`sign_ins`: sessions and refused sign-ins; `changes`: what changed something.",
  }),
  actor: id.optional().meta({ description: "Only what this person did." }),
  object: present(presentObject).optional().meta({
    description: "Only what happened to things of this kind.",
  }),
  object_id: id.optional().meta({ description: "Only what happened to the thing of this id." }),
  action: present(presentAction).optional().meta({
    description: "Only this action, such as `key_request.approved`.",
  }),
  token_id: id.optional().meta({ description: "Only what was done with this access token." }),
  session: id.optional().meta({ description: "Only what was done in this session." }),
  temporary_access: id.optional().meta({
    description: "Only what was done in this temporary access, its beginning and its end among it.",
  }),
  request_id: id.optional().meta({
    description: "Only what the call of this id did: ours, or the caller's own.",
  }),
  client_address: id.optional().meta({ description: "Only from this address, as it is shown." }),
  after: timestamp.optional().meta({ description: "From this time on." }),
  before: timestamp.optional().meta({ description: "Until shortly before this time." }),
};

/** The filters of the audit log. */
export const auditLogFilters = z.object(filters);

/** The query of a list of the audit log. */
export const auditLogQuery = auditLogFilters.extend(pageQuery);

/** The query of an export of the audit log. */
export const exportQuery = auditLogFilters.extend({
  format: z.enum(["jsonl", "csv"], { error: "expected jsonl or csv" }).optional()
    .meta({ description: "`jsonl` by default." }),
  bom,
});
