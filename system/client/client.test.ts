/**
 * The client as people get it: out of the packed package, compiled strictly, run by each runtime
 * and in a browser.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { sharedBrowser } from "../support/shared-browser.ts";
import { npmPackages } from "../support/downloads.ts";
import { installPacked, packedText } from "../support/packed.ts";
import {
  repository,
  run,
  startServerProcess,
  temporaryFolder,
} from "../../test/support/command.ts";

const CREDENTIAL = "client-administrator-0123456789abcdef";

Deno.test("client: installed in an empty folder it compiles strictly, and the example runs in Node 20, 22 and 24, Deno and Bun", async () => {
  await using folder = await temporaryFolder();
  const project = join(folder.path, "project");
  await installPacked(project, { private: true, type: "module" });
  await Deno.copyFile(join(repository, "examples/client.ts"), join(project, "client.ts"));

  const tsc = join(repository, "node_modules/.bin/tsc");
  const options = [
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--lib",
    "es2022,dom",
  ];
  const compiled = await run([tsc, ...options, "client.ts"], { cwd: project });
  assert.equal(compiled.code, 0, compiled.stdout);

  // Types that let everything pass would compile as well.
  await Deno.writeTextFile(
    join(project, "wrong.ts"),
    `import { createClient } from "keydesk/client";
     const desk = createClient({ url: "http://127.0.0.1" });
     desk.getClassicKeyRequest({});
     (await desk.listClassicKeyRequests()).Pagez;
     desk.deleteKeyRequest({ id: "x" }, { ifMatch: "x" });`,
  );
  const wrong = await run([tsc, ...options, "--noEmit", "wrong.ts"], { cwd: project });
  const places = [...wrong.stdout.matchAll(/^wrong\.ts\((\d),/gm)].map(([, line]) => line);
  assert.deepEqual(places, ["3", "4", "5"], wrong.stdout);

  await using data = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: data.path, KEYDESK_ADMIN_TOKEN: CREDENTIAL };
  await using server = await startServerProcess(settings);
  const env = { DESK_URL: server.url, DESK_CREDENTIAL: CREDENTIAL };
  for (const { name, says, program } of await runtimes()) {
    const version = await run([...program.slice(0, 1), "--version"]);
    assert.match(version.stdout, says, name);
    const ran = await run([...program, "client.js"], { cwd: project, env });
    assert.equal(ran.stderr, "", name);
    const asked = /^asked: request [0-9a-f]{24}\nupdated: for plan-climate, pending\n/;
    assert.match(ran.stdout, asked, name);
    assert.match(ran.stdout, /\napproved: key \S+\napproved again: 400 already_processed: /, name);
  }
});

Deno.test("client: in a page of another origin it updates, reads an ETag and follows a list", async () => {
  await using folder = await temporaryFolder();
  const script = await packedText(manifest.exports["./client"].default);
  const page = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) =>
      url.endsWith("/client.js")
        ? new Response(script, { headers: { "content-type": "text/javascript" } })
        : new Response("<!doctype html>", { headers: { "content-type": "text/html" } }),
  );
  const origin = `http://127.0.0.1:${page.addr.port}`;
  await using server = await startServerProcess({
    KEYDESK_DATA_DIR: folder.path,
    KEYDESK_ADMIN_TOKEN: CREDENTIAL,
    // Of another origin, so that everything passes what browsers allow.
    KEYDESK_CORS_ORIGINS: origin,
  });
  await using browser = await sharedBrowser();
  const tab = await browser.newPage();
  await tab.goto(origin);
  const seen = await tab.evaluate(`(async () => {
    const { createClient, Failure } = await import("/client.js");
    const desk = createClient({ url: "${server.url}", credential: "${CREDENTIAL}" });
    const body = { by_user: "dev-ada", for_plan: "plan-weather" };
    const { Message: id } = await desk.createClassicKeyRequest({ body });
    await desk.updateKeyRequest({ id, body: { ...body, for_plan: "plan-climate" } });
    const plans = [];
    for await (const one of desk.listKeyRequests.all({ limit: 1 })) plans.push(one.for_plan);
    const { etag } = await desk.getKeyRequest.answer({ id });
    await desk.declineKeyRequest({ id, body: {} }, { ifMatch: etag });
    const failure = await desk.declineKeyRequest({ id, body: {} }).catch((error) => error);
    return [plans, failure instanceof Failure, failure.code, typeof failure.requestId];
  })()`);
  assert.deepEqual(seen, [["plan-climate"], true, "already_decided", "string"]);
  await page.shutdown();
});

/** A runtime, what it says of its version, and how it runs a file. */
interface Runtime {
  name: string;
  says: RegExp;
  program: string[];
}

/**
 * Those that the client promises to run in: Deno is the one of the tests, the others come as npm
 * packages.
 */
async function runtimes(): Promise<Runtime[]> {
  const source = join(repository, "system/client/runtimes");
  const packages = await npmPackages("runtimes", source);
  const cpu = { x86_64: "x64", aarch64: "arm64" }[Deno.build.arch];
  const bunCpu = { x86_64: "x64", aarch64: "aarch64" }[Deno.build.arch];
  const nodes = [20, 22, 24].map((major) => ({
    name: `Node ${major}`,
    says: new RegExp(`^v${major}\\.`),
    program: [join(packages, `node${major}-${cpu}/bin/node`)],
  }));
  const bun = join(packages, `@oven/bun-linux-${bunCpu}/bin/bun`);
  return [
    ...nodes,
    { name: "Deno", says: /^deno /, program: [Deno.execPath(), "run", "-A"] },
    { name: "Bun", says: /^\d+\.\d+\.\d+\n$/, program: [bun] },
  ];
}
