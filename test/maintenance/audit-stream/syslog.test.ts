/** A receiver of syslog over TLS as the audit log stream. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { element, syslogFrame } from "../../../src/maintenance/audit-stream/syslog-message.ts";
import { syslogDestination } from "../../../src/maintenance/audit-stream/stream-syslog.ts";
import { Problems } from "../../../src/kernel/problems.ts";
import { AuditStream } from "../../../src/maintenance/audit-stream/audit-stream.ts";
import { type Engine, openTestDesk, testEachEngine } from "../../support/desk.ts";
import { temporaryFolder } from "../../support/command.ts";
import { eventually } from "../../support/eventually.ts";
import {
  assertWhole,
  authority,
  contentIn,
  deafReceiver,
  deed,
  syslogReceiver,
  unsentIn,
} from "./stream-desk.ts";

const trusted = authority();
const localhost = trusted.of("localhost");

async function openDesk(engine: Engine, port: number, folder: string, ca = trusted.ca) {
  const file = join(folder, "ca.pem");
  await Deno.writeTextFile(file, ca);
  return await openTestDesk(engine, {
    environment: {
      KEYDESK_AUDIT_STREAM: `syslog+tls://localhost:${port}`,
      KEYDESK_AUDIT_STREAM_CA_FILE: file,
    },
  });
}

const codeOf = (response: Response) => response.headers.get("x-keydesk-error");

testEachEngine("sink by syslog: a deed is answered when it was written", async (engine) => {
  await using folder = await temporaryFolder();
  await using receiver = await syslogReceiver(localhost);
  await using desk = await openDesk(engine, receiver.port, folder.path);
  assert.equal((await deed(desk, 1)).status, 200);
  await eventually(
    "the row arrives",
    () => receiver.messages.some((one) => one.includes("developer.created")),
  );
  const last = receiver.messages.findLast((one) => one.includes("developer.created")) ?? "";
  assert.match(
    last,
    /^<109>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S+ keydesk \d+ developer\.created \[meta sequenceId="\d+"\]\[origin software="keydesk" swVersion="[^"]+"\]\[row@32473 octets="\d+"\] \{"action":"developer\.created"/,
  );
  await assertWhole(desk, receiver.messages.map(contentIn));
  // Rows count as kept once the receiver has ended the connection in order.
  assert.ok(await unsentIn(desk) > 0);
  await eventually("all rows are sent", async () => await unsentIn(desk) === 0);
  assert.ok(receiver.connections() >= 1);
});

testEachEngine("sink by syslog: a wrong certificate is refused", async (engine) => {
  await using folder = await temporaryFolder();
  for (
    const [certificate, ca] of [
      [trusted.of("elsewhere.example"), trusted.ca],
      [localhost, authority().ca],
    ] as const
  ) {
    await using receiver = await syslogReceiver(certificate);
    await using desk = await openDesk(engine, receiver.port, folder.path, ca);
    assert.equal(codeOf(await deed(desk, 1)), "audit_stream_unavailable");
    assert.deepEqual(receiver.messages, []);
    const [problem] = desk.app.ctx.problems.current();
    assert.match(problem?.reason ?? "", /certificate/);
  }
});

testEachEngine("sink by syslog: what a receiver lost is sent again", async (engine) => {
  await using folder = await temporaryFolder();
  const first = await syslogReceiver(localhost);
  await using desk = await openDesk(engine, first.port, folder.path);
  assert.equal((await deed(desk, 1)).status, 200);
  // Only a connection that it knows can be cut.
  await eventually(
    "the row arrives",
    () => first.messages.some((one) => one.includes("developer.created")),
  );
  // It takes what it is sent, and keeps none of it.
  first.lose();
  assert.equal((await deed(desk, 2)).status, 200);
  await first[Symbol.asyncDispose]();
  const away = await deed(desk, 3);
  assert.equal(away.status, 503);
  await using second = await syslogReceiver(localhost, first.port);
  await eventually("the stream takes rows again", () => desk.app.ctx.stream?.takes === true);
  assert.equal((await deed(desk, 4)).status, 200);
  await eventually("all rows are sent", async () => await unsentIn(desk) === 0);
  await assertWhole(desk, [...first.messages, ...second.messages].map(contentIn));
});

Deno.test("sink by syslog: a receiver that is slow is away in bounded time", async () => {
  await using receiver = deafReceiver(localhost);
  const { port } = receiver;
  const place = { host: "localhost", port, ca: trusted.ca };
  const sender = { host: "test", pid: 1 };
  const stream = new AuditStream((fate) => syslogDestination(place, sender, fate), 300);
  await stream.start(nowhere());
  assert.equal(stream.takes, true);
  // More than the buffers between both hold.
  const content = "x".repeat(256 * 1024);
  const row = { org_id: "o", at: "2026-01-01T00:00:00.000Z", action: "a.b", content };
  const deeds = Array.from(
    { length: 96 },
    (_, n) => stream.take({ rows: [{ ...row, id: String(n) }], waits: "always" }),
  );
  const behind = (await Promise.allSettled(deeds)).filter(({ status }) => status === "rejected");
  assert.ok(behind.length > 0);
  assert.equal(stream.takes, false);
  // What ends access is answered all the same.
  await stream.take({ rows: [{ ...row, id: "urgent", content: "{}" }], waits: "gently" });
  receiver.listen();
  await eventually("the stream takes rows again", () => stream.takes);
  assert.equal(stream.waiting, 0);
  await stream.stop();
});

testEachEngine(
  "sink by syslog: a receiver of short messages is told at the start",
  async (engine) => {
    await using folder = await temporaryFolder();
    await using receiver = await syslogReceiver(localhost, 0, { most: 8192 });
    await using desk = await openDesk(engine, receiver.port, folder.path);
    assert.equal(codeOf(await deed(desk, 1)), "audit_stream_unavailable");
    const [problem] = desk.app.ctx.problems.current();
    assert.match(
      problem?.reason ?? "",
      /a message of \d{5} octets was on its way: set the receiver/,
    );
  },
);

Deno.test("sink by syslog: what is never confirmed is sent ever more rarely, and told", async () => {
  await using receiver = await syslogReceiver(localhost, 0, { stays: true });
  const place = { host: "localhost", port: receiver.port, ca: trusted.ca };
  const sender = { host: "test", pid: 1 };
  const againMs = 200;
  const stream = new AuditStream(
    (fate) => syslogDestination(place, sender, fate, 10, 50),
    5000,
    againMs,
  );
  const problems = new Problems({ now: () => Date.now() });
  await stream.start({ ...nowhere(), problems });
  const row = { org_id: "o", at: "2026-01-01T00:00:00.000Z", action: "a.b", content: '{"n":1}' };
  const rows = Array.from({ length: 20 }, (_, n) => ({ ...row, id: String(n) }));
  await stream.take({ rows, waits: "always" });
  await eventually(
    "the problem is told",
    () => problems.current().some(({ name }) => name === "audit_stream_unconfirmed"),
  );
  const [told] = problems.current();
  assert.match(told?.reason ?? "", /took 20 rows and did not confirm them, 3 times in a row/);
  // Sent, sent again at once, and once more behind the first wait.
  assert.equal(receiver.messages.filter((one) => one.includes('{"n":1}')).length, 60);
  await stream.stop();
});

Deno.test("a message of syslog: lengths are octets, values are escaped, words are ASCII", () => {
  const row = { org_id: "o", id: "i", at: "2026-01-01T00:00:00.000Z" };
  const frame = syslogFrame(
    { host: "höst name", pid: 7 },
    { ...row, action: `a.${"ä".repeat(40)}`, content: '{"é":1}' },
    2 ** 31 - 1,
  );
  const text = new TextDecoder().decode(frame);
  const [length = ""] = text.split(" ", 1);
  assert.equal(Number(length), frame.length - length.length - 1);
  assert.match(text, / h\?st\?name keydesk 7 a\.\?{30} \[meta sequenceId="1"\]/);
  assert.match(text, /\[row@32473 octets="8"\]/);
  assert.ok(text.endsWith('] {"é":1}'));
  assert.equal(element("a", { b: 'c"d\\e]f' }), '[a b="c\\"d\\\\e\\]f"]');
});

/** A desk with an empty store. */
function nowhere() {
  const none = { rows: () => Promise.resolve([]) };
  // as: nothing else of it is asked for.
  const storage = { reader: none, commit: () => Promise.resolve(null) } as never;
  const problems = { begin: () => {}, end: () => {} } as never;
  return { storage, problems, clock: { now: () => Date.now() } };
}
