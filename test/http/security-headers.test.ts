/** What every answer tells browsers, whoever gives it. */
import assert from "node:assert/strict";
import { openTestDesk, type TestDesk } from "../support/desk.ts";

/** One answer of each part of the server that gives any. */
async function answersOf(desk: TestDesk): Promise<[name: string, response: Response][]> {
  const BROWSER = { accept: "text/html" };
  const page = await (await desk.send("GET", "/reference", { credential: null })).text();
  const file = /reference\.[0-9a-f]{16}\.js/.exec(page)?.[0];
  assert.ok(file);
  const asked: [string, string, Record<string, string>?][] = [
    ["GET", "/api/portal/requests"],
    ["GET", "/v1/keys"],
    ["HEAD", "/v1/keys"],
    ["GET", "/v1/keys/unknown"],
    ["GET", "/no/such/path"],
    ["PUT", "/v1/keys"],
    ["OPTIONS", "/v1/keys"],
    ["GET", "/v1/forward-auth"],
    ["POST", "/oauth/token"],
    ["GET", "/healthz"],
    ["GET", "/openapi.json"],
    ["GET", "/reference"],
    ["GET", `/reference/${file}`],
    ["GET", "/claim"],
    ["GET", "/console"],
    ["GET", "/console/assets/none.js"],
    ["POST", "/console"],
    ["GET", "/favicon.ico"],
    ["GET", "/", BROWSER],
    ["POST", "/v1/session"],
  ];
  return await Promise.all(
    asked.map(async ([method, path, headers = {}]): Promise<[string, Response]> => {
      const response = await desk.send(method, path, { headers });
      await response.body?.cancel();
      return [`${method} ${path}`, response];
    }),
  );
}

Deno.test("headers: every answer has a closed policy, no referrer, no frame, and the type that it says", async () => {
  await using desk = await openTestDesk("sqlite");
  for (const [name, { headers }] of await answersOf(desk)) {
    const policy = headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
      assert.ok(policy.includes(part), `${name}: ${part}`);
    }
    assert.doesNotMatch(policy, /unsafe|\*|object-src/, name);
    assert.equal(headers.get("x-content-type-options"), "nosniff", name);
    assert.equal(headers.get("referrer-policy"), "no-referrer", name);
    assert.equal(headers.get("strict-transport-security"), null, name);
    const type = headers.get("content-type");
    if (type?.startsWith("text/")) assert.match(type, /; charset=utf-8$/, name);
  }
});

Deno.test("headers: where people come by https every answer keeps browsers to it", async () => {
  const environment = { KEYDESK_PUBLIC_URL: "https://desk.example.org" };
  await using desk = await openTestDesk("sqlite", { environment });
  for (const [name, { headers }] of await answersOf(desk)) {
    const told = headers.get("strict-transport-security");
    assert.equal(told, "max-age=31536000; includeSubDomains", name);
  }
});
