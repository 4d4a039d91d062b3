/**
 * What is loaded before the server listens: nothing that serves only some calls. Times and MiB are
 * bench/'s.
 */
import assert from "node:assert/strict";
import { type Module, PACKAGES, readModules } from "./support/modules.ts";

/** By their paths below src/. */
const modules = new Map(
  [...readModules(), ...readModules(PACKAGES).map(belowSrc)].map((module) => [module.path, module]),
);

function belowSrc(module: Module): Module {
  const at = (name: string) => name.endsWith(".ts") ? `../packages/${name}` : name;
  const { path, imports, loads } = module;
  return { ...module, path: at(path), imports: imports.map(at), loads: loads.map(at) };
}

/** A module and all that is loaded with it, each with the module that asks for it. */
function loadedWith(start: string): Map<string, string> {
  const loaded = new Map([[start, ""]]);
  for (const path of loaded.keys()) {
    for (const name of modules.get(path)?.loads ?? []) {
      if (!loaded.has(name)) loaded.set(name, path);
    }
  }
  return loaded;
}

/** What of it fits, with the way that led there. */
function found(loaded: ReadonlyMap<string, string>, unwanted: RegExp): string[] {
  const wayTo = (name: string): string => {
    const by = loaded.get(name);
    return by ? `${wayTo(by)} → ${name}` : name;
  };
  return [...loaded.keys()].filter((name) => unwanted.test(name)).map(wayTo);
}

Deno.test("start: until the server's modules are asked for, nothing but the writer's thread is", () => {
  assert.deepEqual([...loadedWith("cli/main.ts").keys()], [
    "cli/main.ts",
    "start-writer.ts",
    "storage/engines/sqlite-threaded-writer.ts",
  ]);
});

Deno.test("start: no feature's endpoints and schemas are loaded before they are called", () => {
  const unwanted =
    /\.(operations|service|contract|example)\.ts$|^reference\/(registry|openapi)|^contract\/(values|v1)|(claim|reference)-page\.ts$/;
  assert.deepEqual(found(loadedWith("cli/serve.ts"), unwanted), []);
});

Deno.test("start: libraries that only some calls need are not loaded", () => {
  const unwanted =
    /^(pg|prom-client|@opentelemetry|commander|hash-wasm|bcryptjs|redis|node-forge|node:fs\/promises|@multiformats\/murmur3)(\/|$)|^features\/certificates\/|^\.\.\/packages\/x509\/|postgres\.ts$/;
  assert.deepEqual(found(loadedWith("cli/serve.ts"), unwanted), []);
});

Deno.test("start: the writer's thread loads no schemas, no HTTP, and nothing that reads certificates", () => {
  const unwanted =
    /^(zod|rou3|pg|commander|hash-wasm|bcryptjs|redis|node-forge|node:fs.*|node:net)(\/|$)|^http\/|\.(operations|service|contract)\.ts$|^\.\.\/packages\/x509\/(x509|pem|pkcs12|bundle|upload)/;
  const loaded = found(loadedWith("writer-thread.ts"), unwanted);
  // Words alone: what channels of earlier code name is shown by them.
  const words = / → features\/notifications\/topics\.contract\.ts$/;
  assert.deepEqual(loaded.filter((way) => !words.test(way)), []);
});

Deno.test("start: the reading of what is loaded finds it, and the way there", () => {
  const server = loadedWith("cli/serve.ts");
  assert.ok(server.has("zod") && server.has("kysely") && server.has("http/serve.ts"));
  assert.ok(!server.has("features/key-requests/key-requests.operations.ts"));
  assert.ok(loadedWith("endpoints.ts").size === 1);
  assert.ok(modules.get("endpoints.ts")?.imports.includes("features/keys/oauth.operations.ts"));
  assert.deepEqual(found(loadedWith("config.ts"), /^zod$/), ["config.ts → zod"]);
  assert.ok(found(loadedWith("features/keys/oauth.operations.ts"), /\.store\.ts$/).length > 0);
});
