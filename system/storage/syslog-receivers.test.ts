/** rsyslog of Debian as the stream of the audit log, by both of its drivers for TLS. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { authority } from "../../test/maintenance/audit-stream/stream-desk.ts";
import { keydesk } from "../../test/support/command.ts";
import { eventually } from "../../test/support/eventually.ts";
import { startServerProcess, withFolder } from "../../test/support/processes.ts";

const DEEDS = 30;

for (const driver of ["gtls", "ossl"]) {
  Deno.test(`rsyslog by ${driver}: each row stands there once, and long messages are whole`, () =>
    withFolder(async (folder) => {
      const trusted = authority();
      const own = trusted.of("localhost");
      const at = (name: string) => join(folder, name);
      await Deno.writeTextFile(at("ca.pem"), trusted.ca);
      await Deno.writeTextFile(at("own.pem"), own.certificate);
      await Deno.writeTextFile(at("own.key"), own.key);
      const port = freePort();
      await Deno.writeTextFile(at("rsyslog.conf"), configuration(driver, port, folder));
      const receiver = new Deno.Command("rsyslogd", {
        args: ["-n", "-f", at("rsyslog.conf"), "-i", at("rsyslog.pid")],
        stdout: "null",
        stderr: "null",
      }).spawn();
      try {
        await listens(port);
        const environment = {
          KEYDESK_AUDIT_STREAM: `syslog+tls://localhost:${port}`,
          KEYDESK_AUDIT_STREAM_CA_FILE: at("ca.pem"),
        };
        const dataDir = at("data");
        await using server = await startServerProcess({ dataDir, environment });
        for (let n = 0; n < DEEDS; n++) {
          const body = { email: `one${n}@example.org` };
          const { status } = await server.send("POST", "/v1/developers", { body });
          assert.equal(status, 200);
        }
        const settings = { KEYDESK_DATA_DIR: dataDir, ...environment };
        const doctor = await keydesk(["doctor"], settings);
        assert.match(doctor.stdout, /^ok +stream +.* has read a message of 65536 octets/m);
        // Twice as long as a connection that was written to is kept.
        await new Promise((resolve) => setTimeout(resolve, 11_000));
        const { body: { problems } } = await server.send("GET", "/v1/server");
        assert.deepEqual(problems.filter(({ name }: { name: string }) => name !== "clock"), []);
        const lines = (await Deno.readTextFile(at("received"))).split("\n");
        const created = lines.filter((line) => line.includes('"developer.created"'));
        assert.equal(created.length, DEEDS, "each once");
        const tests = lines.filter((line) => /^x+$/.test(line));
        assert.ok(tests.length >= 2 && tests.every(({ length }) => length > 65_000));
      } finally {
        receiver.kill("SIGKILL");
        await receiver.status;
      }
    }));
}

/** The lines of docs/audit-log.md, with this test's files. */
function configuration(driver: string, port: number, folder: string): string {
  return `
global(maxMessageSize="64k" workDirectory="${folder}" DefaultNetstreamDriver="${driver}"
  DefaultNetstreamDriverCAFile="${folder}/ca.pem"
  DefaultNetstreamDriverCertFile="${folder}/own.pem"
  DefaultNetstreamDriverKeyFile="${folder}/own.key")
module(load="imtcp" StreamDriver.Name="${driver}" StreamDriver.Mode="1" StreamDriver.AuthMode="anon")
input(type="imtcp" port="${port}")
template(name="row" type="string" string="%msg%\\n")
action(type="omfile" file="${folder}/received" template="row")
`;
}

async function listens(port: number): Promise<void> {
  await eventually("the receiver listens", async () => {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    } catch {
      return false;
    }
  });
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
