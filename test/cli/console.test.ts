/** `keydesk console`: the link that signs a browser in, against a running server over real HTTP. */
import assert from "node:assert/strict";
import { linesOf } from "../support/doors.ts";
import { keydesk, startServerProcess, temporaryFolder } from "../support/command.ts";
import { copySeeded } from "../support/seeded-store.ts";
import { startServerHere } from "../support/server-here.ts";

const LINK = /^(http:\/\/localhost:\d+)\/console#code=([A-Za-z0-9]{43})\n$/;

Deno.test("console: the link's code signs a browser in once, and neither it nor the cookie is logged", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  await using server = await startServerProcess(settings);
  const { port } = new URL(server.url);
  const made = await keydesk(["console"], { ...settings, KEYDESK_PORT: port });
  assert.equal(made.code, 0, made.stderr);
  const [, url, code = ""] = LINK.exec(made.stdout) ?? [];
  // By a name: an address with digits can have no passkeys.
  assert.equal(url, server.url.replace("127.0.0.1", "localhost"));
  assert.ok(!made.stderr.includes(code));
  const origin = url ?? "";
  const body = JSON.stringify({ code });
  const first = await fetch(`${url}/v1/session`, { method: "POST", body, headers: { origin } });
  const { csrf_token, person } = await first.json();
  assert.equal(first.status, 200);
  assert.equal(person.name, "administrator");
  const [cookie = ""] = (first.headers.get("set-cookie") ?? "").split(";");
  const again = await fetch(`${url}/v1/session`, { method: "POST", body, headers: { origin } });
  assert.equal(again.status, 401);
  await again.body?.cancel();
  const send = async (method: string, path: string, headers: Record<string, string>) => {
    const response = await fetch(`${url}${path}`, { method, headers: { cookie, ...headers } });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await send("GET", "/v1/me", {}), 200);
  assert.equal(await send("GET", "/api/portal/requests", {}), 401);
  assert.equal(await send("DELETE", "/v1/session", { origin }), 403);
  const evil = { origin: "http://127.0.0.1:1", "x-csrf-token": csrf_token };
  assert.equal(await send("DELETE", "/v1/session", evil), 403);
  assert.equal(await send("DELETE", "/v1/session", { origin, "x-csrf-token": csrf_token }), 200);
  assert.equal(await send("GET", "/v1/me", {}), 401);
  const { stdout, stderr } = await server.stop();
  for (const secret of [code, cookie.split("=")[1] ?? "", csrf_token]) {
    assert.ok(secret.length > 40 && !`${stdout}${stderr}`.includes(secret));
  }
});

Deno.test("console: where nobody looks, the server's start prints no link", async () => {
  await using folder = await temporaryFolder();
  await using server = await startServerProcess({ KEYDESK_DATA_DIR: folder.path });
  const { stdout, stderr } = await server.stop();
  assert.ok(!`${stdout}${stderr}`.includes("#code="));
});

Deno.test("console: --as signs in as somebody else, KEYDESK_PUBLIC_URL is where the link leads", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const words = ["token", "create", "ada", "--allow", "portal:read", "--json"];
  const { id } = JSON.parse((await keydesk(words, settings)).stdout);
  const KEYDESK_PUBLIC_URL = "https://desk.example.org/";
  const made = await keydesk(["console", "--as", id], { ...settings, KEYDESK_PUBLIC_URL });
  const [, code = ""] = /^https:\/\/desk\.example\.org\/console#code=(.*)\n$/.exec(made.stdout) ??
    [];
  await using server = await startServerHere(settings);
  const body = JSON.stringify({ code });
  const response = await fetch(`${server.url}/v1/session`, { method: "POST", body });
  assert.equal((await response.json()).person.name, "ada");
});

Deno.test("console: what can't be signed in is refused with exit code 1 and a sentence", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  const refused = async (words: string[], sentence: string, more: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await keydesk(["console", ...words], { ...settings, ...more });
    assert.deepEqual([code, stdout, stderr], [1, "", `keydesk: ${sentence}\n`]);
  };
  await refused(
    [],
    `there is no store in ${folder.path} (KEYDESK_DATA_DIR): start the server once, or run \`keydesk seed\``,
  );
  await copySeeded(settings.KEYDESK_DATA_DIR);
  await refused(["--as", "nobody"], "There is no such access token in force.");
  await refused(
    [],
    "KEYDESK_PORT is 0, so the address is not known: set KEYDESK_PUBLIC_URL to it.",
    { KEYDESK_PORT: "0" },
  );
  const listed = await keydesk(["token", "list", "--json"], settings);
  const [{ id }] = linesOf(listed.stdout);
  await keydesk(["token", "revoke", id], settings);
  await refused(["--as", id], "There is no such access token in force.");
  // Whoever is at the machine gets in: the person is there, and needs no access token.
  const made = await keydesk(["console"], { ...settings, KEYDESK_PORT: "3000" });
  assert.match(made.stdout, /^http:\/\/localhost:3000\/console#code=[A-Za-z0-9]{43}\n$/);
});
