/** The documented files of gateways, as the console fills them in. */
import assert from "node:assert/strict";
import {
  ADDRESS,
  type FileValues,
  filledFile,
  PLAIN_ID,
} from "../../../../src/contract/filled-file.ts";
import { checkingKinds, fileVersions } from "../../../../src/contract/checking-gateways.ts";
import { gatewayFiles } from "../../../../src/contract/gateway-files.ts";

const values: FileValues = {
  GATEWAY_ADDRESS: "127.0.0.1:8080",
  API_ADDRESS: "10.0.0.7:9000",
  API_ID: "weather",
  DESK_ADDRESS: "desk.example:3000",
  DESK_CREDENTIAL: "kd_token",
  GATEWAY_NAME: "edge-1",
};

const documented = (name: string) =>
  Deno.readTextFile(new URL(`../../../../docs/gateways/${name}`, import.meta.url));

Deno.test("gateway files: what is filled in is the documented file, with the values in their places", async () => {
  const named: [name: string, value: string][] = [
    ...Object.entries(values) as [string, string][],
    ["GATEWAY_HOST", "127.0.0.1"],
    ["GATEWAY_PORT", "8080"],
    ["API_HOST", "10.0.0.7"],
    ["API_PORT", "9000"],
    ["DESK_HOST", "desk.example"],
    ["DESK_PORT", "3000"],
  ];
  const kinds = Object.keys(gatewayFiles);
  assert.deepEqual(kinds, checkingKinds.filter((kind) => kind !== "other"));
  for (const [kind, files] of Object.entries(gatewayFiles)) {
    for (const { file, name, text } of files) {
      assert.equal(text, await documented(file), `${file}: npm run generate`);
      let expected = withoutNames(text);
      for (const [word, value] of named) {
        expected = expected.replaceAll("${" + word + "}", value)
          .replaceAll("{$" + word + "}", value)
          .replaceAll(`os.getenv("${word}")`, `"${value}"`);
      }
      const filled = filledFile(text, values);
      assert.equal(filled, expected);
      for (
        const open of [/\$\{[A-Z]/, /\{\$[A-Z]/, /os\.getenv/, /Fill in/, /[A-Z]_(ADDRESS|NAME)/]
      ) {
        assert.doesNotMatch(filled, open, `${file} speaks of nothing that is filled`);
      }
      assert.doesNotMatch(filledFile(name, values), /[${}]/);
    }
    const all = files.map(({ text }) => filledFile(text, values)).join("\n");
    const [proxied] = kind === "tyk" ? [] : ["10.0.0.7"];
    for (const value of ["kd_token", proxied ?? "edge-1", "desk.example", "weather"]) {
      assert.ok(all.includes(value), `${kind} has ${value}`);
    }
    // A file that is changed so that gateways should take the new one has another version.
    const said = Reflect.get(fileVersions, kind);
    assert.ok(
      files.some(({ text }) => new RegExp(`;${said}"`).test(text)),
      `${kind} says version ${said}`,
    );
  }
});

/** A file without the list of names at its head. */
function withoutNames(text: string): string {
  return text.replace(/(^(#|--)\n)?^(#|--) Fill in.*\n(^(#|--) {3}[A-Z].*\n)*/m, "");
}

Deno.test("gateway files: the head lists the names that have no value yet, and no others", () => {
  const [, server] = gatewayFiles.nginx;
  const { DESK_CREDENTIAL: _, ...known } = values;
  const head = filledFile(server?.text ?? "", known).split("\n\n")[0] ?? "";
  assert.match(head, /^# Fill in; see docs\/gateways\.md:\n# {3}DESK_CREDENTIAL .*$/m);
  assert.doesNotMatch(head, /API_ID|GATEWAY_NAME/);
  const [envoy] = gatewayFiles.envoy;
  const { API_ADDRESS: __, ...rest } = values;
  assert.match(
    filledFile(envoy?.text ?? "", rest),
    /see docs\/gateways\.md:\n# {3}API_HOST, API_PORT .*\nstatic/,
  );
});

Deno.test("gateway files: an address and an id that end a word or a text are none", () => {
  for (const one of ["127.0.0.1:8080", "api.example:80", "[2001:db8::1]:443"]) {
    assert.ok(ADDRESS.test(one), one);
  }
  for (
    const one of ["", "127.0.0.1", "a b:1", "a;:1", 'a":1', "a}:1", "a:1\n", "a:1;x", "a:123456"]
  ) {
    assert.ok(!ADDRESS.test(one), one);
  }
  for (const one of ['a"', "a;", "a b", "a\n", "${A}", "a&b", "a/b"]) {
    assert.ok(!PLAIN_ID.test(one));
  }
  assert.ok(PLAIN_ID.test("") && PLAIN_ID.test("weather-2_a.b~c"));
});
