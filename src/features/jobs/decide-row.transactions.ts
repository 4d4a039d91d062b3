import { effectivePermissions } from "../../calls/principal.ts";
import { allows, type Permission } from "../../contract/permissions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { FailureCode } from "../../kernel/failure-codes.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { isInForce } from "../people/access-token.ts";
import { permissionsInTemporaryAccess } from "../people/temporary-access.ts";
import { findAccessToken } from "../people/access-tokens.store.ts";
import { isOperator } from "../people/operator.transactions.ts";
import { areLinksMailed } from "../notifications/recipients.transactions.ts";
import type { NewOneTimeLink } from "../keys/one-time-links/one-time-link.ts";
import { addLink } from "./job-links.store.ts";
import type { JobOf } from "../../contract/job-kinds.ts";
import { endRow, lockRow } from "./job-rows.store.ts";
import {
  actsAs,
  type BreakOff,
  type JobRow,
  neededFor,
  ofWhat,
  outcomeOf,
  termsOf,
} from "./job.ts";
import { lockJob } from "./jobs.store.ts";
import { type Minted, NO_CHANGE } from "./row-done.ts";
import { turnOfCertificate } from "./turn-of-certificate.transactions.ts";
import { turnOfDeveloper } from "./turn-of-developer.transactions.ts";
import { turnOfKey } from "./turn-of-key.transactions.ts";
import { turnOfRequest } from "./turn-of-request.transactions.ts";

/** One row of a job. */
interface RowPlace {
  org_id: string;
  job_id: string;
  n: number;
}

/** The result of a row's turn. */
interface RowTurn {
  /** Why the job can't go on; null where it can. */
  why: BreakOff | null;
  /** Whether its request was approved by it. */
  approved: boolean;
}

const turns = {
  key_requests: turnOfRequest,
  keys: turnOfKey,
  certificates: turnOfCertificate,
  developers: turnOfDeveloper,
} satisfies Record<JobOf, unknown>;

const NOTHING: RowTurn = { why: null, approved: false };

/**
 * Gives a row its turn: what is done to it, what became of it, and the link to fetch are one
 * transaction. Does nothing where the row had its turn or the job does not run any more; gives why
 * the job ends where it can't go on. Throws what the decision or change throws, and then nothing is
 * kept: `noteFailure` says so of the row.
 */
export const decideRow = defineTransaction(
  "jobs.decide-row",
  async (tx, input: RowPlace & Minted): Promise<RowTurn> => {
    const { org_id, job_id, n, now } = input;
    // No one calls: the job waits, and goes on where the audit log stream takes rows again.
    if (tx.outlet?.refuses) throw new Failure("unavailable");
    const place = { org_id, job_id, n };
    const job = await lockJob(tx, org_id, job_id, "share");
    if (job?.state !== "running") return NOTHING;
    const row = await lockRow(tx, place);
    if (!row) return NOTHING;
    if (!await mayDecide(tx, job, now)) return { ...NOTHING, why: "permission_ended" };
    if (job.deliver === "mail" && !await areLinksMailed(tx, org_id)) {
      return { ...NOTHING, why: "links_not_mailed" };
    }
    const turn = turns[ofWhat(job)];
    const { approved, handed, ...end } = { ...NO_CHANGE, ...await turn(tx, job, row, input) };
    const claim_ends = handed?.expires_at ?? null;
    await endRow(tx, { ...place, ...end, outcome: "done", claim_ends, at: toTimestamp(now) });
    if (handed && job.deliver === "links") await keepLink(tx, place, handed);
    return { ...NOTHING, approved };
  },
);

/**
 * Whether anyone who started the job may decide at this moment, by the access token that it was
 * started with. The operator has none, and may.
 */
async function mayDecide(tx: Tx, job: JobRow, now: number): Promise<boolean> {
  if (isOperator({ user_id: job.person, token_id: job.token_id })) return true;
  const token = await findAccessToken(tx, { org_id: job.org_id, id: job.token_id });
  if (!token || !isInForce(token, now)) return false;
  const own = effectivePermissions(token.permissions, token.scope);
  const permissions = job.elevation === null ? own : await permissionsNow(tx, job, { own, now });
  return neededFor(actsAs(job), termsOf(job).keys).every((one) => allows(permissions, one));
}

/**
 * The present permissions of a job's person who started it in temporary access: none behind its
 * end. Each action is counted in it, too, and so goes by the time that any node saw.
 */
async function permissionsNow(
  tx: Tx,
  { org_id, person: user_id, elevation: id }: JobRow,
  { own, now }: { own: Permission[]; now: number },
): Promise<readonly Permission[]> {
  const of = { org_id, user_id, id: id ?? "" };
  const permissions = await permissionsInTemporaryAccess(tx, tx.sealer, of, {
    own,
    timeOf: () => now,
  });
  return permissions?.temporaryAccess.permissions ?? [];
}

async function keepLink(tx: Tx, place: RowPlace, oneTimeLink: NewOneTimeLink): Promise<void> {
  const { org_id } = place;
  const { id, token, expires_at } = oneTimeLink;
  const link = tx.sealer.seal(jobLinkPlace(org_id, id), token);
  await addLink(tx, { ...place, id, link, expires_at });
}

/** The sealing context of a one-time link's token while it waits to be fetched. */
export function jobLinkPlace(org_id: string, id: string) {
  return { table: "job_links", org_id, id, column: "link" };
}

/** Says of a row why it was not decided; nothing where it had its turn. */
export const noteFailure = defineTransaction(
  "jobs.note-failure",
  async (tx, input: RowPlace & { code: FailureCode; now: number }): Promise<null> => {
    const { org_id, job_id, n, code, now } = input;
    const job = await lockJob(tx, org_id, job_id, "share");
    if (job?.state !== "running") return null;
    const row = await lockRow(tx, { org_id, job_id, n });
    if (!row) return null;
    await endRow(tx, {
      org_id,
      job_id,
      n,
      outcome: outcomeOf(job.kind, code),
      code,
      key_id: "",
      claim_ends: null,
      at: toTimestamp(now),
      was: row.was,
    });
    return null;
  },
);
