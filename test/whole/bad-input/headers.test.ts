import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { assertRefused, create } from "./support/refused.ts";
import { minimal } from "./support/samples.ts";

const LIST = "/api/portal/requests";

function oddCredentials({ admin }: TestDesk): Record<string, string | null> {
  return {
    "none": null,
    "empty": "",
    "blank": "   ",
    "a scheme alone": "Bearer",
    "a scheme and blanks": "Bearer   ",
    "another scheme": `Basic ${btoa(`admin:${admin}`)}`,
    "the credential under another scheme": `Token ${admin}`,
    "the scheme twice": `Bearer Bearer ${admin}`,
    "two in one header": `${admin}, ${admin}`,
    "one character short": admin.slice(0, -1),
    "one character long": `${admin}x`,
    "other letters": admin.toUpperCase(),
    "10 kB": "x".repeat(10_000),
    "10 kB of blanks before it": `x${" ".repeat(10_000)}${admin}`,
    "bytes beyond ASCII": "\u00fc\u00ff\u0080",
    "a quote": `' or '1'='1`,
    "a name of a prototype": "__proto__",
    "the header's own name": `authorization: ${admin}`,
  };
}

testOnEngines(
  "bad input: an odd credential is 401 on every endpoint and changes nothing",
  async (desk) => {
    const id = await create(desk, minimal);
    const calls = [["GET", LIST], ["POST", LIST], ["GET", `${LIST}/${id}`], [
      "PUT",
      `${LIST}/${id}`,
    ]];
    const others = [["UPDATE", `${LIST}/${id}`], ["DELETE", `${LIST}/${id}`]];
    for (const [name, credential] of Object.entries(oddCredentials(desk))) {
      for (
        const [method = "", path = ""] of [...calls, ...others, ["PUT", `${LIST}/approve/${id}`]]
      ) {
        const body = method === "GET" ? undefined : minimal;
        const { message } = await assertRefused(desk, 401, method, path, { credential, body });
        assert.equal(message, "Not authorised", name);
      }
    }
    assert.ok(!desk.logLines.join("").includes(desk.admin));
  },
);

testOnEngines(
  "bad input: two Authorization headers are nobody's, even where both are right",
  async (desk) => {
    for (const second of [desk.admin, "x", ""]) {
      const headers = new Headers({ authorization: desk.admin });
      headers.append("authorization", second);
      const response = await desk.app.fetch(new Request(`http://desk.test${LIST}`, { headers }));
      assert.equal(response.status, 401);
      assert.equal(response.headers.get("www-authenticate"), "Bearer");
    }
  },
);

testOnEngines("bad input: an odd Idempotency-Key is refused and approves nothing", async (desk) => {
  const id = await create(desk, minimal);
  const path = `${LIST}/approve/${id}`;
  const odd = ["", "short", "x".repeat(15), "x".repeat(256), "x".repeat(9000), "\u00fc".repeat(20)];
  for (const key of [...odd, `${"x".repeat(20)}\t${"x".repeat(20)}`]) {
    const { message } = await assertRefused(desk, 400, "PUT", path, {
      headers: { "idempotency-key": key },
    });
    assert.match(message, /^Idempotency-Key: /);
  }
  for (const key of ["__proto__________", "'; drop table --'", '{}[]<>\\"%00%00%00']) {
    const own = await create(desk, minimal);
    const call = () =>
      desk.send("PUT", `${LIST}/approve/${own}`, { headers: { "idempotency-key": key } });
    const first = await (await call()).text();
    assert.equal(await (await call()).text(), first);
    // Another path under the same key is no repeat.
    await assertRefused(desk, 422, "PUT", path, { headers: { "idempotency-key": key } });
  }
});

testOnEngines(
  "bad input: no X-Request-Id can write a header or be given back when it is odd",
  async (desk) => {
    for (const own of ["", "a b", "\u00fc", "x".repeat(65), "a,b", "<b>", "a;b=c", '"a"']) {
      const response = await desk.send("GET", "/healthz", { headers: { "x-request-id": own } });
      assert.match(response.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
    }
    const response = await desk.send("GET", "/healthz", { headers: { "x-request-id": "A.b_c-1" } });
    assert.equal(response.headers.get("x-request-id"), "A.b_c-1");
  },
);

testOnEngines(
  "bad input: a body is JSON whatever its Content-Type and coding say",
  async (desk) => {
    for (
      const type of ["", "text/xml", "multipart/form-data", "application/json; charset=utf-16"]
    ) {
      const response = await desk.send("POST", LIST, {
        body: minimal,
        headers: { "content-type": type, "content-encoding": "gzip" },
      });
      assert.equal(response.status, 200, type);
      await response.body?.cancel();
    }
  },
);
