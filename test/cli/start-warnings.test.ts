/** What a start tells the operator of the settings. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { passkeyWarnings, startWarnings } from "../../src/cli/start-warnings.ts";
import { readConfig } from "../../src/config.ts";
import { keydesk } from "../support/command.ts";
import { openTestDesk, testOnEngines } from "../support/desk.ts";
import { addPasskey } from "../support/passkeys.ts";
import { signIn } from "../support/sign-in.ts";

Deno.test("start: a shared port without the number of its processes is told", async () => {
  await using desk = await openTestDesk("sqlite");
  const { ctx } = desk.app;
  const told = async (settings: Record<string, string>) => {
    const config = { ...desk.config, ...readConfig(settings, "linux") };
    const sentences = await startWarnings(
      config,
      ctx.storage.reader,
      ctx.sealer,
      ctx.clock.now(),
    );
    return sentences.filter((one) => one.includes("KEYDESK_PROCESSES")).length;
  };
  assert.equal(await told({}), 0);
  assert.equal(await told({ KEYDESK_REUSE_PORT: "true" }), 1);
  assert.equal(await told({ KEYDESK_REUSE_PORT: "true", KEYDESK_PROCESSES: "2" }), 0);
});

testOnEngines("start: passkeys that another address would orphan are told first", async (desk) => {
  const told = async (publicUrl: string) =>
    (await passkeyWarnings(desk.app.ctx.storage.reader, publicUrl)).join("\n");
  const moved = "https://moved.example.org";
  assert.equal(await told(moved), "", "there is none yet");
  const browser = await signIn(desk, { credential: desk.admin });
  await addPasskey(desk, browser);
  assert.equal(await told(""), "", "they are of this address");
  assert.match(
    await told(moved),
    /^1 passkey was made for another address than moved\.example\.org, .*: it signs in at the former address only/,
  );
  await addPasskey(desk, browser, "Phone");
  assert.match(
    await told(moved),
    /^2 passkeys were made .*: they sign in at the former address only/,
  );
  assert.match(await told("http://192.0.2.1:3000"), /an address that can have no passkeys/);
  const { ctx } = desk.app;
  const config = { ...desk.config, PUBLIC_URL: moved };
  const start = await startWarnings(config, ctx.storage.reader, ctx.sealer, ctx.clock.now());
  assert.ok(start.includes(await told(moved)), "each start says so");
});

Deno.test("doctor: with another address in the settings it tells the passkeys first", async () => {
  await using desk = await openTestDesk("sqlite");
  await addPasskey(desk, await signIn(desk, { credential: desk.admin }));
  const settings = { KEYDESK_DATA_DIR: dirname(desk.config.databaseFile), KEYDESK_PORT: "0" };
  const said = async (KEYDESK_PUBLIC_URL: string) => {
    const all = KEYDESK_PUBLIC_URL === "" ? settings : { ...settings, KEYDESK_PUBLIC_URL };
    const { stdout } = await keydesk(["doctor", "--json"], all);
    const { checks } = JSON.parse(stdout) as { checks: { check: string; result: string }[] };
    return checks.filter(({ check }) => check === "passkeys").map(({ result }) => result);
  };
  assert.deepEqual(await said(""), []);
  assert.deepEqual(await said("https://moved.example.org"), ["warn"]);
});
