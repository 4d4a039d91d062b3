/** What is made once is made once, however many ask for it at the same time. */
import assert from "node:assert/strict";
import { lateVariables } from "./support/late-variables.ts";
import { PACKAGES, readModules } from "./support/modules.ts";

/** Those that nothing can come between, and why. */
const HARMLESS: Readonly<Record<string, string>> = {
  "kernel/tracing.ts active": "set before anything is served, by the one start of a process",
  "features/portal/my/documents/reading.ts thread": "whoever reads waits for the one before",
};

Deno.test("modules: none of their variables is set after something was waited for", () => {
  const late = [...readModules(), ...readModules(PACKAGES)].flatMap(({ path, text }) =>
    lateVariables(path, text).map((found) => `${path} ${found}`)
  );
  const named = late.map((found) => found.replace(/:\d+$/, ""));
  assert.deepEqual(late.filter((_, index) => !((named[index] ?? "") in HARMLESS)), []);
  for (const name of Object.keys(HARMLESS)) assert.ok(named.includes(name), `${name} is no more`);
});

Deno.test("modules: that test finds each way to set a variable late, and no other", () => {
  const late = (text: string) => lateVariables("sample.ts", text);
  const kept = "let kept: number | undefined;\nconst all = new Map<string, number>();\n";
  const found = {
    "async function f() { kept = await make(); }": ["kept:3"],
    "async function f() { kept ??= await make(); }": ["kept:3"],
    "async function f() { const made = await make(); all.set('a', made); }": ["all:3"],
    "const f = async () => { const made = await make(); kept = made; };": ["kept:3"],
    "class C { async f() { for await (const one of some()) kept = one; } }": ["kept:3"],
    "async function f() { for (;;) { kept = 1; await make(); } }": ["kept:3"],
    "function f() { make().then((made) => { kept = made; }); }": ["kept:3"],
  };
  for (const [text, expected] of Object.entries(found)) {
    assert.deepEqual(late(kept + text), expected, text);
  }
  const harmless = [
    "function f() { return kept ??= make(); }",
    "async function f() { await turn(); return kept ??= make(); }",
    "async function f() { kept = 1; await make(); }",
    "async function f() { const all = new Map(); await make(); all.set('a', 1); }",
    "async function f(kept: number) { await make(); kept = 1; }",
    "async function f() { const kept = () => { const x = 1; }; await make(); return all.get('a'); }",
  ];
  for (const text of harmless) assert.deepEqual(late(kept + text), [], text);
});
