/** Which certificate renews which: by their names, and by what people say. */
import assert from "node:assert/strict";
import { secondAt } from "../../../src/features/certificates/selection.ts";
import { issue } from "../../support/certificates.ts";
import { openTestDesk, type TestDesk, testEachEngine, testOnEngines } from "../../support/desk.ts";
import { movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { newKey } from "../../../packages/x509/test/support/keys.ts";
import type { Attributes, Wanted as AnyWanted } from "../../../packages/x509/test/support/issue.ts";

const DAY = 24 * 60 * 60 * 1000;
const dns = (...names: string[]) => names.map((dNSName) => ({ dNSName }));
const otherKey = newKey("P-256");

type Wanted = Omit<AnyWanted, "subject"> & { subject?: Attributes };

/** Adds a certificate; gives its id. */
async function add(desk: TestDesk, wanted: Wanted): Promise<string> {
  const body = issue(wanted).certificate;
  const answer = await (await desk.send("POST", "/v1/certificates?as=one", { body })).json();
  assert.equal(answer.added, 1, JSON.stringify(answer));
  return answer.results[0].id;
}

const read = (desk: TestDesk, id: string) => call(desk, "GET", `/v1/certificates/${id}`);

const subjects: Attributes[] = [{ CN: "client" }, { CN: "client", O: "X", OU: "1" }];
const others: Attributes[] = [{ O: "Y" }, { OU: "2" }, { C: "FR" }, {
  emailAddress: "x@y.example",
}];
const roots: Attributes[] = [{ O: "Other" }, { C: "FR" }, { OU: "G2" }];

interface Case {
  promise: string;
  old: Wanted;
  fresh: Wanted;
  /** How it renews it; null: it does not. */
  renewal: { added_names: string[]; new_key: boolean } | null;
}

const root: Attributes = { CN: "Root", O: "Trust", C: "DE" };
const renewed = { added_names: [], new_key: false };

const cases: Case[] = [
  {
    promise: "alternative names decide, whatever the subject",
    old: { subject: { CN: "a" }, names: dns("A.example", "b.example.") },
    fresh: { subject: { CN: "b", O: "Other" }, names: dns("b.example", "a.example") },
    renewal: renewed,
  },
  {
    promise: "more names renew fewer, and are named",
    old: { names: dns("a.example", "b.example") },
    fresh: { names: dns("c.example", "b.example", "a.example") },
    renewal: { added_names: ["c.example"], new_key: false },
  },
  {
    promise: "more names renew a single one",
    old: { names: dns("a.example") },
    fresh: { names: dns("a.example", "www.a.example"), key: otherKey },
    renewal: { added_names: ["www.a.example"], new_key: true },
  },
  {
    promise: "fewer names renew nothing",
    old: { names: dns("a.example", "b.example") },
    fresh: { names: dns("a.example") },
    renewal: null,
  },
  {
    promise: "names in part the same renew nothing",
    old: { names: dns("a.example", "b.example") },
    fresh: { names: dns("a.example", "c.example", "d.example") },
    renewal: null,
  },
  {
    promise: "the same text as a name of another kind renews nothing",
    old: { names: dns("a.example") },
    fresh: { names: [{ uniformResourceIdentifier: "a.example" }] },
    renewal: null,
  },
  {
    promise: "a common name renews no alternative name",
    old: { subject: { CN: "a.example" }, names: dns("b.example") },
    fresh: { subject: { CN: "b.example" } },
    renewal: null,
  },
  ...subjects.map((subject) => ({
    promise: `without alternative names the whole subject decides: ${Object.keys(subject)}`,
    old: { subject },
    fresh: { subject, key: otherKey },
    renewal: { added_names: [], new_key: true },
  })),
  ...others.map((other) => ({
    promise: `a subject with another ${Object.keys(other)} is another's`,
    old: { subject: { CN: "client", O: "X", OU: "1", C: "DE" } },
    fresh: { subject: { CN: "client", O: "X", OU: "1", C: "DE", ...other } },
    renewal: null,
  })),
  {
    promise: "attributes in another order are another subject",
    old: { subject: { O: "X", CN: "client" } },
    fresh: { subject: { CN: "client", O: "X" } },
    renewal: null,
  },
  {
    promise: "an authority with the same subject and key renews",
    old: { subject: root, authority: true },
    fresh: { subject: root, authority: true },
    renewal: renewed,
  },
  {
    promise: "an authority with the same subject and a new key renews, and says so",
    old: { subject: root, authority: true },
    fresh: { subject: root, authority: true, key: otherKey },
    renewal: { added_names: [], new_key: true },
  },
  ...roots.map((other) => ({
    promise: `an authority with another ${Object.keys(other)} renews nothing`,
    old: { subject: root, authority: true },
    fresh: { subject: { ...root, ...other }, authority: true },
    renewal: null,
  })),
  {
    promise: "an authority renews no certificate of the same subject",
    old: { subject: root },
    fresh: { subject: root, authority: true },
    renewal: null,
  },
  {
    promise: "a validity that ends before it begins renews nothing",
    old: { names: dns("a.example"), days: -20 },
    fresh: { names: dns("a.example"), days: -10 },
    renewal: null,
  },
];

for (const { promise, old, fresh, renewal } of cases) {
  testOnEngines(`renewals: ${promise}`, async (desk) => {
    // Whichever comes first.
    for (const [ou, isOldFirst] of [["1", true], ["2", false]] as const) {
      const apart = (wanted: Wanted, days: number): Wanted => ({
        days,
        ...wanted,
        ...wanted.names
          ? {
            names: wanted.names.map((name) =>
              Object.fromEntries(Object.entries(name).map(([kind, one]) => [kind, `${ou}.${one}`]))
            ),
          }
          : { subject: { ...wanted.subject, L: ou } },
      });
      const both = [apart(old, 20), apart(fresh, 90)] as const;
      const ids: Record<string, string> = {};
      for (const which of isOldFirst ? [0, 1] as const : [1, 0] as const) {
        ids[which] = await add(desk, both[which]);
      }
      const shown = await read(desk, ids[0] ?? "");
      assert.equal(shown.renewed_by, renewal ? ids[1] : null, `old first: ${isOldFirst}`);
      const added_names = renewal?.added_names.map((name) => `${ou}.${name}`);
      assert.deepEqual(shown.renewal, renewal && { by_hand: false, ...renewal, added_names });
      assert.equal((await read(desk, ids[1] ?? "")).renewed_by, null);
      const { data } = await call(desk, "GET", "/v1/certificates");
      const listed = data.find(({ id }: { id: string }) => id === ids[0]);
      assert.equal(listed.renewed_by, shown.renewed_by);
      const report = await call(desk, "GET", `/v1/certificates/${ids[0]}/alerts`);
      assert.equal(report.renewed_by, shown.renewed_by);
    }
  });
}

testEachEngine("renewals: one that has ended renews nothing any more", async (engine) => {
  const clock = movableClock();
  await using desk = await openTestDesk(engine, { clock });
  clock.at = Date.now();
  const old = await add(desk, { names: dns("a.example"), days: 20 });
  const fresh = await add(desk, { names: dns("a.example"), days: 40 });
  assert.equal((await read(desk, old)).renewed_by, fresh);
  clock.at += 41 * DAY;
  assert.equal((await read(desk, old)).renewed_by, null, secondAt(clock.at));
});

testOnEngines(
  "renewals: an upload tells what each added one renews, if it does not expire itself",
  async (desk) => {
    const upload = async (days: number) => {
      const body = issue({ names: dns("a.example"), days }).certificate;
      const answer = await desk.send("POST", "/v1/certificates", { body });
      return (await answer.json()).results[0];
    };
    const first = await upload(20);
    assert.deepEqual([first.result, first.renews], ["added", undefined]);
    const second = await upload(300);
    const { not_after } = await read(desk, first.id);
    assert.deepEqual(second.renews, { id: first.id, name: "test", not_after });
    assert.equal((await upload(10)).renews, undefined);
  },
);

testOnEngines("renewals: what a person says counts before the names", async (desk) => {
  const old = await add(desk, { names: dns("a.example"), days: 5 });
  const same = await add(desk, { names: dns("a.example"), days: 90 });
  const other = await add(desk, { names: dns("other.example"), days: 60 });
  const shorter = await add(desk, { names: dns("shorter.example"), days: 3 });
  const path = `/v1/certificates/${old}/renewal`;
  const say = (certificate: string, renews: boolean | null) =>
    call(desk, "PUT", path, { certificate, renews });
  const due = async () => {
    const { certificates } = await call(desk, "GET", "/v1/insight/expiries");
    return certificates.due.next.map(({ id }: { id: string }) => id).includes(old);
  };
  assert.equal(await due(), false);
  assert.equal((await say(same, false)).renewed_by, null);
  assert.equal(await due(), true);
  const byHand = await say(other, true);
  assert.equal(byHand.renewed_by, other);
  assert.deepEqual(byHand.renewal, {
    by_hand: true,
    added_names: ["other.example"],
    new_key: false,
  });
  assert.equal(await due(), false);
  assert.match(
    JSON.stringify(await call(desk, "GET", `/v1/certificates/${old}/alerts`)),
    /renewed/,
  );
  // It goes, and so does what was said of it.
  await call(desk, "DELETE", `/v1/certificates/${other}`);
  assert.equal((await read(desk, old)).renewed_by, null);
  assert.equal((await say(same, null)).renewed_by, same);
  const refused = async (id: string, certificate: string, status: number, credential?: string) => {
    const response = await desk.send("PUT", `/v1/certificates/${id}/renewal`, {
      body: JSON.stringify({ certificate, renews: true }),
      ...credential ? { credential } : {},
    });
    assert.equal(response.status, status, await response.text());
  };
  await refused(old, shorter, 400);
  await refused(old, old, 400);
  await refused(old, "nothing", 400);
  await refused(old, other, 400);
  await refused(other, same, 404);
  assert.equal((await read(desk, old)).renewed_by, same);
  const { data } = await call(desk, "GET", `/v1/audit-log?limit=100`);
  assert.deepEqual(
    data.filter((one: { action: string; object_id: string }) =>
      one.action === "certificate.updated" && one.object_id === old
    ).length,
    3,
  );
});

const WAYS: Record<string, { path: string; query: string }> = {
  "/v1/certificates": { path: "/v1/certificates?as=one", query: "&" },
  "/v1/certificates, each": { path: "/v1/certificates?as=each", query: "&" },
  "/api/certs": { path: "/api/certs", query: "?" },
  "/api/certs/bundle": { path: "/api/certs/bundle", query: "?" },
};

testOnEngines(
  "renewals: owner, tags and mute are taken over, unless told otherwise",
  async (desk) => {
    const caredOf = async (id: string) => {
      const { owner, tags } = await read(desk, id);
      const { mute } = await call(desk, "GET", `/v1/certificates/${id}/alerts`);
      return { owner, tags, mute: mute?.reason ?? null };
    };
    const kept = { owner: "ops@example.org", tags: ["edge"], mute: "Ordered." };
    const none = { owner: "", tags: [], mute: null };
    let n = 0;
    for (const [way, { path, query }] of Object.entries(WAYS)) {
      for (const [more, expected] of [["", kept], ["take_over=false", none]] as const) {
        const names = dns(`n${++n}.example`);
        const old = await add(desk, { names, days: 20 });
        await call(desk, "PUT", `/v1/certificates/${old}`, { owner: kept.owner, tags: kept.tags });
        await call(desk, "PUT", `/v1/certificates/${old}/mute`, {
          until: new Date(Date.now() + 9000 * DAY).toISOString(),
          reason: kept.mute,
        });
        const body = issue({ names: [...names, ...dns("more.example")], days: 90 }).certificate;
        const channel = more === "" ? path : path + query + more;
        assert.equal((await desk.send("POST", channel, { body })).status, 200, way);
        const { renewed_by } = await read(desk, old);
        assert.deepEqual(await caredOf(renewed_by), expected, `${way} ${more}`);
        const { data } = await call(desk, "GET", "/v1/audit-log?limit=1");
        assert.equal(data[0].action, "certificate.added");
        assert.equal(data[0].detail?.renews, more === "" ? old : undefined);
        // An older one takes over nothing, nor does one of another name.
        const older = await add(desk, { names, days: 10 });
        assert.deepEqual(await caredOf(older), none);
        const other = await add(desk, { names: dns(`n${n}.other.example`), days: 90 });
        assert.deepEqual(await caredOf(other), none);
      }
    }
    const refused = await desk.send("POST", "/api/certs?take_over=perhaps", {
      body: issue({}).certificate,
    });
    assert.equal(refused.status, 400);
  },
);
