import type { Actor } from "../../../changes/audit.ts";
import { once } from "../../../changes/idempotent-answers.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { lockDeveloperRow } from "../../developers/developers.store.ts";
import { approve } from "../../key-requests/approve.transactions.ts";
import { needsNoApprover } from "../../key-requests/needs-nobody.transactions.ts";
import { isStep } from "../../key-requests/steps.transactions.ts";
import { lockRequest } from "../../key-requests/key-requests.store.ts";
import {
  addRequest,
  type Created,
  type CreateInput,
} from "../../key-requests/key-requests.transactions.ts";
import { termsOf } from "../../key-requests/stored-request.ts";
import type { NewOneTimeLink } from "../../keys/one-time-links/one-time-link.ts";
import { markClosed } from "../../keys/one-time-links/one-time-links.store.ts";
import { issueOneTimeLink } from "../../keys/one-time-links/issue-one-time-link.transactions.ts";
import { markState } from "../../keys/key-life.store.ts";
import type { Attempt } from "../../keys/key-kinds.ts";
import { lockKeyWithOwner } from "../../keys/lock-key.transactions.ts";
import { requireMove, stateOf } from "../../keys/key.ts";
import { type MintCall, mintInstead, type Replacement } from "../../keys/mint-key.transactions.ts";
import { recordKey } from "../../keys/record-key.transactions.ts";
import { plansOf } from "../../keys/show-key.ts";
import { additionsOf, mostKeys } from "../../plans/plan.ts";
import { findAdditions, findPlan } from "../../plans/plans.store.ts";
import { lapsedOneTimeLinksOfKey, openOneTimeLinksOfKey } from "./open-one-time-links.store.ts";
import { theirsIn } from "./own.ts";
import { isPageKey } from "../../keys/page-key.ts";
import { newestLiveKeys, waitingKeysOf } from "./own-standing.store.ts";

/**
 * Requests a plan and, if it needs no approval, keeps its key for the developer, both or nothing. A
 * developer who requests a plan while a key for it waits to be opened gets its request instead of a
 * second one, so of calls at the same time one makes a key. A request that waited for people is
 * approved with that; if the plan needs an approver meanwhile, the request waits for them. Throws
 * `key_limit_reached` if the developer has as many keys of the plan as it allows, and the errors of
 * a new request and an approval.
 */
export const askForPlan = defineTransaction(
  "my.ask-for-plan",
  async (
    tx,
    input: {
      asked: CreateInput;
      /** Every id of the plan. */
      plans: readonly string[];
      /** Whether it needs no one, as far as the caller knows. */
      isAtOnce: boolean;
      attempt: Attempt;
      oneTimeLink: NewOneTimeLink;
    },
  ): Promise<Created> =>
    await once(tx, input.asked.idempotency ?? null, async () => {
      const { asked, plans, isAtOnce } = input;
      const { actor, draft: { columns: { org_id, by_user } } } = asked;
      if (!await lockDeveloperRow(tx, { org_id, id: by_user })) {
        throw new Failure("unknown_developer");
      }
      const waiting = isAtOnce ? await waitingRequest(tx, actor, by_user, plans) : undefined;
      if (waiting !== undefined) return { org_id, id: waiting, waited: true };
      await refuseOneMore(tx, actor, by_user, plans, isAtOnce);
      const created = await addRequest(tx, { ...asked, idempotency: null });
      if (isAtOnce) {
        await approveAtOnce(tx, { ...input, actor, id: created.id, developer_id: by_user });
      }
      return created;
    }),
);

/** The request that led to a key of the developer's own that waits, for just this plan. */
async function waitingRequest(
  tx: Tx,
  { org_id, now }: Actor,
  developer_id: string,
  plans: readonly string[],
): Promise<string | undefined> {
  const owner = { org_id, developer_id };
  const theirs = await theirsIn(tx, owner);
  const found = await waitingKeysOf(tx, { ...owner, now: toTimestamp(now) });
  return found.find((key) =>
    key.request_id !== "" && theirs.isKey(key.key_id) &&
    plansOf(key).every((plan) => plans.includes(plan))
  )?.request_id;
}

/**
 * Throws `key_limit_reached`, which names the newest key, where a developer has as many live keys
 * of a plan as it allows. Of keys that took over from each other the newest counts.
 */
async function refuseOneMore(
  tx: Tx,
  { org_id, now }: Actor,
  developer_id: string,
  plans: readonly string[],
  isAtOnce: boolean,
): Promise<void> {
  const [named = ""] = plans;
  const plan = await findPlan(tx, { org_id, id: named });
  const rules = plan && await findAdditions(tx, { org_id, id: plan.id });
  const most = rules ? mostKeys(additionsOf(rules), isAtOnce) : Infinity;
  if (most === Infinity) return;
  const owner = { org_id, developer_id };
  const theirs = await theirsIn(tx, owner);
  const at = toTimestamp(now);
  const candidates = (await newestLiveKeys(tx, owner)).filter((key) =>
    theirs.isKey(key.key_id) && key.replaced_by === null && !isPageKey(key) &&
    stateOf(key, at) !== "expired" &&
    plansOf(key).some((one) => plans.includes(one))
  );
  const [newest] = candidates;
  if (newest === undefined || candidates.length < most) return;
  const called = newest.name ?? newest.mask;
  throw new Failure("key_limit_reached", {
    message: `You have ${called} to this plan already, and may have ${most}. Lost it? Rotate it.`,
    details: [`key: ${newest.key_id}`],
  });
}

async function approveAtOnce(
  tx: Tx,
  { actor, id, developer_id, attempt, oneTimeLink }: {
    actor: Actor;
    id: string;
    developer_id: string;
    attempt: Attempt;
    oneTimeLink: NewOneTimeLink;
  },
): Promise<void> {
  const { org_id } = actor;
  const row = await lockRequest(tx, { org_id, id });
  if (row?.state !== "pending") return;
  // A change of an existing key is for people to decide.
  if (termsOf(row).key !== "" || !await needsNoApprover(tx, actor, row)) return;
  const call = { actor, id, attempt, by: { kind: "automatic" as const }, reason: null };
  const reveal = await approve(tx, { ...call, ifMatch: null, idempotency: null }, "known");
  if (isStep(reveal)) return;
  const key_id = sha256(reveal.RawKey);
  await issueOneTimeLink(tx, actor, { oneTimeLink, reveal, key_id, request_id: id, developer_id });
}

/**
 * Hands a developer the key that waits for them. Its own text can't be read without the link, so a
 * fresh key replaces the unseen one, whose links are not valid any more. If it was not opened in
 * time, only a session opens it that its developer began just now; of calls at the same time one
 * does. Throws `not_found`, `one_time_link_gone` if none waits, `fresh_sign_in_required`, and the
 * errors of requireMove.
 */
export const openWaitingKey = defineTransaction(
  "my.open-key",
  (
    tx,
    input: MintCall & { key_id: string; developer_id: string; isFreshOwn: boolean },
  ): Promise<Replacement> =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, developer_id } = input;
      const { org_id } = actor;
      const at = toTimestamp(actor.now);
      const candidates = await lockKeyWithOwner(tx, org_id, key_id, developer_id);
      if (!candidates) throw new Failure("not_found");
      const { credential, developer } = candidates;
      requireMove("rotate", credential, at);
      let open = await openOneTimeLinksOfKey(tx, { org_id, key_id, now: at });
      if (open.length === 0) {
        open = await lapsedOneTimeLinksOfKey(tx, { org_id, key_id, now: at });
        if (open.length > 0 && !input.isFreshOwn) throw new Failure("fresh_sign_in_required");
      }
      // Locks in one order.
      const oneTimeLinks = open.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const minted = await mintInstead(tx, input, credential, developer, [key_id]);
      let opened = false;
      for (const { id, request_id } of oneTimeLinks) {
        // Opened at this moment: then anyone who has the link has the key.
        if (!await markClosed(tx, { org_id, id }, { state: "opened", at })) continue;
        opened = true;
        const detail = { key_request_id: request_id, key_id, replaced_by: minted.key_id };
        await recordChange(tx, actor, { action: "claim.opened", object_id: id, detail });
      }
      if (!opened) throw new Failure("one_time_link_gone");
      const reason = "opened by its holder";
      const change = { state: "revoked" as const, at, reason, replaced_by: minted.key_id };
      if (!await markState(tx, credential, change)) throw new Failure("unavailable");
      const detail = { reason, replaced_by: minted.key_id };
      await recordKey(tx, actor, "credential.revoked", candidates, detail);
      return { ...minted, replaces: [{ key_id, expires_at: at }], handed: null };
    }),
);
