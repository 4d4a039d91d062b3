/**
 * The npm package as people get it: packed, installed elsewhere without install scripts, run from a
 * third folder.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { repository, run, startServerProcess, temporaryFolder } from "../test/support/command.ts";
import { MADE_FILES } from "../tools/generate.js";
import { makeSbom } from "../tools/sbom.ts";
import { inSources } from "../tools/source-of-stack.ts";
import {
  installed,
  installPacked,
  mustRun,
  packed,
  packedFiles,
  packedText,
} from "./support/packed.ts";

Deno.test("package: it installs, serves a request and stops, far from its sources", async () => {
  await using folder = await temporaryFolder();
  const project = join(folder.path, "installed");
  const elsewhere = join(folder.path, "elsewhere");
  await Deno.mkdir(elsewhere);
  await installPacked(project, { private: true });

  const told = await run(["npx", "--no-install", "keydesk", "version"], { cwd: project });
  assert.equal(told.stdout, `${manifest.version}\n`, told.stderr);

  const program = [join(project, "node_modules/.bin/keydesk")];
  await using server = await startServerProcess({}, { program, cwd: elsewhere });
  const data = join(elsewhere, "data");
  const credential = await Deno.readTextFile(join(data, "administrator-credential"));
  const response = await fetch(`${server.url}/api/portal/requests`, {
    method: "POST",
    headers: { authorization: credential.trim() },
    body: '{"by_user":"somebody","for_plan":"something"}',
  });
  assert.equal((await response.json()).Status, "OK");
  // The thread that hashes is a file of its own in the package.
  const signIn = async (path: string, body: string) =>
    (await (await fetch(`${server.url}/api/portal/developers${path}`, {
      method: "POST",
      headers: { authorization: credential.trim() },
      body,
    })).json()).Message;
  const id = await signIn("", '{"email":"ada@example.org","password":"her own one"}');
  const checked = '{"username":"ada@example.org","password":"her own one"}';
  assert.equal(await signIn("/verify_credentials", checked), id);
  // So are the files of the reference, packed.
  const page = await (await fetch(`${server.url}/reference`)).text();
  const [, script = ""] = /src="(reference\/reference\.[0-9a-f]{16}\.js)"/.exec(page) ?? [];
  const bundle = await fetch(`${server.url}/${script}`);
  assert.ok((await bundle.text()).includes("operation-head"));
  assert.equal(((await Deno.stat(join(data, "keydesk.db"))).mode ?? 0) & 0o777, 0o600);

  const screen = await fetch(`${server.url}/console/keys`);
  assert.equal(screen.status, 200);
  const [, screenScript = ""] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(await screen.text()) ??
    [];
  const loaded = await fetch(server.url + screenScript, { headers: { "accept-encoding": "br" } });
  assert.match(loaded.headers.get("cache-control") ?? "", /immutable/);
  assert.ok((await loaded.text()).length > 10_000);

  const seed = await run([...program, "seed"], { cwd: elsewhere });
  assert.match(seed.stderr, /^keydesk: The organisation has 1 key request already/);
  assert.equal(seed.code, 1);
  assert.equal((await server.stop("SIGTERM")).code, 0);
});

Deno.test("package: it holds what it runs on and none of its tests", async () => {
  const names = await packedFiles();
  for (
    const name of [
      "bin/keydesk.js",
      "dist/keydesk.js",
      "README.md",
      "LICENSE",
      "dist/client/keydesk-client.js",
      "dist/reference/reference.js.br",
      "dist/help.json",
      "dist/documents/openapi-3.1.json",
      "dist/documents/openapi-replacements.json",
      "dist/console/index.html.br",
      "dist/console/files.json",
      "docs/README.md",
      "dist/sbom.cdx.json",
      "dist/third-party-licences.txt",
    ]
  ) {
    assert.ok(names.includes(name), name);
  }
  // As npm packed it, whatever it leaves out itself.
  const bom = await packedText("dist/sbom.cdx.json");
  assert.deepEqual(JSON.parse(bom), makeSbom());
  assert.deepEqual(
    names.filter((name) =>
      /^(src|console|test|system|bench|data)\/.*(?<!\.md)$|\.(png|webp)$/.test(name)
    ),
    [],
  );
});

Deno.test("package: it is small: what npm fetches, what it installs, and how many packages", async () => {
  const { size } = await Deno.stat(await packed());
  assert.ok(size <= 2_500_000, `${size} bytes`);
  const modules = join(await installed(), "node_modules");
  const { stdout } = await mustRun(["du", "--summarize", "--block-size=1M", modules]);
  assert.ok(parseInt(stdout) <= 135, `${stdout} MiB`);
  const { packages } = JSON.parse(
    await Deno.readTextFile(join(modules, ".package-lock.json")),
  );
  const names = Object.keys(packages).map((path) => path.replace("node_modules/", ""));
  assert.deepEqual(names.filter((name) => !name.startsWith("@deno/")), ["deno", "keydesk"]);
});

Deno.test("package: generators find the document of the interface by its name", async () => {
  const path = manifest.exports["./openapi-3.1.json"];
  const { info, openapi } = JSON.parse(await packedText(path));
  assert.equal(info.version, manifest.version);
  assert.match(openapi, /^3\.1\./);
});

Deno.test("package: a stack names its functions and lines, and a clone says where they are in the sources", async () => {
  const [name = ""] =
    [...await programs()].find(([, text]) => text.includes("\nfunction toTimestamp(")) ?? [];
  const script = `const found = await import("file://${await programFolder()}/${name}");
    const toTimestamp = Object.values(found.default).find(({ name }) => name === "toTimestamp");
    try { toTimestamp(NaN); } catch (error) { console.log(error.stack); }`;
  const { stdout } = await mustRun([Deno.execPath(), "eval", script]);
  assert.match(stdout, /at toTimestamp \(.*\.cjs:\d+:\d+\)/);
  const [, line = ""] =
    /at toTimestamp \(src\/kernel\/clock\.ts:(\d+)\)/.exec(await inSources(stdout)) ??
      assert.fail(stdout);
  const lines = (await Deno.readTextFile(join(repository, "src/kernel/clock.ts"))).split("\n");
  assert.match(lines[Number(line) - 1] ?? "", /toISOString/);
});

Deno.test("package: what is bundled comes with its licence, and nothing is loaded before it is needed", async () => {
  const files = await programs();
  const licences = await packedText("dist/third-party-licences.txt");
  const { components } = JSON.parse(await packedText("dist/sbom.cdx.json"));
  const inside = new Set([...files.values()].flatMap(packagesIn));
  assert.ok(inside.size > 50, [...inside].join(" "));
  for (const name of inside) {
    const { version } = components.find((one: { name: string }) => one.name === name) ??
      assert.fail(`${name} is in no bill`);
    const [, text = ""] = licences.split(`${"-".repeat(80)}\n${name} ${version}: `);
    assert.match(
      text.split("-".repeat(80))[0] ?? "",
      /hereby\s+grant|Permission to use|Redistribution and use|TERMS AND CONDITIONS|public domain/,
      name,
    );
  }

  const loadedWith = (source: string) => {
    const [start = ""] = [...files].find(([, text]) => text.includes(`\n// ${source}\n`)) ?? [];
    const loaded = new Set([start]);
    for (const file of loaded) {
      for (const name of importsOf(files.get(file) ?? "")) loaded.add(name);
    }
    const all = [...loaded].flatMap((file) => packagesIn(files.get(file) ?? ""));
    return [...new Set(all)].sort();
  };
  // As in a clone, of which test/start.test.ts tells.
  assert.deepEqual(loadedWith("src/cli/main.ts"), []);
  // A one-time code is looked at in the transaction that takes it.
  const first = ["@noble/hashes", "kysely", "otpauth", "rou3", "zod"];
  assert.deepEqual(loadedWith("src/cli/serve.ts"), first);
  assert.deepEqual(loadedWith("src/writer-thread.ts"), ["@noble/hashes", "kysely", "otpauth"]);
  assert.deepEqual(loadedWith("src/cli/keys.ts"), ["@noble/hashes", "commander", "zod"]);
});

Deno.test("package: each file of the program loads by itself with all that it exports, so that what is loaded late does", async () => {
  const folder = await programFolder();
  // What begins to work when it is loaded.
  const isStarted = (name: string) => /^keydesk\.cjs$|-thread\.cjs$/.test(name);
  const late = [...(await programs()).keys()].filter((name) => !isStarted(name));
  // Reading all values reads each export.
  const script = `for (const name of ${JSON.stringify(late)}) {
      Object.values((await import("file://${folder}/" + name)).default);
    }
    console.log("all");`;
  const { stdout } = await mustRun([Deno.execPath(), "eval", script]);
  assert.equal(stdout, "all\n");
});

Deno.test("package: it imports nothing but what is in it, what Deno brings, and redis where that is installed", async () => {
  const from = /\b(?:require|import)\("([^".][^"]*)"\)/g;
  const found = new Set<string>();
  for (const text of (await programs()).values()) {
    for (const [, name = ""] of text.matchAll(from)) found.add(name);
    // Of Node's, which a module asks for when it is made.
    assert.ok(!text.includes("createRequire("));
  }
  const others = [...found].filter((name) => !name.startsWith("node:"));
  assert.deepEqual(others, Object.keys(manifest.peerDependencies));
});

Deno.test("package: a clone without install scripts makes what its code needs, whoever starts at the same time", async () => {
  await using folder = await temporaryFolder();
  for (const name of ["bin", "console", "docs", "packages", "src", "tools"]) {
    await mustRun(["cp", "--archive", join(repository, name), folder.path], folder.path);
  }
  await Deno.copyFile(join(repository, "package.json"), join(folder.path, "package.json"));
  await Deno.symlink(join(repository, "node_modules"), join(folder.path, "node_modules"));
  for (const path of MADE_FILES) {
    await Deno.remove(join(folder.path, path)).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
  // The launcher tells some words itself; this one takes the program.
  const words = ["node", join(folder.path, "bin/keydesk.js"), "completion", "bash"];
  const start = () => run(words, { cwd: folder.path });
  for (const { stdout, stderr } of await Promise.all([start(), start()])) {
    assert.match(stdout, /complete .*keydesk/, stderr);
  }
  for (const path of MADE_FILES) {
    const made = await Deno.readTextFile(join(folder.path, path));
    assert.ok(made === await Deno.readTextFile(join(repository, path)), path);
  }
  const left = await mustRun(["find", ".", "-name", "*.partial"], folder.path);
  assert.equal(left.stdout, "");
});

/** Where the program's files are. */
async function programFolder(): Promise<string> {
  const dist = join(await installed(), "node_modules/keydesk/dist");
  const folders: string[] = [];
  for await (const { name } of Deno.readDir(dist)) {
    if (/^program-[0-9a-f]{8}$/.test(name)) folders.push(join(dist, name));
  }
  assert.equal(folders.length, 1);
  return folders.join();
}

/** The texts of the files that the program consists of, by their names. */
async function programs(): Promise<ReadonlyMap<string, string>> {
  const folder = await programFolder();
  const texts = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    texts.set(name, await Deno.readTextFile(join(folder, name)));
  }
  assert.ok(texts.has("keydesk.cjs"));
  return texts;
}

/** The packages of others in a file: each module's own stands above it. */
function packagesIn(text: string): string[] {
  return [...text.matchAll(/^\/\/ .*\bnode_modules\/((?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gm)]
    .map(([, name = ""]) => name);
}

/** What a file of the program loads at once. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/^(?:const [\w$]+=)?require\("\.\/([^"]+)"\)/gm)]
    .map(([, name = ""]) => name);
}
