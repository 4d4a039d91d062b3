/** What the documentation says is true. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { settingsTable } from "../../src/config.ts";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { repository, run, startServerProcess, temporaryFolder } from "../support/command.ts";
import { pathWithCurl } from "../support/curl.ts";

const readme = await Deno.readTextFile(join(repository, "README.md"));

Deno.test("docs: README's table of settings is the one that the code declares", () => {
  const rows = readme.split("\n").filter((line) => line.startsWith("| `KEYDESK_")).map((line) => {
    const [name = "", fallback = "", meaning = ""] = line.slice(1, -1).split("|")
      .map((cell) => cell.trim());
    const plain = (text: string) => text.replace(/^`(.*)`$/, "$1");
    return { name: plain(name), default: plain(fallback), meaning };
  });
  assert.deepEqual(rows, settingsTable());
});

Deno.test("docs: the example body is the reference's full key request", async () => {
  const file = join(repository, "docs/examples/key-request.json");
  assert.deepEqual(JSON.parse(await Deno.readTextFile(file)), fullKeyRequest);
});

Deno.test("docs: every relative link leads to a file, and to a heading where it names one", async () => {
  const broken: string[] = [];
  for (const file of await pages()) {
    const text = await Deno.readTextFile(join(repository, file));
    for (const [, link = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? file : join(dirname(file), path);
      const found = await Deno.readTextFile(join(repository, target)).catch(() => undefined);
      if (found === undefined || (anchor !== undefined && !anchors(found).includes(anchor))) {
        broken.push(`${file}: ${link}`);
      }
    }
  }
  assert.deepEqual(broken, []);
});

Deno.test("docs: every decision keeps to its form and to sixty lines", async () => {
  const decisions = (await pages()).filter((file) => /decisions\/\d{4}-/.test(file));
  assert.ok(decisions.length >= 7);
  for (const file of decisions) {
    const text = await Deno.readTextFile(join(repository, file));
    assert.ok(text.trimEnd().split("\n").length <= 60, file);
    const heads = [...text.matchAll(/^## (.*)$/gm)].map(([, head]) => head);
    assert.deepEqual(heads, ["Context", "Decision", "Consequences", "Rejected"], file);
  }
});

Deno.test("docs: README's curl lines work as they are pasted", async () => {
  await using folder = await temporaryFolder();
  // As a reader has it: the repository's files at hand, the server started in that very folder.
  await Deno.symlink(join(repository, "docs"), join(folder.path, "docs"));
  await using server = await startServerProcess({}, { cwd: folder.path });
  const lines = blocks(readme).filter((block) => block.includes("curl")).join("\n")
    .replace("http://127.0.0.1:3000", server.url);
  const answers = await run(["sh", "-c", lines.replaceAll(/^curl .*$/gm, "$&; echo")], {
    cwd: folder.path,
    env: { PATH: await pathWithCurl(folder.path) },
  });
  assert.equal(answers.stderr, "");
  const [plan, list, read, updated, approved, again, deleted, ...more] = answers.stdout.trimEnd()
    .split("\n").map((line) => JSON.parse(line));
  const id = read.id;
  assert.match(id, /^[0-9a-f]{24}$/);
  assert.deepEqual(plan, { Status: "OK", Message: fullKeyRequest.for_plan, Meta: null });
  assert.deepEqual(list, { Data: [read], Pages: 1 });
  assert.deepEqual(updated, { Status: "OK", Message: id, Meta: null });
  assert.match(approved.RawKey, /^[A-Za-z0-9+/=]{60,}$/);
  assert.deepEqual(again, {
    Status: "Error",
    Message: "Key request has already been processed.",
    Meta: null,
  });
  assert.deepEqual(deleted, { Status: "OK", Message: "Data deleted", Meta: null });
  assert.deepEqual(more, []);
  // The plan is there, so what was issued opens something.
  const credential = await Deno.readTextFile(join(folder.path, "data/administrator-credential"));
  const verdict = await fetch(`${server.url}/v1/keys/verify`, {
    method: "POST",
    headers: { authorization: credential.trim() },
    body: JSON.stringify({ key: approved.RawKey }),
  });
  assert.equal((await verdict.json()).valid, true);
});

/** All pages of the repository. */
async function pages(): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ["", "docs", "docs/decisions"]) {
    for await (const entry of Deno.readDir(join(repository, folder))) {
      if (entry.name.endsWith(".md")) found.push(join(folder, entry.name));
    }
  }
  return found.sort();
}

/** The texts of the fenced shell blocks. */
function blocks(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

/** The headings as links name them. */
function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, head = ""]) =>
    head.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
  );
}
