import type { Hint, KeyRequestDetail, NativeKeyRequest } from "../client/operations.ts";
import { PROVISIONED } from "../contract/provisioned.ts";
import { requestFilters } from "../contract/list-filters.ts";
import { type FilterOptions, filterQuery } from "./filters.ts";
import { atDesk } from "./at-desk.ts";
import { wholeLink } from "./claim-link.ts";
import type { DeskOptions } from "./desk-options.ts";
import { forEach, forOne } from "./each.ts";
import { keyLines } from "./key-lines.ts";
import { keyNotes } from "./key-notes.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { markedEmail } from "./marked-email.ts";
import { deliver, print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** What `keydesk requests list` is called with. */
export interface RequestListOptions extends ListOptions, FilterOptions {
  oldest?: boolean;
}

/** `keydesk requests list`. */
export async function listRequests(options: RequestListOptions & DeskOptions): Promise<void> {
  const { oldest } = options;
  const sort = oldest ? "oldest" as const : undefined;
  await atDesk(options, async ({ client }) => {
    const query = { ...await filterQuery(client, requestFilters, options), sort };
    await printList((place) => client.listNativeKeyRequests({ ...place, ...query }), options, {
      head: ["ID", "STATE", "ASKED", "DEVELOPER", "E-MAIL", "PLANS"],
      widths: [24, 8, 10, 24, 28],
      extra: ["DEVELOPER"],
      cells,
      empty: "There is no key request that matches.",
    });
  });
}

/** `keydesk requests show`. */
export async function showRequest(
  id: string,
  options: { json?: boolean } & DeskOptions,
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const request = await forOne("key request", id, () => client.getNativeKeyRequest({ id }));
    if (options.json) return await printObject(request, options);
    const { data } = await client.listHints({ id });
    await printObject(summary(request, data), options);
  });
}

/** What matters for a decision. The whole, with the catalogue's texts, is for scripts. */
function summary(request: KeyRequestDetail, hints: readonly Hint[]) {
  const { id, state, by_user, fields, other_requests, approval } = request;
  return {
    id,
    state,
    asked: request.date_created,
    developer: by_user,
    email: emailOf(request),
    plans: plansOf(request),
    removes: request.remove_plans,
    key: request.key,
    ...Object.fromEntries(Object.entries(fields).map(([name, text]) => [`field ${name}`, text])),
    added_words: request.added_words.map(({ at, words }) => `${at} ${words}`),
    reminded: request.reminded_at,
    assignee: request.assignee?.name,
    ends: request.expires_at,
    redirect_uri: request.oauth_info?.redirect_uri,
    decided: request.decided_at,
    decided_by: request.decided_by_name ?? request.decided_by,
    reason: request.reason,
    message: request.message,
    granted: request.granted && JSON.stringify(request.granted),
    offer: request.offer && `${request.offer.state} ${JSON.stringify(request.offer.terms)}`,
    offer_message: request.offer?.message,
    offer_answer: request.offer?.words,
    steps: approval?.steps.map(({ name, need, approved }) =>
      `${name}: ${approved.length} of ${need} ${approved.map(calledGiver).join(", ")}`.trim()
    ),
    may_approve: request.may_approve.map(({ name }) => name),
    hints: hints.map(({ title, detail }) => detail === "" ? title : `${title}: ${detail}`),
    other_requests: other_requests.map((one) => `${one.id} ${one.state}`),
  };
}

function calledGiver(
  { name, in_place_of }: { name: string; in_place_of: { name: string } | null },
): string {
  return in_place_of ? `${name} for ${in_place_of.name}` : name;
}

/** `keydesk requests approve`. */
export async function approveRequests(
  ids: readonly string[],
  options:
    & { claim?: boolean; reason?: string; expiresAt?: string; json?: boolean; wait?: number }
    & { address?: string[]; reviewAt?: string; message?: string }
    & DeskOptions,
): Promise<void> {
  const { claim, reason, expiresAt: expires_at, message, json } = options;
  const wait = options.wait && options.wait * 1000;
  const { address: addresses, reviewAt: review_at } = options;
  const conditions = addresses || review_at ? { addresses, review_at } : undefined;
  const how = claim ? "one_time_link" as const : "answer" as const;
  const body = { deliver: how, reason, message, expires_at, conditions };
  await atDesk(options, async ({ client, address }) => {
    const notes = keyNotes(client);
    await forEach("key request", ids, "approved", async (id) => {
      const { value: approval, headers } = await client.approveNativeKeyRequest.answer(
        { id, body, wait },
        { idempotencyKey: true },
      );
      const link = approval.one_time_link && wholeLink(approval.one_time_link, address);
      const lines = json
        ? [JSON.stringify(link ? { ...approval, one_time_link: link } : approval)]
        : link
        ? [link.link]
        : keyLines(approval.credential);
      if (approval.state === "pending" && !json) {
        terminal().err(wordsOfStep(id, approval.missing ?? ""));
        return;
      }
      if (!json) {
        terminal().err(
          link
            ? `Key request ${id} is approved. The link hands the key over once, until ${link.expires_at}:`
            : lines.length > 0
            ? `Key request ${id} is approved. Its key is shown this once:`
            : `Key request ${id} is approved: it changed the plans of key ${approval.key_id}.`,
        );
      }
      if (lines.length > 0) {
        await deliver(
          json || ids.length === 1
            ? lines.map((line) => `${line}\n`).join("")
            : `${[id, ...lines].join(" ")}\n`,
          remedyFor(id),
        );
      }
      const provisioned = headers.get(PROVISIONED);
      if (provisioned !== null) terminal().err(wordsOfGateways(provisioned));
      await notes.ofKey(approval.key_id);
    });
  });
}

function wordsOfGateways(provisioned: string): string {
  return provisioned === "delivered"
    ? "It stands at every gateway."
    : "It does not stand at every gateway yet.";
}

function wordsOfStep(id: string, missing: string): string {
  return missing === ""
    ? `Key request ${id}: your approval counts, and the developer was offered less than was asked.`
    : `Key request ${id}: your approval counts. There is no key yet: ${missing} must approve.`;
}

function remedyFor(id: string): string {
  return `POST /v1/key-requests/${id}/reissue makes another in its place, as does the console`;
}

/** `keydesk requests decline`. */
export async function declineRequests(
  ids: readonly string[],
  options: { reason?: string; json?: boolean } & DeskOptions,
): Promise<void> {
  const body = { reason: options.reason };
  await atDesk(options, ({ client }) =>
    forEach("key request", ids, "declined", async (id) => {
      const declined = await client.declineKeyRequest({ id, body }, { idempotencyKey: true });
      if (options.json) await print(`${JSON.stringify(declined)}\n`);
      else terminal().err(`Key request ${id} is declined.`);
    }));
}

function cells(request: NativeKeyRequest): string[] {
  return [
    request.id,
    request.state,
    request.date_created.slice(0, 10),
    request.by_user,
    emailOf(request),
    plansOf(request).join(" "),
  ];
}

function emailOf(
  { portal_developer, developer_email_state, developer_email_changed_at }: NativeKeyRequest,
): string {
  return markedEmail(portal_developer.email, developer_email_state, developer_email_changed_at);
}

function plansOf({ for_plan, plans }: NativeKeyRequest): string[] {
  return plans.length > 0 ? plans : [for_plan];
}
