import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { emailWarning } from "../../contract/changed-emails.ts";
import { nullable } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Failure } from "../../kernel/failure.ts";
import { plainLine } from "../../kernel/plain-text.ts";
import { ends } from "../developers/developer-text.ts";
import type { Developer } from "../developers/developer.ts";
import { toProof } from "../developers/email-proof.ts";
import { listKeys } from "../keys/list-keys.service.ts";
import type { Key } from "../keys/show-key.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { type WithdrawnPlan, withdrawnPlans } from "../plans/catalogue/withdrawn-plans.ts";
import { type Coverage, coverageOfCaller } from "../plans/coverage.ts";
import { mixesScripts } from "./mixed-script.ts";
import { findMatches } from "./search.store.ts";
import { keptOf, parseHead, termsOf } from "./stored-request.ts";
import { briefsWithin } from "./v1-list.service.ts";
import { type BriefRow, findBriefs, findV1, findV1Of, type V1Row } from "./v1.store.ts";
import { isWithin } from "./within-scope.ts";

/** The kinds of hints, worst first. */
const hintKinds = [
  "plan_deleted",
  "plan_withdrawn",
  "holds_active_key",
  "developer_inactive",
  "email_unconfirmed",
  "email_mixed_script",
  "email_changed",
  "many_requests",
  "declined_before",
  "new_developer",
  "keys_unused",
  "same_company",
] as const;

/** One thing worth knowing before a decision. */
export const hint = z.strictObject({
  hint: z.enum(hintKinds),
  title: text.meta({ description: "The finding in words." }),
  detail: text.meta({ description: "A further detail, such as the new address; or empty." }),
  at: nullable(timestamp).meta({
    description: "When it came about, such as the address's change; null: no time applies.",
  }),
  key_ids: z.array(id).meta({ description: "The keys that it is about." }),
  request_ids: z.array(id).meta({ description: "The key requests that it is about." }),
}).meta({ id: "Hint" });

/** Lists hints for the decision of a request. */
export const listHints = operation({
  id: "listHints",
  method: "GET",
  path: "/v1/key-requests/{id}/hints",
  tag: "Key requests",
  summary: "Read what is worth knowing before a key request is decided, worst first",
  description:
    "Each is present only while it is true, and none blocks a decision. A decided request has none. `same_company` looks at the newest 50 requests with the company's name or the address's domain; `keys_unused` at the developer's newest 20 active keys.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  withinScope: true,
  response: z.strictObject({ data: z.array(hint) }).meta({ id: "Hints" }),
  errors: ["not_found"],
  async serve(ctx: CatalogueContext, { params: { id } }) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    const row = await findV1(reader, { org_id, id });
    const coverage = await coverageOfCaller(reader, ctx.principal);
    if (!row || (coverage && !isWithin(coverage, row))) throw new Failure("not_found");
    if (row.state !== "pending") return { data: [] };
    const known = await whatIsKnown(ctx, row, coverage);
    return { data: HINTS.flatMap((of) => of(known) ?? []) };
  },
});

/** One thing worth knowing. */
export type Hint = z.output<typeof hint>;

const DAY_MS = 86_400_000;

const WEEK_MS = 7 * DAY_MS;

/** How many of a developer's active keys are looked at. */
const MOST_KEYS = 20;

/** How many requests of a company are looked at. */
const MOST_OF_COMPANY = 50;

/** Past every position of the search. */
const NEWEST = { newestFirst: true, position: Number.MAX_SAFE_INTEGER, limit: MOST_OF_COMPANY };

/** The data from which hints are made. */
interface Known {
  row: V1Row;
  email: string;
  developer: Partial<Developer>;
  asked: { at: number; key: string };
  briefs: readonly BriefRow[];
  /** Active ones: of this plan, and the newest of all. */
  own: readonly Key[];
  newest: readonly Key[];
  ofCompany: readonly V1Row[];
  withdrawn: readonly WithdrawnPlan[];
  now: number;
}

/** Of what is outside of the caller's scope nothing is known. */
async function whatIsKnown(
  ctx: RequestContext,
  row: V1Row,
  coverage: Coverage | undefined,
): Promise<Known> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const { by_user, for_plan } = row;
  const { key } = parseHead(row);
  const developer = developerIn(row);
  const isSeen = ({ plans }: Key) => !coverage || coverage.holds(plans);
  const active = { developer: by_user, state: "active" } as const;
  const [all, own, newest, ofCompany, withdrawn] = await Promise.all([
    findBriefs(reader, { org_id, by_user }),
    listKeys(ctx, { ...active, plan: for_plan, limit: 1 }),
    listKeys(ctx, { ...active, limit: MOST_KEYS }),
    openOfCompany(ctx, row, developer),
    // A key that goes on keeps plans that no one can request any more.
    row.asked_end === null ? withdrawnPlans(reader, org_id, termsOf(row).plans) : [],
  ]);
  return {
    row,
    email: developer.email ?? "",
    developer,
    asked: { at: Date.parse(keptOf(row).date_created), key },
    briefs: (coverage ? await briefsWithin(ctx, all, coverage) : all)
      .filter((one) => one.id !== row.id),
    own: own.data.filter(isSeen),
    newest: newest.data.filter(isSeen),
    ofCompany: ofCompany.filter((one) => !coverage || isWithin(coverage, one)),
    withdrawn,
    now: ctx.clock.now(),
  };
}

/** Other developers' pending requests whose company is the same. */
async function openOfCompany(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  row: V1Row,
  developer: Partial<Developer>,
): Promise<V1Row[]> {
  const company = companyIn(developer);
  if (company === undefined) return [];
  const matches = await findMatches(reader, org_id, [company.toLowerCase()], NEWEST);
  const found = await findV1Of(reader, org_id, matches.flatMap(({ id }) => id ?? []));
  return found.filter((one) =>
    one.state === "pending" && one.by_user !== row.by_user &&
    companyIn(developerIn(one))?.toLowerCase() === company.toLowerCase()
  );
}

function developerIn({ developer }: V1Row): Partial<Developer> {
  // as: the store wrote this object.
  return developer === null ? {} : ends(developer) ?? JSON.parse(developer) as Partial<Developer>;
}

function companyIn({ email = "", fields = {} }: Partial<Developer>): string | undefined {
  return companyOf({ email, fields });
}

/** Each rule: its hint where it is true. Worst first. */
const HINTS: readonly ((known: Known) => Hint | undefined)[] = [
  ({ withdrawn }) =>
    planHint("plan_deleted", withdrawn.filter(({ isDeleted }) => isDeleted), {
      one: "A plan was deleted: this can't be approved as it is",
      several: "Plans were deleted: this can't be approved as it is",
    }),
  ({ withdrawn }) =>
    planHint("plan_withdrawn", withdrawn.filter(({ isDeleted }) => !isDeleted), {
      one: "A plan is no longer offered to developers",
      several: "Plans are no longer offered to developers",
    }),
  ({ own, asked: { key } }) => {
    const [first] = own;
    // A request for a change of a key implies a key.
    if (!first || key !== "") return undefined;
    return hintOf("holds_active_key", "Already holds an active key for this plan", {
      at: first.last_used_at,
      detail: first.name || first.mask,
      key_ids: [first.key_id],
    });
  },
  ({ developer }) =>
    developer.inactive
      ? hintOf("developer_inactive", "Developer is deactivated", {
        detail: "The portal doesn't let them sign in.",
      })
      : undefined,
  (known) => emailHint(known, "unconfirmed"),
  ({ email }) =>
    mixesScripts(email)
      ? hintOf("email_mixed_script", "E-mail address mixes scripts", { detail: email })
      : undefined,
  (known) => emailHint(known, "changed"),
  ({ briefs, asked: { at } }) => {
    const ids = briefs.filter((one) => {
      const before = at - Date.parse(keptOf(one).date_created);
      return before >= 0 && before < WEEK_MS;
    }).map(({ id }) => id);
    if (ids.length < 2) return undefined;
    return hintOf("many_requests", `${ids.length + 1} requests in 7 days`, {
      detail: "This one is among them.",
      request_ids: ids,
    });
  },
  ({ briefs, row: { for_plan } }) => {
    const declined = briefs.find(({ state }) => state === "declined");
    if (!declined) return undefined;
    return hintOf("declined_before", "Declined before", {
      at: keptOf(declined).date_created,
      detail: declined.for_plan === for_plan ? "For this plan too." : "",
      request_ids: [declined.id],
    });
  },
  ({ developer: { date_created }, now }) => {
    const since = Date.parse(date_created ?? "");
    if (!(now - since < DAY_MS)) return undefined;
    return hintOf("new_developer", "Registered less than a day ago", {
      at: new Date(since).toISOString(),
    });
  },
  ({ newest }) => {
    const unused = newest.filter(({ last_used_at }) => last_used_at === null);
    const [first] = unused;
    if (!first) return undefined;
    const title = unused.length === 1 ? "A key of theirs was never used" : unused.length ===
        newest.length
      ? `None of ${unused.length} keys was ever used`
      : `${unused.length} keys were never used`;
    return hintOf("keys_unused", title, {
      detail: unused.length === 1 ? first.name || first.mask : "",
      key_ids: unused.map(({ key_id }) => key_id),
    });
  },
  ({ ofCompany, developer }) => {
    const { length } = ofCompany;
    if (length === 0) return undefined;
    const others = length === 1 ? "Another open request" : `${length} other open requests`;
    return hintOf("same_company", `${others} of ${companyIn(developer)}`, {
      request_ids: ofCompany.map(({ id }) => id),
    });
  },
];

/** A hint that these plans are gone, by their names. */
function planHint(
  kind: Hint["hint"],
  plans: readonly WithdrawnPlan[],
  title: { one: string; several: string },
): Hint | undefined {
  if (plans.length === 0) return undefined;
  return hintOf(kind, plans.length === 1 ? title.one : title.several, {
    detail: plans.map(({ name }) => plainLine(name)).join(", "),
  });
}

function emailHint({ row, email, now }: Known, wanted: "unconfirmed" | "changed") {
  const { email_state: state, email_changed_at: changed_at } = toProof(row, () => email);
  if (emailWarning({ state, changed_at }, now) !== wanted) return undefined;
  return wanted === "changed"
    ? hintOf("email_changed", "E-mail address changed lately", { at: changed_at, detail: email })
    : hintOf("email_unconfirmed", "E-mail address is not confirmed", {
      at: changed_at,
      detail: email,
    });
}

function hintOf(kind: Hint["hint"], title: string, more: Partial<Hint>): Hint {
  return { hint: kind, title, detail: "", at: null, key_ids: [], request_ids: [], ...more };
}

/** Domains at which anybody gets an address: who shares one of them shares no company. */
const ANYBODYS = new Set(
  ("gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com aol.com " +
    "icloud.com me.com mac.com gmx.net gmx.de gmx.com web.de t-online.de freenet.de mail.com " +
    "proton.me protonmail.com pm.me fastmail.com hey.com zoho.com yandex.ru yandex.com mail.ru " +
    "qq.com 163.com 126.com naver.com orange.fr laposte.net free.fr libero.it").split(" "),
);

/**
 * By what others of a developer's company are found: its name, as they gave it, else the domain of
 * their address, with its "@". Undefined: neither tells one.
 */
export function companyOf(
  { email, fields }: { email: string; fields: Readonly<Record<string, unknown>> },
): string | undefined {
  const given = Object.entries(fields).find(([name]) => /^(company|organi[sz]ation)$/i.test(name));
  const name = typeof given?.[1] === "string" ? plainLine(given[1]) : "";
  if ([...name].length >= 3) return name;
  const domain = email.slice(email.lastIndexOf("@") + 1).trim().toLowerCase();
  const isOwn = email.includes("@") && domain.includes(".") && !ANYBODYS.has(domain);
  return isOwn ? `@${domain}` : undefined;
}
