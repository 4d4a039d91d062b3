/** A store that is put back to an older state, as an operator meets it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  keydesk,
  type ServerProcess,
  startServerProcess,
  temporaryFolder,
} from "../support/command.ts";
import { eventually } from "../support/eventually.ts";

const REASON = "put back to Monday on purpose";

Deno.test("rewound: an older database in the place of the newer one is told until somebody accepts it", async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "data");
  const settings = { KEYDESK_DATA_DIR: data, KEYDESK_ADMIN_TOKEN: `admin-${"k".repeat(40)}` };
  const authorization = settings.KEYDESK_ADMIN_TOKEN;
  const copy = join(folder.path, "copy.db");
  assert.equal((await keydesk(["seed"], settings)).code, 0);
  assert.equal((await keydesk(["backup", copy], settings)).code, 0);
  const unknown = await keydesk(["doctor"], { ...settings, KEYDESK_PORT: "0" });
  assert.match(unknown.stdout, /skip\s+audit-log\s+compared with nothing/);
  {
    await using server = await startServerProcess(settings);
    const made = await fetch(`${server.url}/v1/people`, {
      method: "POST",
      headers: { authorization },
      body: JSON.stringify({ name: "Mallory", permissions: ["admin"] }),
    });
    assert.equal(made.status, 200, await made.text());
  }
  for (const file of ["trail-heads.json", "revoked-lately"]) {
    const mode = await Deno.stat(join(data, file)).then(({ mode }) => mode, () => 0o600);
    assert.equal((mode ?? 0) & 0o777, 0o600);
  }
  const holds = await keydesk(["audit", "verify"], settings);
  assert.equal(holds.code, 0, holds.stderr);
  assert.match(holds.stdout, /compared with the checkpoint of \d+ entries that was kept at 20/);

  // Without Keydesk, whoever may write the file: `keydesk restore` would say that it is meant.
  await putBack(copy, data);
  const verified = await keydesk(["audit", "verify"], settings);
  assert.deepEqual([verified.code, /forked/.test(verified.stdout)], [1, true], verified.stdout);
  const doctor = await keydesk(["doctor"], { ...settings, KEYDESK_PORT: "0" });
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /fail\s+audit-log\s+the log of \S+ had \d+ entries/);
  {
    await using server = await startServerProcess(settings);
    assert.match(await problemsOf(server, authorization), /audit_log_rewound/);
    const without = await keydesk(["audit", "accept"], settings);
    assert.match(without.stderr, /--reason/);
    const accepted = await keydesk(["audit", "accept", "--reason", REASON], settings);
    assert.equal(accepted.code, 0, accepted.stderr);
    assert.match(accepted.stdout, /taken as it is\n {2}the log of \S+ had/);
    assert.match(accepted.stdout, /Nothing that was revoked since is valid again\./);
    const again = await keydesk(["audit", "accept", "--reason", REASON], settings);
    assert.match(again.stdout, /every log goes on/);
  }
  assert.equal((await keydesk(["audit", "verify"], settings)).code, 0);
  {
    await using server = await startServerProcess(settings);
    assert.doesNotMatch(await problemsOf(server, authorization), /audit_log_/);
    const told = await fetch(`${server.url}/v1/audit-log?action=audit_log.accepted`, {
      headers: { authorization },
    });
    assert.equal((await told.json()).data[0].detail.reason, REASON);
  }
  // Put back by Keydesk it is meant.
  assert.equal((await keydesk(["restore", copy, "--replace"], settings)).code, 0);
  {
    await using server = await startServerProcess(settings);
    assert.doesNotMatch(await problemsOf(server, authorization), /audit_log_/);
  }
  assert.equal((await keydesk(["audit", "verify"], settings)).code, 0);
});

async function putBack(copy: string, data: string): Promise<void> {
  for (const end of ["-wal", "-shm"]) {
    await Deno.remove(join(data, `keydesk.db${end}`)).catch(() => {});
  }
  await Deno.copyFile(copy, join(data, "keydesk.db"));
}

/** What the server says of its problems once it has looked at the logs. */
async function problemsOf(server: ServerProcess, authorization: string): Promise<string> {
  const isLogged = () => server.stdout().includes('"audit log checkpoint"');
  await eventually("the log's checkpoint", isLogged);
  const info = await fetch(`${server.url}/v1/server`, { headers: { authorization } });
  return (await info.json()).problems.map(({ name }: { name: string }) => name).join(" ");
}
