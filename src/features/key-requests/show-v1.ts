import type { z } from "zod";
import { DEVELOPER_ACTOR } from "../../contract/actor-types.ts";
import type { LiveEntries } from "../plans/catalogue/live-catalogue.ts";
import { calledDeveloper, namesInText } from "../developers/developer-names.ts";
import { emailIn } from "../developers/developer-text.ts";
import { toProof } from "../developers/email-proof.ts";
import { toAdded } from "./added-words.ts";
import { askedPolicyIn, missingOf, presentStep, standing } from "./asked-policy.ts";
import type { policyView } from "./asked-policy.contract.ts";
import { decidedOnIn } from "./decided-on.ts";
import { hasExpired, toEnd } from "./expiry.ts";
import { grantedIn } from "./granted-terms.ts";
import { offerIn, offerState, waitsAt } from "./offer.ts";
import { toKeyRequest } from "./show-key-request.ts";
import { inPlanWords, keptOf } from "./stored-request.ts";
import { type BriefRow, BRIEFS, type V1Row } from "./v1.store.ts";

/** The revision of a request as it was read, and when, in milliseconds since 1970. */
interface Moment {
  revision: string;
  now: number;
}

/**
 * A key request as JSON text: the members of specification 2.3, those that name plans in the words
 * of this interface, then what was decided. Sealed members read "".
 */
export function toV1(
  row: V1Row,
  org_id: string,
  live: LiveEntries,
  { revision, now }: Moment,
): string {
  const issued = row.state === "issued";
  const { email_state, email_changed_at } = toProof(row, () => emailIn(row.developer ?? "{}"));
  const decided = {
    state: row.state,
    decided_at: issued ? row.issued_at : row.decided_at,
    decided_by: issued ? row.issued_by : row.decided_by,
    decided_by_name: row.state === "pending" ? null : row.decider ?? otherDecider(row),
    reason: row.decision_reason,
    message: row.message,
    requested_end: row.asked_end,
    assignee: row.assignee === null
      ? null
      : { id: row.assignee, name: row.assignee_name ?? row.assignee },
    granted: grantedIn(row.granted),
    offer: toOffer(row.offer, now),
    approval: toPolicy(row, now),
    expires_at: toEnd(row, now),
    developer_email_state: email_state,
    developer_email_changed_at: email_changed_at,
    revision,
  };
  const view = toKeyRequest({ ...row, head: inPlanWords(row.head) }, org_id, live, null);
  return `${view.slice(0, -1)},${JSON.stringify(decided).slice(1)}`;
}

/** A policy as `/v1` shows it, with who has approved: of one that waits as it is now. */
function toPolicy(row: V1Row, now: number): z.output<typeof policyView> | null {
  const kept = askedPolicyIn(row.policy);
  if (!kept) return null;
  const asked = row.state === "pending" && !waitsAt(row.offer, now) ? standing(kept, now) : kept;
  const missing = missingOf(asked);
  return {
    outcome: asked.outcome,
    not_by_filer: asked.not_by_filer,
    present_step: presentStep(asked) ?? null,
    steps: asked.steps.map(({ name, need }, i) => ({
      name,
      need,
      missing: missing[i] ?? 0,
      approved: asked.given.filter(({ step }) => step === i).map((one) => ({
        id: one.by,
        name: one.name,
        in_place_of: one.in_place_of ?? null,
        at: one.at,
        reason: one.reason,
        message: one.message,
        granted: one.terms,
      })),
    })),
  };
}

/** An offer as `/v1` shows it. */
function toOffer(text: string | null, now: number) {
  const offer = offerIn(text);
  return offer && {
    id: offer.id,
    state: offerState(offer, now),
    offered_at: offer.at,
    offered_by: offer.by,
    expires_at: offer.expires_at,
    terms: offer.terms,
    message: offer.message,
    reason: offer.reason,
    answered_at: offer.answer?.at ?? null,
    words: offer.answer?.words ?? null,
  };
}

/** The developer's own name where no one else was needed, Keydesk's where no one decided. */
function otherDecider(row: V1Row): string | null {
  if (hasExpired(row)) return "Keydesk";
  const { issued_by, by_user, developer } = row;
  if (issued_by !== `${DEVELOPER_ACTOR}${by_user}` || developer === null) return null;
  return calledDeveloper(namesInText(developer)) || null;
}

/** The view with the developer's other requests, from the result of findBriefs. */
export function toDetail(
  row: V1Row,
  org_id: string,
  live: LiveEntries,
  { briefs, may_approve, ...moment }: Moment & {
    briefs: readonly BriefRow[];
    may_approve: readonly { id: string; name: string }[];
  },
): string {
  const others = briefs.filter(({ id }) => id !== row.id);
  const detail = {
    other_requests: others.slice(0, BRIEFS).map((brief) => ({
      id: brief.id,
      state: brief.state,
      for_plan: brief.for_plan,
      date_created: keptOf(brief).date_created,
    })),
    more_requests: others.length > BRIEFS,
    decided_on: row.decided_on === null ? null : decidedOnIn(row.decided_on),
    may_approve,
    added_words: toAdded(row),
    reminded_at: row.reminded_at,
  };
  return `${toV1(row, org_id, live, moment).slice(0, -1)},${JSON.stringify(detail).slice(1)}`;
}
