/**
 * Certificates of `/v1`: cursors, filters, counts, single reads, uploads, deletion.
 */
import assert from "node:assert/strict";
import type { z } from "zod";
import type {
  certificateCounts,
  v1CertificateList,
} from "../../../src/features/certificates/v1.operations.ts";
import type { certificatesUploaded } from "../../../src/features/certificates/certificate-uploads.operations.ts";
import type { v1Certificate } from "../../../src/features/certificates/v1.contract.ts";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { add, addBundle, asn1Time, form, issue, made } from "../../support/certificates.ts";
import { type SendInit, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { pkcs12 } from "../../../packages/x509/test/support/pkcs12.ts";

const CERTIFICATES = "/v1/certificates";
const DAY = 86_400_000;
const clock = { at: Date.parse("2026-03-15T12:00:00.500Z"), now: () => clock.at };
const inDays = (days: number) => asn1Time(clock.at + days * DAY);

async function call<Answer>(
  desk: TestDesk,
  method: string,
  path: string,
  init: SendInit = {},
): Promise<Answer> {
  const response = await desk.send(method, `${CERTIFICATES}${path}`, init);
  const answer: Answer = await response.json();
  assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

const list = (desk: TestDesk, query = "") =>
  call<z.output<typeof v1CertificateList>>(desk, "GET", `?${query}`);
const counts = (desk: TestDesk, query = "") =>
  call<z.output<typeof certificateCounts>>(desk, "GET", `/counts?${query}`);
const get = (desk: TestDesk, id: string) =>
  call<z.output<typeof v1Certificate>>(desk, "GET", `/${id}`);
const upload = (desk: TestDesk, init: SendInit, query = "") =>
  call<z.output<typeof certificatesUploaded>>(desk, "POST", query, init);

/** The names of a whole list, page after page. */
async function names(desk: TestDesk, query: string, path = ""): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = "", pages = 0; cursor !== null; pages++) {
    assert.ok(pages < 2000);
    const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: z.output<typeof v1CertificateList> = await call(
      desk,
      "GET",
      `${path}?${query}${next}`,
    );
    found.push(...page.data.map((one) => one.subject_cn));
    cursor = page.next_cursor;
  }
  return found;
}

/**
 * Twelve certificates in the order of their names; every third an authority; ends from -45 to +65
 * days.
 */
const twelve = Array.from(
  { length: 12 },
  (_, i) =>
    made({
      cn: `c-${String(i).padStart(2, "0")}`,
      serial: String(10 + i),
      dns: [i % 2 === 0 ? "even.example.org" : "odd.example.org"],
      ca: i % 3 === 0,
      from: i === 11 ? inDays(5) : "20200101000000Z",
      to: inDays((i * 7) % 12 * 10 - 45),
    }),
);
const nameOf = (i: number) => `c-${String(i).padStart(2, "0")}`;
const endOf = (i: number) => (i * 7) % 12 * 10 - 45;

testOnEngines(
  "v1 certificates: every filter, order and page size gives each one exactly once",
  async (desk) => {
    await addBundle(desk, twelve.join(""));
    await add(desk, made({ cn: "keyed", serial: "77" }));
    const all = Array.from({ length: 12 }, (_, i) => i);
    const by = (wanted: (i: number) => boolean, order = (a: number, b: number) => a - b) =>
      all.filter(wanted).sort(order).map(nameOf);
    const byEnd = (a: number, b: number) => endOf(a) - endOf(b);
    const begun = (i: number) => i !== 11;
    const expected: [query: string, found: string[]][] = [
      ["q=.example", by(() => true)],
      ["q=.example&direction=desc", by(() => true).reverse()],
      ["q=even.example&sort=not_after", by((i) => i % 2 === 0, byEnd)],
      ["q=ODD.example&sort=not_after&direction=desc", by((i) => i % 2 === 1, byEnd).reverse()],
      ["is_ca=true", by((i) => i % 3 === 0)],
      ["is_ca=true&q=even.example", by((i) => i % 6 === 0)],
      ["is_ca=true&sort=not_after", by((i) => i % 3 === 0, byEnd)],
      ["status=expired", by((i) => endOf(i) < 0, byEnd)],
      ["status=expired&sort=subject_cn", by((i) => endOf(i) < 0)],
      ["status=expired&sort=date_added&direction=desc", by((i) => endOf(i) < 0).reverse()],
      ["status=not_yet_valid", by((i) => i === 11 && endOf(i) >= 0)],
      [
        "status=expiring&q=.example&sort=not_after",
        by((i) => begun(i) && endOf(i) >= 0 && endOf(i) <= 30, byEnd),
      ],
      ["expires_within=20", by((i) => endOf(i) > 0 && endOf(i) <= 20, byEnd)],
      [
        `expires_after=${new Date(clock.at + 7 * DAY).toISOString()}&expires_before=${
          new Date(clock.at + 33 * DAY).toISOString()
        }&sort=subject_cn`,
        by((i) => endOf(i) >= 10 && endOf(i) < 35),
      ],
      ["q=nothing-like-it", []],
    ];
    for (const [query, found] of expected) {
      for (const limit of [1, 3, 20, 100]) {
        assert.deepEqual(await names(desk, `${query}&limit=${limit}`), found, `${query} ${limit}`);
      }
    }
    assert.deepEqual(
      await names(desk, "limit=5&sort=subject_cn"),
      [...by(() => true), "keyed"],
    );
    const [first] = (await list(desk, "limit=1")).data;
    assert.ok(first);
    // The id, the fingerprint as openssl prints it, and the serial number.
    const printed = first.fingerprint.toUpperCase().match(/../g)?.join(":") ?? "";
    for (const q of [first.id, first.id.toUpperCase(), first.fingerprint, printed]) {
      assert.deepEqual(await names(desk, `q=${encodeURIComponent(q)}`), [nameOf(0)], q);
    }
  },
  { clock },
);

testOnEngines(
  "v1 certificates: what is added and removed between pages moves nothing",
  async (desk) => {
    const { results } = await addBundle(desk, twelve.join(""));
    for (
      const query of [
        "sort=subject_cn",
        "q=example&sort=subject_cn",
        "",
        "q=example",
        "status=valid",
      ]
    ) {
      const whole = await names(desk, `${query}&limit=100`);
      const response = await desk.send("GET", `${CERTIFICATES}?${query}&limit=2`);
      const page: z.output<typeof v1CertificateList> = await response.json();
      const link = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
      assert.ok(link);
      // One in front of it, and one that was shown leaves.
      const [extra] =
        (await addBundle(desk, made({ cn: "c-00-a", dns: ["x.example.org"] }))).results;
      const shown = page.data[0]?.id;
      await desk.send("DELETE", `${CERTIFICATES}/${shown}`);
      const next: z.output<typeof v1CertificateList> = await (await desk.send("GET", `${link}`))
        .json();
      const seen = next.data.map((one) => one.subject_cn).filter((name) => name !== "c-00-a");
      assert.deepEqual(seen, whole.slice(2, 2 + seen.length), query);
      assert.ok(seen.length > 0);
      await desk.send("DELETE", `${CERTIFICATES}/${extra.id}`);
      // All of them anew, in their order.
      for (const { id } of results) await desk.send("DELETE", `${CERTIFICATES}/${id}`);
      await addBundle(desk, twelve.join(""));
    }
  },
  { clock },
);

testOnEngines(
  "v1 certificates: more matches than can be sorted are still all found, in order",
  async (desk) => {
    const count = 1100;
    const pems = Array.from({ length: count }, (_, i) =>
      made({
        cn: `n-${String((i * 7) % count).padStart(4, "0")}`,
        serial: (0x1000 + i).toString(16),
        dns: [i % 50 === 0 ? "rare.example.org" : "often.example.net"],
      }));
    for (let start = 0; start < count; start += 550) {
      await addBundle(desk, pems.slice(start, start + 550).join(""));
    }
    const sorted = await names(desk, "limit=100&q=example&sort=subject_cn");
    assert.equal(sorted.length, count);
    assert.deepEqual(sorted, [...sorted].sort());
    const backwards = await names(desk, "limit=100&q=example&sort=subject_cn&direction=desc");
    assert.deepEqual(backwards, [...sorted].reverse());
    assert.equal((await names(desk, "limit=7&q=rare.example&sort=subject_cn")).length, 22);
    assert.equal((await counts(desk)).total, count);
  },
);

testOnEngines(
  "v1 certificates: a cursor of another list, or of none, is refused",
  async (desk) => {
    const send = (query: string) => desk.send("GET", `${CERTIFICATES}?${query}`);
    for (const sort of ["date_added", "not_after", "subject_cn"]) {
      const { next_cursor } = await list(desk, `sort=${sort}`);
      assert.equal(next_cursor, null);
    }
    await addBundle(desk, twelve.join(""));
    const { next_cursor } = await list(desk, "limit=1&sort=subject_cn");
    const wrong = "cursor: expected the next_cursor of the same list";
    await assertInvalid(await send(`sort=not_after&cursor=${next_cursor}`), wrong);
    for (
      const place of [["x", "1"], ["1", "2"], ["1", "-1"], ["1", "1e3"], ["9", "9".repeat(30)]]
    ) {
      const cursor = btoa(JSON.stringify(["certificates position asc", ...place]));
      await assertInvalid(await send(`cursor=${cursor}`), wrong);
    }
  },
);

testOnEngines(
  "v1 certificate counts: by band and by month, of all or of some kinds",
  async (desk) => {
    const ends = [-400, -1, 1, 6.9, 7.1, 29, 31, 89, 91, 300, 5000];
    const bundle = ends.map((days, i) =>
      made({ cn: `e-${i}`, serial: String(10 + i), to: inDays(days), ca: i % 2 === 0 })
    );
    await addBundle(desk, bundle.join(""));
    const keyed = issue({ subject: { CN: "keyed" }, days: 20000 });
    await add(desk, keyed.certificate + keyed.key);
    const shown = await counts(desk);
    assert.equal(shown.total, 12);
    assert.equal(shown.with_private, 1);
    assert.equal(shown.authorities, 6);
    assert.deepEqual(shown.bands, {
      expired: 2,
      within_7_days: 2,
      within_30_days: 2,
      within_90_days: 2,
      later: 4,
      never: 0,
      invalid: 0,
    });
    const { before, months, after } = shown.timeline;
    assert.equal(months.length, 24);
    assert.equal(months[0]?.month, "2026-03");
    assert.equal(months[23]?.month, "2028-02");
    // 14 March, 16 March, 22 March (twice); what ended in February 2025 stands before.
    assert.deepEqual([before, months[0]?.certificates, after], [1, 4, 2]);
    assert.equal(before + after + months.reduce((sum, one) => sum + one.certificates, 0), 12);
    const authorities = await counts(desk, "is_ca=true");
    assert.equal(authorities.total, 6);
    assert.deepEqual(Object.values(authorities.bands), [1, 1, 1, 1, 2, 0, 0]);
    assert.equal((await counts(desk, "has_private=true")).total, 1);
    for (const [status, n] of [["expired", 2], ["expiring", 4]] as const) {
      assert.equal((await names(desk, `status=${status}`)).length, n);
    }
  },
  { clock },
);

const root = issue({
  subject: { CN: "Root of all", O: "Example" },
  authority: true,
});
const leaf = issue({ subject: { CN: "leaf.example.org" }, issuer: root });

testOnEngines(
  "v1 certificate: PEM, chain, issuers and what it issued; its key never",
  async (desk) => {
    const { results: [one] } = await upload(desk, {
      body: leaf.certificate + leaf.key + root.certificate,
    });
    assert.equal(one?.result, "added");
    const id = one?.id ?? "";
    const alone = await get(desk, id);
    assert.equal(alone.has_private, true);
    assert.equal(alone.pem.trim(), leaf.certificate.trim());
    assert.equal(alone.chain.length, 1);
    assert.deepEqual([alone.chain[0]?.subject_cn, alone.chain[0]?.stored], ["Root of all", false]);
    assert.deepEqual(alone.issuers, []);
    await add(desk, root.certificate);
    const shown = await get(desk, id);
    assert.equal(shown.chain[0]?.stored, true);
    assert.equal(shown.issuers[0]?.id, shown.chain[0]?.id);
    const rootId = shown.issuers[0]?.id ?? "";
    assert.deepEqual((await get(desk, rootId)).issuers, []);
    assert.deepEqual(await names(desk, "", `/${rootId}/issued`), ["leaf.example.org"]);
    assert.deepEqual(await names(desk, "", `/${id}/issued`), []);

    const pem = await desk.send("GET", `${CERTIFICATES}/${id}/pem`);
    assert.equal(pem.headers.get("content-type"), "application/x-pem-file");
    assert.match(
      pem.headers.get("content-disposition") ?? "",
      /^attachment; filename="[0-9a-f]+\.pem"$/,
    );
    assert.equal((await pem.text()).trim(), leaf.certificate.trim());
    const whole = await (await desk.send("GET", `${CERTIFICATES}/${id}/pem?chain=true`)).text();
    assert.equal(whole.match(/BEGIN CERTIFICATE/g)?.length, 2);
    for (const text of [JSON.stringify(shown), whole]) assert.ok(!text.includes("PRIVATE KEY"));
    const other = await desk.otherOrganisation();
    for (const path of ["", "/pem", "/issued"]) {
      for (
        const [credential, channel] of [[other.admin, id], [desk.admin, `${id.slice(0, -1)}g`]]
      ) {
        const response = await desk.send("GET", `${CERTIFICATES}/${channel}${path}`, {
          credential,
        });
        await assertFailure(response, "certificate_not_found");
      }
    }
  },
);

testOnEngines(
  "v1 certificate: what has no common name is told by its unit and organisation",
  async (desk) => {
    const authority = issue({ subject: { O: "Harborline", OU: "Roots" }, authority: true });
    const nameless = issue({ subject: { O: "Harborline", OU: "Edge" }, issuer: authority });
    const id = await add(desk, nameless.certificate + authority.certificate);
    await add(desk, authority.certificate);
    const { chain, issuers } = await get(desk, id);
    for (const [one] of [chain, issuers]) {
      assert.deepEqual([one?.subject_cn, one?.name], ["", "Roots, Harborline"]);
    }
    const ends = await (await desk.send("GET", "/v1/insight/expiries")).json();
    assert.deepEqual(ends.certificates.next.map((one: { name: string }) => one.name), [
      "Edge, Harborline",
    ]);
  },
);

testOnEngines(
  "v1 certificate: If-Match lets nobody delete what has changed since",
  async (desk) => {
    const id = await add(desk, leaf.certificate);
    const read = await desk.send("GET", `${CERTIFICATES}/${id}`);
    const etag = read.headers.get("etag") ?? "";
    assert.equal(etag, `"${(await read.json()).revision}"`);
    await upload(desk, { body: leaf.certificate + leaf.key });
    const remove = (tag: string) =>
      desk.send("DELETE", `${CERTIFICATES}/${id}`, { headers: { "if-match": tag } });
    await assertFailure(await remove(etag), "precondition_failed");
    const fresh = (await desk.send("GET", `${CERTIFICATES}/${id}`)).headers.get("etag") ?? "";
    assert.notEqual(fresh, etag);
    const removed = await remove(fresh);
    assert.deepEqual(await removed.json(), { id });
    await assertFailure(await remove(fresh), "certificate_not_removed");
    assert.equal((await counts(desk)).total, 0);
  },
);

testOnEngines(
  "v1 upload: a result for each certificate, whatever the file is",
  async (desk) => {
    const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    const bundle = await upload(desk, form(made({ cn: "a" }) + broken + made({ cn: "a" })));
    assert.deepEqual(bundle.results.map((one) => one.result), ["added", "refused", "exists"]);
    assert.deepEqual([bundle.added, bundle.exists, bundle.refused], [1, 1, 1]);
    assert.equal(bundle.results[1]?.reason, "malformed");
    assert.deepEqual(bundle.results.map((one) => one.index), [0, 1, 2]);

    const file = pkcs12({ ...leaf, chain: root.certificate }, "open sesame");
    const locked = await upload(desk, { body: file });
    assert.deepEqual(
      locked.results.map((one) => [one.result, one.reason]),
      [["refused", "passphrase_required"]],
    );
    const wrong = await upload(desk, { body: file, headers: { passphrase: "x" } });
    assert.equal(wrong.results[0]?.reason, "wrong_passphrase");
    const opened = await upload(desk, form(file, { passphrase: "open sesame" }));
    assert.equal(opened.results[0]?.result, "added");
    assert.equal((await get(desk, opened.results[0]?.id ?? "")).chain.length, 1);

    const expired = issue({ subject: { CN: "expired" }, days: 1 });
    clock.at += 10 * DAY;
    const late = await upload(desk, { body: expired.certificate + expired.key });
    assert.equal(late.results[0]?.result, "added");
    clock.at -= 10 * DAY;
    const chained = await upload(desk, { body: leaf.certificate + root.certificate }, "?as=one");
    assert.deepEqual(chained.results.map((one) => one.result), ["exists"]);
    assert.equal((await upload(desk, { body: "no PEM" })).results[0]?.reason, "not_pem");
  },
  { clock },
);

testOnEngines(
  "v1 upload: a repeat with the same Idempotency-Key gets the first answer again",
  async (desk) => {
    const headers = { "idempotency-key": "a-key-of-sixteen-characters" };
    const body = made({ cn: "a" }) + made({ cn: "b", serial: "02" });
    const first = await upload(desk, { body, headers });
    assert.equal(first.added, 2);
    assert.deepEqual(await upload(desk, { body, headers }), first);
    assert.equal((await upload(desk, { body })).exists, 2);
    await assertFailure(
      await desk.send("POST", CERTIFICATES, { body: made({ cn: "c" }), headers }),
      "idempotency_key_reused",
    );
  },
);
