/**
 * Clients that generators make of `openapi-3.1.json`, as docs/generators.md tells: each is
 * generated, compiled, and calls a server. What is generated is never changed by hand.
 *
 * All run in the long form, and as soon as the document or something here is another than what was
 * proved last, which is written down. Else the one for TypeScript runs, which is quick, and says
 * so.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, temporaryFolder } from "../../test/support/command.ts";
import { effort } from "../../test/support/effort.ts";
import { isProved, proofOf, writeProof } from "./proof.ts";
import {
  goModule,
  javaLibraries,
  npmTools,
  openApiGenerator,
  pythonTools,
  sources,
  succeeded,
} from "./tools.ts";
import { DOCUMENT, walks, walksInNode } from "./walks.ts";

const proof = await proofOf(DOCUMENT);
const runsAll = effort > 1 || !await isProved(proof);
let failed = 0;

generated("generators: oapi-codegen's client compiles and calls", async () => {
  await using folder = await temporaryFolder();
  const go = await goModule(folder.path);
  const made = join(folder.path, "oapicodegen");
  await Deno.mkdir(made);
  const options = ["-generate", "types,client,skip-prune", "-package", "desk"];
  const output = ["-o", join(made, "desk.gen.go")];
  await go("tool", "oapi-codegen", ...options, ...output, DOCUMENT);
  await go("build", "-o", "walk", "./oapi-codegen");
  await walks([join(folder.path, "walk")]);
});

generated("generators: openapi-generator's client for Go compiles and calls", async () => {
  await using folder = await temporaryFolder();
  const go = await goModule(folder.path);
  const options = ["--additional-properties", "withGoMod=false", "--package-name", "desk"];
  await openApiGenerated("go", join(folder.path, "openapigenerator"), ...options);
  await go("build", "-o", "walk", "./openapi-generator");
  await walks([join(folder.path, "walk")]);
});

generated("generators: openapi-generator's client for Java compiles and calls", async () => {
  await using folder = await temporaryFolder();
  await openApiGenerated("java", folder.path);
  await Deno.copyFile(
    join(sources, "java/Walk.java"),
    join(folder.path, "src/main/java/Walk.java"),
  );
  const libraries = await javaLibraries(folder.path);
  const from = ["-sourcepath", "src/main/java", "-cp", libraries];
  const every = await filesBelow(join(folder.path, "src/main/java"));
  await succeeded(["javac", "-proc:none", "-d", "made", ...from, ...every], { cwd: folder.path });
  await walks(["java", "-cp", `${join(folder.path, "made")}:${libraries}`, "Walk"]);
});

generated(
  "generators: openapi-generator's client for Python can be imported and calls",
  async () => {
    await using folder = await temporaryFolder();
    await openApiGenerated("python", folder.path, "-i", await withoutWebhooks(folder.path));
    await walksInPython(folder.path, "openapi_client", "walk_openapi_generator.py");
  },
);

generated(
  "generators: openapi-python-client's client can be imported, calls and uploads a PEM text",
  async () => {
    await using folder = await temporaryFolder();
    const programs = await pythonTools();
    const said = await succeeded([
      join(programs, "openapi-python-client"),
      "generate",
      "--path",
      DOCUMENT,
      "--output-path",
      join(folder.path, "keydesk_client"),
      "--meta",
      "none",
      "--config",
      join(sources, "python/openapi-python-client.yaml"),
    ], { cwd: folder.path, env: { PATH: `${programs}:${Deno.env.get("PATH")}` } });
    // It warns of what it leaves out.
    assert.doesNotMatch(said, /WARNING|ERROR/);
    await walksInPython(folder.path, "keydesk_client", "walk_openapi_python_client.py");
  },
);

generated("generators: openapi-generator's client for fetch compiles and calls", async () => {
  await using folder = await temporaryFolder();
  await openApiGenerated("typescript-fetch", join(folder.path, "typescript-fetch"));
  await walksInNode(folder.path, "typescript-fetch", "openapi-typescript");
});

generated("generators: hey-api's client compiles and calls", async () => {
  await using folder = await temporaryFolder();
  const program = join(await npmTools("hey-api"), "@hey-api/openapi-ts/bin/run.js");
  const output = ["-i", DOCUMENT, "-o", join(folder.path, "hey-api"), "--no-log-file"];
  await succeeded([Deno.execPath(), "run", "-A", program, ...output], { cwd: folder.path });
  await walksInNode(folder.path, "hey-api", "hey-api");
});

quicklyGenerated("generators: openapi-typescript's types compile and carry a call", async () => {
  await using folder = await temporaryFolder();
  const program = join(await npmTools("openapi-typescript"), ".bin/openapi-typescript");
  await succeeded([program, DOCUMENT, "-o", "openapi-typescript/desk.ts"], {
    cwd: folder.path,
  });
  await walksInNode(folder.path, "openapi-typescript", "openapi-typescript");
});

if (!runsAll) {
  console.log("generators: the other seven proved this document; the long form repeats it");
}

if (runsAll) {
  Deno.test("generators: what was proved is written down", async () => {
    assert.equal(failed, 0);
    await writeProof(proof);
  });
}

/** A test that runs where the last proof is of something else. */
function generated(name: string, test: () => Promise<void>): void {
  if (runsAll) quicklyGenerated(name, test);
}

/** A test that runs always. */
function quicklyGenerated(name: string, test: () => Promise<void>): void {
  Deno.test(name, async () => {
    failed++;
    await test();
    failed--;
  });
}

/** Every file of a folder and the folders in it. */
async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    found.push(...isDirectory ? await filesBelow(path) : [path]);
  }
  return found;
}

/** Makes a client by openapi-generator, which warns of nothing. */
async function openApiGenerated(name: string, output: string, ...options: string[]) {
  const document = options.includes("-i") ? [] : ["-i", DOCUMENT];
  const words = ["generate", "-g", name, ...document, "-o", output];
  // Plans have `_id` and `id`, which would be one name.
  const names = ["--name-mappings", "_id=underscoreId"];
  const jar = await openApiGenerator();
  const said = await succeeded(["java", "-jar", jar, ...words, ...names, ...options], {
    cwd: repository,
  });
  assert.doesNotMatch(said, /ERROR/);
}

/** The document for a generator that can't read webhooks, as docs/generators.md makes it. */
async function withoutWebhooks(folder: string): Promise<string> {
  const { webhooks: _, ...document } = JSON.parse(await Deno.readTextFile(DOCUMENT));
  const path = join(folder, "without-webhooks.json");
  await Deno.writeTextFile(path, JSON.stringify(document));
  return path;
}

/** Compiles every module of a package, then runs a program that uses it. */
async function walksInPython(folder: string, name: string, walk: string): Promise<void> {
  const python = join(await pythonTools(), "python");
  const importAll = "import importlib,pkgutil,sys;p=importlib.import_module(sys.argv[1]);" +
    "[importlib.import_module(m.name) for m in pkgutil.walk_packages(p.__path__,p.__name__+'.')]";
  await succeeded([python, "-W", "error::SyntaxWarning", "-c", importAll, name], { cwd: folder });
  await walks([python, join(sources, "python", walk)], { PYTHONPATH: folder });
}
