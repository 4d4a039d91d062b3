/**
 * Every statement on jobs finds its rows by an index, in their order, however many rows a job has.
 */
import assert from "node:assert/strict";
import * as links from "../../../src/features/jobs/job-links.store.ts";
import * as rows from "../../../src/features/jobs/job-rows.store.ts";
import * as jobs from "../../../src/features/jobs/jobs.store.ts";
import type { JobRow } from "../../../src/features/jobs/job.ts";
import { hasEnded, removeEnded } from "../../../src/maintenance/retention/retention.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../support/query-plans.ts";

const at = "2026-01-01T00:00:00.000Z";
const org_id = "org";
const of = { org_id, job_id: "j" };
const place = { ...of, n: 1 };
const job: JobRow = {
  org_id,
  id: "j",
  kind: "approve",
  deliver: "links",
  reason: null,
  selection: "{}",
  at_most: 0,
  small: 0,
  elevation: null,
  person: "p",
  token_id: "t",
  request_id: "r",
  started_at: at,
  caller_request_id: "",
  state: "running",
  why: "",
  stopped_by: "",
  place: "",
  total: 1,
  settled: 0,
  done: 0,
  left_alone: 0,
  failed: 0,
  ended_at: null,
  expires_at: null,
  key_expires_at: null,
  assignee: null,
  message: null,
  conditions: null,
  terms: null,
  steps: 0,
};
const end = { outcome: "done", code: "", key_id: "k", claim_ends: null, at, was: null } as const;

/** A call of every function that the stores export; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  insertJob: (tx) => jobs.insertJob(tx, job),
  findJob: (tx) => jobs.findJob(tx, org_id, "j"),
  lockJob: (tx) => jobs.lockJob(tx, org_id, "j", "update"),
  updateJob: (tx) => jobs.updateJob(tx, job, { done: 1 }),
  jobsBelow: (tx) => jobs.jobsBelow(tx, org_id, "~", 21),
  countSmall: (tx) => jobs.countSmall(tx, org_id, "p"),
  isAnyUnderWay: (tx) => jobs.isAnyUnderWay(tx),
  jobsUnderWay: (tx) => jobs.jobsUnderWay(tx).next(),
  addRow: (tx) => rows.addRow(tx, { ...place, request_id: "r", revision: "", was: null }),
  nextRows: (tx) => rows.nextRows(tx, of, 0, 20),
  lockRow: (tx) => rows.lockRow(tx, place),
  endRow: (tx) => rows.endRow(tx, { ...place, ...end }),
  countOutcomes: (tx) => rows.countOutcomes(tx, of, 0, 20),
  rowsBehind: (tx) => rows.rowsBehind(tx, of, 0, 20),
  undoRows: (tx) => rows.undoRows(tx, of, 0, 100),
  doneRows: (tx) => rows.doneRows(tx, of, 0, 100),
  endedCertificateRows: (tx) => rows.endedCertificateRows(tx, of, 0, 200),
  endedDeveloperRows: (tx) => rows.endedDeveloperRows(tx, of, 0, 200),
  endedKeyRows: (tx) => rows.endedKeyRows(tx, of, 0, 200),
  endedRows: (tx) => rows.endedRows(tx, of, 0, 200),
  addLink: (tx) => links.addLink(tx, { ...place, id: "c", link: "l", expires_at: at }),
  hasLinks: (tx) => links.hasLinks(tx, { ...of, now: at }),
  takeLinks: (tx) => links.takeLinks(tx, of, at),
};

const retention = async (tx: Tx) => {
  for (const table of ["job_links", "job_rows", "jobs"] as const) {
    await hasEnded(tx, table, at);
    await removeEnded(tx, table, at);
  }
};

Deno.test("query plans: no statement on jobs looks through them, their rows or links", async () => {
  assertAllCalled([jobs, rows, links], calls);
  for (const { sql, plan, steps } of await plansOf(each({ ...calls, retention }))) {
    // A few rows' outcomes are sorted together, and what is under way has an index of its own.
    const own = steps.filter((step) => !/LIST SUBQUERY|FOR GROUP BY|jobs_under_way/.test(step));
    assert.doesNotMatch(own.join("\n"), /SCAN|TEMP B-TREE|AUTOMATIC/, `${sql}\n${plan}`);
  }
});
