/**
 * Further tools read the document, as docs/generators.md tells: clients are made, compiled and call
 * a server, linters find no error in it, and Schemathesis finds nothing at a server that was not
 * weighed. In `npm run test:long` alone: ogen's client takes 5 GB to compile, progenitor wants
 * Rust's compiler.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, temporaryFolder } from "../../../test/support/command.ts";
import { download, downloads, pythonPackages } from "../../support/downloads.ts";
import { further, goFiles, npmTools, succeeded } from "../tools.ts";
import { DOCUMENT, seededServer, walks, walksInNode } from "../walks.ts";

/** The interface in OpenAPI 3.2, which alone can say `UPDATE`. */
const NEWEST_DOCUMENT = join(repository, "openapi.json");

/** Runs a program of npm, by the Deno that is there: two of them want a newer Node than Keydesk. */
async function byNpm(
  tool: string,
  program: string,
  words: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const path = join(await npmTools(tool, further), program);
  return await succeeded([Deno.execPath(), "run", "-A", path, ...words], { cwd, env });
}

Deno.test("generators: orval's client compiles and calls", async () => {
  await using folder = await temporaryFolder();
  // It writes beside its settings.
  const config = join(folder.path, "orval.config.mjs");
  await Deno.copyFile(join(further, "orval.config.mjs"), config);
  const program = "orval/dist/bin/orval.mjs";
  const env = { DESK_DOCUMENT: DOCUMENT };
  await byNpm("orval", program, ["--config", config], folder.path, env);
  await walksInNode(folder.path, "orval", "orval", further);
});

Deno.test("generators: swagger-typescript-api's client compiles and calls", async () => {
  await using folder = await temporaryFolder();
  const name = "swagger-typescript-api";
  const words = ["generate", "-p", DOCUMENT, "-o", join(folder.path, name), "-n", "desk.ts"];
  await byNpm(name, `${name}/dist/cli.mjs`, words, folder.path);
  await walksInNode(folder.path, name, name, further);
});

Deno.test("generators: ogen's client of OpenAPI 3.2 compiles, calls and has the method UPDATE", async () => {
  await using folder = await temporaryFolder();
  const ogen = join(further, "ogen");
  // Its modules want a newer Go than those of the others.
  const program = join(await pythonPackages("go-for-ogen", ogen), "bin/go");
  const go = await goFiles(folder.path, ogen, ["go.mod", "go.sum", "walk/main.go"], program);
  const options = ["--package", "desk", "--config", join(ogen, "ogen.yaml")];
  await go("tool", "ogen", "--target", "desk", ...options, NEWEST_DOCUMENT);
  await go("build", "-o", "walker", "./walk");
  await walks([join(folder.path, "walker")]);
});

Deno.test("generators: progenitor's client of what OpenAPI 3.0 can say compiles and calls", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const rust = join(further, "rust");
  await Deno.mkdir(join(cwd, "src"));
  for (const file of ["Cargo.toml", "Cargo.lock", "src/main.rs"]) {
    await Deno.copyFile(join(rust, file), join(cwd, file));
  }
  const converter = "@apiture/openapi-down-convert/lib/src/cli.js";
  const words = ["--input", DOCUMENT, "--output", join(cwd, "converted.json")];
  await byNpm("openapi-down-convert", converter, words, cwd);
  const read = await succeeded(
    ["jq", "-f", join(rust, "for-progenitor.jq"), "converted.json"],
    { cwd },
  );
  await Deno.writeTextFile(join(cwd, "desk-3.0.json"), read);
  const env = { CARGO_TARGET_DIR: join(downloads, "rust") };
  await download("crates", ["cargo", "fetch", "--locked"], { cwd, env });
  await succeeded(["cargo", "build", "--locked", "--offline"], { cwd, env });
  await walks([join(env.CARGO_TARGET_DIR, "debug/keydesk-generators")]);
});

Deno.test("generators: Redocly's linter calls every edition valid", async () => {
  for (const document of [DOCUMENT, NEWEST_DOCUMENT]) {
    const words = ["lint", "--extends", "minimal", document];
    const said = await byNpm("redocly", "@redocly/cli/bin/cli.js", words, further);
    assert.match(said, /Your API description is valid/);
  }
});

Deno.test("generators: Spectral finds no error in any edition", async () => {
  for (const document of [DOCUMENT, NEWEST_DOCUMENT]) {
    const rules = join(further, "spectral.yaml");
    const words = ["lint", "--fail-severity", "error", "--quiet", "--ruleset", rules, document];
    await byNpm("spectral", "@stoplight/spectral-cli/dist/index.js", words, further);
  }
});

Deno.test("generators: Schemathesis finds nothing at a server that was not weighed", async () => {
  await using server = await seededServer();
  const program = join(await pythonPackages("schemathesis", join(further, "schemathesis")), "bin");
  const said = await succeeded([
    join(program, "schemathesis"),
    "--config-file",
    join(further, "schemathesis/schemathesis.toml"),
    "run",
    `${server.url}/openapi-3.1.json`,
    "--header",
    `Authorization: ${server.credential}`,
    "--no-color",
  ], { cwd: server.folder, env: { PYTHONPATH: join(further, "schemathesis") } });
  assert.match(said, /Tested: 4\d\d/);
});
