import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { recordExport } from "../../calls/record-export.ts";
import { Answer, fileHeaders, type Pieces } from "../../kernel/answer.ts";
import { csvLine } from "../../kernel/csv.ts";
import { type FailureCode, ownMessageOf } from "../../kernel/failure-codes.ts";
import { Failure } from "../../kernel/failure.ts";
import { isPublicKey } from "../certificates/certificate.ts";
import { calledBy } from "../certificates/certificate-title.ts";
import { findV1Of } from "../key-requests/v1.store.ts";
import { isWithin } from "../key-requests/within-scope.ts";
import { oneTimeLinkUrl } from "../keys/one-time-links/one-time-link.ts";
import { seenAmong } from "../keys/within-scope.service.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { jobLinkPlace } from "./decide-row.transactions.ts";
import type { z } from "zod";
import type { Page } from "../../contract/paging.ts";
import { type PageQuery, walk } from "../../kernel/walk.ts";
import { jobKinds, type JobOf } from "../../contract/job-kinds.ts";
import { type JobRow, ofWhat } from "./job.ts";
import {
  endedCertificateRows,
  endedDeveloperRows,
  endedKeyRows,
  endedRows,
  rowsBehind,
  STEP,
} from "./job-rows.store.ts";
import type { jobRow, takenOneTimeLinks } from "./jobs.contract.ts";
import { found, requireReading } from "./jobs.service.ts";
import { takeJobLinks } from "./jobs.transactions.ts";

const CSV = "text/csv; charset=utf-8";
/** Rows of one piece. */
const AT_ONCE = 200;

/**
 * The results of the job's key requests, keys, certificates or developers, a line each, read while
 * they are sent. Throws `not_found` and `access_denied`.
 */
export async function resultOf(ctx: RequestContext, id: string): Promise<Answer<Pieces>> {
  const job = await found(ctx, id);
  requireReading(ctx, ofWhat(job));
  await refuseDecidedOutside(ctx, job);
  await recordExport(ctx, "job_result", { detail: { job: id }, typed: {} });
  return new Answer(resultLines(ctx, job), fileHeaders(CSV, fileName(job, "")));
}

function fileName({ kind, started_at }: JobRow, more: string): string {
  return `${kind}-${started_at.slice(0, 10)}${more}.csv`;
}

async function* resultLines(ctx: RequestContext, job: JobRow): Pieces {
  const { storage: { reader } } = ctx;
  const { org_id, id: job_id } = job;
  const of = ofWhat(job);
  const head = HEADS[of];
  yield csvLine(head);
  for (let behind = 0;;) {
    const place = { org_id, job_id };
    const [rows, cells] = of === "developers"
      ? rowsWithCells(
        await endedDeveloperRows(reader, place, behind, AT_ONCE),
        (row) => ofDeveloper(ctx, row),
      )
      : of === "certificates"
      ? rowsWithCells(await endedCertificateRows(reader, place, behind, AT_ONCE), ofCertificate)
      : of === "keys"
      ? rowsWithCells(await endedKeyRows(reader, place, behind, AT_ONCE), (row) => ofKey(ctx, row))
      : rowsWithCells(
        await endedRows(reader, place, behind, AT_ONCE),
        (row) => ofRequest(ctx, row),
      );
    if (rows.length > 0) {
      yield rows.map((row, i) =>
        csvLine([
          row.request_id,
          ...cells[i] ?? [],
          outcomeOf(job, row),
          // as: noteFailure wrote a code.
          row.code === "" ? "" : ownMessageOf(row.code as FailureCode),
          ...of === "developers" ? [] : [row.key_id, row.claim_ends ?? ""],
          row.at ?? "",
        ])
      ).join("");
    }
    behind = Number(rows.at(-1)?.n ?? behind);
    if (rows.length < AT_ONCE) break;
  }
  const ended = await found(ctx, job_id);
  if (ended.state === "done") return;
  const before = head.indexOf("outcome");
  const line: string[] = head.map(() => "");
  yield csvLine(line.toSpliced(before, 2, ...lastLine(ended)));
}

function rowsWithCells<Row extends object>(rows: Row[], cells: (row: Row) => string[]) {
  return [rows, rows.map(cells)] as const;
}

const REQUEST_HEAD = [
  "key_request",
  "developer",
  "email",
  "plan",
  "outcome",
  "why",
  "key_id",
  "one_time_link_until",
  "at",
];
const KEY_HEAD = [
  "key_id",
  "developer",
  "email",
  "plans",
  "outcome",
  "why",
  "new_key_id",
  "one_time_link_until",
  "at",
];

const CERTIFICATE_HEAD = [
  "certificate",
  "name",
  "owner",
  "not_after",
  "outcome",
  "why",
  "key_id",
  "one_time_link_until",
  "at",
];
const HEADS = {
  key_requests: REQUEST_HEAD,
  keys: KEY_HEAD,
  certificates: CERTIFICATE_HEAD,
  developers: ["developer", "email", "outcome", "why", "at"],
} satisfies Record<JobOf, string[]>;

/** The approval of one step of several makes no key. */
function outcomeOf({ kind }: JobRow, { outcome, code }: { outcome: string; code: string }): string {
  if (outcome !== "done") return outcome.replace("_", " ");
  if (code === STEP) return "step";
  return kind === "undo" ? "taken back" : jobKinds[kind].done;
}

/**
 * Throws `not_found` for anyone who has a scope by now, outside of which the job has decided
 * something, or a key is that it made: it would hand out what they may see no more.
 */
async function refuseDecidedOutside(ctx: RequestContext, job: JobRow): Promise<void> {
  const { storage: { reader }, principal } = ctx;
  const coverage = await coverageOfCaller(reader, principal);
  if (!coverage) return;
  const { org_id, id: job_id } = job;
  for (let behind = 0;;) {
    const rows = await endedRows(reader, { org_id, job_id }, behind, AT_ONCE);
    const decided = rows.filter(({ outcome }) => outcome === "done").map((row) => row.request_id);
    // A caller with a scope sees no certificate.
    if (ofWhat(job) === "certificates" && decided.length > 0) throw new Failure("not_found");
    if (ofWhat(job) === "keys") {
      if ((await seenAmong(ctx, decided)).length < decided.length) throw new Failure("not_found");
      decided.length = 0;
    }
    // A caller with a scope changes no developer.
    if (ofWhat(job) === "developers" && decided.length > 0) throw new Failure("not_found");
    const found = await findV1Of(reader, org_id, decided);
    const within = new Set(found.filter((row) => isWithin(coverage, row)).map(({ id }) => id));
    if (decided.some((id) => !within.has(id))) throw new Failure("not_found");
    const keys = rows.map(({ key_id }) => key_id).filter((key_id) => key_id !== "");
    if ((await seenAmong(ctx, keys)).length < keys.length) throw new Failure("not_found");
    behind = Number(rows.at(-1)?.n ?? behind);
    if (rows.length < AT_ONCE) return;
  }
}

/** The owner and plans of a key; empty for one outside of the caller's scope. */
function ofKey(
  { principal: { covers } }: RequestContext,
  row: { code: string; developer_id: string | null; email: string | null; plans: string | null },
): string[] {
  if (covers && row.code === "not_found") return ["", "", ""];
  return [row.developer_id ?? "", row.email ?? "", plansIn(row.plans)];
}

/** The name, owner and expiry of a certificate; empty for one that was deleted. */
function ofCertificate(
  row: {
    head: string | null;
    tail: string | null;
    details: string | null;
    owner: string | null;
    not_after: string | null;
  },
): string[] {
  const { head, tail, details, owner, not_after } = row;
  if (head === null || tail === null || details === null || not_after === null) return ["", "", ""];
  const name = calledBy({ head, tail, details });
  return [name, owner ?? "", isPublicKey({ not_after }) ? "" : not_after];
}

/** Plans of a key with a space between them. */
function plansIn(plans: string | null): string {
  // as: a key's plans are stored as an array of ids.
  return plans === null ? "" : (JSON.parse(plans) as string[]).join(" ");
}

/** Their address; to anyone who has a scope by now, whose job leaves each alone, nothing. */
function ofDeveloper(
  { principal: { covers } }: RequestContext,
  { email }: { email: string | null },
): string[] {
  return [covers ? "" : email ?? ""];
}

/** The developer and plans of a request; empty for one outside of the caller's scope. */
function ofRequest(
  { principal: { covers } }: RequestContext,
  row: { code: string; by_user: string | null; email: string | null; for_plan: string | null },
): string[] {
  if (covers && row.code === "not_found") return ["", "", ""];
  return [row.by_user ?? "", row.email ?? "", row.for_plan ?? ""];
}

function lastLine(job: JobRow): [outcome: string, why: string] {
  const had = job.done + job.left_alone + job.failed;
  const rest = `${job.total - had} of ${job.total} were left as they are`;
  switch (job.state) {
    case "stopped":
      return ["stopped", `${rest}.`];
    case "broken_off":
      return ["broken off", `${BROKEN_OFF[job.why] ?? ""} ${rest}.`];
    default:
      return ["not at its end", "The job is under way: this is what there is so far."];
  }
}

const BROKEN_OFF: Readonly<Record<string, string>> = {
  permission_ended: "The person who started the job may not do so any more, or has another scope.",
  too_many: "More matched than was expected.",
  links_not_mailed: "No channel mails the links any more.",
};

/**
 * The one-time links of a job, for anyone who started it, each this once: it is forgotten before it
 * is sent. Throws `not_found` and `access_denied`.
 */
export async function takeLinks(ctx: RequestContext, id: string): Promise<Answer<Pieces>> {
  const job = await found(ctx, id);
  if (job.person !== ctx.principal.user_id) throw new Failure("access_denied");
  await refuseDecidedOutside(ctx, job);
  const first = await nextLinks(ctx, id, true);
  return new Answer(linkLines(ctx, job, first), fileHeaders(CSV, fileName(job, "-links")));
}

/** The first of a job's one-time links, as data. Throws `not_found` and `access_denied`. */
export async function takeOneTimeLinks(
  ctx: RequestContext,
  id: string,
): Promise<z.output<typeof takenOneTimeLinks>> {
  const job = await found(ctx, id);
  const { sealer, settings, principal: { org_id, user_id } } = ctx;
  if (job.person !== user_id) throw new Failure("access_denied");
  await refuseDecidedOutside(ctx, job);
  const { links, left } = await nextLinks(ctx, id, true);
  const data = links.map(({ id, request_id, key_id, link, expires_at }) => {
    const token = sealer.open(jobLinkPlace(org_id, id), link);
    const one_time_link = { id, link: oneTimeLinkUrl(settings.publicUrl, token), expires_at };
    return { id: request_id, key_id, one_time_link };
  });
  return { data, more: left };
}

/** The results of a job's rows. Throws `not_found`. */
export async function rowsOf(
  ctx: RequestContext,
  id: string,
  page: PageQuery,
): Promise<Page<z.output<typeof jobRow>>> {
  const job = await found(ctx, id);
  await refuseDecidedOutside(ctx, job);
  const { storage: { reader }, principal: { org_id } } = ctx;
  const of = { org_id, job_id: job.id };
  const { rows, next_cursor } = await walk({
    order: `job-rows ${job.id}`,
    first: { sort: "", id: "0" },
    sources: [async (place, limit) => {
      const rows = await rowsBehind(reader, of, Number(place.id), limit);
      const placed = rows.map((row) => ({ place: { sort: "", id: String(row.n) }, row }));
      const next = rows.length < limit ? null : placed.at(-1)?.place ?? null;
      return { rows: placed, next, looked: rows.length };
    }],
  }, page);
  const data = rows.map(({ request_id, outcome, code, key_id, at }) => ({
    id: request_id,
    outcome: outcome === "" ? null : code === STEP ? "step" as const : outcome,
    error: code === "" ? null : { code, detail: detailOf(code) },
    key_id: key_id === "" ? null : key_id,
    at,
  }));
  return { data, next_cursor };
}

/** The description of a row's failure; its caller sent no header. */
function detailOf(code: string): string {
  return code === "precondition_failed"
    ? "It has changed since it was read. Read it again."
    // as: noteFailure wrote a code, and so did the turn.
    : ownMessageOf(code as FailureCode);
}

type Taken = Awaited<ReturnType<typeof nextLinks>>;

function nextLinks({ storage, principal, clock }: RequestContext, id: string, first: boolean) {
  const actor = actorOf(principal, clock.now());
  return storage.commit(takeJobLinks, { actor, id, first });
}

async function* linkLines(ctx: RequestContext, job: JobRow, first: Taken): Pieces {
  const { principal: { org_id }, sealer, settings } = ctx;
  const isOfKeys = ofWhat(job) === "keys";
  const head = isOfKeys ? ["key_id", "developer", "email", "plans"] : REQUEST_HEAD.slice(0, 4);
  yield csvLine([...head, "one_time_link", "until"]);
  for (let taken = first;;) {
    yield taken.links.map((link) => {
      const token = sealer.open(jobLinkPlace(org_id, link.id), link.link);
      return csvLine([
        isOfKeys ? link.key_id : link.request_id,
        link.by_user ?? "",
        link.email ?? "",
        isOfKeys ? plansIn(link.plans) : link.for_plan ?? "",
        oneTimeLinkUrl(settings.publicUrl, token),
        link.expires_at,
      ]);
    }).join("");
    if (!taken.left) return;
    taken = await nextLinks(ctx, job.id, false);
  }
}
