/** What doctor and `import tyk verify` say of user names that an earlier release took for keys. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { keydesk, temporaryFolder } from "../support/command.ts";
import { copySeeded } from "../support/seeded-store.ts";
import { ids, makeExports } from "../support/original-exports.ts";
import { sessionOf, startInterfaces } from "../support/original-interfaces.ts";

Deno.test("import: user names that came as keys end doctor and verify with 1, until a run shuts them", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data"), KEYDESK_PORT: "0" };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  await using there = startInterfaces(makeExports("", 1), { sessions: {} });
  const { keeps } = there;
  const name = await keeps.addUser("ada", "correct horse", ids.developer(0), [ids.plan(1)]);
  keeps.records.set(`apikey-${"a".repeat(64)}`, sessionOf(""));
  const secret = join(folder.path, "secret");
  await Deno.writeTextFile(secret, there.secret);
  const read = ["--gateway", there.gateway, "--gateway-secret-file", secret];
  const tyk = (verb: string, words = read) => keydesk(["import", "tyk", verb, ...words], settings);
  const doctor = async () => {
    const { code, stdout } = await keydesk(["doctor"], settings);
    const lines = stdout.split("\n").filter((line) => /^\S+ +import /.test(line));
    return [code, lines.join("\n").replace(/ +/g, " ")] as const;
  };

  // As an earlier release did: it went by the password, which is blanked.
  const session = keeps.session(name) ?? {};
  const { basic_auth_data } = session;
  session.basic_auth_data = {};
  assert.equal((await tyk("run")).code, 0);
  session.basic_auth_data = basic_auth_data;
  {
    using db = new DatabaseSync(join(settings.KEYDESK_DATA_DIR, "keydesk.db"));
    db.exec("update imports set sources = '[{},{}]'");
  }
  const [code, said] = await doctor();
  assert.equal(code, 1);
  assert.match(
    said,
    /^fail import organisation \w+: 2 keys came by --gateway before this release \(127\.0/,
  );
  const verified = await tyk("verify");
  assert.equal(verified.code, 1);
  assert.match(verified.stderr, new RegExp(`the name alone is valid: ${name}\\. Run the import`));
  // A source without sessions can't tell.
  const plans = join(folder.path, "tyk_policies.json");
  await Deno.writeTextFile(plans, JSON.stringify({ _id: ids.plan(1), name: "One" }));
  const unsure = ["--files", plans];
  const blind = await tyk("verify", unsure);
  assert.equal(blind.code, 1);
  assert.match(blind.stderr, /2 keys came by --gateway before this release.*run the import again/);

  const ran = await tyk("run");
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(
    ran.stderr,
    /^1 key that came earlier is a user name, which needed no password in Keydesk: suspended$/m,
  );
  const fine = "ok import no key that came from another system is a user name";
  assert.deepEqual(await doctor(), [0, fine]);
});
