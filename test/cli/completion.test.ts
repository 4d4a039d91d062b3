/**
 * `keydesk completion`: what the scripts know. That shells complete by them is shown by the system
 * tests.
 */
import assert from "node:assert/strict";
import { bashScript } from "../../src/cli/completion-bash.ts";
import { fishScript } from "../../src/cli/completion-fish.ts";
import { completionTree } from "../../src/cli/completion-tree.ts";
import { zshScript } from "../../src/cli/completion-zsh.ts";
import { permissions } from "../../src/contract/permissions.ts";
import { createProgram } from "../../src/cli/program.ts";
import { keydesk } from "../support/command.ts";

const tree = completionTree(await createProgram());

Deno.test("completion: the tree is the parser's own, with values of options and names of files", () => {
  const node = (...path: string[]) =>
    tree.find((one) => one.path.join(" ") === path.join(" ")) ?? assert.fail(path.join(" "));
  assert.ok(node().commands.some(({ word }) => word === "requests"));
  assert.deepEqual(
    node("requests").commands.map(({ word }) => word),
    ["list", "show", "approve", "offer", "withdraw-offer", "assign", "decline"],
  );
  const option = (path: string[], long: string) =>
    node(...path).options.find((one) => one.long === long) ?? assert.fail(long);
  const state = option(["requests", "list"], "--state");
  assert.deepEqual(state.values, ["pending", "issued", "declined"]);
  assert.equal(option(["requests", "list"], "--token-file").values, "files");
  assert.equal(option(["requests", "list"], "--plan").values, "anything");
  assert.equal(option(["requests", "list"], "--json").values, undefined);
  assert.equal(option(["requests", "list"], "--q").short, "-q");
  assert.equal(node("keys", "import").argument, "files");
  assert.equal(node("certs", "import").argument, "files");
  assert.deepEqual(node("completion").argument, ["bash", "zsh", "fish"]);
  assert.equal(node("requests", "show").argument, "anything");
  // A command below, or a choice of the argument.
  assert.deepEqual(node("export").commands.map(({ word }) => word), [
    "tyk",
    "config",
    "audit",
    "outbox",
  ]);
  assert.deepEqual(option(["token", "create"], "--allow").values, { list: permissions });
  assert.deepEqual(node("help", "requests").commands, node("requests").commands);
  assert.ok(!node("help").commands.some(({ word }) => word === "help"));
});

Deno.test("completion: each script is printed whole and knows every command and option", async () => {
  for (const [shell, script] of Object.entries({ bashScript, zshScript, fishScript })) {
    const name = shell.replace("Script", "");
    const { code, stdout, stderr } = await keydesk(["completion", name], {});
    assert.deepEqual([code, stdout, stderr], [0, script(tree), ""]);
    for (const { commands, options } of tree) {
      const words = [...commands.map(({ word }) => word), ...options.map(({ long }) => long)];
      for (const word of words) {
        const said = name === "fish" ? word.replace(/^--/, "-l ") : word;
        assert.ok(stdout.includes(said), `${name}: ${word}`);
      }
    }
  }
  const wrong = await keydesk(["completion", "tcsh"], {});
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /Allowed choices are bash, zsh, fish/);
});
