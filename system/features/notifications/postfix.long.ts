/**
 * Postfix of Debian as the mail server: with and without SMTPUTF8, as `smtputf8_enable` says. For a
 * machine of its own, since Debian has it beside no OpenSMTPD: run it by `deno test -A`.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../../test/support/command.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { type ServerProcess, startServerProcess } from "../../../test/support/processes.ts";

const PLAIN = "elif@example.org";
const BEYOND_ASCII = "jörg@example.org";

Deno.test("Postfix without SMTPUTF8: what needs it is told in a sentence of ours, and the rest is taken", () =>
  withPostfix("no", async (port, log) => {
    await using data = await folder();
    await using server = await desk(data.path, port);
    const channel = await mailChannel(server);
    assert.equal((await tested(server, channel, PLAIN)).ok, true);
    const lacking = await tested(server, channel, BEYOND_ASCII);
    assert.equal(lacking.ok, false);
    assert.match(lacking.error, /^the mail server does not offer SMTPUTF8, which the recipient's /);
    const { body: { problems } } = await server.send("GET", "/v1/server");
    const told = problems.find((one: { name: string }) => one.name === "mail_smtputf8_missing");
    assert.equal(told?.reason, lacking.error);
    await eventually(
      "the log tells of it",
      () => Promise.resolve(/"problem":"mail_smtputf8_missing"/.test(server.output())),
    );
    await logged(log, /to=<elif@example\.org>.*status=sent/);
    assert.doesNotMatch(await log(), /rg@example\.org/);
    // The domain alone has a spelling that it takes.
    assert.equal((await tested(server, channel, "joerg@müller.example")).ok, true);
    await logged(log, /to=<joerg@xn--mller-kva\.example>.*status=sent/);
  }));

Deno.test("Postfix with SMTPUTF8: an address beyond ASCII is mailed", () =>
  withPostfix("yes", async (port, log) => {
    await using data = await folder();
    await using server = await desk(data.path, port);
    assert.equal((await tested(server, await mailChannel(server), BEYOND_ASCII)).ok, true);
    await logged(log, /to=<jörg@example\.org>.*status=sent/);
  }));

const desk = (dataDir: string, port: number) =>
  startServerProcess({
    dataDir,
    environment: {
      KEYDESK_SMTP_URL: `smtp://127.0.0.1:${port}`,
      KEYDESK_MAIL_FROM: "keys@example.org",
      KEYDESK_PUBLIC_URL: "https://desk.example.org",
    },
  });

async function mailChannel(server: ServerProcess): Promise<string> {
  const made = await server.send("POST", "/v1/channels", { body: { kind: "mail", name: "Mail" } });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return made.body.id;
}

/** What the test of a channel says, which mails whoever asks for it. */
async function tested(server: ServerProcess, channel: string, email: string) {
  const { body: { data: [{ id, name, permissions }] } } = await server.send("GET", "/v1/people");
  const body = { name, permissions, email };
  const { status } = await server.send("PUT", `/v1/people/${id}`, { body });
  assert.equal(status, 200);
  return (await server.send("POST", `/v1/channels/${channel}/test`)).body;
}

async function folder() {
  const path = await Deno.makeTempDir({ prefix: "keydesk-mails-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** It writes down what became of a mail after it has taken it. */
const logged = (log: () => Promise<string>, line: RegExp) =>
  eventually(`${line} is logged`, async () => line.test(await log()));

/** A Postfix of its own folders, which takes every mail of this machine and keeps none. */
async function withPostfix(
  smtputf8: "yes" | "no",
  test: (port: number, log: () => Promise<string>) => Promise<void>,
): Promise<void> {
  await using own = await folder();
  const at = (name: string) => join(own.path, name);
  await Deno.chmod(own.path, 0o755);
  for (const name of ["etc", "queue", "data"]) await Deno.mkdir(at(name));
  await run(["chown", "postfix", at("data")]);
  const port = freePort();
  await Deno.writeTextFile(at("etc/main.cf"), mainOf(own.path, smtputf8));
  await Deno.writeTextFile(at("etc/master.cf"), masterOf(port));
  const started = await run(["postfix", "-c", at("etc"), "start"]);
  assert.equal(started.code, 0, started.stderr);
  try {
    await eventually("Postfix listens", () => listens(port));
    await test(port, () => Deno.readTextFile(at("data/log")));
  } finally {
    await run(["postfix", "-c", at("etc"), "stop"]);
  }
}

const mainOf = (folder: string, smtputf8: string) => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/data/log
maillog_file_prefixes = ${folder}
myhostname = mail.example.org
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
default_transport = discard
smtputf8_enable = ${smtputf8}
`;

const masterOf = (port: number) => `
127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
discard unix - - n - - discard
error unix - - n - - error
postlog unix-dgram n - n - 1 postlogd
`;

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function listens(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}
