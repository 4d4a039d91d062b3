import assert from "node:assert/strict";
import { type ListeningDesk, openListeningDesk } from "../support/raw-http.ts";

/** Sends a head of these lines, and a body, and gives the answer. */
async function ask(desk: ListeningDesk, request: string, lines: string[], body = "") {
  using connection = await desk.connect();
  const length = body === "" ? [] : [`Content-Length: ${body.length}`];
  const head = [`${request} HTTP/1.1`, "Host: desk.test:3000", ...lines, ...length];
  await connection.send(`${head.join("\r\n")}\r\n\r\n`, body);
  const answer = await connection.answer(request.startsWith("HEAD"));
  assert.ok(answer, `${request}: no answer`);
  return answer;
}

async function signIn(desk: ListeningDesk, ...lines: string[]) {
  const body = JSON.stringify({ access_token: desk.admin });
  const answer = await ask(desk, "POST /v1/session", lines, body);
  assert.equal(answer.status, 200, answer.body);
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  return { answer, cookie, csrf: JSON.parse(answer.body).csrf_token };
}

Deno.test("wire: a session's cookie is found among others, and only by its own name", async () => {
  await using desk = await openListeningDesk();
  const { cookie } = await signIn(desk);
  const [, secret] = cookie.split("=");
  const found = [
    `a=b; ${cookie}; c=d`,
    `a=b;${cookie}`,
    `${cookie};`,
    `keydesk_session="${secret}"`,
  ];
  for (const line of found) {
    const answer = await ask(desk, "GET /v1/me", [`cOOkIE: ${line}`]);
    assert.equal(answer.status, 200, line);
    assert.equal((await ask(desk, "HEAD /v1/me", [`Cookie: ${line}`])).status, 200);
  }
  const lost = [
    "",
    "=",
    ";;;",
    "keydesk_session",
    "keydesk_session=",
    `KEYDESK_SESSION=${secret}`,
    `x${cookie}`,
    `${cookie}x`,
    `keydesk_session=${"x".repeat(8000)}`,
    "keydesk_session=%00",
    "keydesk_session=%E0%A4%A",
    "__proto__=x",
  ];
  for (const line of lost) {
    const answer = await ask(desk, "GET /v1/me", [`Cookie: ${line}`]);
    assert.equal(answer.status, 401, line);
  }
  assert.equal((await ask(desk, "GET /api/certs", [`Cookie: ${cookie}`])).status, 401);
});

Deno.test("wire: a page of our own changes, one of another origin does not, whatever it sends along", async () => {
  await using desk = await openListeningDesk();
  const own = "Origin: http://desk.test:3000";
  const { cookie, csrf } = await signIn(desk, own);
  const body = JSON.stringify({ name: "x", permissions: [] });
  const post = async (...lines: string[]) =>
    (await ask(desk, "POST /v1/people", [`Cookie: ${cookie}`, ...lines], body)).status;
  const token = `X-CSRF-Token: ${csrf}`;
  assert.equal(await post(own, token), 200);
  assert.equal(await post("Sec-Fetch-Site: same-origin", own, token), 200);
  // What a form of another site can send.
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    assert.equal(await post("Origin: https://evil.example", `Content-Type: ${type}`), 403);
  }
  assert.equal(await post("Origin: https://evil.example", token), 403);
  assert.equal(await post("Sec-Fetch-Site: same-site", own, token), 403);
  assert.equal(await post(own), 403);
  const login = JSON.stringify({ access_token: desk.admin });
  const planted = await ask(desk, "POST /v1/session", ["Origin: https://evil.example"], login);
  assert.equal(planted.status, 403);
  assert.equal(planted.headers.get("set-cookie"), undefined);
});

Deno.test("wire: pages of origins that may call can't do so by a session", async () => {
  await using desk = await openListeningDesk({ KEYDESK_CORS_ORIGINS: "https://portal.example" });
  const { cookie, csrf } = await signIn(desk);
  const lines = [`Cookie: ${cookie}`, "Origin: https://portal.example"];
  const read = await ask(desk, "GET /v1/session", lines);
  // Without this header a browser shows the answer to nobody who sent cookies along.
  assert.equal(read.headers.get("access-control-allow-credentials"), undefined);
  const body = JSON.stringify({ name: "x", permissions: [] });
  const post = await ask(desk, "POST /v1/people", [...lines, `X-CSRF-Token: ${csrf}`], body);
  assert.equal(post.status, 403);
});
