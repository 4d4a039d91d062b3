/** `keydesk leaks report`: texts of standard input, to the local store and to a server. */
import assert from "node:assert/strict";
import { keydesk } from "../support/command.ts";
import { linesOf, openDoors } from "../support/doors.ts";
import { eventually } from "../support/eventually.ts";

const place = "https://example.org/repository/.env";

/** A fresh key: its id and the key itself. */
async function issued(desk: Awaited<ReturnType<typeof openDoors>>) {
  const [plan] = linesOf(
    (await desk.local("plans", "list", "-q", "professional", "--json")).stdout,
  );
  await desk.local("developers", "add", "grace@example.org", "--id", "dev-grace");
  const made = await desk.local("keys", "issue", "dev-grace", plan._id, "--json");
  assert.equal(made.code, 0, made.stderr);
  const { RawKey: key, key_id: id } = JSON.parse(made.stdout);
  return { key, id };
}

/** Where keys were found, by their ids. */
async function found(desk: Awaited<ReturnType<typeof openDoors>>, id: string) {
  const { stdout } = await desk.local("keys", "list", "--developer", "dev-grace", "--json");
  return linesOf(stdout).find((one) => one.key_id === id)?.leaked;
}

/** Waits for the server to have worked off the report of a key. */
async function marked(desk: Awaited<ReturnType<typeof openDoors>>, id: string) {
  await eventually("the report is worked off", async () => Boolean(await found(desk, id)));
  return await found(desk, id);
}

Deno.test("leaks report: the local store takes reports where the desk is closed, and its server works them off", async () => {
  await using desk = await openDoors();
  const { key, id } = await issued(desk);
  const lines = `\n  ${key}  \r\nno-such-key\n${"x".repeat(5000)}\n`;
  const told = await keydesk(
    ["leaks", "report", "--found-at", place, "--json"],
    desk.settings,
    lines,
  );
  assert.deepEqual([told.code, told.stdout], [1, '{"received":2}\n']);
  assert.equal(
    told.stderr,
    "line 4: is longer than 4096 characters\nkeydesk: 1 refused, see above\n",
  );
  assert.equal((await marked(desk, id)).url, place);

  const server = ["leaks", "report", "--url", desk.server.url];
  const closed = await keydesk(server, {}, key);
  assert.deepEqual([closed.code, closed.stdout], [1, ""]);
  assert.equal(closed.stderr, `keydesk: ${desk.server.url} takes no reports (unknown_path)\n`);
});

Deno.test("leaks report: a server takes them without an access token, as many at once as a call may hold", async () => {
  await using desk = await openDoors({ KEYDESK_LEAK_REPORTS: "on" });
  const { key, id } = await issued(desk);
  // More texts than a call holds, and more bytes.
  const lines = [...Array(150).keys()].map((n) => `no-such-key-${n}`)
    .concat(Array.from({ length: 4 }, (_, n) => `${n}${"ä".repeat(2000)}`), key);
  const other = { KEYDESK_URL: "http://localhost:1", KEYDESK_TOKEN: "of-another-server" };
  const words = ["leaks", "report", "--url", desk.server.url];
  const told = await keydesk(words, other, lines.join("\n"));
  assert.deepEqual(told, { code: 0, stdout: "", stderr: "155 reported.\n" });
  assert.equal((await marked(desk, id)).url, null);
});

Deno.test("leaks report: nothing is sent over plain http to another host, and nothing said of nothing", async () => {
  await using desk = await openDoors();
  const empty = await keydesk(["leaks", "report"], desk.settings, "\n\n");
  assert.equal(empty.code, 1);
  assert.match(empty.stderr, /standard input holds nothing to report/);
  const plain = await keydesk(["leaks", "report", "--url", "http://desk.example"], {}, "kd_x");
  assert.equal(plain.code, 1);
  assert.match(plain.stderr, /everyone on the way to desk\.example can read what is reported/);
  for (const words of [["kd_x"], ["--found-at", "a\nb"], ["--url", "nothing"]]) {
    const wrong = await keydesk(["leaks", "report", ...words], desk.settings, "kd_x");
    assert.equal(wrong.code, 2, words.join(" "));
  }
});
