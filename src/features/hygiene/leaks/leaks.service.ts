import type { ReceivedHeaders } from "../../../../packages/http-listener/request.ts";
import type { z } from "zod";
import type { Peer } from "../../../../packages/http-listener/request.ts";
import type { RequestContext } from "../../../calls/context.ts";
import { actingCall, actorOf } from "../../../calls/principal.ts";
import { Answer } from "../../../kernel/answer.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { LONGEST_HEADER } from "../../../kernel/input-limits.ts";
import { isMistyped } from "../../people/access-token.ts";
import { isMistypedToken } from "../../developers/developer-token.ts";
import { checkKeyForm } from "../../keys/key-form.ts";
import { findKey } from "../../keys/key-list.store.ts";
import { type Key, serializeOne } from "../../keys/show-key.ts";
import {
  isShowable,
  type leaksInput,
  type leaksReceived,
  LONGEST_KEY,
  type partnerFeedback,
  partnerMatches,
} from "./leaks.contract.ts";
import { dismissLeak } from "./dismiss-leak.transactions.ts";
import { fileReports } from "./leaks.transactions.ts";
import { isSigned, parsePartnerKeys } from "./partner-keys.ts";
import { hashesOf, withoutSecrets } from "./reported.ts";

/** From where a report comes. */
interface Reporting {
  peer: Peer | undefined;
  headers: ReceivedHeaders;
}

/** One reported text and where it was found. */
interface Found {
  text: string;
  url: string;
}

/**
 * Takes a report from anyone. The answer and the work before it are the same whatever was reported:
 * nothing is looked up. Throws `unknown_path` if the endpoint is off, and `too_many_requests`.
 */
export async function report(
  ctx: RequestContext,
  { keys, url = "" }: z.output<typeof leaksInput>,
  from: Reporting,
): Promise<Answer<z.output<typeof leaksReceived>>> {
  if (!ctx.settings.leaks.open) throw new Failure("unknown_path");
  const address = ctx.clientAddresses.of(from);
  const tooMany = ctx.attempts.failed("leak", { address });
  if (tooMany) throw tooMany;
  return new Answer(await reportAsOperator(ctx, { keys, url }), {}, 202);
}

/** Takes a report from the server administrator, also if the endpoint is off. */
export async function reportAsOperator(
  ctx: RequestContext,
  { keys, url = "" }: z.output<typeof leaksInput>,
): Promise<z.output<typeof leaksReceived>> {
  await file(ctx, keys.map((text) => ({ text, url })), "");
  return { received: keys.length };
}

/**
 * Takes a scanning partner's report, signed by one of the keys of the setting. Its answer depends
 * on the form of each text alone: a text that begins like a secret of Keydesk and fails its
 * checksum is a false positive, and of the rest it says nothing. Throws `unknown_path` where no
 * partner is known, `signature_invalid`, `too_many_requests` after many of them, `malformed_body`
 * and `invalid_input`.
 */
export async function reportSigned(
  ctx: RequestContext,
  body: Uint8Array,
  parse: (body: Uint8Array) => unknown,
  from: Reporting,
): Promise<z.output<typeof partnerFeedback>> {
  const { open, partnerKeys } = ctx.settings.leaks;
  const keys = parsePartnerKeys(partnerKeys);
  if (!open || !keys) throw new Failure("unknown_path");
  const { headers } = from;
  const identifier = headers.get("github-public-key-identifier") ?? "";
  const signature = headers.get("github-public-key-signature") ?? "";
  const isShort = identifier.length <= LONGEST_HEADER && signature.length <= LONGEST_HEADER;
  if (!isShort || !isSigned(keys, { identifier, signature, body })) {
    const address = ctx.clientAddresses.of(from);
    throw ctx.attempts.failed("leak", { address }) ?? new Failure("signature_invalid");
  }
  const parsed = partnerMatches.safeParse(parse(body));
  if (!parsed.success) {
    const message = "body: expected a list of objects, each with a token";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  // A text that was never issued names no key; its report still counts for the others beside it.
  const found = parsed.data.filter(({ token }) => token.length <= LONGEST_KEY);
  await file(ctx, found.map(({ token, url }) => ({ text: token, url })), identifier);
  return found.filter(({ token }) => isImpossible(token.trim())).map(({ token, type }) => ({
    token_hash: hashesOf(token).hash,
    token_type: type,
    label: "false_positive",
  }));
}

/** Says of a key that it has not leaked; gives it as it is then. Throws `not_found`. */
export async function dismiss(ctx: RequestContext, key_id: string, reason: string): Promise<Key> {
  const { principal, clock, storage } = ctx;
  const now = clock.now();
  await storage.commit(dismissLeak, { actor: actorOf(principal, now), key_id, reason });
  const row = await findKey(storage.reader, { org_id: principal.org_id, key_id });
  if (!row) throw new Failure("not_found");
  return await serializeOne(ctx, row, toTimestamp(now));
}

function isImpossible(text: string): boolean {
  return isMistyped(text) || isMistypedToken(text) || checkKeyForm(text) === "typo";
}

/** Stores hashes; from here on no one knows the texts. */
async function file(ctx: RequestContext, found: readonly Found[], by: string): Promise<void> {
  const { request_id = "", caller_request_id = "", client_address = "" } =
    actingCall(ctx.principal) ?? {};
  const texts = found.map(({ text }) => text);
  const rest = {
    at: toTimestamp(ctx.clock.now()),
    reported_by: by,
    request_id,
    caller_request_id,
    client_address,
  };
  const reports = new Map(found.map(({ text, url }) => {
    const hashes = hashesOf(text);
    const address = isShowable(url) ? withoutSecrets(url, texts) : "";
    return [hashes.hash, { ...hashes, ...rest, url: address }];
  }));
  if (reports.size > 0) await ctx.storage.commit(fileReports, { reports: [...reports.values()] });
}
