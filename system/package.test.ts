/**
 * The npm package as people get it: packed, installed elsewhere without install scripts, run from a
 * third folder.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { repository, run, startServerProcess, temporaryFolder } from "../test/support/command.ts";
import { MADE_FILES } from "../tools/generate.js";
import { bundledForCommands, makeSbom } from "../tools/sbom.ts";
import { installPacked, mustRun, packedFiles, packedText } from "./support/packed.ts";

Deno.test("package: it installs, serves a request and stops, far from its sources", async () => {
  await using folder = await temporaryFolder();
  const installed = join(folder.path, "installed");
  const elsewhere = join(folder.path, "elsewhere");
  await Deno.mkdir(elsewhere);
  await installPacked(installed, { private: true });

  const told = await run(["npx", "--no-install", "keydesk", "version"], { cwd: installed });
  assert.equal(told.stdout, `${manifest.version}\n`, told.stderr);

  const program = [join(installed, "node_modules/.bin/keydesk")];
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
      "openapi.json",
      "dist/client/keydesk-client.js",
      "dist/reference/reference.js.br",
      "dist/help.json",
      "dist/documents/openapi.json",
      "dist/documents/openapi-3.1.json.br",
      "dist/console/index.html",
      "dist/console/index.html.br",
      "dist/console/files.json",
      "docs/README.md",
      "dist/sbom.cdx.json",
      "dist/third-party-licences.txt",
      "README.md",
      "LICENSE",
      "openapi-3.1.json",
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

Deno.test("package: a command finds no dependency of many files, each by itself: they are bundled", async () => {
  const programs = (await packedFiles()).filter((name) => /^dist\/[^/]+\.js$/.test(name));
  assert.ok(programs.includes("dist/keydesk.js"));
  const imported = /(?:^|[;}\s])(?:import|export)\b[^;"]*?"([^".][^"]*)"/g;
  const found = new Set<string>();
  const text = await packedText(...programs);
  for (const [, from = ""] of text.matchAll(imported)) found.add(from);
  assert.ok(found.has("commander"), [...found].join(" "));
  const left = [...found].filter((name) => bundledForCommands.some((one) => name.startsWith(one)));
  assert.deepEqual(left, []);
  const licences = await packedText("dist/third-party-licences.txt");
  assert.match(licences, /Copyright \(c\) 2022 Sami Koskimäki/);
});

Deno.test("package: a clone without install scripts makes what its code needs, whoever starts at the same time", async () => {
  await using folder = await temporaryFolder();
  for (const name of ["bin", "console", "src", "tools"]) {
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
