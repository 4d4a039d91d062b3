/** `keydesk certs import` where things go wrong around it: odd folders, company, a sudden end. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { issue, made } from "../support/certificates.ts";
import { beginStore } from "../support/begun-store.ts";
import { keydesk, keydeskProcess, repository, temporaryFolder } from "../support/command.ts";

async function desk() {
  const folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await beginStore(settings);
  await Deno.mkdir(join(folder.path, "files"));
  return {
    path: folder.path,
    files: join(folder.path, "files"),
    settings,
    certs: (...words: string[]) => keydesk(["certs", ...words], settings),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const numbered = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => made({ cn: `c-${i}`, serial: (i + 4096).toString(16).padStart(6, "0") }),
  );

/** What the tables and every counter say of how many certificates there are. */
async function countsOf(dataDir: string): Promise<Set<number>> {
  const connection = SqliteConnection.openReader(join(dataDir, "keydesk.db"));
  try {
    const counts = new Set<number>();
    for (
      const sql of [
        "select count(*) as n from certificates",
        "select count(*) as n from certificate_files",
        "select count(*) as n from certificate_search",
        "select sum(n) as n from list_counts where list like 'certificates/%' and level = 0 and org_id <> ''",
        "select sum(n) as n from list_counts where list like 'certificate_ends/%' and level = 0",
        "select count(*) as n from audit_events where action = 'certificate.added'",
      ]
    ) {
      const statement = { compile: () => ({ sql, values: () => [] }) };
      const row = await connection.row<Record<never, never>, { n: number }>(statement, {});
      counts.add(row?.n ?? 0);
    }
    return counts;
  } finally {
    connection.close();
  }
}

Deno.test("certs import: links that lead nowhere or round, and empty folders, spoil nothing", async () => {
  await using at = await desk();
  const [one = "", two = ""] = numbered(2);
  await Deno.mkdir(join(at.files, "more/empty"), { recursive: true });
  await Deno.writeTextFile(join(at.files, "one.pem"), one);
  await Deno.writeTextFile(join(at.files, "more/two.pem"), two);
  await Deno.symlink("../one.pem", join(at.files, "more/linked.pem"));
  await Deno.symlink("nowhere", join(at.files, "dangling.pem"));
  await Deno.symlink("itself", join(at.files, "itself"));
  await Deno.symlink("..", join(at.files, "more/round"));
  const { code, stdout, stderr } = await at.certs("import", at.files);
  assert.equal(stdout, "3 files: 2 added, 1 known already, 2 refused\n");
  assert.deepEqual(stderr.trimEnd().split("\n"), [
    `${join(at.files, "dangling.pem")}: there is no such file`,
    `${join(at.files, "itself")}: is a link to itself`,
    "keydesk: 2 refused, see above; all else is kept",
  ]);
  assert.equal(code, 1);
  const empty = await at.certs("import", join(at.files, "more/empty"));
  assert.deepEqual([empty.code, empty.stdout], [
    0,
    "0 files: 0 added, 0 known already, 0 refused\n",
  ]);
  const device = await at.certs("import", "/dev/zero");
  assert.deepEqual([device.code, device.stderr.split("\n")[0]], [1, "/dev/zero: is no file"]);
});

Deno.test("certs import: a bundle with repeats, and a request for a certificate among it", async () => {
  await using at = await desk();
  const [one = "", two = ""] = numbered(2);
  const file = join(at.files, "bundle.pem");
  const request = "-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n";
  await Deno.writeTextFile(file, one + two + request + one + two + one);
  const { code, stdout, stderr } = await at.certs("import", file);
  assert.equal(code, 0);
  assert.equal(stdout, "1 file: 2 added, 3 known already, 0 refused, 1 skipped\n");
  assert.match(
    stderr,
    /bundle\.pem:\d+: The PEM block is a certificate request, and is passed over/,
  );
});

Deno.test("certs import: many small files share transactions, keys among them", async () => {
  await using at = await desk();
  const pems = numbered(250);
  for (const [i, pem] of pems.entries()) {
    await Deno.writeTextFile(join(at.files, `c${String(i).padStart(3, "0")}.pem`), pem);
  }
  const keyed = issue({ subject: { CN: "keyed" }, days: 900 });
  await Deno.writeTextFile(join(at.files, "b.pem"), keyed.certificate);
  await Deno.writeTextFile(join(at.files, "c100-keyed.pem"), keyed.key + keyed.certificate);
  const { stdout } = await at.certs("import", at.files);
  assert.equal(stdout, "252 files: 251 added, 1 given their key, 0 known already, 0 refused\n");
  assert.deepEqual([...await countsOf(at.settings.KEYDESK_DATA_DIR)], [251]);
});

Deno.test("certs import: three at once of the same files add each certificate once", async () => {
  await using at = await desk();
  const file = join(at.files, "bundle.pem");
  await Deno.writeTextFile(file, numbered(1500).join(""));
  const words = ["certs", "import", file, "--json"];
  const ended = await Promise.all([1, 2, 3].map(() => keydeskProcess(words, at.settings)));
  const summaries = ended.map(({ code, stdout, stderr }) => {
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  });
  assert.equal(summaries.reduce((sum, { added }) => sum + added, 0), 1500);
  assert.equal(summaries.reduce((sum, { exists }) => sum + exists, 0), 3000);
  assert.deepEqual([...await countsOf(at.settings.KEYDESK_DATA_DIR)], [1500]);
});

Deno.test("certs import: killed in the middle, it leaves whole certificates, and again adds the rest", async () => {
  await using at = await desk();
  const total = 6000;
  const file = join(at.files, "bundle.pem");
  await Deno.writeTextFile(file, numbered(total).join(""));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", join(repository, "src/cli/main.ts"), "certs", "import", file],
    env: at.settings,
    stdout: "null",
    stderr: "null",
  }).spawn();
  const data = at.settings.KEYDESK_DATA_DIR;
  while (Math.max(...await countsOf(data)) < 500) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  child.kill("SIGKILL");
  assert.equal((await child.status).signal, "SIGKILL");
  const left = [...await countsOf(data)];
  assert.equal(left.length, 1, `the counts disagree: ${left}`);
  const [kept = 0] = left;
  assert.ok(kept >= 500 && kept < total, `${kept} were kept`);
  const again = await at.certs("import", file, "--json");
  const { added, exists, refused } = JSON.parse(again.stdout);
  assert.deepEqual([added, exists, refused], [total - kept, kept, 0]);
  assert.deepEqual([...await countsOf(data)], [total]);
});
