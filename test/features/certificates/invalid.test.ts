/** A certificate whose validity ends before it begins is told as that; nothing counts its days. */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { certificateCounts } from "../../../src/features/certificates/v1.operations.ts";
import { asn1Time, CERTS, type Details, made } from "../../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";

const DAY_MS = 86_400_000;

/** Certificates by their names, from and to so many days from now. */
const CERTIFICATES: Record<string, [from: number, to: number]> = {
  "ended before it began": [-10, -20],
  "ends soon, begins later": [40, 20],
  "ends late, begins later": [500, 400],
  "one second": [0, 0],
  good: [-10, 400],
  soon: [-10, 20],
  over: [-20, -10],
  later: [10, 400],
};
const INVALID = ["ended before it began", "ends soon, begins later", "ends late, begins later"];

type Counts = z.output<typeof certificateCounts>;

async function fill(desk: TestDesk): Promise<void> {
  const now = desk.app.ctx.clock.now();
  const pems = Object.entries(CERTIFICATES).map(([cn, [from, to]], at) =>
    made({
      cn,
      from: asn1Time(now + from * DAY_MS),
      to: asn1Time(now + to * DAY_MS),
      serial: String(10 + at),
    })
  );
  const answer = await desk.send("POST", "/v1/certificates", {
    body: pems.join(""),
    headers: { "content-type": "application/x-pem-file" },
  });
  assert.equal(answer.status < 300, true, await answer.clone().text());
}

const json = async <T>(desk: TestDesk, path: string): Promise<T> =>
  await (await desk.send("GET", path)).json();

const names = (all: readonly { subject_cn: string }[]) =>
  all.map(({ subject_cn }) => subject_cn).toSorted();

testOnEngines(
  "certificates: one that ends before it begins is invalid, in every list",
  async (desk) => {
    await fill(desk);
    const wanted = INVALID.toSorted();
    type List = { cert_basics: Details[] };
    for (
      const query of ["p=1", "p=-1", "p=1&sort=subject_cn", "p=-1&sort=subject_cn", "p=1&q=begins"]
    ) {
      const path = `${CERTS}?mode=detailed&status=invalid&${query}`;
      const { cert_basics } = await json<List>(desk, path);
      const expected = query.includes("q=")
        ? wanted.filter((name) => name.includes("begins"))
        : wanted;
      assert.deepEqual(names(cert_basics), expected, query);
      for (const one of cert_basics) {
        assert.deepEqual([one.status, one.days_left], [
          "invalid",
          null,
        ]);
      }
    }
    const all = (await json<List>(desk, `${CERTS}?mode=detailed&p=-1`)).cert_basics;
    assert.deepEqual(names(all.filter(({ status }) => status === "invalid")), wanted);
    assert.ok(
      all.every(({ status, days_left }) => (status === "invalid") === (days_left === null)),
    );
    const { data } = await json<{ data: Details[] }>(desk, "/v1/certificates?status=invalid");
    assert.deepEqual(names(data), wanted);
    for (const status of ["valid", "expiring", "expired", "not_yet_valid"]) {
      const { data } = await json<{ data: Details[] }>(desk, `/v1/certificates?status=${status}`);
      assert.deepEqual(names(data).filter((name) => INVALID.includes(name)), [], status);
    }
    // Nothing of them ends within any time.
    const far = new Date(desk.app.ctx.clock.now() + 1000 * DAY_MS).toISOString();
    const before = await json<{ data: Details[] }>(desk, `/v1/certificates?expires_before=${far}`);
    assert.deepEqual(names(before.data), ["good", "later", "one second", "over", "soon"]);
    const csv = await (await desk.send("GET", `${CERTS}/export?format=csv&status=invalid`)).text();
    assert.equal(csv.trim().split("\n").length, INVALID.length + 1);
    for (const line of csv.trim().split("\n").slice(1)) assert.match(line, /,invalid,,/);
  },
);

testOnEngines(
  "certificates: what is invalid is counted as that, and ends in no band",
  async (desk) => {
    await fill(desk);
    const { bands, total, timeline } = await json<Counts>(desk, "/v1/certificates/counts");
    assert.deepEqual(bands, {
      // "one second" is over once its second is.
      expired: 1 + bands.expired - 1,
      within_7_days: 2 - bands.expired,
      within_30_days: 1,
      within_90_days: 0,
      later: 2,
      never: 0,
      invalid: 3,
    });
    assert.equal(Object.values(bands).reduce((sum, n) => sum + n, 0), total);
    const months = timeline.months.reduce((sum, { certificates }) => sum + certificates, 0);
    assert.equal(timeline.before + months + timeline.after, total - 3);
    const ends = await json<{
      certificates: {
        expired: number;
        next: { name: string }[];
        due: { next: { name: string }[] };
      };
    }>(desk, "/v1/insight/expiries");
    const told = [...ends.certificates.next, ...ends.certificates.due.next].map(({ name }) => name);
    assert.ok(told.length > 0 && !told.some((name) => INVALID.includes(name)), told.join());
  },
);
