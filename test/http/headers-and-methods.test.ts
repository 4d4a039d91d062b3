/**
 * The rules of every endpoint that lie outside its body: forms of the access token, slashes,
 * methods, ids of requests, CORS.
 */
import assert from "node:assert/strict";
import { assertAnswer, assertFailure, assertUsualHeaders } from "../support/answers.ts";
import { testOnEngines } from "../support/desk.ts";
import {
  approvalOf,
  create,
  listIds,
  pathOf,
  REQUESTS,
  smallRequest,
} from "../support/key-requests.ts";
import { pathWith, walkedCalls } from "../support/walk.ts";

testOnEngines(
  "access token: raw or with Bearer, in any case, blanks around it trimmed",
  async (desk) => {
    const names = ["authorization", "Authorization", "AUTHORIZATION"];
    const forms = ["", "Bearer ", "bearer ", "BEARER ", "bEaReR ", "Bearer   ", " Bearer\t"];
    for (const name of names) {
      for (const form of forms) {
        for (const end of ["", "  "]) {
          const headers = { [name]: `${form}${desk.admin}${end}` };
          const response = await desk.send("GET", REQUESTS, { credential: null, headers });
          assert.equal(response.status, 200, JSON.stringify(form));
        }
      }
    }
  },
);

testOnEngines("access token: a cookie or a query parameter is none", async (desk) => {
  const headers = { cookie: `authorization=${desk.admin}; session=${desk.admin}` };
  const path = `${REQUESTS}?authorization=${desk.admin}`;
  await assertFailure(
    await desk.send("GET", path, { credential: null, headers }),
    "not_authorised",
  );
});

testOnEngines("trailing slash: the path answers exactly like the one without it", async (desk) => {
  const body = smallRequest();
  const response = await desk.send("POST", `${REQUESTS}/`, { body });
  assert.equal(response.status, 200);
  const { Message: id } = await response.json();
  assert.deepEqual(await listIds(desk, "/"), [id]);
  assert.deepEqual(await listIds(desk, "/?p=1"), [id]);
  assert.equal((await desk.send("GET", `${pathOf(id)}/`)).status, 200);
  assert.equal((await desk.send("UPDATE", `${pathOf(id)}/`, { body })).status, 200);
  assert.equal((await desk.send("PUT", `${pathOf(id)}/`, { body })).status, 200);
  assert.equal((await desk.send("PUT", `${approvalOf(id)}/`)).status, 200);
  assert.equal((await desk.send("DELETE", `${pathOf(id)}/`)).status, 200);
});

testOnEngines(
  "403: the path is the one received, with its slash and without the query",
  async (desk) => {
    const credential = await desk.token(["certs:read"]);
    for (const path of [`${REQUESTS}/`, `${REQUESTS}/a%20b`, `${REQUESTS}/approve/x/`]) {
      const method = path.includes("approve") ? "PUT" : "GET";
      await assertFailure(await desk.send(method, `${path}?p=1`, { credential }), "access_denied", {
        message: `access denied: You do not have permission to access  ${path}`,
      });
    }
  },
);

const ALLOWED: Record<string, string[]> = {};
/** One that serves a whole tree takes every method. */
const choosyCalls = walkedCalls.filter(({ endpoint }) => !endpoint.wholeTree);
for (const { endpoint: { path, otherPaths = [] }, method } of choosyCalls) {
  for (const one of [path, ...otherPaths]) (ALLOWED[one] ??= []).push(method);
}

testOnEngines("OPTIONS: every path answers with Allow, to everybody", async (desk) => {
  for (const { endpoint } of choosyCalls) {
    const path = pathWith(endpoint, "x");
    for (const end of ["", "/"]) {
      const response = await desk.send("OPTIONS", `${path}${end}`, { credential: null });
      assert.equal(response.status, 200);
      const own = ALLOWED[endpoint.path] ?? [];
      const expected = [...own, ...own.includes("GET") ? ["HEAD"] : [], "OPTIONS"].sort();
      assert.deepEqual(response.headers.get("allow")?.split(", ").sort(), expected);
      assertUsualHeaders(response);
    }
  }
});

testOnEngines("405: any other method of a path is refused with Allow", async (desk) => {
  for (const { endpoint } of choosyCalls) {
    const own = ALLOWED[endpoint.path] ?? [];
    for (const method of ["GET", "POST", "PUT", "DELETE", "UPDATE", "PATCH", "update", "APPROVE"]) {
      if (own.some((known) => known === method)) continue;
      const response = await desk.send(method, pathWith(endpoint, "x"));
      assert.ok(response.headers.get("allow")?.includes("OPTIONS"), `${method} ${endpoint.path}`);
      await assertFailure(response, "method_not_allowed");
    }
    if (own.includes("GET")) continue;
    const head = await desk.send("HEAD", pathWith(endpoint, "x"));
    assert.equal(head.status, 405);
    assert.equal(await head.text(), "");
  }
});

testOnEngines("404: an unknown path is refused in the envelope, to everybody", async (desk) => {
  const paths = [
    "/",
    "/api",
    "/api/portal",
    "/api/portal/request",
    `${REQUESTS}/a/b`,
    "/API/PORTAL/REQUESTS",
    `${REQUESTS}//`,
    "//",
  ];
  for (const path of paths) {
    for (const method of ["GET", "POST", "UPDATE", "OPTIONS", "DELETE"]) {
      await assertFailure(await desk.send(method, path, { credential: null }), "unknown_path");
    }
  }
});

testOnEngines(
  "404: a browser at a path that leads nowhere reads a page, below no interface",
  async (desk) => {
    const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
    const read = (path: string, method = "GET", headers: Record<string, string> = { accept }) =>
      desk.send(method, path, { credential: null, headers });
    for (const path of ["/claims", "/nowhere"]) {
      const page = await read(path);
      assert.equal(page.status, 404);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
      assert.match(await page.text(), /<h1>Nothing is here<\/h1>/);
      await assertFailure(await read(path, "GET", { accept: "*/*" }), "unknown_path");
      await assertFailure(await read(path, "POST"), "unknown_path");
    }
    for (const path of ["/api/nothing", "/v1/nothing", "/oauth/nothing"]) {
      assert.match((await read(path)).headers.get("content-type") ?? "", /json/);
    }
  },
);

testOnEngines("HEAD: as GET, without a body", async (desk) => {
  const id = await create(desk, smallRequest());
  const paths = [pathOf(id), REQUESTS, `${REQUESTS}?p=1`, "/healthz", "/openapi.json"];
  for (const path of paths) {
    const [get, head] = [await desk.send("GET", path), await desk.send("HEAD", path)];
    assert.equal(head.status, 200);
    assert.equal(await head.text(), "");
    assert.equal(Number(head.headers.get("content-length")), (await get.bytes()).length);
    // The document is kept by its tag.
    if (path !== "/openapi.json") assertUsualHeaders(head);
  }
  const refused: [string, string | null, number][] = [
    [pathOf("f".repeat(24)), desk.admin, 404],
    [pathOf(id), null, 401],
    [`${REQUESTS}?p=x`, desk.admin, 400],
  ];
  for (const [path, credential, status] of refused) {
    const response = await desk.send("HEAD", path, { credential });
    assert.deepEqual([response.status, await response.text()], [status, ""]);
  }
});

testOnEngines("HEAD: of a list that would be streamed has no body either", async (desk) => {
  await Promise.all(Array.from({ length: 70 }, () => create(desk, smallRequest())));
  const response = await desk.send("HEAD", REQUESTS);
  assert.deepEqual([response.status, await response.text()], [200, ""]);
  assertUsualHeaders(response);
});

testOnEngines(
  "X-Request-Id: the request's own where it is usable, else a fresh one",
  async (desk) => {
    const idOf = async (path: string, own?: string) => {
      const headers: Record<string, string> = own === undefined ? {} : { "x-request-id": own };
      return (await desk.send("GET", path, { headers })).headers.get("x-request-id") ?? "";
    };
    const seen = new Set<string>();
    for (const path of [REQUESTS, "/healthz", "/nowhere", pathOf("absent")]) {
      for (const own of ["a", "A-Z.a_z-09", "x".repeat(64)]) {
        assert.equal(
          await idOf(path, own),
          own,
        );
      }
      for (const own of [undefined, "", "x".repeat(65), "a b", "a/b", "\u00e9", "a,b"]) {
        const fresh = await idOf(path, own);
        assert.match(fresh, /^[A-Za-z0-9_.-]{1,64}$/);
        assert.notEqual(fresh, own);
        seen.add(fresh);
      }
    }
    assert.equal(seen.size, 4 * 7);
    const headers = { "x-request-id": "mine" };
    for (const method of ["OPTIONS", "PATCH"]) {
      const response = await desk.send(method, REQUESTS, { headers });
      assert.equal(response.headers.get("x-request-id"), "mine");
    }
  },
);

testOnEngines("the log tells a request by its id, path pattern and status", async (desk) => {
  const headers = { "x-request-id": "seen-in-the-log" };
  const id = await create(desk, smallRequest());
  await desk.send("GET", `${pathOf(id)}?p=1`, { headers });
  const lines = desk.logLines.join("").split("\n").filter((line) => line !== "");
  const line = JSON.parse(lines.find((text) => text.includes("seen-in-the-log")) ?? "{}");
  assert.deepEqual([line.method, line.path, line.status], ["GET", `${REQUESTS}/{id}`, 200]);
  assert.equal(typeof line.ms, "number");
  assert.ok(line.principal);
  assert.ok(!desk.logLines.join("").includes(id));
});

const ORIGIN = "https://console.example.org";

testOnEngines("CORS: off unless a setting names origins", async (desk) => {
  const headers = { origin: ORIGIN, "access-control-request-method": "PUT" };
  for (const method of ["GET", "OPTIONS"]) {
    const response = await desk.send(method, REQUESTS, { headers });
    const cors = [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
    assert.deepEqual(cors, []);
  }
});

testOnEngines("CORS: an origin that the setting names may call, another may not", async (desk) => {
  const preflight = {
    "access-control-request-method": "UPDATE",
    "access-control-request-headers": "authorization",
  };
  const ask = (method: string, origin: string, more = {}) =>
    desk.send(method, REQUESTS, {
      headers: { origin, ...more },
      credential: method === "OPTIONS" ? null : desk.admin,
    });
  const response = await ask("OPTIONS", ORIGIN, preflight);
  assert.ok(response.ok);
  assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
  assert.ok(response.headers.get("access-control-allow-methods")?.split(/, ?/).includes("UPDATE"));
  assert.ok(response.headers.get("access-control-allow-headers")?.includes("authorization"));
  assert.equal((await ask("GET", ORIGIN)).headers.get("access-control-allow-origin"), ORIGIN);
  for (const method of ["GET", "OPTIONS"]) {
    const refused = await ask(method, "https://evil.example.org", preflight);
    assert.equal(refused.headers.get("access-control-allow-origin"), null);
  }
}, { environment: { KEYDESK_CORS_ORIGINS: `https://other.example.org, ${ORIGIN}` } });

testOnEngines(
  "CORS: OPTIONS answers Allow and every answer has its id, with the setting too",
  async (desk) => {
    for (const origin of [ORIGIN, "https://evil.example.org"]) {
      const headers = { origin, "access-control-request-method": "GET", "x-request-id": "mine" };
      const response = await desk.send("OPTIONS", REQUESTS, { headers, credential: null });
      assert.deepEqual([response.status, response.headers.get("x-request-id")], [200, "mine"]);
      assert.equal(response.headers.get("allow"), "GET, POST, HEAD, OPTIONS");
    }
  },
  { environment: { KEYDESK_CORS_ORIGINS: ORIGIN } },
);

testOnEngines("health: they answer OK in the envelope, without an access token", async (desk) => {
  for (const path of ["/healthz", "/livez"]) {
    const alive = await desk.send("GET", path, { credential: null });
    await assertAnswer(alive, { Status: "OK", Message: "alive", Meta: null });
  }
  const ready = await desk.send("GET", "/readyz", { credential: null });
  const { Writing, Store, ...envelope } = await ready.json();
  assert.equal(ready.status, 200);
  assert.deepEqual(envelope, { Status: "OK", Message: "ready", Meta: null });
  assert.deepEqual([Object.keys(Writing), Writing.last_commit.outcome], [["last_commit"], "kept"]);
  assert.match(Store, /^[0-9a-f]{12}$/);
});
