import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { pageOf } from "../../../contract/paging.ts";
import { nextPageLink } from "../../../contract/v1.ts";
import { text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { withNextPage } from "../../../http/routes.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { namesOfDevelopers } from "../../developers/developer-names.store.ts";
import { listDifferences, listKeys, migrationKeys } from "./migration-keys.service.ts";
import {
  decided,
  getMigrationResponse,
  listMigrationDifferencesQuery,
  listMigrationKeysQuery,
  migrationDifferenceList,
  migrationKey,
  planSwitch,
} from "./migration-report.contract.ts";
import { migrationReport, setDecided } from "./migration-report.service.ts";
import { keysBehind } from "./migration-report.store.ts";

/** When the old gateway can be switched off. */
export const getMigration = operation({
  id: "getMigration",
  method: "GET",
  path: "/v1/migration",
  tag: "Migration",
  summary: "How far a move is: what an old gateway still decides, and whether it can go",
  description:
    "Of what its plugin observes. APIs of the gateway without the plugin, and answers out of its cache, are not seen. Days are UTC.",
  permission: ["portal:read"],
  response: getMigrationResponse,
  errors: [],
  serve: (ctx) => migrationReport(ctx),
});

/** Keys that stand in the way. */
export const listMigrationKeys = operation({
  id: "listMigrationKeys",
  method: "GET",
  path: "/v1/migration/keys",
  tag: "Migration",
  summary: "Keys that called the old gateway yesterday, or were never seen at either",
  description:
    "In the order of their ids; those of one developer that were never seen from the oldest on. A page may hold fewer than `limit` and still have a next one.",
  permission: ["portal:read"],
  query: listMigrationKeysQuery,
  answerHeaders: nextPageLink,
  response: pageOf(migrationKey).meta({ id: "MigrationKeyList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await listKeys(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** Calls that were decided otherwise. */
export const listMigrationDifferences = operation({
  id: "listMigrationDifferences",
  method: "GET",
  path: "/v1/migration/differences",
  tag: "Migration",
  summary: "List calls that the old gateway allowed and Keydesk would have denied, newest first",
  description:
    "For 30 days: up to 50 of a second and node, the newest 100 of a key and the newest 10,000 of unknown ones. The presented key is never kept. The other direction is only counted. A page may hold fewer than `limit` and still have a next one.",
  permission: ["portal:read"],
  query: listMigrationDifferencesQuery,
  answerHeaders: nextPageLink,
  response: migrationDifferenceList,
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await listDifferences(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

const migrationMails = z.strictObject({
  data: z.array(
    z.strictObject({
      developer_id: text,
      to: text,
      subject: text,
      text,
      keys: z.array(text).describe("Their ids."),
    }).meta({ id: "MigrationMail" }),
  ),
  without_address: z.array(text).describe(
    "Keys whose developer has no address, or that have none.",
  ),
  more: z.boolean().describe("Whether there are further keys."),
}).meta({ id: "MigrationMails" });

/** Drafts the mails of a migration. */
export const draftMigrationMails = operation({
  id: "draftMigrationMails",
  method: "GET",
  path: "/v1/migration/mails",
  tag: "Migration",
  summary: "Mails to the developers of keys never seen, as a draft: nothing is sent",
  description: "Of the first 10,000 such keys, one mail for each developer whose address is known.",
  permission: ["portal:read"],
  query: z.object({
    language: z.enum(["en", "de"], { error: "expected en or de" }).default("en")
      .meta({ description: "Of the texts." }),
  }),
  response: migrationMails,
  errors: ["invalid_input"],
  async serve(ctx, { query: { language } }) {
    const { storage: { reader }, principal: { org_id }, clock } = ctx;
    const now = toTimestamp(clock.now());
    const byOwner = new Map<string, { key_id: string; called: string }[]>();
    let left = MOST_KEYS;
    let more = false;
    for (let key_id: string | undefined = ""; key_id !== undefined && !more;) {
      const rows: Awaited<ReturnType<typeof keysBehind>> = await keysBehind(reader, {
        org_id,
        key_id,
        now,
      }, AT_ONCE);
      const never = rows.filter((row) => Number(row.never) === 1);
      const taken = never.slice(0, left);
      more = taken.length < never.length;
      left -= taken.length;
      const keys = await migrationKeys(ctx, taken.map((one) => ({ key_id: one.key_id, calls: 0 })));
      for (const { key_id, developer_id, name, mask } of keys) {
        const own = byOwner.get(developer_id) ?? [];
        own.push({ key_id, called: name === "" ? mask : `${name} (${mask})` });
        byOwner.set(developer_id, own);
      }
      key_id = rows.length < AT_ONCE ? undefined : rows.at(-1)?.key_id;
    }
    const names = await namesOfDevelopers(reader, org_id, [...byOwner.keys()]);
    const made: Mails = { data: [], without_address: [], more };
    for (const [developer_id, own] of byOwner) {
      const { email = "", developer = "" } = names.get(developer_id) ?? {};
      const keys = own.map(({ key_id }) => key_id);
      if (email === "") made.without_address.push(...keys);
      else {
        const called = own.map((one) => one.called);
        made.data.push({ developer_id, to: email, ...texts[language](developer, called), keys });
      }
    }
    return made;
  },
});

/** Switches which side decides about a plan's keys. */
export const switchPlanEndpoint = operation({
  id: "switchPlan",
  method: "PUT",
  path: "/v1/plans/{id}/decided",
  tag: "Migration",
  summary: "Set whether a plan's keys are decided in Keydesk or by the old gateway",
  description:
    "`here`: its plugin follows Keydesk's denial for keys whose plans all say so, within the second. A call that Keydesk allows and the gateway denies stays denied. It can be set back at any time.",
  permission: ["plans"],
  body: z.strictObject({ decided }).meta({ id: "PlanSwitchInput" }),
  response: planSwitch,
  errors: [...bodyErrors, "not_found"],
  example: { decided: "keydesk" as const },
  serve: (ctx, { params, body }) => setDecided(ctx, params.id, body.decided),
});

type Mails = z.output<typeof migrationMails>;

type Language = "en" | "de";

/** Keys that a draft is of, and those that are read at once. */
const MOST_KEYS = 10_000;

const AT_ONCE = 500;

const texts: Record<Language, (name: string, keys: string[]) => { subject: string; text: string }> =
  {
    en: (name, keys) => ({
      subject: keys.length === 1 ? "Do you still use your key?" : "Do you still use your keys?",
      text: `${name === "" ? "Hello," : `Hello ${name},`}

we have moved our API keys to a new system. Yours came over and should work as before, but we have
not seen a call with ${keys.length === 1 ? "this key" : "these keys"} since:

${keys.map((key) => `- ${key}`).join("\n")}

If you still use ${
        keys.length === 1 ? "it" : "them"
      }, please make one call and tell us if it is refused.
If not, there is nothing to do; a word from you helps us to tidy up.
`,
    }),
    de: (name, keys) => ({
      subject: keys.length === 1
        ? "Benutzen Sie Ihren Schlüssel noch?"
        : "Benutzen Sie Ihre Schlüssel noch?",
      text: `${name === "" ? "Guten Tag," : `Guten Tag ${name},`}

wir sind mit unseren API-Schlüsseln in ein neues System umgezogen. Ihre sind mitgekommen und sollten
gehen wie zuvor, aber seither haben wir keinen Aufruf gesehen mit:

${keys.map((key) => `- ${key}`).join("\n")}

Wenn Sie noch damit arbeiten, machen Sie bitte einen Aufruf, und sagen Sie uns, falls er abgewiesen
wird. Wenn nicht, ist nichts zu tun; ein Wort von Ihnen hilft uns beim Aufräumen.
`,
    }),
  };
