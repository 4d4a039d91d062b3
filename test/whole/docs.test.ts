/** What the documentation says is true. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { settingsTable } from "../../src/settings-table.ts";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { repository, run, startServerProcess, temporaryFolder } from "../support/command.ts";
import { pathWithCurl } from "../support/curl.ts";

const readme = await Deno.readTextFile(join(repository, "README.md"));

Deno.test("docs: what README says of its settings is what the code declares", () => {
  const rows = readme.split("\n").filter((line) => line.startsWith("| `KEYDESK_")).map((line) => {
    const [name = "", fallback = "", meaning = ""] = line.slice(1, -1).split("|")
      .map((cell) => cell.trim());
    const plain = (text: string) => text.replace(/^`(.*)`$/, "$1");
    return { name: plain(name), default: plain(fallback), meaning };
  });
  assert.ok(rows.length >= 4);
  for (const row of rows) {
    const { values: _, group: __, ...declared } = settingsTable().find(({ name }) =>
      name === row.name
    ) ?? assert.fail(row.name);
    assert.deepEqual(row, declared);
  }
});

Deno.test("docs: the example body is the reference's full key request", async () => {
  const file = join(repository, "docs/examples/key-request.json");
  assert.deepEqual(JSON.parse(await Deno.readTextFile(file)), fullKeyRequest);
});

Deno.test("docs: every relative link leads to a file, and to a heading where it names one", async () => {
  const broken: string[] = [];
  for (const { file, link, target, anchor } of await links()) {
    const found = await textOf(target);
    if (found === undefined || (anchor !== undefined && !anchors(found).includes(anchor))) {
      broken.push(`${file}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
});

Deno.test("docs: the package ships its pages, and what they link to", async () => {
  const packed = await run(["npm", "pack", "--dry-run", "--ignore-scripts", "--json"], {
    cwd: repository,
  });
  assert.equal(packed.code, 0, packed.stderr);
  const [{ files }] = JSON.parse(packed.stdout);
  const shipped = new Set<string>(files.map(({ path }: { path: string }) => path));
  const inDocs = (await pages()).filter((file) =>
    /^docs\/(?!(contributing|decisions|pictures)\/)/.test(file)
  );
  assert.deepEqual(["README.md", ...inDocs].filter((file) => !shipped.has(file)), []);
  // Who runs Keydesk finds all of it; what is for those who change it is where the project lives.
  const elsewhere =
    /^(bench|docs\/(contributing|decisions))\/|^console\/README|^(ARCHITECTURE|CONTRIBUTING|STYLE)\.md$|^docs\/interface\.txt$|^docs\/pictures\/|^examples\/moving\//;
  const dead = (await links()).filter(({ file, target }) =>
    shipped.has(file) && !isIn(target) && !elsewhere.test(target)
  );
  assert.deepEqual(dead.map(({ file, link }) => `${file}: ${link}`), []);
  assert.deepEqual([...shipped].filter((file) => elsewhere.test(file)), []);

  function isIn(target: string): boolean {
    const folder = target.replace(/\/?$/, "/");
    return shipped.has(target) || [...shipped].some((file) => file.startsWith(folder));
  }
});

Deno.test("docs: the start page leads to every page", async () => {
  const reached = (await links()).filter(({ file }) => file === "docs/README.md")
    .map(({ target }) => target);
  const others = (await pages()).filter((file) => /^docs\/[^/]+\.md$/.test(file));
  assert.deepEqual(
    others.filter((file) => file !== "docs/README.md" && !reached.includes(file)),
    [],
  );
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
  const [plan, read, updated, verdict, again, ...more] = answers.stdout.trimEnd()
    .split("\n").map((line) => JSON.parse(line));
  const id = read.id;
  assert.match(id, /^[0-9a-f]{24}$/);
  assert.deepEqual(plan, { Status: "OK", Message: fullKeyRequest.for_plan, Meta: null });
  assert.deepEqual(updated, { Status: "OK", Message: id, Meta: null });
  assert.equal(verdict.valid, true);
  assert.deepEqual(again, {
    Status: "Error",
    Message: "Key request has already been processed.",
    Meta: null,
  });
  assert.deepEqual(more, []);
});

/** All pages of the repository. */
async function pages(): Promise<string[]> {
  return (await walk("")).sort();
}

async function walk(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(repository, folder))) {
    if (isDirectory && !/^(node_modules|dist|data|\..*)$/.test(name)) {
      found.push(...await walk(join(folder, name)));
    } else if (name.endsWith(".md")) found.push(join(folder, name));
  }
  return found;
}

/** Where a page leads inside the repository. */
interface Link {
  file: string;
  link: string;
  target: string;
  anchor?: string;
}

/** Every relative link and picture of every page, in Markdown and in HTML. */
async function links(): Promise<Link[]> {
  const found: Link[] = [];
  for (const file of await pages()) {
    const text = (await Deno.readTextFile(join(repository, file))).replaceAll(/^```.*?^```/gms, "");
    const named = [/\]\(([^)\s]+)\)/g, /\b(?:href|src|srcset)="([^"\s]+)"/g]
      .flatMap((form) => [...text.matchAll(form)]);
    for (const [, link = ""] of named) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? file : join(dirname(file), path);
      found.push({ file, link, target, ...anchor === undefined ? {} : { anchor } });
    }
  }
  assert.ok(found.length > 100);
  return found;
}

/** A file's text, empty for a folder; undefined where there is neither. */
async function textOf(path: string): Promise<string | undefined> {
  const state = await Deno.stat(join(repository, path)).catch(() => undefined);
  if (!state) return undefined;
  return state.isDirectory ? "" : await Deno.readTextFile(join(repository, path));
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
