/** The additive query parameters, held against a model that knows every certificate. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  add,
  addBundle,
  asn1Time,
  CERTS,
  type Details,
  issue,
  listed,
  made,
} from "../../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { randomFrom } from "../../../packages/x509/test/support/mutate.ts";

const NOW = Date.parse("2026-11-21T10:00:00.500Z");
const DAY = 86_400_000;
const clock = { now: () => NOW };
const names = [
  "alpha",
  "Beta",
  "gamma",
  "ÄRGER",
  "delta.example.org",
  "50%_off",
  'quo"te',
  "日本語です",
];

/**
 * A mixture: many names, ends of the validity on both sides of every boundary, authorities and
 * others.
 */
function mixture(count: number, seed: number): string {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const ends = [-900, -1, 0, 1, 29, 30, 31, 400, 4000].map((days) => NOW - 500 + days * DAY);
  return Array.from({ length: count }, (_, i) =>
    made({
      cn: `${pick(names)}-${i % 7}`,
      dns: random() < 0.5 ? [`host-${i}.${pick(names)}.example.net`] : [],
      to: asn1Time(pick(ends) + pick([0, 0, 1000, -1000])),
      from: asn1Time(random() < 0.8 ? NOW - 4000 * DAY : NOW + 500 + pick([-1000, 0, 20 * DAY])),
      ca: random() < 0.3,
      serial: `0${i.toString(16).padStart(5, "0")}`,
    })).join("");
}

type Params = Record<string, string>;

/** What a query must find, by the words of the documentation alone. */
function expected(all: readonly Details[], params: Params): string[] {
  const found = all.map((item, added) => ({ item, added })).filter(({ item }) =>
    (params.status === undefined || item.status === params.status) &&
    (params.is_ca === undefined || String(item.is_ca) === params.is_ca) &&
    (params.has_private === undefined || String(item.has_private) === params.has_private) &&
    (params.expires_before === undefined ||
      Date.parse(item.not_after) < Date.parse(params.expires_before) &&
        (item.status !== "invalid" || params.status === "invalid")) &&
    (params.q === undefined ||
      textsOf(item).some((text) => text.includes((params.q ?? "").toLowerCase())))
  );
  const timed = params.status !== undefined || params.expires_before !== undefined;
  const sort = params.sort ??
    (timed && params.q === undefined
      ? params.status === "not_yet_valid" ? "not_before" : "not_after"
      : "date_added");
  const keyOf = (item: Details) =>
    sort === "subject_cn"
      ? item.subject_cn.toLowerCase()
      : sort === "date_added"
      ? ""
      : sort === "not_before"
      ? item.not_before
      : item.not_after;
  const bytes = (text: string) => new TextEncoder().encode(text);
  found.sort((a, b) =>
    Buffer.compare(bytes(keyOf(a.item)), bytes(keyOf(b.item))) || a.added - b.added
  );
  if (params.direction === "desc") found.reverse();
  return found.map(({ item }) => item.id);
}

function textsOf(item: Details): string[] {
  return [
    item.subject_cn,
    item.issuer_cn,
    item.serial_number,
    item.fingerprint,
    ...item.dns_names,
  ].map((text) => text.toLowerCase());
}

function independentStatus(item: Details): string {
  const [from, to] = [Date.parse(item.not_before), Date.parse(item.not_after)];
  if (to < from) return "invalid";
  if (to < NOW) return "expired";
  if (from > NOW) return "not_yet_valid";
  return to - NOW <= 30 * DAY ? "expiring" : "valid";
}

async function fill(desk: TestDesk): Promise<Details[]> {
  await addBundle(desk, mixture(150, 7));
  const keyed = issue({ subject: { CN: "alpha-keyed" }, days: 900 });
  await add(desk, keyed.certificate + keyed.key);
  // Another organisation's are never found.
  const { admin: credential } = await desk.otherOrganisation();
  await addBundle(desk, mixture(50, 8), { credential });
  const { cert_basics } = await listed(desk, "p=-1");
  assert.equal(cert_basics.length, 151);
  return cert_basics;
}

async function check(desk: TestDesk, all: readonly Details[], params: Params): Promise<void> {
  const query = new URLSearchParams(params).toString();
  const wanted = expected(all, params);
  const pages = Math.ceil(wanted.length / 10);
  const shown: string[] = [];
  for (let p = 1; p <= pages + 1; p++) {
    const answer = await listed(desk, `${query}&p=${p}`);
    assert.deepEqual([answer.pages, answer.capped], [pages, undefined], query);
    shown.push(...answer.cert_basics.map((item) => item.id));
  }
  assert.deepEqual(shown, wanted, query);
  const everything = await listed(desk, `${query}&p=-1`);
  assert.deepEqual(everything.cert_basics.map((item) => item.id), wanted, `${query}&p=-1`);
}

testOnEngines(
  "status: as the validity says, and days left rounded down",
  async (desk) => {
    const all = await fill(desk);
    assert.deepEqual(new Set(all.map((item) => item.status)).size, 5);
    for (const item of all) {
      assert.equal(item.status, independentStatus(item), JSON.stringify(item));
      const days = Math.floor((Date.parse(item.not_after) - NOW) / DAY);
      assert.equal(item.days_left, item.status === "invalid" ? null : days);
    }
  },
  { clock },
);

testOnEngines(
  "queries: conditions, searches and orders find what a model finds",
  async (desk) => {
    const all = await fill(desk);
    const random = randomFrom(99);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const choices: Record<string, readonly string[]> = {
      status: ["valid", "expiring", "expired", "not_yet_valid", "invalid"],
      is_ca: ["true", "false"],
      has_private: ["true", "false"],
      expires_before: [
        "2026-11-21T10:00:00Z",
        "2026-12-21T10:00:00.5Z",
        "2030-01-01T01:00:00+01:00",
      ],
      q: [
        "alpha",
        "BETA",
        "ärger",
        "example.net",
        "50%_",
        'quo"te',
        "日本語",
        "host-12",
        "-3",
        "\\_x",
        "none such",
      ],
      sort: ["date_added", "not_after", "subject_cn"],
      direction: ["asc", "desc"],
    };
    for (const [name, values] of Object.entries(choices)) {
      for (const value of values) {
        if (name !== "q" || value.length >= 3) await check(desk, all, { [name]: value });
      }
    }
    for (let round = 0; round < 60; round++) {
      const params: Params = {};
      for (const [name, values] of Object.entries(choices)) {
        const value = pick(values);
        if (random() < 0.4 && (name !== "q" || value.length >= 3)) params[name] = value;
      }
      await check(desk, all, params);
    }
  },
  { clock },
);

testOnEngines(
  "search: a fingerprint and a serial number as openssl prints them",
  async (desk) => {
    const [, , item] = await fill(desk);
    const colons = (hex: string) => (hex.match(/../g) ?? []).join(":").toUpperCase();
    const ids = async (q: string) =>
      (await listed(desk, `q=${encodeURIComponent(q)}`)).cert_basics.map((found) => found.id);
    assert.deepEqual(await ids(colons(item?.fingerprint ?? "")), [item?.id]);
    assert.deepEqual(await ids(item?.fingerprint ?? ""), [item?.id]);
  },
  { clock },
);

testOnEngines(
  "search: more than a thousand matches are capped and said to be",
  async (desk) => {
    const pems = Array.from(
      { length: 1030 },
      (_, i) => made({ cn: `many-${i}`, serial: (i + 256).toString(16).padStart(4, "0") }),
    );
    for (let at = 0; at < pems.length; at += 300) {
      await addBundle(desk, pems.slice(at, at + 300).join(""));
    }
    const page = await listed(desk, "q=many");
    assert.deepEqual([page.pages, page.capped, page.cert_basics.length], [100, true, 10]);
    assert.equal((await listed(desk, "q=many&p=101")).cert_basics.length, 0);
    const newest = await listed(desk, "q=many&direction=desc");
    assert.equal(newest.cert_basics[0]?.subject_cn, "many-1029");
    const everything = await listed(desk, "q=many&p=-1");
    assert.equal(everything.cert_basics.length, 1030);
    const names = (sort: string) => {
      const texts = pems.map((_, i) => `many-${i}`);
      return sort === "subject_cn" ? texts.sort() : texts;
    };
    for (const sort of ["subject_cn", "date_added", "not_after"]) {
      for (const direction of ["asc", "desc"]) {
        const wanted = direction === "asc" ? names(sort) : names(sort).reverse();
        for (const condition of ["q=many", "status=valid", "q=many&status=valid", "is_ca=false"]) {
          const query = `${condition}&sort=${sort}&direction=${direction}`;
          const all = await listed(desk, `${query}&p=-1`);
          assert.deepEqual([all.pages, all.capped], [1, undefined], query);
          assert.deepEqual(all.cert_basics.map((item) => item.subject_cn), wanted, query);
        }
        const none = await listed(desk, `q=many&status=expired&sort=${sort}&p=-1`);
        assert.deepEqual(none, { cert_basics: [], pages: 0 });
      }
    }
    assert.equal((await listed(desk, "status=valid&sort=subject_cn")).capped, true);
    const counted = await listed(desk, "status=valid");
    assert.deepEqual([counted.pages, counted.capped], [100, true]);
    const csv = await (await desk.send("GET", `${CERTS}/export?format=csv&q=many`)).text();
    assert.equal(csv.split("\r\n").length, 1032);
    const basics = await (await desk.send("GET", `${CERTS}?q=many&sort=subject_cn&p=-1`)).json();
    assert.deepEqual(
      basics.certs,
      basics.cert_basics.map((item: Details) => item.id),
    );
    assert.equal(basics.certs.length, 1030);
  },
  { environment: { KEYDESK_BODY_LIMIT: "10000000" }, clock },
);

testOnEngines(
  "export: CSV and JSON lines hold every match, and no formula",
  async (desk) => {
    await add(desk, made({ cn: '=1+"2",3', dns: ["a.example.org", "b.example.org"] }));
    await add(desk, made({ cn: "other", serial: "02" }));
    const response = await desk.send("GET", `${CERTS}/export?format=csv`);
    assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
    assert.equal(
      response.headers.get("content-disposition"),
      `attachment; filename="certificates.csv"`,
    );
    const [head, first, ...rest] = (await response.text()).split("\r\n");
    assert.match(head ?? "", /^id,subject_cn,issuer_cn,not_before,/);
    assert.match(first ?? "", /,"'=1\+""2"",3",.*,a\.example\.org b\.example\.org,,$/);
    assert.equal(rest.length, 2);
    const lines = (await (await desk.send("GET", `${CERTS}/export?format=jsonl&q=other`)).text())
      .trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      (await listed(desk, "q=other")).cert_basics
        .map((one: object) => ({ ...one, owner: "", tags: [] })),
    );
  },
  { clock },
);
