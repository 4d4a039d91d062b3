import { z } from "zod";
import { nullable } from "../../contract/v1.ts";
import { text } from "../../contract/values.ts";
import { writing } from "../../http/health.contract.ts";

/** The data of this server. */
export const serverInfo = z.strictObject({
  version: text,
  command: text.describe("The words that start Keydesk on this server, such as `npx keydesk`."),
  engine: z.enum(["sqlite", "postgres"]),
  schema_version: z.int(),
  uptime_seconds: z.int(),
  pid: z.int().describe("The process that answers: of several on one port any, by chance."),
  warnings: z.array(text).describe("Findings for the server administrator, a sentence each."),
  unknown_plans: z.strictObject({
    count: z.int().describe("1,000: so many or more."),
    plans: z.array(z.strictObject({ id: text, deleted: z.boolean() })),
  }).describe(
    "Plans that active keys of the organisation name and that do not exist; 20 are listed.",
  ),
  writing,
  failed_reads: z.int().describe("Reads since the start that the disk did not answer; SQLite's."),
  problems: z.array(z.strictObject({
    name: text,
    reason: text,
    stops: z.enum(["all", "writes", "nothing"]),
    since: text,
  })).describe("Lasting problems, the oldest first."),
  damages: z.array(text).describe(
    "Rows that are not as they were written, by what they are, a sentence each; `warnings` has them too.",
  ),
  backup: z.strictObject({
    at: nullable(text).describe("When the newest was made; null: Keydesk knows of none."),
    missing_since: nullable(text).describe(
      "Of a store that is a file and has no known backup: since when there is data to lose.",
    ),
  }).describe(
    "The mark that `keydesk backup` leaves. Shown to the first organisation alone, whose server administrator makes backups.",
  ),
  restored: nullable(z.strictObject({
    at: text,
    known: z.boolean().describe(
      "Whether the revocations since the copy was made are known. False: look through keys, access tokens and people.",
    ),
    reopened: z.boolean().describe(
      "True: a person confirmed that the revoked ones are valid again.",
    ),
    counts: z.record(z.string(), z.int()).describe(
      "Revocations since then, by kind, as far as known.",
    ),
  })).describe(
    "That the store was put back to a copy in the last 7 days; null: it was not. Told to the first organisation alone.",
  ),
  config: z.strictObject({
    drifted: z.int().describe("Things that are other than the files that manage them."),
    waiting: z.int().describe("Changes by files that wait for a person to confirm them."),
  }),
  checkpoints_go_to: z.array(z.enum(["channels", "file", "witnesses"])).describe(
    "Machines, besides this one, that know the length of the audit log. None: an intruder of this machine can write another history.",
  ),
  nodes: z.array(z.strictObject({
    name: text.describe("Host and port."),
    version: text,
    started: text,
    last_seen: text,
    state: z.enum(["current", "seen", "late", "silent"]).describe(
      "`current`: it answers this call. `late`: it has been silent for 15 seconds, `silent`: for a minute.",
    ),
    stale_ms: nullable(z.int()).describe(
      "The age of its last look at revocations, in milliseconds; null: it does not verify.",
    ),
    ahead_ms: nullable(z.int()).describe(
      "How far its clock was ahead of the database's, in milliseconds; null: not compared.",
    ),
  })).describe(
    "The process that answers, then the others that share its PostgreSQL, by the database's clock. A process that stopped in order is left out, one that was killed is listed for a day at most. Shown to the first organisation alone.",
  ),
  settings: z.strictObject({
    page_size: z.int(),
    references: z.enum(["open", "strict"]),
    unknown_plan: z.enum(["refuse", "allow"]).describe("`refuse` with strict references."),
    mask_secrets: z.boolean(),
    certs_filter: z.enum(["detailed", "always"]),
    certs_answer: z.enum(["full", "original"]),
    pending_per_developer: z.int().describe(
      "Key requests of one developer that may wait at once; 0: any number.",
    ),
    pending_per_organisation: z.int().describe("Of the whole organisation, in the same form."),
    request_bytes: z.int().describe("Bytes that are kept of one key request; 0: any number."),
    revoke_rate_limit: z.int().describe(
      "Keys that the access tokens of one person may end within an hour without `approve`.",
    ),
    processes: z.int().describe(
      "As the setting says; what each counts by itself is divided by it.",
    ),
  }),
}).meta({ id: "ServerInfo" });
