/** The package's files define their exports in one statement. */
import assert from "node:assert/strict";
import { withShortExports } from "../tools/short-exports.ts";

Deno.test("short exports: each is read when it is asked for, whatever its name is", () => {
  const names = ["get", "name", "exports1", "Object1", "value"];
  const script = [
    `let get = 1, name = 2, exports1 = 3, Object1 = 4, value = 5;`,
    `exports.change = () => get++;`,
    ...names.map((name) =>
      `Object.defineProperty(exports, "${name}", {\n\tenumerable: true,\n\tget: function() {\n\t\treturn ${name};\n\t}\n});`
    ),
  ].join("\n");
  const short = withShortExports(script);
  assert.ok(short.length < script.length);
  // as: the script fills it.
  const exported = {} as Record<string, unknown> & { change: () => void };
  new Function("exports", short)(exported);
  exported.change();
  assert.deepEqual(names.map((name) => exported[name]), [2, 2, 3, 4, 5]);
  assert.deepEqual(Object.keys(exported), ["change", ...names]);
});
