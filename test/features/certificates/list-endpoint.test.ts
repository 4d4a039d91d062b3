/** GET /api/certs as the specification has it: bytes, order, pages, filter. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import {
  add,
  addBundle,
  CERTS,
  type Details,
  issue,
  listed,
  made,
} from "../../support/certificates.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call as people } from "../../support/people.ts";
import { roots } from "../../../packages/x509/test/support/roots.ts";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => made({ cn: `c-${i}`, serial: toHex(i + 1) }));
const toHex = (n: number) => n.toString(16).padStart(4, "0");

testOnEngines("list: nothing is there", async (desk) => {
  for (const p of ["", "?p=1", "?p=0", "?p=7", "?p=-1"]) {
    const text = await (await desk.send("GET", `${CERTS}${p}`)).text();
    assert.equal(text, `{"certs":[],"cert_basics":[],"pages":0}`, p);
  }
  for (const p of ["", "&p=-1"]) {
    const text = await (await desk.send("GET", `${CERTS}?mode=detailed${p}`)).text();
    assert.equal(text, `{"cert_basics":[],"pages":0}`);
  }
  const details = await (await desk.send("GET", `${CERTS}/details?p=-1`)).text();
  assert.equal(details, `{"certificates":[],"pages":0}`);
});

testOnEngines("list: the members of 2.1 in their order, with the ids before them", async (desk) => {
  const id = await add(
    desk,
    made({ cn: 'a "b" ü', dns: ["x.example.org", "(.*)\\.example\\.org"] }),
  );
  const basics = `{"id":"${id}","dns_names":["x.example.org","(.*)\\\\.example\\\\.org"],` +
    `"has_private":false,"is_ca":false,"issuer_cn":"a \\"b\\" ü","subject_cn":"a \\"b\\" ü",` +
    `"not_after":"2045-01-01T00:00:00Z","not_before":"2020-01-01T00:00:00Z"}`;
  for (const query of ["", "?mode=", "?p=1", "?p=0", "?p=-1", "?filter=with_pk", "?unknown=1"]) {
    const response = await desk.send("GET", `${CERTS}${query}`);
    assert.equal(
      await response.text(),
      `{"certs":["${id}"],"cert_basics":[${basics}],"pages":1}`,
      query,
    );
    assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
  }
});

testOnEngines("detailed: 2.1 first, then the details, then status and days left", async (desk) => {
  const id = await add(desk, made({ cn: "a", ca: true }));
  const [item] = (await listed(desk)).cert_basics;
  assert.deepEqual(Object.keys(item ?? {}), [
    "id",
    "dns_names",
    "has_private",
    "is_ca",
    "issuer_cn",
    "subject_cn",
    "not_after",
    "not_before",
    "fingerprint",
    "serial_number",
    "issuer",
    "subject",
    "key_algorithm",
    "key_size",
    "signature_algorithm",
    "ip_addresses",
    "uris",
    "email_addresses",
    "chain_length",
    "date_created",
    "path_length",
    "status",
    "days_left",
  ]);
  assert.match(item?.date_created ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const bare = await (await desk.send("GET", `${CERTS}/${id}`)).text();
  assert.equal(bare, JSON.stringify(item));
  const details = await (await desk.send("GET", `${CERTS}/details`)).text();
  assert.equal(details, JSON.stringify({ certificates: [item], pages: 1 }));
});

testOnEngines(
  "list: every page in the order of addition, and nothing past the end",
  async (desk) => {
    const pems = numbered(43);
    const ids: string[] = [];
    for (const pem of pems.slice(0, 20)) ids.push(await add(desk, pem));
    const { results } = await addBundle(desk, pems.slice(20).join(""));
    ids.push(...results.map((result: { id: string }) => result.id));
    const [third] = ids.splice(2, 1);
    await desk.send("DELETE", `${CERTS}/${third}`);
    const read = async (query: string) =>
      await (await desk.send("GET", `${CERTS}?${query}`)).json();
    const pages: string[] = [];
    for (let p = 1; p <= 11; p++) {
      const answer = await read(`p=${p}`);
      assert.equal(answer.pages, 11);
      assert.deepEqual(answer.certs, answer.cert_basics.map((item: Details) => item.id));
      pages.push(...answer.certs);
    }
    assert.deepEqual(pages, ids);
    assert.deepEqual(await read("p=0"), await read(""));
    assert.deepEqual((await read("")).certs, ids.slice(0, 4));
    assert.deepEqual(await read("p=12"), { certs: [], cert_basics: [], pages: 11 });
    assert.deepEqual(await read("p=99999999999999999999"), {
      certs: [],
      cert_basics: [],
      pages: 11,
    });
    for (const p of ["-1", "-7"]) {
      const all = await read(`p=${p}`);
      assert.deepEqual([all.certs, all.pages], [ids, 1]);
      assert.deepEqual(all.cert_basics.map((item: Details) => item.id), ids);
    }
    assert.deepEqual((await listed(desk, "p=-1")).cert_basics.map((item) => item.id), ids);
    // What was deleted and comes again is added last.
    assert.equal(await add(desk, pems[2] ?? ""), third);
    assert.deepEqual((await read("p=-1")).certs.at(-1), third);
  },
  { environment: { KEYDESK_PAGE_SIZE: "4" } },
);

testOnEngines("stream: several chunks make the same list as its pages", async (desk) => {
  const { results } = await addBundle(desk, numbered(400).join(""));
  const ids = results.map((result: { id: string }) => result.id);
  const all = await (await desk.send("GET", `${CERTS}?p=-1`)).json();
  assert.deepEqual([all.certs, all.pages], [ids, 1]);
  assert.deepEqual(all.cert_basics.map((item: Details) => item.id), ids);
  // Far enough for the counters to find the place.
  for (const p of [27, 30, 39, 40]) {
    const page = await (await desk.send("GET", `${CERTS}?p=${p}`)).json();
    assert.deepEqual(page.certs, ids.slice((p - 1) * 10, p * 10));
    const reversed = await (await desk.send("GET", `${CERTS}?p=${p}&direction=desc`)).json();
    assert.deepEqual(reversed.certs, ids.toReversed().slice((p - 1) * 10, p * 10));
  }
});

const keyed = issue({ subject: { CN: "keyed" }, days: 900 });

async function withAndWithout(desk: Parameters<typeof add>[0]) {
  const plain = await add(desk, made());
  return { plain, secret: await add(desk, keyed.certificate + keyed.key) };
}

testOnEngines("filter: works before paging, with mode=detailed only", async (desk) => {
  const { plain, secret } = await withAndWithout(desk);
  const ids = async (query: string) =>
    (await (await desk.send("GET", `${CERTS}?${query}`)).json()).cert_basics
      .map((item: Details) => item.id);
  const expected: [string, string[]][] = [
    ["omit", [plain, secret]],
    ["", [plain, secret]],
    ["with_pk", [secret]],
    ["without_pk", [plain]],
  ];
  for (const [filter, wanted] of expected) {
    assert.deepEqual(await ids(`mode=detailed&filter=${filter}`), wanted);
    assert.deepEqual(await ids(`filter=${filter}`), [plain, secret]);
    assert.deepEqual(await ids(`mode=detailed&p=-1&filter=${filter}`), wanted);
  }
  assert.deepEqual(await ids("has_private=true"), [secret]);
});

testOnEngines("filter: a setting makes it work in both modes", async (desk) => {
  const { secret } = await withAndWithout(desk);
  const answer = await (await desk.send("GET", `${CERTS}?filter=with_pk`)).json();
  assert.deepEqual([answer.certs, answer.pages], [[secret], 1]);
}, { environment: { KEYDESK_CERTS_FILTER: "always" } });

const ORIGINAL = { environment: { KEYDESK_CERTS_ANSWER: "original" } };
const BASICS = [
  "id",
  "dns_names",
  "has_private",
  "is_ca",
  "issuer_cn",
  "subject_cn",
  "not_after",
  "not_before",
];

testOnEngines(
  "original answers: ids alone without mode, on pages and as a stream",
  async (desk) => {
    const text = async (query: string) => await (await desk.send("GET", CERTS + query)).text();
    for (const query of ["", "?p=7", "?p=-1"]) {
      assert.equal(await text(query), `{"certs":[],"pages":0}`);
    }
    const ids: string[] = [];
    for (const pem of numbered(12)) ids.push(await add(desk, pem));
    const answer = (some: string[], pages: number) => JSON.stringify({ certs: some, pages });
    assert.equal(await text(""), answer(ids.slice(0, 10), 2));
    assert.equal(await text("?mode=&p=2"), answer(ids.slice(10), 2));
    assert.equal(await text("?p=3"), answer([], 2));
    assert.equal(await text("?p=-1&filter=with_pk"), answer(ids, 1));
  },
  ORIGINAL,
);

testOnEngines("original answers: the eight members of 2.1 with mode=detailed", async (desk) => {
  const list = async (query: string) =>
    await (await desk.send("GET", `${CERTS}?mode=detailed${query}`)).json();
  assert.deepEqual(await list("&p=-1"), { cert_basics: [], pages: 0 });
  const { plain, secret } = await withAndWithout(desk);
  const wanted: [string, string[], number][] = [
    ["", [plain, secret], 1],
    ["&p=-1", [plain, secret], 1],
    ["&filter=with_pk", [secret], 1],
    ["&filter=without_pk&p=-1", [plain], 1],
    ["&p=2", [], 1],
  ];
  for (const [query, ids, pages] of wanted) {
    const answer = await list(query);
    assert.deepEqual(Object.keys(answer), ["cert_basics", "pages"], query);
    assert.deepEqual(answer.cert_basics.map((item: Details) => item.id), ids, query);
    for (const item of answer.cert_basics) assert.deepEqual(Object.keys(item), BASICS, query);
    assert.equal(answer.pages, pages, query);
  }
}, ORIGINAL);

testOnEngines("original answers: only the setting asks for them, no user agent", async (desk) => {
  await add(desk, made({ cn: "a" }));
  const headers = { "user-agent": "OpenAPI-Generator/1.0.0/go" };
  const answer = await (await desk.send("GET", CERTS, { headers })).json();
  assert.deepEqual(Object.keys(answer), ["certs", "cert_basics", "pages"]);
});

for (const setting of ["full", "original"] as const) {
  testOnEngines(
    `original answers: an access token says how it reads where the server says ${setting}`,
    async (desk) => {
      await desk.send("POST", "/api/certs", { body: made({ cn: "example.org" }) });
      const { id } = await people(desk, "POST", "/v1/people", {
        name: "SDK",
        permissions: ["certs:read"],
      });
      const path = `/v1/people/${id}/access-tokens`;
      const read = async (credential: string, query: string) => {
        const response = await desk.send("GET", `/api/certs${query}`, { credential });
        return Object.keys(await response.json()).join(" ");
      };
      for (const certs_answer of ["full", "original", undefined] as const) {
        const asked = { name: "x", deliver: "answer", certs_answer };
        const issued = await people(desk, "POST", path, asked);
        assert.equal(issued.certs_answer, certs_answer ?? null);
        const rotate = { overlap_seconds: 60, deliver: "answer" };
        const next = await people(desk, "POST", `/v1/access-tokens/${issued.id}/rotate`, rotate);
        assert.equal(next.certs_answer, certs_answer ?? null);
        for (const { access_token: credential } of [issued, next]) {
          const isOriginal = (certs_answer ?? setting) === "original";
          const expected = isOriginal
            ? ["certs pages", "cert_basics pages", "certs pages"]
            : ["certs cert_basics pages", "cert_basics pages", "certs cert_basics pages"];
          // Answers that are kept are kept apart.
          const shown = [];
          for (const query of ["", "?mode=detailed", "?p=-1"]) {
            shown.push(await read(credential, query));
          }
          assert.deepEqual(shown, expected, `${certs_answer}`);
        }
      }
    },
    { environment: { KEYDESK_CERTS_ANSWER: setting } },
  );
}

testOnEngines(
  "original answers: more than 1,000 matches are capped without saying so",
  async (desk) => {
    await addBundle(desk, numbered(1001).join(""));
    const text = await (await desk.send("GET", `${CERTS}?mode=detailed&status=valid&p=101`)).text();
    assert.equal(text, `{"cert_basics":[],"pages":100}`);
  },
  ORIGINAL,
);

testOnEngines("paths: details, export and bundle are no ids, whatever the method", async (desk) => {
  const allowed = {
    details: "GET, HEAD, OPTIONS",
    export: "GET, HEAD, OPTIONS",
    bundle: "POST, OPTIONS",
  };
  for (const [word, allow] of Object.entries(allowed)) {
    const response = await desk.send("DELETE", `${CERTS}/${word}`);
    assert.deepEqual([response.status, response.headers.get("allow")], [405, allow]);
  }
  assert.equal((await desk.send("GET", `${CERTS}/bundle`)).status, 405);
});

testOnEngines(
  "every Mozilla root can be imported, and reads as the runtime reads it",
  async (desk) => {
    const answer = await addBundle(desk, roots);
    const pems = roots.match(/-----BEGIN.*?END CERTIFICATE-----\n/gs) ?? [];
    assert.deepEqual([answer.added, answer.refused, answer.exists], [pems.length, 0, 0]);
    const { cert_basics } = await listed(desk, "p=-1");
    assert.equal(cert_basics.length, pems.length);
    for (const [i, item] of cert_basics.entries()) {
      const read = new X509Certificate(pems[i] ?? "");
      const hex = read.fingerprint256.replaceAll(":", "").toLowerCase();
      assert.equal(item.fingerprint, hex);
      assert.equal(Date.parse(item.not_after), Date.parse(read.validTo));
      assert.equal(Date.parse(item.not_before), Date.parse(read.validFrom));
      assert.equal(item.subject_cn, /^CN=(.*)$/m.exec(read.subject)?.[1] ?? "");
      assert.equal(item.is_ca, read.ca);
    }
    const exported = await (await desk.send("GET", `${CERTS}/export`)).text();
    assert.deepEqual(exported.match(/-----BEGIN.*?END CERTIFICATE-----\n/gs), pems);
  },
);
