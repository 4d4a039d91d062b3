/**
 * Every statement on certificates is served by an index, in its order, however long the lists grow.
 */
import assert from "node:assert/strict";
import * as counts from "../../../src/features/certificates/certificate-counts.store.ts";
import * as ranges from "../../../src/features/certificates/certificate-name-ranges.store.ts";
import { noteNames } from "../../../src/features/certificates/certificate-renewals.store.ts";
import { storedTexts } from "../../../src/features/certificates/stored-certificate.ts";
import * as lists from "../../../src/features/certificates/certificate-list.store.ts";
import { joinedTexts } from "../../../src/features/certificates/certificate-texts.store.ts";
import * as store from "../../../src/features/certificates/certificates.store.ts";
import { finderOf, select, start } from "../../../src/features/certificates/selection.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { plansOf, plansOfReads } from "../../support/query-plans.ts";
import { testStore } from "../../support/stores.ts";

const org_id = "org";
const key = { org_id, fingerprint: "f".repeat(64) };
const place = { position: 1, kind: 0, search: "text", not_after: "~", subject_key: "" };
const entry = {
  fingerprint: key.fingerprint,
  is_ca: false,
  not_before: "",
  not_after: "~",
  subject_key: "",
  head: "",
  tail: "",
  details: "",
  search: "text",
  renewal_names: "",
  certificate: "",
  chain: "",
  private_key: null,
};

/** Every kind of selection: conditions, searches and orders, both ways. */
const selections = [undefined, "valid", "not_yet_valid", "invalid"].flatMap((status) =>
  [undefined, "text"].flatMap((q) =>
    [undefined, "date_added", "not_after", "subject_cn"].flatMap((sort) =>
      [undefined, true].flatMap((is_ca) =>
        [undefined, false].flatMap((has_private) =>
          (["asc", "desc"] as const).map((direction) =>
            // as: the words of the contract.
            select({ status, q, sort, is_ca, has_private, direction } as never, 0)
          )
        )
      )
    )
  )
);

const page = { skip: 3, limit: 10 };

async function callEverything(tx: Tx): Promise<void> {
  for (const selection of selections) {
    const { descending, search, found } = selection;
    for (const columns of ["basics", "details", "files"] as const) {
      if (search === null) {
        const after = start(selection, descending);
        await lists.foundCertificates(tx, org_id, selection, columns, {
          ...page,
          after,
          descending,
        });
      }
      if (selection.order !== found) {
        const after = start({ found: selection.order, times: null }, descending);
        await lists.gatherMatches(tx, org_id, selection, { by: selection.order, most: 8, after });
      }
      const match = { key: "", position: 1 };
      await lists.certificatesAt(tx, org_id, selection, columns, [match, match, match]);
    }
    if (search === null) await lists.countFound(tx, org_id, selection, 10);
    if (search !== null || selection.order !== found) {
      await lists.gatherMatches(tx, org_id, selection, { by: finderOf(selection), most: 10 });
    }
  }
  await store.allotPositions(tx, org_id, 1);
  await store.insertCertificate(tx, org_id, entry, place);
  await store.findCertificate(tx, { org_id, fingerprint: key.fingerprint });
  await store.lockCertificate(tx, { org_id, fingerprint: key.fingerprint });
  await store.addPrivateKey(tx, key, place, "sealed");
  await store.addChain(tx, key, "chain", "{}");
  await store.removeCertificate(tx, org_id, key.fingerprint);
  await store.findFile(tx, { org_id, fingerprint: key.fingerprint });
  await store.findAuthorities(tx, org_id, "name");
  await store.insertCertificate(tx, org_id, entry, place);
  for (const kinds of [[0, 1, 2, 3], [1, 3], [2]]) {
    await counts.countByEnd(tx, org_id, kinds, ["2026-01-01T00:00:01Z", "~~"]);
    await counts.countKinds(tx, org_id, kinds);
  }
  for (const order of ["not_after", "position"] as const) {
    await counts.seekPage(tx, org_id, order, [0, 1], 5000);
  }
  for (const kinds of [[0, 1, 2, 3], [1, 3], [2]]) await ranges.seekName(tx, org_id, kinds, 5000);
  await ranges.findUncounted(tx);
  await ranges.countRange(tx, { org_id, key: "", position: 0 });
  await ranges.forgetNames(tx, org_id);
  const named = { is_ca: false, dns_names: ["a.example.org", "b.example.org"] };
  const texts = storedTexts(
    { id: "id", dns_names: named.dns_names },
    { is_ca: false, issuer_cn: "", subject_cn: "", not_after: "", not_before: "" },
    // as: what names a certificate alone.
    { subject: { Names: [] }, ip_addresses: [], uris: [], email_addresses: [] } as never,
  );
  await noteNames(tx, org_id, { ...texts, renewal_names: "names" });
}

Deno.test("sqlite: every statement on certificates finds its rows by an index, in their order", async () => {
  const statements = (await plansOf(callEverything))
    .filter(({ sql }) => sql.includes("certificate"));
  assert.ok(statements.length > 100, `${statements.length} statements`);
  for (const { sql, steps: plan } of statements) {
    const context = `${sql}\n${plan.join("\n")}`;
    for (const step of plan) {
      assert.doesNotMatch(step, /AUTOMATIC/, context);
      if (/^SEARCH (w|wider_names) /.test(step)) assert.match(step, /names=\?|wider=\?/, context);
      // The keys of a page, a thousand at the most, and the index of texts.
      if (/^SCAN/.test(step) && !(step === "SCAN c" && plan.includes("CO-ROUTINE c"))) {
        assert.match(
          step,
          /^SCAN (k|CONSTANT ROW|\(subquery-\d+\)|certificate_search VIRTUAL TABLE INDEX)/,
          context,
        );
      }
      if (/^SEARCH (c|certificates) /.test(step)) {
        assert.match(
          step,
          /INDEX \w+ \(org_id=\? AND (kind=|fingerprint=|position|renewal_names=)/,
          context,
        );
        // A match is looked up, not looked for among all of its kind.
        if (/LEFT-JOIN/.test(step)) assert.match(step, /position=\?/, context);
        // A kind that is rare must not be looked for among all others.
        if (/position[<>]/.test(step)) {
          assert.equal(/kind = \?/.test(sql), /kind=/.test(step), context);
        }
      }
    }
    const sorts = plan.filter((step) => step.includes("TEMP B-TREE")).length;
    // Only what was gathered is sorted: its statement has an order of its own behind the keys. And
    // names of a certificate that it shares with others.
    const mayGather = /\) as k left join .* order by |from wider_names/s.test(sql);
    assert.equal(sorts, mayGather ? sorts : 0, context);
  }
  assert.ok(
    statements.some(({ values }) => values.some((value) => String(value).includes(" AND "))),
  );
});

Deno.test("sqlite: a condition on time begins with the end that narrows most, also in counting", async () => {
  await using at = await testStore("sqlite");
  const { reader } = await at.open();
  const index = {
    valid: "not_after",
    expiring: "not_after",
    expired: "not_after",
    not_yet_valid: "not_before",
    invalid: "invalid",
  } as const;
  for (const [status, name] of Object.entries(index)) {
    // as: the words of the contract.
    const selection = select({ status } as never, 0);
    const planned = await plansOfReads(reader, async (db) => {
      await lists.countFound(db, org_id, selection, 10);
      const after = start(selection, false);
      await lists.foundCertificates(db, org_id, selection, "basics", {
        ...page,
        after,
        descending: false,
      });
    });
    const steps = planned.flatMap(({ steps }) => steps)
      .filter((step) => step.includes("kind=?") && !step.includes("position=?"));
    assert.ok(steps.length >= 8, `${status}: ${steps.length} steps`);
    for (const step of steps) assert.match(step, new RegExp(`INDEX certificates_${name} `), status);
  }
});

Deno.test("sqlite: lists without details that are joined read an index and no row, both ways", async () => {
  await using at = await testStore("sqlite");
  const { reader } = await at.open();
  for (const direction of ["asc", "desc"] as const) {
    for (const shown of ["ids", "basics", "details"] as const) {
      const how = { visible: shown, separator: ",", nowMs: 0, until: 0 } as const;
      const [planned] = await plansOfReads(
        reader,
        (db) => joinedTexts(db, org_id, select({ direction }, 0), how)(0, 8),
      );
      assert.ok(planned);
      const index = shown === "details"
        ? "INDEX certificates_position"
        : "COVERING INDEX certificates_listed";
      const search = `SEARCH c USING ${index} (org_id=? AND position`;
      assert.ok(planned.plan.includes(search), `${planned.sql}\n${planned.plan}`);
      assert.ok(!planned.plan.includes("TEMP B-TREE"), planned.plan);
    }
  }
});

Deno.test("sqlite: a list walks the index of its own order, an arm for each kind", async () => {
  const index = {
    position: "added",
    not_after: "not_after",
    not_before: "not_before",
    subject_key: "subject",
  };
  await using at = await testStore("sqlite");
  const { reader } = await at.open();
  for (const selection of selections.filter(({ search }) => search === null)) {
    const { descending, found, kinds, isInvalid } = selection;
    const after = start(selection, descending);
    const planned = await plansOfReads(
      reader,
      (db) =>
        lists.foundCertificates(db, org_id, selection, "basics", { ...page, after, descending }),
    );
    const own = planned.flatMap(({ steps }) => steps);
    const all = found === "position" && kinds.length === 4;
    const ownOrder = isInvalid ? "invalid" : index[found];
    const name = `certificates_${all ? "position" : ownOrder} `;
    const arms = own.filter((step) => /INDEX/.test(step) && !/position=\?/.test(step));
    assert.ok(arms.every((step) => step.includes(name)), own.join("\n"));
    assert.equal(arms.length, all ? 1 : kinds.length, own.join("\n"));
  }
});

Deno.test({
  name: "postgres: a search uses the index of trigrams where it is the better way",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using at = await testStore("postgres", []);
    const storage = await at.open();
    const [found] = await storage.reader.rows<Record<never, never>, { indexdef: string }>({
      compile: () => ({
        sql: "select indexdef from pg_indexes where indexname = 'certificates_search'",
        values: () => [],
      }),
    }, {});
    assert.match(found?.indexdef ?? "", /using gin \(search gin_trgm_ops\)/i);
  },
});
