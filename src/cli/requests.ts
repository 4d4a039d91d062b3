import { InvalidArgumentError } from "commander";
import type { Hint, KeyRequest, KeyRequestDetail } from "../client/operations.ts";
import { requestFilters } from "../contract/list-filters.ts";
import { PROVISIONED } from "../contract/provisioned.ts";
import { forEach } from "./each.ts";
import { handedOver, keyNotes } from "./issued-key.ts";
import { markedEmail } from "./marked-email.ts";
import { plansOf } from "./named.ts";
import { type At, calls, lists, noun, runs } from "./noun.ts";
import { flag, found, needed, ofLength, opt, several, toCount } from "./options.ts";
import { deliver } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

const request = { kind: "key request" };

const message = () =>
  opt("--message <text>", "said to the developer, who never reads the reason", ofLength(2000));
const reason = (help: string) => opt("--reason <text>", help, ofLength(2000));

const approving = {
  deliver: flag(
    "--one-time-link",
    "print links that hand the keys over once, instead of the keys",
    "one_time_link",
  ),
  expires_at: opt("--expires-at <time>", "when the keys end, such as 2030-01-31T09:00:00Z"),
  addresses: several("--address <network...>", "the only addresses that the keys are valid from"),
  review_at: opt("--review-at <time>", "when people want to look at the keys again"),
  message: message(),
  reason: reason("kept with the request and in the audit log"),
  wait: opt("--wait <seconds>", "wait so long for its gateways, 10 at the most", toCount),
};

/** `keydesk requests`. */
export const addRequestsCommands = noun({
  name: "requests",
  summary: "key requests and their decisions",
  examples: [
    "list --state pending",
    "show 65b0c1d2e3f4a5b6c7d8e9f0",
    "approve 65b0c1d2e3f4a5b6c7d8e9f0 --one-time-link",
    `offer 65b0c1d2e3f4a5b6c7d8e9f0 --rate 60/60 --message "Begin with less, please."`,
    `decline 65b0c1d2e3f4a5b6c7d8e9f0 --reason "The plan for partners fits this."`,
    "assign 65b0c1d2e3f4a5b6c7d8e9f0 --to me",
    "list --mine",
    "list --url https://desk.example.org --token-file ~/.keydesk-token --json",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list and search key requests, newest first",
      filters: requestFilters,
      inOrder: ["state", "plan", "developer", "assignee", "q", "waits_for"],
      options: { sort: flag("--oldest", "the oldest first", "oldest") },
      limit: true,
      read: ({ client, query }) => client.listKeyRequests(query),
      columns: [
        { head: "ID", width: 24, of: "id" },
        { head: "STATE", width: 8, of: "state" },
        { head: "ASKED", width: 10, of: ({ date_created }) => date_created.slice(0, 10) },
        { head: "DEVELOPER", width: 24, of: "by_user", extra: 1 },
        { head: "E-MAIL", width: 28, of: emailOf },
        { head: "PLANS", of: (one) => askedPlans(one).join(" ") },
      ],
      empty: "There is no key request that matches.",
    }),
    calls({
      verb: "show <id>",
      summary: "show one key request, with the developer's others",
      of: request,
      json: "print JSON",
      call: ({ client, id }) => client.getKeyRequest({ id }),
      written: async (one, { client, id }) => summaryOf(one, (await client.listHints({ id })).data),
    }),
    runs({
      verb: "approve <id...>",
      summary: "approve key requests, each once, and print their keys this once",
      options: approving,
      json: "print one JSON object a line",
      about:
        `Of one request the key goes to standard output, alone; a user name and an OAuth client have their
password or secret on a second line. Of several, each line begins with the request's id. All else
goes to standard error. Each request is decided by itself: what was refused is told there with its
reason, and then the exit code is 1.`,
      examples: [`KEY="$(keydesk requests approve 65b0c1d2e3f4a5b6c7d8e9f0)"`],
      run: approve,
    }),
    calls({
      verb: "offer <id>",
      summary:
        "offer less than a key request asks for, or other plans; no key before it is accepted",
      of: request,
      options: {
        rate: opt(
          "--rate <calls/seconds>",
          "the most that the key may call, such as 60/60",
          toLimit,
        ),
        quota: opt(
          "--quota <calls/seconds>",
          "the same of its quota, such as 1000/86400",
          toLimit,
        ),
        plans: found(
          several("--plan <plan...>", "instead of the plans that are asked for, by id or name"),
          plansOf,
        ),
        addresses: several(
          "--address <network...>",
          "the only addresses that the key is valid from",
        ),
        expires_at: opt(
          "--expires-at <time>",
          "when the key expires, such as 2030-01-31T09:00:00Z",
        ),
        review_at: opt("--review-at <time>", "when people want to look at the key again"),
        message: message(),
        reason: reason("kept with the offer and in the audit log"),
      },
      json: "print JSON",
      call: ({ client, id, given: { message, reason, ...conditions } }) =>
        client.offerForKeyRequest({ id, body: { message, reason, conditions } }, {
          idempotencyKey: true,
        }),
      done: ({ offer }, { id }) =>
        `Of key request ${id} less is offered. It can be accepted until ${offer?.expires_at}.`,
    }),
    calls({
      verb: "withdraw-offer <id>",
      summary: "take an offer back that waits",
      of: request,
      json: "print JSON",
      call: ({ client, id }) => client.withdrawOffer({ id }),
      done: (_, { id }) => `The offer for key request ${id} is withdrawn.`,
    }),
    calls({
      verb: "assign <id...>",
      summary: "assign waiting key requests to a person who may decide them, or unassign them",
      of: request,
      past: "assigned",
      options: { assignee: needed(opt("--to <person>", "me, nobody, or a person's id")) },
      json: "print one JSON object a line",
      call: ({ client, id, given }) => client.assignKeyRequest({ id, body: given }),
      done: ({ assignee }, { id }) =>
        `Key request ${id} is assigned to ${assignee?.name ?? "nobody"}.`,
    }),
    calls({
      verb: "decline <id...>",
      summary: "decline pending key requests",
      of: request,
      past: "declined",
      options: { reason: reason("shown to readers of the request") },
      json: "print one JSON object a line",
      call: ({ client, id, given }) =>
        client.declineKeyRequest({ id, body: given }, { idempotencyKey: true }),
      done: (_, { id }) => `Key request ${id} is declined.`,
    }),
  ],
});

function toLimit(text: string): { calls: number; seconds: number } {
  const [, calls, seconds] = /^(\d{1,12})\/(\d{1,10})$/.exec(text) ?? [];
  if (Number(calls) >= 1 && Number(seconds) >= 1) {
    return { calls: Number(calls), seconds: Number(seconds) };
  }
  throw new InvalidArgumentError("Expected calls and seconds, such as 60/60.");
}

/**
 * The members that matter for a decision. The whole, with the catalogue's texts, is for scripts.
 */
function summaryOf(request: KeyRequestDetail, hints: readonly Hint[]) {
  const { id, state, by_user, fields, other_requests, approval } = request;
  return {
    id,
    state,
    asked: request.date_created,
    developer: by_user,
    email: emailOf(request),
    plans: askedPlans(request),
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

async function approve(
  { client, address, words: ids, given, form }: At<typeof approving>,
): Promise<void> {
  const { addresses, review_at, wait: seconds, ...decided } = given;
  const conditions = addresses || review_at ? { addresses, review_at } : undefined;
  const body = { ...decided, deliver: decided.deliver ?? "answer" as const, conditions };
  const wait = seconds && seconds * 1000;
  const notes = keyNotes(client);
  await forEach(request.kind, ids, "approved", async (id) => {
    const { value: approval, headers } = await client.approveKeyRequest.answer(
      { id, body, wait },
      { idempotencyKey: true },
    );
    const { link, lines } = await handedOver(approval, approval.key, { address, form });
    if (approval.state === "pending" && !form) {
      terminal().err(wordsOfStep(id, approval.missing ?? ""));
      return;
    }
    if (!form) {
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
        form || ids.length === 1
          ? lines.map((line) => `${line}\n`).join("")
          : `${[id, ...lines].join(" ")}\n`,
        `POST /v1/key-requests/${id}/reissue makes another in its place, as does the console`,
      );
    }
    const provisioned = headers.get(PROVISIONED);
    if (provisioned !== null) terminal().err(wordsOfGateways(provisioned));
    await notes.ofKey(approval.key_id);
  });
}

function wordsOfGateways(provisioned: string): string {
  return provisioned === "delivered"
    ? "It is at every gateway."
    : "It is not at every gateway yet.";
}

function wordsOfStep(id: string, missing: string): string {
  return missing === ""
    ? `Key request ${id}: your approval counts, and the developer was offered less than was asked.`
    : `Key request ${id}: your approval counts. There is no key yet: ${missing} must approve.`;
}

function emailOf(
  { portal_developer, developer_email_state, developer_email_changed_at }: KeyRequest,
): string {
  return markedEmail(portal_developer.email, developer_email_state, developer_email_changed_at);
}

function askedPlans({ for_plan, plans }: KeyRequest): string[] {
  return plans.length > 0 ? plans : [for_plan];
}
