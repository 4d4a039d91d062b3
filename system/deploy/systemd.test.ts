/**
 * The units of deploy/systemd: systemd takes them, what they forbid is much, and Keydesk works
 * within it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import {
  repository,
  run,
  startServerProcess,
  temporaryFolder,
} from "../../test/support/command.ts";

const UNITS = join(repository, "deploy/systemd");
const SERVICES = ["keydesk.service", "keydesk@.service", "keydesk-backup.service"];

/** A command that runs within what keydesk.service forbids; `folder` alone is writable. */
interface Sandbox extends AsyncDisposable {
  readonly folder: string;
  readonly command: readonly string[];
}

async function openSandbox(): Promise<Sandbox> {
  const made = await temporaryFolder();
  // The service's account may look at nothing but its own folder.
  await Deno.chmod(made.path, 0o755);
  const folder = join(made.path, "own");
  await Deno.mkdir(folder);
  await Deno.chown(folder, await nobody("-u"), await nobody("-g"));
  const filter = join(made.path, "filter.bpf");
  const script = join(repository, "system/deploy/filter_of_unit.py");
  const { success, stdout, stderr } = await new Deno.Command("/usr/bin/python3", {
    args: [script, join(UNITS, "keydesk.service")],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  await Deno.writeFile(filter, stdout);
  const sandbox = join(repository, "system/deploy/sandbox.sh");
  return {
    folder,
    command: [sandbox, filter, folder, repository.replace(/\/$/, "")],
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

async function nobody(which: "-u" | "-g"): Promise<number> {
  return Number((await run(["id", which, "nobody"])).stdout);
}

Deno.test("systemd: every unit is valid, and its exposure is below 2.0", async () => {
  const files = ["keydesk.service", "keydesk@1.service", "keydesk-backup.timer"];
  const verified = await run([
    "systemd-analyze",
    "verify",
    ...files.map((name) => join(UNITS, name)),
  ]);
  assert.deepEqual([verified.code, verified.stdout, verified.stderr], [0, "", ""]);
  for (const name of SERVICES) {
    const command = ["systemd-analyze", "security", "--offline=true", "--threshold=19"];
    const { code, stdout, stderr } = await run([...command, "--no-pager", join(UNITS, name)]);
    const [told = "", score] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
    assert.equal(code, 0, `${stdout}${stderr}`);
    assert.ok(Number(score) < 2, stdout);
    console.log(told);
  }
});

Deno.test("systemd: no secret stands in a unit; each comes as a credential", async () => {
  for await (const { name } of Deno.readDir(UNITS)) {
    const text = await Deno.readTextFile(join(UNITS, name));
    assert.doesNotMatch(text, /^Environment=KEYDESK_(SEALING_KEY|ADMIN_TOKEN|DATABASE_PASSWORD)=/m);
    for (const [, file] of text.matchAll(/^Environment=KEYDESK_\w+_FILE=%d\/(.+)$/gm)) {
      assert.ok(text.includes(`LoadCredential=${file}:/etc/keydesk/${file}\n`), `${name}: ${file}`);
    }
  }
});

Deno.test("systemd: the sandbox of these tests forbids what the unit forbids", async () => {
  await using sandbox = await openSandbox();
  const fails = async (words: string, how: RegExp) => {
    const { code, stdout, stderr } = await run([...sandbox.command, "/bin/sh", "-c", words]);
    assert.notEqual(code, 0, words);
    assert.match(stdout + stderr, how, words);
  };
  await fails("touch /usr/x", /Read-only file system/);
  await fails("cat /proc/meminfo", /No such file/);
  await fails("ls /root/*", /No such file/);
  await fails("cat /etc/shadow", /Permission denied/);
  // Anybody may do these, but for the filter of system calls.
  await fails("taskset -p 1 $$", /Operation not permitted/);
  const netlink = "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)";
  await fails(`/usr/bin/python3 -c "${netlink}"`, /Operation not permitted/);
  await fails("unshare --user true", /Operation not permitted/);
  const done = await run([...sandbox.command, "/bin/sh", "-c", `touch ${sandbox.folder}/x /tmp/x`]);
  assert.deepEqual([done.code, done.stderr], [0, ""]);
});

Deno.test("systemd: a server works within what the unit forbids, and stops as always", async () => {
  await using sandbox = await openSandbox();
  const data = join(sandbox.folder, "data");
  const sealingKey = join(sandbox.folder, "sealing-key");
  await Deno.writeTextFile(sealingKey, newSealingKey());
  await Deno.chown(sealingKey, await nobody("-u"), await nobody("-g"));
  const settings = { KEYDESK_DATA_DIR: data, KEYDESK_SEALING_KEY_FILE: sealingKey };
  const program = [...sandbox.command, "node", join(repository, "bin/keydesk.js")];
  const server = await startServerProcess(settings, { program, cwd: "/" });
  const pid = Number(/"pid":(\d+)/.exec(server.stdout())?.[1]);
  try {
    const authorization = (await Deno.readTextFile(join(data, "administrator-credential"))).trim();
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(server.url + path, {
        method,
        headers: { authorization },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await response.text();
      assert.equal(response.status, 200, `${method} ${path}: ${text}`);
      return text;
    };
    const plan = { _id: "weather", id: "weather", name: "Weather", active: true };
    await call("POST", "/api/portal/policies", plan);
    // Passwords are hashed by a thread of their own.
    const ada = { email: "ada@example.org", password: "her own one" };
    const by_user = JSON.parse(await call("POST", "/api/portal/developers", ada)).Message;
    const verify = { username: ada.email, password: ada.password };
    await call("POST", "/api/portal/developers/verify_credentials", verify);
    const filed = await call("POST", "/api/portal/requests", { by_user, for_plan: "weather" });
    const path = `/api/portal/requests/approve/${JSON.parse(filed).Message}`;
    const { RawKey: key } = JSON.parse(await call("PUT", path));
    assert.equal(JSON.parse(await call("POST", "/v1/keys/verify", { key })).valid, true);
    for (const page of ["/readyz", "/livez", "/v1/server", "/console", "/reference"]) {
      await call("GET", page);
    }
    const copy = join(sandbox.folder, "copy.db");
    const backup = await run([...program, "backup", copy], { env: settings, cwd: "/" });
    assert.equal(backup.code, 0, backup.stderr);
    // On a busy machine the event loop is held up.
    const lines = server.stdout().split("\n").filter((line) => !/event loop/.test(line));
    assert.doesNotMatch(lines.join("\n"), /"level":"(warn|error)"/);
  } finally {
    Deno.kill(pid, "SIGTERM");
    assert.equal((await server.stop("SIGCONT")).code, 0);
  }
});
