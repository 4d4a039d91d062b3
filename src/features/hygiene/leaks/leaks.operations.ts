import { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { cursorCover } from "../../../calls/cursor-cover.ts";
import { may } from "../../../calls/principal.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { exampleKey } from "../../../contract/example-ids.ts";
import { leak, leakObjects, type LeakState, leakStates } from "../../../contract/leak.ts";
import { type Page, pageOf } from "../../../contract/paging.ts";
import { nextPageLink, nullable, pageQuery } from "../../../contract/v1.ts";
import { text, timestamp } from "../../../contract/values.ts";
import { parseJsonBody } from "../../../http/json-body.ts";
import { operation } from "../../../http/operation.ts";
import { withNextPage } from "../../../http/routes.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { LONGEST_HEADER, LONGEST_SIGNED_BODY } from "../../../kernel/input-limits.ts";
import { source, walk } from "../../../kernel/walk.ts";
import { namesOfDevelopers } from "../../developers/developer-names.store.ts";
import { key } from "../../keys/keys.contract.ts";
import { coverageOfCaller, isSeenBy } from "../../plans/coverage.ts";
import { leaksInput, leaksReceived, partnerFeedback } from "./leaks.contract.ts";
import * as service from "./leaks.service.ts";
import {
  type LeakedKey,
  leakedKeys,
  type LeakedToken,
  leakedTokens,
  type LeakRead,
} from "./leaks.store.ts";

const tag = "Leaks";

/** Anybody's report. */
export const reportLeaks = operation({
  id: "reportLeaks",
  method: "POST",
  path: "/v1/leaks",
  tag,
  summary: "Report keys and access tokens that were found in public; no access token is needed",
  description:
    "The answer is equal for every report, so it does not reveal whether Keydesk knows the secret. A key and an access token are sent as they are, a user name or an OAuth client with its secret as `name:secret`. 404 if the server administrator has not switched it on.",
  permission: "public",
  body: leaksInput,
  status: 202,
  response: leaksReceived,
  errors: [...bodyErrors, "unknown_path", "too_many_requests"],
  example: { keys: [exampleKey], url: "https://example.org/repository/blob/main/.env" },
  serve: (ctx, { body, peer, headers }) => service.report(ctx, body, { peer, headers }),
});

/** A scanning partner's report. */
export const reportPartnerLeaks = operation({
  id: "reportPartnerLeaks",
  method: "POST",
  path: "/v1/leaks/partner",
  tag,
  summary:
    "Report matches as GitHub's secret scanning does, signed with a public key of the setting",
  description:
    "The body is a JSON list of `{token, type, url, source}`. The answer names those that begin like a secret of Keydesk and fail its checksum, and says nothing of the others. 404 if the server administrator has given no public keys.",
  permission: "public",
  fromOthers: true,
  headers: {
    "github-public-key-identifier": {
      description: "Which public key the signature is of.",
      bounds: { maxLength: LONGEST_HEADER },
    },
    "github-public-key-signature": {
      description: "Base64 of the ECDSA signature (P-256, SHA-256, DER) of the body as it is sent.",
      bounds: { maxLength: LONGEST_HEADER },
    },
  },
  body: "bytes",
  longestBody: LONGEST_SIGNED_BODY,
  contentTypes: { body: ["application/json"] },
  response: partnerFeedback,
  errors: [...bodyErrors, "unknown_path", "signature_invalid", "too_many_requests"],
  example: [{
    token: exampleKey,
    type: "keydesk_key",
    url: "https://example.org/repository/blob/main/.env",
    source: "content",
  }],
  serve: (ctx, { body, peer, headers }) =>
    service.reportSigned(ctx, body.bytes, parseJsonBody, { peer, headers }),
});

/** A report of a leaked key or access token, and what became of it. */
export const listedLeak = z.strictObject({
  object: z.enum(leakObjects),
  key_id: text.meta({ description: "Empty for an access token, as `mask` and the developer's." }),
  mask: text.meta({ description: "Empty where the key is gone, as the members below it." }),
  name: text,
  developer_id: text,
  developer_email: text,
  developer_name: text,
  token_id: text.meta({ description: "Empty for a key, as the person's." }),
  person_id: text,
  person_name: text,
  state: z.enum(leakStates).meta({
    description:
      "`open`: it is still valid, or would be if it or its person were resumed; `ended`: it has expired, or is gone; `false_positive`: it was marked as one.",
  }),
  ...leak.shape,
  settled_at: nullable(timestamp).meta({
    description:
      "When it was rotated, revoked, expired or marked as a false positive; null: not yet.",
  }),
  settled_after_seconds: nullable(z.int()).meta({
    description: "How long that took after the report; 0 where it was so before.",
  }),
}).meta({ id: "Leak" });

/** The filters of the list. */
const leakQuery = z.object({
  ...pageQuery,
  state: z.enum(leakStates, { error: `expected ${leakStates.join(" or ")}` }).optional().meta({
    description: "Only reports in this state.",
  }),
  object: z.enum(leakObjects, { error: `expected ${leakObjects.join(" or ")}` }).optional().meta({
    description: "Only reports of keys, or of access tokens.",
  }),
});

/** Reports of leaked keys and access tokens. */
export const listLeaks = operation({
  id: "listLeaks",
  method: "GET",
  path: "/v1/leaks",
  tag,
  summary: "Leaked keys, the newest report first: who found each where, and what became of it",
  description:
    "By cursor; a page may hold fewer than `limit` and still have a next one. Reports of unknown secrets are never kept.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  query: leakQuery,
  answerHeaders: nextPageLink,
  response: pageOf(listedLeak).meta({ id: "LeakList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await leaksFor(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** Not so. */
export const dismissLeak = operation({
  id: "dismissLeak",
  method: "POST",
  path: "/v1/keys/{key_id}/leak/dismiss",
  tag,
  summary:
    "Say that a key has not leaked: its mark goes, and the audit log keeps who said so and why",
  description:
    "The key keeps its state. A second call changes nothing; a later report marks the key anew. 404 for a key that was never reported.",
  permission: ["revoke"],
  withinScope: true,
  withinTemporaryAccess: true,
  body: z.object({ reason: z.string().trim().min(1).max(500) }).meta({ id: "LeakDismissal" }),
  response: key,
  errors: [...bodyErrors, "not_found"],
  example: { reason: "The example key of our own documentation" },
  serve: (ctx, { params, body }) => service.dismiss(ctx, params.key_id, body.reason),
});

type Leak = z.output<typeof listedLeak>;

/** A report as it was read: of one of both. */
type Read = LeakedKey & { token_id?: never } | LeakedToken & { key_id?: never };

/**
 * A page of the reports of leaked keys that the caller sees, and of access tokens for anyone who
 * holds `admin:read` and has no scope, the newest first. Walks one index for each; a state leaves
 * out rows. Throws `invalid_input` for a cursor of another list.
 */
async function leaksFor(
  ctx: RequestContext,
  { state, object, ...page }: z.output<typeof leakQuery>,
): Promise<Page<Leak>> {
  const { storage: { reader }, principal } = ctx;
  const { org_id } = principal;
  const now = toTimestamp(ctx.clock.now());
  const coverage = await coverageOfCaller(reader, principal);
  const isSeen = (row: Read) =>
    !coverage || ("plans" in row && row.plans !== null && isSeenBy(coverage, { plans: row.plans }));
  const placed = (row: Read) => ({ sort: row.reported_at, id: row.key_id ?? row.token_id ?? "" });
  const keys = source<Read>(
    (place, limit) => leakedKeys(reader, { org_id, ...place }, limit),
    placed,
  );
  const tokens = source<Read>(
    (place, limit) => leakedTokens(reader, { org_id, ...place }, limit),
    placed,
  );
  const { rows, next_cursor } = await walk({
    order: "leaks",
    first: { sort: "~", id: "" },
    sources: [
      ...object === "access_token" ? [] : [keys],
      ...object === "key" || coverage || !may(principal, "admin:read") ? [] : [tokens],
    ],
    wanted: (row) => (state === undefined || settled(row, now).state === state) && isSeen(row),
    cover: cursorCover(ctx),
  }, page);
  const owners = [
    ...new Set(
      rows.flatMap(({ key_id, ...row }) =>
        key_id !== undefined && "developer_id" in row && row.developer_id ? [row.developer_id] : []
      ),
    ),
  ];
  const names = await namesOfDevelopers(reader, org_id, owners);
  return { data: rows.map((row) => serialize(row, now, names)), next_cursor };
}

type Names = Awaited<ReturnType<typeof namesOfDevelopers>>;

function serialize(row: Read, now: string, names: Names): Leak {
  const { reported_at, reported_by, url } = row;
  const { state, at } = settled(row, now);
  return {
    ...row.token_id === undefined ? ofKey(row, names) : ofToken(row),
    name: row.name ?? "",
    state,
    reported_at,
    reported_by: reported_by === "" ? "anybody" : `partner ${reported_by}`,
    url: url || null,
    settled_at: at,
    settled_after_seconds: secondsUntil(reported_at, at),
  };
}

const NO_KEY = { key_id: "", mask: "", developer_id: "", developer_email: "", developer_name: "" };

const NO_TOKEN = { token_id: "", person_id: "", person_name: "" };

function ofKey({ key_id, mask, developer_id, developer_email }: LeakedKey, names: Names) {
  return {
    object: "key" as const,
    ...NO_TOKEN,
    key_id,
    mask: mask ?? "",
    developer_id: developer_id ?? "",
    developer_email: developer_email ?? "",
    developer_name: names.get(developer_id ?? "")?.developer?.trim() ?? "",
  };
}

function ofToken({ token_id, person_id, person_name }: LeakedToken) {
  return {
    object: "access_token" as const,
    ...NO_KEY,
    token_id,
    person_id: person_id ?? "",
    person_name: person_name ?? "",
  };
}

/**
 * How a report is at `now`, and since when it is settled; null: it is not, or no one knows.
 *
 * A report of a leaked key or access token and what became of it:
 *
 *     open ──rotated──► rotated          A report that comes again after that mark is a new one.
 *       ├────revoked──► revoked
 *       ├──its end────► ended
 *       └──marked─────► false_positive
 *
 * A suspended key is open, and so is the access token of a suspended person: both can be resumed.
 */
function settled(row: LeakRead, now: string): { state: LeakState; at: string | null } {
  if (row.dismissed_at !== null) return { state: "false_positive", at: row.dismissed_at };
  if (row.replaced_at !== null) return { state: "rotated", at: row.replaced_at };
  if (row.state === "revoked") return { state: "revoked", at: row.state_changed_at };
  if (row.state === null) return { state: "ended", at: null };
  const hasEnded = row.expires_at !== null && row.expires_at <= now;
  return hasEnded ? { state: "ended", at: row.expires_at } : { state: "open", at: null };
}

/** Whole seconds from the report until it was settled; what was settled before took none. */
function secondsUntil(reported_at: string, at: string | null): number | null {
  if (at === null) return null;
  return Math.max(0, Math.floor((Date.parse(at) - Date.parse(reported_at)) / 1000));
}
