import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import { attachment, nextPageLink, pageQuery } from "../../contract/v1.ts";
import { bom, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { marked } from "../../kernel/csv.ts";
import { resultOf, rowsOf, takeLinks, takeOneTimeLinks } from "./job-result.service.ts";
import {
  countSelectionQuery,
  job,
  jobInput,
  jobRow,
  jobSelection,
  listJobsQuery,
  takenOneTimeLinks,
} from "./jobs.contract.ts";
import * as service from "./jobs.service.ts";

/** The permissions that start jobs; see neededFor. */
const STARTS = ["approve", "certs:write", "portal:write"] as const;

const tag = "Jobs";

/** Starts one. */
export const startJob = operation({
  id: "startJob",
  method: "POST",
  path: "/v1/jobs",
  tag,
  summary:
    "Decide any number of key requests, or change any number of keys, certificates or developers, in one job",
  description:
    "Exactly one of `filter`, `ids`, `seen` and `of_job` selects the objects. A filter selects those that match and were requested before `created_before`, at the latest before now; of keys and certificates, those that were issued or added before that and to which the kind can be applied. With it the caller needs `portal:read` too, over certificates `certs:read`. A kind needs the permission of the single change: `approve`, over certificates `certs:write`, over developers `portal:write`, and `approve` besides if their keys follow; the latter two a caller without a scope. Each object is read again and decided or changed in a transaction of its own, with the caller's permissions at that moment; one that has changed meanwhile is left alone, and one outside of the caller's scope is not found. Revocations and rotations can't be undone. A job over up to 100 objects that `ids` or `seen` names is small: it is done within the call, which waits 5 seconds at the most and answers how far it is; a person has up to ten of those under way. Of others one job of a person is under way at a time. The job goes on when a server is stopped or lost. By temporary access a small job approves, declines and reopens, and stops when the access expires.",
  permission: STARTS,
  withinScope: true,
  withinTemporaryAccess: true,
  body: jobInput,
  idempotent: true,
  response: job,
  errors: [...bodyErrors, "not_found", "job_under_way", "links_not_mailed", "approvals_closed"],
  example: {
    kind: "decline",
    filter: { plan: "5f1a2b3c4d5e6f7081920002", created_before: "2026-01-31T09:00:00Z" },
    reason: "The course is over.",
  },
  serve: (ctx, { body, idempotency }) => service.start(ctx, body, idempotency),
});

/** Jobs. */
export const listJobs = operation({
  id: "listJobs",
  method: "GET",
  path: "/v1/jobs",
  tag,
  summary: "The organisation's jobs, newest first",
  description:
    "By cursor; without `approve` and `admin:read` only one's own. A job is kept for 30 days after it is done.",
  permission: [...STARTS, "admin:read"],
  withinScope: true,
  query: listJobsQuery,
  answerHeaders: nextPageLink,
  response: pageOf(job).meta({ id: "JobList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** Before a job is started. */
export const countSelection = operation({
  id: "countSelection",
  method: "GET",
  path: "/v1/jobs/selection",
  tag,
  summary: "Count what a job with this filter would decide or change",
  description:
    "`created_before` of the answer is the moment: given to the job, it selects the same. Up to 20,000 that a filter finds are counted one by one. It takes what the kind needs, and `portal:read` besides, over certificates `certs:read`.",
  permission: STARTS,
  withinScope: true,
  query: countSelectionQuery,
  response: jobSelection,
  errors: ["invalid_input"],
  serve: (ctx, { query }) => service.count(ctx, query),
});

/** One job. */
export const getJob = operation({
  id: "getJob",
  method: "GET",
  path: "/v1/jobs/{id}",
  tag,
  summary: "Read how far a job is",
  description:
    "`done`, `left_alone` and `failed` together are the key requests, keys, certificates or developers that had their turn.",
  permission: [...STARTS, "admin:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  response: job,
  errors: ["not_found"],
  serve: (ctx, { params }) => service.get(ctx, params.id),
});

/** Lists the results of a job, as data. */
export const listJobRows = operation({
  id: "listJobRows",
  method: "GET",
  path: "/v1/jobs/{id}/rows",
  tag,
  summary: "List the result of each object of a job, in its order",
  description:
    "By cursor. It holds no secret, and may be read while the job runs: what has not had its turn says so.",
  permission: [...STARTS, "admin:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(jobRow).meta({ id: "JobRowList" }),
  errors: ["invalid_input", "not_found"],
  async serve(ctx, call) {
    const page = await rowsOf(ctx, call.params.id, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** Stops one. */
export const stopJob = operation({
  id: "stopJob",
  method: "POST",
  path: "/v1/jobs/{id}/stop",
  tag,
  summary: "Stop a job behind what has its turn now; what is done stays",
  description:
    "The person who started it may stop it, and every approver. The rest is left as it is.",
  permission: STARTS,
  withinScope: true,
  body: "ignored",
  response: job,
  errors: ["not_found", "job_over", "body_too_large", "body_timeout"],
  serve: (ctx, { params }) => service.stop(ctx, params.id),
});

/** Downloads the results of a job. */
export const getJobResult = operation({
  id: "getJobResult",
  isExport: true,
  method: "GET",
  path: "/v1/jobs/{id}/result",
  tag,
  summary:
    "A job's result as a CSV file: a line for each key request, key, certificate or developer that had its turn",
  description:
    "It needs `portal:read` besides, over certificates `certs:read`. It holds no secret and may be read again, also while the job runs. A job that did not come to its end has a last line that says so. It is a row of the audit log.",
  permission: STARTS,
  withinScope: true,
  query: z.object({ bom }),
  answerHeaders: attachment,
  contentTypes: { response: ["text/csv"] },
  response: text,
  errors: ["not_found"],
  serve: async (ctx, { params, query }) => marked(await resultOf(ctx, params.id), query.bom),
});

/** The links, once. */
export const takeJobLinks = operation({
  id: "takeJobLinks",
  method: "POST",
  path: "/v1/jobs/{id}/one-time-links/csv",
  tag,
  summary: "Take a job's one-time links as a CSV file, once",
  description:
    "For the person who started the job alone. Each link is given once and deleted before it is sent; one-time links that were used, withdrawn or have expired are left out. A link that got lost on its way is made anew at its key request. While the job runs, a call gives the links so far.",
  permission: ["approve"],
  withinScope: true,
  permissionBesides: "portal:read",
  body: "ignored",
  query: z.object({ bom }),
  answerHeaders: attachment,
  contentTypes: { response: ["text/csv"] },
  response: text,
  errors: ["not_found", "body_too_large", "body_timeout"],
  serve: async (ctx, { params, query }) => marked(await takeLinks(ctx, params.id), query.bom),
});

/** Takes the one-time links as data. */
export const takeJobOneTimeLinks = operation({
  id: "takeJobOneTimeLinks",
  method: "POST",
  path: "/v1/jobs/{id}/one-time-links",
  tag,
  summary: "Take up to 200 of a job's one-time links, each once",
  description:
    "As `POST /v1/jobs/{id}/one-time-links/csv` gives them in a file: for the person who started the job alone, each once.",
  permission: ["approve"],
  withinScope: true,
  withinTemporaryAccess: true,
  body: "ignored",
  response: takenOneTimeLinks,
  errors: ["not_found", "body_too_large", "body_timeout"],
  serve: (ctx, { params }) => takeOneTimeLinks(ctx, params.id),
});
