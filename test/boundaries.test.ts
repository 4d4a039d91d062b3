/** The order of the house, and a sample of each way to break it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  consoleViolations,
  notForBrowsers,
  packageViolations,
  strangeFolders,
  violations,
} from "./support/boundaries.ts";
import { repository } from "./support/command.ts";
import { CONSOLE, type Module, PACKAGES, readModules } from "./support/modules.ts";

const modules = readModules();
const consoleModules = readModules(CONSOLE);
const packageModules = readModules(PACKAGES);

Deno.test("boundaries: every file of src/ imports its own storey or one further down", () => {
  assert.deepEqual(strangeFolders(modules), []);
  assert.deepEqual(violations(modules), []);
  assert.ok(modules.length > 300 && modules.some(({ imports }) => imports.includes("kysely")));
});

Deno.test("boundaries: ARCHITECTURE.md names every feature and every part of the maintenance", async () => {
  const map = (await Deno.readTextFile(join(repository, "ARCHITECTURE.md"))).split("```")[1] ?? "";
  const named = new Set(map.match(/[\w-]+/g));
  const folders = new Set(
    modules.map(({ path }) =>
      /^(?:features|maintenance)\/([\w-]+)\//.exec(path)?.[1] ?? "features"
    ),
  );
  assert.ok(folders.size > 25);
  assert.deepEqual([...folders].filter((folder) => !named.has(folder)), []);
});

Deno.test("boundaries: what browsers load of src/ needs no file, socket or environment", () => {
  assert.deepEqual(notForBrowsers(modules), []);
});

Deno.test("boundaries: so does every file of console/, and no screen knows another", () => {
  assert.deepEqual(consoleViolations(consoleModules), []);
  assert.ok(consoleModules.length > 30);
});

/** A module that is not there, with what it imports. */
function sample(path: string, ...imports: string[]): Module {
  return { path, imports, loads: imports, lines: 1, text: "" };
}

const BREAKS: Readonly<Record<string, { module: Module; said: RegExp }>> = {
  "an arrow up": {
    module: sample("http/sample.ts", "features/keys/keys.service.ts"),
    said: /features is above http/,
  },
  "an arrow to the roots": {
    module: sample("features/keys/sample.ts", "open-server.ts"),
    said: /roots is above features/,
  },
  "the kernel that imports ours": {
    module: sample("kernel/sample.ts", "contract/values.ts"),
    said: /contract is above kernel/,
  },
  "a store that opens transactions": {
    module: sample("features/keys/sample.store.ts", "features/keys/key-life.transactions.ts"),
    said: /a store is not made of a transactions/,
  },
  "a service made of operations": {
    module: sample("features/keys/sample.service.ts", "features/keys/keys.operations.ts"),
    said: /a service is not made of a operations/,
  },
  "a service that knows the wire": {
    module: sample("features/keys/sample.service.ts", "http/routes.ts"),
    said: /a service knows no wire/,
  },
  "a contract that is not pure": {
    module: sample("features/keys/sample.contract.ts", "features/keys/key.ts"),
    said: /a contract is not made of a plain/,
  },
  "SQL outside of stores": {
    module: sample("features/keys/sample.service.ts", "kysely"),
    said: /only .* imports kysely/,
  },
  "a package that nobody placed": {
    module: sample("features/keys/sample.service.ts", "lodash/map"),
    said: /no row in PACKAGES/,
  },
  "a published client that needs the server": {
    module: sample("client/keydesk-client.ts", "kernel/failure.ts"),
    said: /the client stands beside/,
  },
  "a file in a circle": {
    module: sample("kernel/sample.ts", "kernel/sample.ts"),
    said: /a circle: kernel\/sample\.ts → kernel\/sample\.ts/,
  },
  "features in a circle": {
    module: sample("features/plans/sample.ts", "features/key-requests/key-request.ts"),
    said: /a circle: .*plans → key-requests/,
  },
  "a file that is too long": {
    module: { ...sample("kernel/sample.ts"), lines: 501 },
    said: /has 501 lines/,
  },
  "a barrel": {
    module: { ...sample("kernel/index.ts"), text: 'export * from "./ids.ts";' },
    said: /only passes on/,
  },
};

for (const [what, { module, said }] of Object.entries(BREAKS)) {
  Deno.test(`boundaries: ${what} is found`, () => {
    const found = violations([...modules.filter(({ path }) => path !== module.path), module]);
    assert.ok(found.some((one) => said.test(one)), found.join("\n"));
  });
}

Deno.test("boundaries: a library of packages/ imports its own files and the packages that are its own", () => {
  assert.deepEqual(packageViolations(packageModules), []);
  assert.ok(packageModules.length > 30);
  for (
    const [name, said] of [
      ["../src/kernel/failure.ts", /its own files alone/],
      ["http-listener/listener.ts", /its own files alone/],
      ["kysely", /only .* imports kysely/],
    ] as const
  ) {
    const found = packageViolations([sample("x509/sample.ts", name)]);
    assert.ok(found.length === 1 && said.test(found[0] ?? ""), found.join("\n"));
  }
});

const BESIDES_THE_TERMINAL = {
  "prints": 'console.log("done");',
  "writes": "await Deno.stdout.write(bytes);",
  "reads settings": 'Deno.env.get("KEYDESK_URL");',
  "reads": "linesOf(Deno.stdin.readable);",
  "ends": "Deno.exit(1);",
};

for (const [what, text] of Object.entries(BESIDES_THE_TERMINAL)) {
  Deno.test(`boundaries: a command that ${what} besides its terminal is found`, () => {
    const found = violations([...modules, { ...sample("cli/sample.ts"), text }]);
    assert.deepEqual(found.length, 1, found.join("\n"));
    assert.match(found[0] ?? "", /^cli\/sample\.ts says .*: what a command has is its terminal's$/);
  });
}

const CONSOLE_BREAKS: Readonly<Record<string, { module: Module; said: RegExp }>> = {
  "a part that knows the shell": {
    module: sample("parts/sample.tsx", "shell/shell.tsx"),
    said: /shell is above parts/,
  },
  "a screen that knows another": {
    module: sample("screens/keys/sample.tsx", "screens/plans/plans.screen.tsx"),
    said: /a screen knows no other screen/,
  },
  "a screen that reaches into the server": {
    module: sample("screens/keys/sample.tsx", "../src/features/keys/key.ts"),
    said: /it is the server's/,
  },
  "a package that is not bundled": {
    module: sample("parts/sample.tsx", "react"),
    said: /bundles no such package/,
  },
  "a schema that is loaded": {
    module: sample("parts/sample.tsx", "../src/features/keys/keys.contract.ts"),
    said: /contracts are types/,
  },
  "parts in a circle": {
    module: sample("parts/sample.tsx", "parts/sample.tsx"),
    said: /a circle: parts\/sample\.tsx/,
  },
};

for (const [what, { module, said }] of Object.entries(CONSOLE_BREAKS)) {
  Deno.test(`boundaries: in the console ${what} is found`, () => {
    const found = consoleViolations([...consoleModules, module]);
    assert.ok(found.some((one) => said.test(one)), found.join("\n"));
  });
}

Deno.test("boundaries: what needs a file is not for browsers, and a folder that is no storey is strange", () => {
  const needsFile = sample("contract/sample.ts", "node:fs");
  assert.match(notForBrowsers([...modules, needsFile]).join(), /contract\/sample\.ts/);
  assert.deepEqual(strangeFolders([sample("helpers/sample.ts")]), ["helpers"]);
});
