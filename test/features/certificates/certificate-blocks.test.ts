/** Blocks of sorted lists: what they count is what is there, however certificates come and go. */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import type { DeskCall } from "../../../src/desk.ts";
import {
  type BlockOrder,
  seekSorted,
} from "../../../src/features/certificates/certificate-blocks.store.ts";
import { countByEnd } from "../../../src/features/certificates/certificate-counts.store.ts";
import type { CertificateEntry } from "../../../src/features/certificates/certificate-entry.ts";
import { pageOf } from "../../../src/features/certificates/certificate-pages.ts";
import { kindOf } from "../../../src/features/certificates/certificate.ts";
import {
  addPrivateKey,
  allotPositions,
  countCertificates,
  insertCertificate,
  lockCertificate,
  removeCertificate,
} from "../../../src/features/certificates/certificates.store.ts";
import { select } from "../../../src/features/certificates/selection.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { add, addBundle, CERTS, listed, made } from "../../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { randomFrom } from "./support/mutate.ts";

interface Row {
  fingerprint: string;
  is_ca: boolean;
  not_after: string;
  subject_key: string;
}

const fill = defineTransaction(
  "test.fill-blocks",
  async (tx, input: { org_id: string; rows: readonly Row[] }) => {
    const { org_id, rows } = input;
    const first = await allotPositions(tx, org_id, rows.length);
    const places = [];
    for (const [i, row] of rows.entries()) {
      const texts = { head: "{", tail: "", details: "", search: "", certificate: "", chain: "" };
      const entry: CertificateEntry = { ...row, ...texts, not_before: "", private_key: null };
      const place = { position: first + i, kind: kindOf(false, row.is_ca) };
      await insertCertificate(tx, org_id, entry, place);
      places.push(place);
    }
    await countCertificates(tx, org_id, places, 1);
  },
);

const change = defineTransaction(
  "test.change-blocks",
  async (tx, input: { org_id: string; removed: string[]; keyed: string[] }) => {
    const { org_id, removed, keyed } = input;
    await allotPositions(tx, org_id, 0);
    for (const fingerprint of removed) await removeCertificate(tx, org_id, fingerprint);
    for (const fingerprint of keyed) {
      const known = await lockCertificate(tx, org_id, fingerprint);
      assert.ok(known);
      await addPrivateKey(tx, { org_id, fingerprint }, known, "sealed");
    }
  },
);

const ORDERS: readonly [BlockOrder, "not_after" | "subject_cn"][] = [
  ["not_after", "not_after"],
  ["subject_key", "subject_cn"],
];

/** Every block holds as many of each kind as lie between its beginning and the next one's. */
async function assertCounted(desk: TestDesk, all: readonly (Row & Held)[]): Promise<number> {
  const blocks = await desk.app.ctx.storage.reader.rows<Record<never, never>, Block>({
    compile: () => ({
      sql: "select sort, first_key, first_position, n0, n1, n2, n3 from certificate_blocks " +
        `where org_id = '${desk.org_id}' order by sort, first_key, first_position`,
      values: () => [],
    }),
  }, {});
  for (const [order] of ORDERS) {
    const own = blocks.filter(({ sort }) => sort === order);
    assert.deepEqual([own[0]?.first_key, own[0]?.first_position], ["", 0]);
    const counts = own.map(() => [0, 0, 0, 0]);
    for (const row of all) {
      const at = own.findLastIndex((block) =>
        block.first_key < row[order] ||
        (block.first_key === row[order] && block.first_position <= row.position)
      );
      const of = counts[at];
      assert.ok(of);
      of[row.kind] = (of[row.kind] ?? 0) + 1;
    }
    assert.deepEqual(own.map(({ n0, n1, n2, n3 }) => [n0, n1, n2, n3]), counts, order);
    assert.ok(counts.every((of) => of.reduce((sum, n) => sum + n, 0) <= 2048));
  }
  return blocks.length;
}

interface Held {
  position: number;
  kind: number;
}
interface Block {
  sort: string;
  first_key: string;
  first_position: number;
  n0: number;
  n1: number;
  n2: number;
  n3: number;
}

testOnEngines(
  "blocks: counts stay right through additions, keys and removals, and pages begin where they say",
  async (desk) => {
    const { storage } = desk.app.ctx;
    const { org_id } = desk;
    const random = randomFrom(5);
    const rows: Row[] = Array.from({ length: 3000 }, (_, i) => ({
      fingerprint: i.toString(16).padStart(64, "0"),
      is_ca: random() < 0.2,
      // Ascending, so that blocks are cut at their end; and few names, so that many are the same.
      not_after: `20${String(Math.floor(i / 60)).padStart(2, "0")}-01-01T00:00:00Z`,
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
    assert.ok(await assertCounted(desk, held) >= 4);
    const keyed = held.filter(() => random() < 0.1);
    const removed = held.slice(800, 2800).filter((row) => !keyed.includes(row));
    await storage.commit(change, {
      org_id,
      removed: removed.map(({ fingerprint }) => fingerprint),
      keyed: keyed.map(({ fingerprint }) => fingerprint),
    });
    for (const row of keyed) row.kind += 2;
    const left = held.filter((row) => !removed.includes(row));
    await assertCounted(desk, left);
    const ends = ["", "2000-01-01T00:00:00Z", "2000-01-01T00:00:00Z", "2001-06-01T00:00:00Z"];
    for (let year = 2; year < 60; year += 3) {
      ends.push(`20${String(year).padStart(2, "0")}-01-01T00:00:00Z`);
    }
    ends.push("~", "~~");
    for (const kinds of [[0, 1, 2, 3], [1, 3], [2, 3], [1], []]) {
      const wanted = left.filter(({ kind }) => kinds.includes(kind));
      assert.deepEqual(await countByEnd(storage.reader, org_id, kinds, ends), {
        total: wanted.length,
        before: ends.map((end) => wanted.filter((row) => row.not_after < end).length),
      });
    }

    const principal = { org_id, user_id: "u", token_id: "t", permissions };
    const ctx: DeskCall = { ...desk.app.ctx, principal };
    for (const [order, sort] of ORDERS) {
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
          for (const share of [0, 0.1, 0.3, 0.49, 0.51, 0.8, 0.99]) {
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
      const { skip } = await seekSorted(
        storage.reader,
        org_id,
        order,
        [0, 1, 2, 3],
        left.length >> 1,
      );
      assert.ok(skip < 2048);
    }
    await storage.commit(change, {
      org_id,
      removed: left.map((row) => row.fingerprint),
      keyed: [],
    });
    assert.equal(await assertCounted(desk, []), 2, "only the first blocks stay");
  },
  { extra: [fill, change] },
);

testOnEngines(
  "blocks: who adds and who removes at once lose no count, in either organisation",
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
      const [row] = await desk.app.ctx.storage.reader.rows<Record<never, never>, { n: number }>({
        compile: () => ({
          sql: "select cast(sum(n0 + n1 + n2 + n3) as bigint) as n from certificate_blocks " +
            `where org_id = '${org_id}' group by sort`,
          values: () => [],
        }),
      }, {});
      assert.equal(cert_basics.length, 4 * 6 * 8);
      assert.equal(row?.n, cert_basics.length);
      assert.equal(
        (await listed(desk, "", { credential })).pages,
        Math.ceil(cert_basics.length / 10),
      );
    }
  },
);
