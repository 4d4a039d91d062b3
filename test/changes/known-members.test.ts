/** What the audit log knows of members is what their schemas know. */
import assert from "node:assert/strict";
import { z } from "zod";
import { knownMembers, type MemberNames } from "../../src/changes/known-members.ts";
import {
  catalogueConfig,
  catalogueEntry,
} from "../../src/features/plans/catalogue/catalogue.contract.ts";
import { configurationNames, entryNames } from "../../src/features/plans/catalogue/member-names.ts";
import { planNames } from "../../src/features/plans/member-names.ts";
import { plan } from "../../src/features/plans/plans.contract.ts";

Deno.test("known members: they are those of the schemas", () => {
  assert.deepEqual(configurationNames, namesOf(catalogueConfig.input));
  assert.deepEqual(entryNames, namesOf(catalogueEntry.input));
  assert.deepEqual(planNames, namesOf(plan));
});

Deno.test("known members: a name that every object has is not ours", () => {
  const known = knownMembers({ a: true, b: { c: true } });
  assert.equal(known("a"), true);
  const inner = known("b");
  assert.equal(typeof inner === "function" && inner("c"), true);
  for (const name of ["c", "constructor", "__proto__"]) assert.equal(known(name), undefined);
});

function namesOf(record: z.ZodObject): MemberNames {
  return Object.fromEntries(
    Object.entries(record.shape).map(([name, schema]) => {
      const inner = withoutDefault(schema);
      return [name, inner instanceof z.ZodObject ? namesOf(inner) : true];
    }),
  );
}

function withoutDefault(schema: unknown): unknown {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? withoutDefault(schema.unwrap())
    : schema;
}
