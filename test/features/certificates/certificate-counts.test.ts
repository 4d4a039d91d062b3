/** Counters of certificates: what they count is what is there, however certificates come and go. */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import type { ServerCall } from "../../../src/open-server.ts";
import {
  countByEnd,
  countKinds,
  seekPage,
} from "../../../src/features/certificates/certificate-counts.store.ts";
import type { CertificateEntry } from "../../../src/features/certificates/certificate-entry.ts";
import { countNames } from "../../../src/features/certificates/certificate-care.transactions.ts";
import {
  findUncounted,
  seekName,
} from "../../../src/features/certificates/certificate-name-ranges.store.ts";
import { pageOf } from "../../../src/features/certificates/certificate-pages.ts";
import { kindOf } from "../../../src/features/certificates/certificate.ts";
import {
  addPrivateKey,
  allotPositions,
  dropPrivateKey,
  insertCertificate,
  lockCertificate,
  removeCertificate,
} from "../../../src/features/certificates/certificates.store.ts";
import { select } from "../../../src/features/certificates/selection.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { add, addBundle, CERTS, listed, made } from "../../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { randomFrom } from "../../../packages/x509/test/support/mutate.ts";

interface Row {
  fingerprint: string;
  is_ca: boolean;
  not_after: string;
  subject_key: string;
}

interface Held {
  position: number;
  kind: number;
}

const fill = defineTransaction(
  "test.fill-counts",
  async (tx, input: { org_id: string; rows: readonly Row[] }) => {
    const { org_id, rows } = input;
    const first = await allotPositions(tx, org_id, rows.length);
    for (const [i, row] of rows.entries()) {
      const texts = {
        head: "{",
        tail: "",
        details: "",
        search: "",
        certificate: "",
        chain: "",
        renewal_names: "",
      };
      const entry: CertificateEntry = { ...row, ...texts, not_before: "", private_key: null };
      const place = { position: first + i, kind: kindOf(false, row.is_ca) };
      await insertCertificate(tx, org_id, entry, place);
    }
  },
);

const change = defineTransaction(
  "test.change-counts",
  async (tx, input: { org_id: string; removed: string[]; keyed: string[]; lost?: string[] }) => {
    const { org_id, removed, keyed, lost = [] } = input;
    await allotPositions(tx, org_id, 0);
    for (const fingerprint of removed) await removeCertificate(tx, org_id, fingerprint);
    for (const fingerprint of keyed) {
      const known = await lockCertificate(tx, { org_id, fingerprint });
      assert.ok(known);
      await addPrivateKey(tx, { org_id, fingerprint }, known, "sealed");
    }
    for (const fingerprint of lost) {
      assert.ok(await dropPrivateKey(tx, { org_id, fingerprint }, "sealed"));
    }
  },
);

/** The counters of a list family, by list, level and bucket; those of nothing left out. */
async function countersOf(desk: TestDesk, family: string): Promise<Record<string, number>> {
  const rows = await desk.app.ctx.storage.reader.rows<Record<never, never>, Counter>({
    compile: () => ({
      sql: "select list, level, bucket, cast(sum(n) as integer) as n from list_counts " +
        `where org_id = '${desk.org_id}' and list like '${family}/_' ` +
        "group by list, level, bucket having sum(n) <> 0",
      values: () => [],
    }),
  }, {});
  return Object.fromEntries(
    rows.map(({ list, level, bucket, n }) => [`${list} ${level} ${bucket}`, n]),
  );
}

interface Counter {
  list: string;
  level: number;
  bucket: string;
  n: number;
}

/** Every range of names counts what lies in it; gives how many there are of each level. */
async function assertRanged(
  desk: TestDesk,
  all: readonly { subject_key: string; position: number; kind: number }[],
): Promise<number[]> {
  const rows = await desk.app.ctx.storage.reader.rows<Record<never, never>, Range>({
    compile: () => ({
      sql: "select level, key, position, n0, n1, n2, n3, counted from certificate_name_ranges " +
        `where org_id = '${desk.org_id}' order by level, key, position`,
      values: () => [],
    }),
  }, {});
  const ranges = rows.map((row) => ({ ...row, position: Number(row.position) }));
  const behind = (a: { key: string; position: number }, b: { key: string; position: number }) =>
    a.key > b.key || (a.key === b.key && a.position > b.position);
  const places = all.map((row) => ({ ...row, key: row.subject_key }));
  for (const [i, range] of ranges.entries()) {
    const next = ranges[i + 1]?.level === range.level ? ranges[i + 1] : undefined;
    const own = places.filter((row) => behind(row, range) && !(next && behind(row, next)));
    assert.deepEqual(
      [range.n0, range.n1, range.n2, range.n3, range.counted].map(Number),
      [...[0, 1, 2, 3].map((kind) => own.filter((row) => row.kind === kind).length), 1],
      `${range.level} ${range.key} ${range.position}`,
    );
  }
  return [0, 1].map((level) => ranges.filter((range) => Number(range.level) === level).length);
}

interface Range {
  level: number;
  key: string;
  position: number;
  n0: number;
  n1: number;
  n2: number;
  n3: number;
  counted: number;
}

/** Counts by name until nothing waits. */
async function countAllNames(desk: TestDesk): Promise<void> {
  const { storage } = desk.app.ctx;
  for (let turns = 0; await findUncounted(storage.reader); turns++) {
    assert.ok(turns < 100, "it never ends");
    await storage.commit(countNames, null);
  }
}

/** Every bucket of every level counts what lies in it. */
async function assertCounted(desk: TestDesk, all: readonly (Row & Held)[]): Promise<void> {
  const families = [
    ["certificate_ends", [0, 4, 7, 10, 13], (row: Row & Held) => row.not_after],
    ["certificates", [0, 4, 6, 8, 10], (row: Row & Held) => String(row.position).padStart(12, "0")],
  ] as const;
  for (const [family, levels, keyOf] of families) {
    const expected: Record<string, number> = {};
    for (const row of all) {
      for (const [level, length] of levels.entries()) {
        const name = `${family}/${row.kind} ${level} ${keyOf(row).slice(0, length)}`;
        expected[name] = (expected[name] ?? 0) + 1;
      }
    }
    assert.deepEqual(await countersOf(desk, family), expected);
  }
}

testOnEngines(
  "counts: they stay right through additions, keys and removals, and pages begin where they say",
  async (desk) => {
    const { storage } = desk.app.ctx;
    const { org_id } = desk;
    const random = randomFrom(5);
    const two = (n: number) => String(n).padStart(2, "0");
    const rows: Row[] = Array.from({ length: 3000 }, (_, i) => ({
      fingerprint: i.toString(16).padStart(64, "0"),
      is_ca: random() < 0.2,
      // Some never end, six hundred end within one hour, the others within sixty years.
      not_after: i % 50 === 7
        ? "~"
        : i % 5 === 1
        ? `2030-06-15T12:${two(i % 60)}:${two(i % 59)}Z`
        : `20${two(Math.floor(i / 60))}-${two(1 + i % 12)}-${two(1 + i % 28)}T00:00:00Z`,
      subject_key: `name ${Math.floor(random() * 40)} ä`,
    }));
    for (let at = 0; at < rows.length; at += 500) {
      await storage.commit(fill, { org_id, rows: rows.slice(at, at + 500) });
    }
    const held = rows.map((row, i) => ({
      ...row,
      position: i + 1,
      kind: kindOf(false, row.is_ca),
    }));
    await assertCounted(desk, held);
    await countAllNames(desk);
    await assertRanged(desk, held);
    const keyed = held.filter(() => random() < 0.1);
    const removed = held.slice(800, 1800).filter((row) => !keyed.includes(row));
    const lost = keyed.filter((_, i) => i % 5 === 0);
    const names = (of: readonly Row[]) => of.map(({ fingerprint }) => fingerprint);
    await storage.commit(change, {
      org_id,
      removed: names(removed),
      keyed: names(keyed),
      lost: names(lost),
    });
    for (const row of keyed) row.kind += lost.includes(row) ? 0 : 2;
    const left = held.filter((row) => !removed.includes(row));
    await assertCounted(desk, left);
    const [, small = 0] = await assertRanged(desk, left);
    assert.ok(small > 8, String(small));

    const ends = ["", "2000-01-01T00:00:00Z", "2001-06-01T00:00:00Z", "2001-06-01T00:00:01Z"];
    for (let minute = 0; minute < 60; minute += 7) ends.push(`2030-06-15T12:${two(minute)}:30Z`);
    for (let year = 2; year < 60; year += 3) ends.push(`20${two(year)}-01-01T00:00:00Z`);
    ends.push("9999-12-31T23:59:59Z", "~", "~~");
    for (const kinds of [[0, 1, 2, 3], [1, 3], [2, 3], [1], []]) {
      const wanted = left.filter(({ kind }) => kinds.includes(kind));
      assert.equal(await countKinds(storage.reader, org_id, kinds), wanted.length);
      assert.deepEqual(
        await countByEnd(storage.reader, org_id, kinds, ends),
        ends.map((end) => wanted.filter((row) => row.not_after < end).length),
        String(kinds),
      );
    }

    const principal = { org_id, user_id: "u", token_id: "t", permissions };
    const ctx: ServerCall = { ...desk.app.ctx, principal };
    const orders = [["position", "date_added"], ["not_after", "not_after"], [
      "subject_key",
      "subject_cn",
    ]] as const;
    for (const [order, sort] of orders) {
      for (
        const narrowed of [{}, { is_ca: true }, { has_private: true }, {
          is_ca: false,
          has_private: true,
        }]
      ) {
        for (const direction of ["asc", "desc"] as const) {
          const selection = select({ sort, direction, ...narrowed }, 0);
          const wanted = left.filter(({ kind }) => selection.kinds.includes(kind)).sort((a, b) =>
            a[order] < b[order] ? -1 : a[order] > b[order] ? 1 : a.position - b.position
          );
          if (direction === "desc") wanted.reverse();
          for (const share of [0, 0.1, 0.3, 0.4, 0.49, 0.51, 0.6, 0.8, 0.99]) {
            const offset = Math.floor(share * wanted.length);
            const { rows: shown, total } = await pageOf(ctx, selection, "basics", offset);
            assert.equal(total, wanted.length);
            assert.deepEqual(
              shown.map((row) => row.position),
              wanted.slice(offset, offset + 10).map((row) => row.position),
              `${JSON.stringify(selection)} ${offset}`,
            );
          }
        }
      }
    }
    // The last of all ends never; the way there leads over the counters, not through the list.
    const last = await seekPage(storage.reader, org_id, "not_after", [0, 1, 2, 3], left.length - 1);
    assert.equal(last.after.key, "~");
    assert.ok(last.skip < 256, String(last.skip));
    await storage.commit(change, { org_id, removed: names(left), keyed: [] });
    await assertCounted(desk, []);
    assert.deepEqual(await assertRanged(desk, []), [1, 1]);
  },
  { extra: [fill, change] },
);

/** Holds pages in the middle of the order by names against what there is. */
function pagesByName(ctx: ServerCall, all: readonly { n: number; name: string }[]) {
  return async () => {
    for (const is_ca of [undefined, true]) {
      for (const direction of ["asc", "desc"] as const) {
        const selection = select({ sort: "subject_cn", direction, is_ca }, 0);
        const wanted = all.filter(({ n }) => is_ca === undefined || n % 3 === 0);
        if (direction === "desc") wanted.reverse();
        for (
          const offset of [0, 9_990, 10_000, 10_010, 12_490, 12_510, 20_000, wanted.length - 5]
        ) {
          const { rows } = await pageOf(ctx, selection, "basics", offset);
          assert.deepEqual(
            rows.map(({ position }) => position),
            wanted.slice(offset, offset + 10).map(({ n }) => n),
            `${direction} ${is_ca} ${offset}`,
          );
        }
      }
    }
  };
}

/** Runs a text on the store, as another process would. */
const run = defineTransaction(
  "test.run",
  (tx, text: string) => tx.change({ compile: () => ({ sql: text, values: () => [] }) }, {}),
);

testOnEngines(
  "counts: pages by name are the same before they are counted, while they are, and after",
  async (desk) => {
    const { storage } = desk.app.ctx;
    const { org_id } = desk;
    const count = 25_000;
    const name = (n: number) => String((n * 7919) % count).padStart(5, "0");
    // Two of three are of one kind; names are no order of addition.
    await storage.commit(
      run,
      `insert into certificates (org_id, fingerprint, position, kind, not_before, not_after,
          subject_key, head, tail, details, search)
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
        select '${org_id}', 'f' || n, n, case when n % 3 = 0 then 1 else 0 end, '', '~',
          substr('0000' || ((n * 7919) % ${count}), length('0000' || ((n * 7919) % ${count})) - 4),
          '', '', '', '' from numbers`,
    );
    await storage.commit(
      run,
      `insert into list_counts (org_id, list, level, bucket, shard, n)
        select org_id, 'certificates/' || kind, 0, '', 0, count(*) from certificates
        group by org_id, kind`,
    );
    const principal = { org_id, user_id: "u", token_id: "t", permissions };
    const ctx: ServerCall = { ...desk.app.ctx, principal };
    const all = Array.from({ length: count }, (_, i) => ({ n: i + 1, name: name(i + 1) }))
      .sort((a, b) => a.name < b.name ? -1 : 1);
    const positions = pagesByName(ctx, all);
    await positions();
    assert.equal(await seekName(storage.reader, org_id, [0, 1, 2, 3], 12_000), undefined);
    // The rows came past the code: the counts do not add up, so that all are counted.
    await storage.commit(countNames, null);
    assert.equal(await storage.commit(countNames, null), 8192);
    await positions();
    assert.equal(await seekName(storage.reader, org_id, [0, 1, 2, 3], 12_000), undefined);
    await countAllNames(desk);
    await positions();
    const rows = all.map(({ n, name }) => ({
      subject_key: name,
      position: n,
      kind: n % 3 === 0 ? 1 : 0,
    }));
    assert.deepEqual(await assertRanged(desk, rows), [4, 196]);
    for (const offset of [0, 8192, 12_345, 24_999]) {
      const place = await seekName(storage.reader, org_id, [0, 1, 2, 3], offset);
      assert.ok(place && place.skip <= 256, JSON.stringify(place));
    }
    assert.equal(await seekName(storage.reader, org_id, [0, 1, 2, 3], count), undefined);
    assert.equal(await storage.commit(countNames, null), 0);
  },
  { extra: [run] },
);

testOnEngines(
  "counts: ranges of names that grow are split at both levels, and empty ones go",
  async (desk) => {
    const { storage } = desk.app.ctx;
    const { org_id } = desk;
    // Each is a round trip there.
    const isFar = storage.reader.dialect === "postgres";
    const count = isFar ? 3000 : 20_000;
    const rows: Row[] = Array.from({ length: count }, (_, i) => ({
      fingerprint: i.toString(16).padStart(64, "0"),
      is_ca: i % 7 === 0,
      not_after: "~",
      // Half of them come in the order of their names, and many share one.
      subject_key: i % 2 === 0 ? `name ${String(i >> 4).padStart(5, "0")}` : `other ${i % 31}`,
    }));
    // Before there is anything nothing waits; the first one is counted after its commit.
    await storage.commit(fill, { org_id, rows: rows.slice(0, 1) });
    await countAllNames(desk);
    for (let at = 1; at < count; at += 4000) {
      await storage.commit(fill, { org_id, rows: rows.slice(at, at + 4000) });
    }
    const held = rows.map((row, i) => ({
      ...row,
      position: i + 1,
      kind: kindOf(false, row.is_ca),
    }));
    const [wide = 0, small = 0] = await assertRanged(desk, held);
    assert.ok(
      wide >= (isFar ? 1 : 2) && small >= (isFar ? 12 : 80),
      `${wide} wide, ${small} small`,
    );
    const removed = held.filter((row) => row.subject_key.startsWith("name"));
    await storage.commit(change, {
      org_id,
      removed: removed.map(({ fingerprint }) => fingerprint),
      keyed: [],
    });
    const left = held.filter((row) => !removed.includes(row));
    const [, smallLeft = 0] = await assertRanged(desk, left);
    assert.ok(smallLeft < small * 0.7, `${smallLeft} of ${small}`);
  },
  { extra: [fill, change] },
);

testOnEngines(
  "counts: who adds and who removes at once lose no count, in either organisation",
  async (desk) => {
    const other = await desk.otherOrganisation();
    const random = randomFrom(9);
    const pem = (n: number) =>
      made({ cn: `c-${n % 17}`, serial: (n + 4096).toString(16).padStart(6, "0") });
    const work = Array.from({ length: 8 }, async (_, worker) => {
      const credential = worker % 2 === 0 ? desk.admin : other.admin;
      for (let round = 0; round < 6; round++) {
        const first = (worker * 6 + round) * 10;
        const pems = Array.from({ length: 10 }, (_, i) => pem(first + i));
        const { results } = await addBundle(desk, pems.join(""), { credential });
        const shared = random() < 0.5 ? await add(desk, pem(100_000 + first), { credential }) : "";
        for (const id of [results[round].id, results[9 - round].id, shared]) {
          if (id !== "") await desk.send("DELETE", `${CERTS}/${id}`, { credential });
        }
      }
    });
    await Promise.all(work);
    for (
      const [org_id, credential] of [[desk.org_id, desk.admin], [
        other.org_id,
        other.admin,
      ]] as const
    ) {
      const { cert_basics } = await listed(desk, "p=-1", { credential });
      const kinds = [0, 1, 2, 3];
      const { reader } = desk.app.ctx.storage;
      assert.equal(cert_basics.length, 4 * 6 * 8);
      assert.equal(await countKinds(reader, org_id, kinds), cert_basics.length);
      assert.deepEqual(await countByEnd(reader, org_id, kinds, ["~~"]), [cert_basics.length]);
      assert.equal(
        (await listed(desk, "", { credential })).pages,
        Math.ceil(cert_basics.length / 10),
      );
    }
  },
);
