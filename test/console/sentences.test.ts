/**
 * Names that others chose, in the sentences of the console: they turn nothing round but themselves.
 */
import assert from "node:assert/strict";
import { Fragment, h, options, type VNode } from "preact";
import { isolateChildren } from "../../console/parts/isolated-children.ts";
import { isolated, listed, say } from "../../console/said.ts";
import { composedSentences } from "../support/sentences.ts";
import { CONSOLE, readModules } from "../support/modules.ts";

/**
 * Files whose texts are read by programs: shells, keyboards, searches, tools that check a proof.
 */
const FOR_PROGRAMS = [
  "parts/key-parts.ts",
  "parts/shortcuts.ts",
  "reference/call.ts",
  "reference/document.ts",
  "reference/member-list.ts",
  "reference/samples.ts",
  "screens/audit-log/grouped.ts",
  "screens/audit-log/proof-check.ts",
  "screens/home/first-run/lines.ts",
  "shell/palette/order.ts",
];

/**
 * Other texts that are no sentences: what a field begins with, what is compared, what names
 * something.
 */
const NO_SENTENCES = new Set([
  'parts/fields.tsx parts.join(" ")',
  'parts/form-state.ts `${known()?.person.id ?? ""} ${name}`',
  'parts/labels/labels.ts tags.join(", ")',
  "parts/list-tools/list-tools.tsx `${column.class} is-unchosen`",
  'parts/list-tools/views.ts own.join(" ")',
  'reference/members.tsx member.limits.join("; ")',
  "reference/members.tsx ` of ${of}`",
  'reference/operation.tsx description.split("\\n\\n").map((one) => /^`([^`]+)`:/.exec(one)?.[1] ?? one).join(", ")',
  'reference/try-it.tsx one.join(": ")',
  'screens/certificates/care.tsx tags.join(", ")',
  "screens/certificates/certificate-filters.ts `${q}${ca}${status}${ends}${owner}${tag}`",
  "screens/settings/deliveries/deliveries.tsx `deliveries ${name}`",
  'screens/developers/tags-dialog.tsx tags.join(", ")',
  'screens/apis/api-rows.ts `plans/${row.plan.id} ${row.under?.id ?? ""}`',
  "screens/apis/api-rows.ts `${PLANS}${next_cursor}`",
  'screens/apis/plan-draft.ts plan.tags.join(", ")',
  'screens/settings/access-token-drawer.tsx addresses?.join(" ")',
  'screens/settings/scope-field.tsx scope.tags.join(", ")',
  "api/early.ts `${read} ${SCOPED}`",
  "screens/settings/qr-code.tsx `${-QUIET} ${-QUIET} ${size} ${size}`",
  "shell/palette/key-shape.ts `${form}${random.slice(0, 4)}${dots}${random.slice(-4)}`",
  "shell/palette/local-items.ts `G ${key}`",
  "shell/palette/palette.tsx `${kind} ${id}`",
  "shell/palette/search.ts `${path} ${what}`",
  "shell/former-addresses.ts `${to}${rest}${all && `?${all}`}`",
  "shell/shell.tsx `g ${key}`",
  "shell/shell.tsx `/console${present}${hash}`",
]);

Deno.test("sentences: the console puts foreign texts into them by `say` and `listed` alone", () => {
  const met = new Set<string>();
  const wrong = readModules(CONSOLE).flatMap(({ path, text }) => {
    if (!/\.tsx?$/.test(path) || FOR_PROGRAMS.includes(path) || path === "said.ts") return [];
    return composedSentences(path, text).flatMap(({ line, text }) => {
      const one = `${path} ${text}`;
      met.add(one);
      return NO_SENTENCES.has(one) ? [] : [`${path}:${line} ${text}`];
    });
  });
  assert.deepEqual(wrong, []);
  assert.deepEqual([...NO_SENTENCES].filter((one) => !met.has(one)), [], "exceptions of nothing");
});

const SIGNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069";
const SHALOM = "\u05e9\u05dc\u05d5\u05dd";

Deno.test("sentences: an ordinary name stands in them as it is, to the byte", () => {
  for (const name of ["Ada", "Zoë Ångström", "Ада", "愛", "👩\u200d💻", "", "O'Hara, Ltd. (3)"]) {
    assert.equal(say`Suspend ${name}?`, `Suspend ${name}?`);
    assert.equal(listed([name, "Bob"]), `${name}, Bob`);
  }
  assert.equal(say`${3} of ${undefined}`, "3 of undefined");
});

Deno.test("sentences: a name from right to left is kept apart, and stays so in a sentence about the sentence", () => {
  const apart = `\u2068${SHALOM}\u2069`;
  const asked = say`Suspend ${SHALOM} 5?`;
  assert.equal(asked, `Suspend ${apart} 5?`);
  assert.equal(say`Details of ${asked}`, `Details of \u2068${asked}\u2069`);
  assert.equal(listed([SHALOM, "Ada"], " · "), `${apart} · Ada`);
});

Deno.test("sentences: signs that turn texts round, or end what keeps a name apart, are left out", () => {
  for (const sign of SIGNS) {
    assert.equal(say`Suspend ${`a${sign}b`}?`, "Suspend ab?");
    assert.equal(isolated(`${SHALOM}${sign}`), `\u2068${SHALOM}\u2069`);
  }
  assert.equal(isolated(`\u2069${SHALOM}\u2068`), `\u2068${SHALOM}\u2069`);
});

Deno.test("sentences: of texts in one element those that turn others stand in a bdi", () => {
  const before = options.vnode;
  try {
    isolateChildren();
    const plain = h("p", null, "Suspends ", "Ada", "’s ", 3, " keys");
    assert.deepEqual(plain.props.children, ["Suspends ", "Ada", "’s ", 3, " keys"]);
    for (const name of [SHALOM, "\u202eadA", "Ada\u2067"]) {
      const apart = h("bdi", null, name).props;
      // as: what h was given, and what stands in its place.
      const shown = h("p", null, "Suspends ", name, " keys").props.children as VNode[];
      assert.deepEqual([shown[1]?.type, shown[1]?.props], ["bdi", apart]);
      const part = h(Fragment, null, name).props.children as VNode;
      assert.deepEqual([part.type, part.props], ["bdi", apart]);
      const nested = h("p", null, ["by ", [name]], " too").props.children as unknown as [
        [string, [VNode]],
      ];
      assert.deepEqual([nested[0][1][0].type, nested[0][1][0].props], ["bdi", apart]);
    }
    const option = h("option", null, `\u202e${SHALOM}`, " (3)").props.children;
    assert.deepEqual(option, [`\u2068${SHALOM}\u2069`, " (3)"]);
  } finally {
    options.vnode = before;
  }
});

Deno.test("sentences: what puts one together by itself is found", () => {
  const found = (text: string) => composedSentences("a.tsx", text).length;
  for (
    const wrong of [
      "toast({ text: `Suspend ${name}?` })",
      "const a = <p title={`Of ${name}`} />",
      'announce("Gone: " + name)',
      'const a = names.join(", ")',
      "const a = `${before}${name}`",
    ]
  ) assert.equal(found(wrong), 1, wrong);
  for (
    const right of [
      "toast({ text: say`Suspend ${name}?` })",
      "const a = <p class={`is ${name}`} />",
      "const a = `${path}/${id}`",
      "const a = `${grouped(count)} keys`",
      'const a = listed(names) + " and more"',
      'const a = names.join("/")',
    ]
  ) assert.equal(found(right), 0, right);
});
