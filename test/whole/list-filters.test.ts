/**
 * Each filter that a list declares leaves some of its rows out, in every place that has it: the
 * list, its export and the selection of a job. A filter without a sample here fails.
 */
import assert from "node:assert/strict";
import { type Filters, selecting } from "../../src/contract/filters.ts";
import {
  certificateFilters,
  developerFilters,
  keyFilters,
  requestFilters,
} from "../../src/contract/list-filters.ts";
import { add, issue, made } from "../support/certificates.ts";
import { succeed } from "../support/companions.ts";
import { type TestDesk, testOnEngines } from "../support/desk.ts";
import { registered } from "../support/developers.ts";
import { openDesk, report, workOff } from "../support/leaks.ts";
import { liveRecords, liveRecordsOf } from "../support/live-records.ts";
import { allItems, call, testClock } from "../support/people.ts";
import { planWith } from "../support/verification.ts";

/** What each filter is tried with, and the ids that it leaves, the newest first. */
type Samples<F extends Filters> = Record<keyof F, readonly [value: string, found: string[]]>;

/** Where a list is, and what a job is over it. */
interface Place {
  path: string;
  /** The member that is a row's id. */
  id?: string;
  hasExport?: boolean;
  /** A kind of job over it; `takes`: those of the rows to which it can be done; absent: any. */
  job?: { kind: string; takes?: readonly string[] };
}

/** Holds that each filter leaves what its sample says, and fewer than there are. */
async function holdThatEachNarrows<F extends Filters>(
  desk: TestDesk,
  filters: F,
  { path, id = "id", hasExport = true, job }: Place,
  samples: Samples<F>,
): Promise<void> {
  assert.deepEqual(Object.keys(samples).toSorted(), Object.keys(filters).toSorted());
  // A selection has what came before its moment, of certificates by whole seconds.
  later();
  const all = await allItems(desk, path);
  const selectedBy = selecting(filters).map(([name]) => name);
  for (const [name, [value, found]] of Object.entries(samples)) {
    const query = `${name}=${encodeURIComponent(value)}`;
    assert.ok(found.length < all.length, name);
    const rows = await allItems(desk, `${path}?${query}`);
    assert.deepEqual(rows.map((row) => row[id]), found, name);
    if (hasExport) {
      const file = await desk.send("GET", `${path}/export?${query}`);
      const [, ...lines] = (await file.text()).trim().split("\r\n");
      assert.deepEqual(lines.map((line) => line.split(",")[0]), found, name);
    }
    if (!job || !selectedBy.includes(name)) continue;
    const { total } = await call(desk, "GET", `/v1/jobs/selection?kind=${job.kind}&${query}`);
    const { takes = found } = job;
    assert.equal(total, found.filter((one) => takes.includes(one)).length, name);
  }
}

const clock = testClock();
const HOUR_MS = 3_600_000;
const limits = { rate: 100, per: 1 };
/** Two hours later; gives the time between. */
function later(): string {
  clock.at += 2 * HOUR_MS;
  return new Date(clock.at - HOUR_MS).toISOString();
}

testOnEngines("filters: each of keys narrows", async (desk) => {
  const issueKey = async (name: string, plan: string, more = {}) => {
    const { id } = await registered(desk, `dev-${name}`);
    const body = { plans: [plan], name, deliver: "answer", ...more };
    const path = `/v1/developers/${id}/keys`;
    return await succeed<{ key_id: string; RawKey: string }>(desk, "POST", path, { body });
  };
  const plan = await planWith(desk, limits);
  const sought = await issueKey("sought", plan, { environment: "live", tags: ["payments"] });
  const found = [sought.key_id];
  await call(desk, "POST", `/v1/keys/${sought.key_id}/suspend`, { reason: "looked for" });
  await report(desk, [sought.RawKey]);
  await workOff(desk);
  const unused_since = later();
  const other = await planWith(desk, limits);
  for (const name of ["second", "third"]) {
    await issueKey(name, other, { environment: "test", tags: ["other"] });
  }
  const place = { path: "/v1/keys", id: "key_id", job: { kind: "tag_keys" } };
  await holdThatEachNarrows(desk, keyFilters, place, {
    developer: ["dev-sought", found],
    plan: [plan, found],
    state: ["suspended", found],
    environment: ["live", found],
    tag: ["payments", found],
    leaked: ["true", found],
    q: ["sought", found],
    unused_since: [unused_since, found],
    // Nothing was done by a schedule here.
    schedule: ["warned", []],
  });
}, { clock, environment: openDesk });

testOnEngines("filters: each of key requests narrows", async (desk) => {
  const ask = async (name: string, policy: Record<string, unknown>) => {
    const plan = await planWith(desk, limits);
    await call(desk, "PUT", `/v1/plans/${plan}/approval-policy`, policy);
    const { id: by_user } = await registered(desk, `dev-${name}`);
    const body = { by_user, for_plan: plan };
    const { id } = await call(desk, "POST", "/v1/key-requests", body);
    return { id: id as string, plan };
  };
  const mine = await ask("sought", { outcome: "one" });
  const between = later();
  // Who filed it does not decide it.
  const second = await ask("second", { outcome: "one", not_by_filer: true });
  const third = await ask("third", { outcome: "one" });
  await call(desk, "POST", `/v1/key-requests/${third.id}/decline`, {});
  await call(desk, "PUT", `/v1/key-requests/${mine.id}/assignee`, { assignee: "me" });
  await liveRecordsOf(desk).catalogue({ api_id: "weather", policy_id: mine.plan });
  const found = [mine.id];
  const job = { kind: "approve", takes: [mine.id, second.id] };
  await holdThatEachNarrows(desk, requestFilters, { path: "/v1/key-requests", job }, {
    state: ["declined", [third.id]],
    plan: [mine.plan, found],
    api: ["weather", found],
    developer: ["dev-sought", found],
    assignee: ["me", found],
    mine: ["true", found],
    waits_for: ["me", found],
    created_after: [between, [third.id, second.id]],
    created_before: [between, found],
    q: ["dev-sought", found],
  });
}, { clock, extra: liveRecords });

testOnEngines("filters: each of certificates narrows", async (desk) => {
  const certificates = "/v1/certificates";
  const sought = await add(desk, made({ cn: "sought", ca: true, to: "20260310000000Z" }));
  const { certificate, key } = issue({ subject: { CN: "keyed" }, days: 3650 });
  const keyed = await add(desk, certificate + key);
  const third = await add(desk, made({ cn: "third" }));
  await call(desk, "PUT", `${certificates}/${sought}`, {
    owner: "ada@example.org",
    tags: ["shop"],
  });
  const found = [sought];
  const job = { kind: "set_certificate_owner" };
  await holdThatEachNarrows(desk, certificateFilters, { path: certificates, job }, {
    status: ["expiring", found],
    is_ca: ["true", found],
    has_private: ["true", [keyed]],
    expires_before: ["2027-01-01T00:00:00Z", found],
    expires_after: ["2044-01-01T00:00:00Z", [third]],
    expires_within: ["30", found],
    owner: ["ADA@example.org", found],
    tag: ["shop", found],
    q: ["sought", found],
  });
}, { clock });

testOnEngines("filters: each of developers narrows", async (desk) => {
  for (const id of ["dev-sought", "dev-second", "dev-third"]) await registered(desk, id);
  const found = ["dev-sought"];
  await call(desk, "PUT", "/v1/developers/dev-sought/tags", { tags: ["partners"] });
  await call(desk, "POST", "/v1/developers/dev-sought/deactivate", { keys: "keep" });
  const place = { path: "/v1/developers", job: { kind: "tag_developers" } };
  await holdThatEachNarrows(desk, developerFilters, place, {
    state: ["inactive", found],
    tag: ["partners", found],
    q: ["dev-sought", found],
  });
}, { clock });
