/**
 * Whoever has the machine and all keys takes a row away, and everything of the desk's own agrees:
 * three witnesses find it within a minute. These are `litewitness` of filippo.io/torchwood, built
 * from its Go module. In `npm run test:long` alone, since its build takes minutes.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readCheckpoint } from "../../packages/audit-log/checkpoint.ts";
import { cosignaturesOf } from "../../packages/audit-log/cosignature.ts";
import { parseWitness, type Witness } from "../../src/maintenance/audit-log/witness.ts";
import { HEADS_FILE } from "../../src/maintenance/audit-log/kept-heads.ts";
import { keydesk, repository, run, temporaryFolder } from "../../test/support/command.ts";
import { eventually } from "../../test/support/eventually.ts";
import { type ServerProcess, startServerProcess } from "../../test/support/processes.ts";
import { goTools } from "../support/go.ts";

const WITNESSES = 3;
/** Within so much it has to be found, in milliseconds. */
const FOUND_MS = 60_000;
/** SHA-256 of nothing, by which a witness knows a log without entries. */
const EMPTY = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

Deno.test("witnesses: history that whoever has machine and keys writes anew is found within a minute", async () => {
  const tools = await goTools("witness", join(repository, "system/storage/witness-go"), {
    litewitness: "filippo.io/torchwood/cmd/litewitness",
  });
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, "data");
  await Deno.mkdir(dataDir);
  const witnesses = await Promise.all(
    Array.from(
      { length: WITNESSES },
      (_, n) => startWitness(join(tools, "litewitness"), folder.path, n),
    ),
  );
  try {
    const environment = {
      KEYDESK_AUDIT_WITNESSES: witnesses.map(({ text }) => text).join(","),
      KEYDESK_OUTBOUND: witnesses.map(({ witness }) => new URL(witness.url).host).join(","),
    };
    const known = witnesses.map(({ witness }) => witness);
    {
      await using server = await startServerProcess({ dataDir, environment });
      await change(server, 30);
      await eventually("the log is signed", async () => {
        return (await headOf(server, known)).size > 0;
      });
      const keys = await logKeys(dataDir);
      for (const { knows } of witnesses) knows(keys);
      await eventually("all witnesses have signed 30 entries", async () => {
        const { size, signed } = await headOf(server, known);
        return size >= 30 && signed === WITNESSES;
      });
      server.kill("SIGTERM");
      await server.ended;
      assert.doesNotMatch(server.output(), /audit_log_disputed/);
    }
    writeAnew(join(dataDir, "keydesk.db"));
    await Deno.remove(join(dataDir, HEADS_FILE));
    const verified = await keydesk(["audit", "verify"], { KEYDESK_DATA_DIR: dataDir });
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    const began = performance.now();
    await using server = await startServerProcess({ dataDir, environment });
    // As long as before, and longer: it is not by its length that it is found.
    await change(server, 5);
    await eventually(
      "it is found",
      () => Promise.resolve(/audit_log_disputed/.test(server.output())),
    );
    const tookMs = performance.now() - began;
    console.log(`rewritten: ${WITNESSES} witnesses of litewitness, found after ${seconds(tookMs)}`);
    assert.ok(tookMs <= FOUND_MS);
    const told = await keydesk(["audit", "verify"], { KEYDESK_DATA_DIR: dataDir });
    assert.equal(told.code, 0, "the store alone can't tell");
  } finally {
    for (const one of witnesses) await one.stop();
  }
});

/** Deeds, each of which is a row. */
async function change(server: ServerProcess, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const body = { email: `${crypto.randomUUID()}@example.org` };
    assert.equal((await server.send("POST", "/v1/developers", { body })).status, 200);
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** A witness with a key of its own, which an agent holds. */
async function startWitness(program: string, folder: string, n: number) {
  const place = join(folder, `w${n}`);
  await Deno.mkdir(place);
  const [key, socket, db] = [join(place, "key"), join(place, "s"), join(place, "witness.db")];
  const name = `witness-${n}.example`;
  await mustRun(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key]);
  const [, fingerprint = ""] = (await mustRun(["ssh-keygen", "-lf", `${key}.pub`])).split(" ");
  const agent = new Deno.Command("ssh-agent", {
    args: ["-D", "-a", socket],
    stdout: "null",
    stderr: "null",
  }).spawn();
  await eventually("the agent listens", () => Promise.resolve(isThere(socket)));
  await mustRun(["ssh-add", "-q", key], { SSH_AUTH_SOCK: socket });
  const port = freePort();
  const words = ["-db", db, "-ssh-agent", socket, "-name", name, "-key", fingerprint];
  const child = new Deno.Command(program, {
    args: [...words, "-listen", `127.0.0.1:${port}`],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const verifier = Promise.withResolvers<string>();
  const read = (async () => {
    let written = "";
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      written += text;
      const [, vkey] = /vkey="?([^\s"]+)/.exec(written) ?? [];
      if (vkey !== undefined) verifier.resolve(vkey);
    }
    verifier.reject(new Error(`the witness ended: ${written}`));
  })();
  const text = `http://127.0.0.1:${port}#${await verifier.promise}`;
  const witness = parseWitness(text);
  assert.ok(witness, text);
  return {
    text,
    witness,
    /** What `witnessctl add-log` and `add-key` do. */
    knows: (keys: readonly { origin: string; key: string }[]) => {
      const store = new DatabaseSync(db);
      store.exec("pragma busy_timeout = 5000");
      for (const { origin, key } of keys) {
        store.prepare("insert or ignore into log (origin, tree_size, tree_hash) values (?, 0, ?)")
          .run(origin, EMPTY);
        store.prepare("insert into key (origin, key) values (?, ?)").run(origin, key);
      }
      store.close();
    },
    stop: async () => {
      child.kill("SIGKILL");
      await child.status;
      await read;
      agent.kill("SIGKILL");
      await agent.status;
    },
  };
}

/** The keys by which the desk signs its logs, as it prints them. */
async function logKeys(dataDir: string): Promise<{ origin: string; key: string }[]> {
  const printed = await keydesk(["audit", "checkpoint", "--keys"], { KEYDESK_DATA_DIR: dataDir });
  assert.equal(printed.code, 0, printed.stderr);
  return printed.stdout.trim().split("\n").map((key) => ({ origin: key.split("+")[0] ?? "", key }));
}

/** How many entries the newest head has, and how many of the witnesses signed it. */
async function headOf(
  { url, credential: authorization }: { url: string; credential: string },
  witnesses: readonly Witness[],
): Promise<{ size: number; signed: number }> {
  const headers = { authorization };
  const answer = await fetch(`${url}/v1/audit-log/tiles/checkpoint`, { headers });
  const note = await answer.text();
  if (answer.status !== 200) return { size: 0, signed: 0 };
  const { head } = readCheckpoint(note, []);
  const signed = witnesses.filter(({ key }) => cosignaturesOf(note, head, key).length > 0).length;
  return { size: head.size, signed };
}

/** A row is gone, and all that the store holds against it. */
function writeAnew(file: string): void {
  const store = new DatabaseSync(file);
  try {
    const gone = store.prepare("delete from audit_events where leaf_index = 5").run();
    assert.equal(gone.changes, 1);
    store.exec(`update audit_events set leaf_index = null; delete from trail_leaves;
      delete from trail_checkpoints; delete from trail_cosigned; delete from trail_logs`);
  } finally {
    store.close();
  }
}

async function mustRun(words: string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await run(words, { env });
  assert.equal(code, 0, `${words.join(" ")}: ${stderr}`);
  return stdout;
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  // as: it listens on TCP.
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}
