/**
 * The four recipes of CONTRIBUTING.md, as changes of this repository's own files. Each edit is one
 * place; files that are generated are in none.
 */

/** Text that is put behind another text of a file, or before it; without either: a new file. */
interface Edit {
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly behind?: string;
  readonly before?: string;
  /** `NEXT`: the next version of the schema. */
  readonly text: string;
}

/** A recipe, and how many files it takes by hand. */
export interface Recipe {
  readonly files: number;
  readonly edits: readonly Edit[];
  /** Tests that are run once it was followed. */
  readonly tests: readonly string[];
}

const ADDED = "### Added\n";

/** An operation of `/v1` that changes something: a plan gets another name. */
const operation: Recipe = {
  files: 4,
  tests: ["test/features/plans/rename-plan.test.ts"],
  edits: [
    {
      file: "src/features/plans/plans.transactions.ts",
      before: "const USUAL: PlanAdditions =",
      text: `/** Gives a plan another name. Throws \`not_found\` and \`plan_name_taken\`. */
export const renamePlan = defineTransaction(
  "plans.rename",
  async (tx, { actor, id, name }: { actor: Actor; id: string; name: string }) => {
    const before = await lockPlan(tx, actor.org_id, id);
    if (!before) throw new Failure("not_found");
    await replacePlan(tx, actor.org_id, { ...before, name });
    await recordChange(tx, actor, {
      action: "plan.updated",
      object_id: before.id,
      detail: { before: { name: before.name }, after: { name } },
      names: { object: name },
    });
    await invalidatePlan(tx, actor.org_id, before, actor.now);
  },
);

`,
    },
    {
      file: "src/features/plans/plans.operations.ts",
      before: "export const deleteClassicPlan = operation({",
      text: `export const renamePlan = operation({
  id: "renamePlan",
  method: "PUT",
  path: "/v1/plans/{id}/name",
  tag,
  summary: "Give a plan another name",
  description: "Keys that have it stay as they are.",
  permission: ["plans"],
  body: z.object({ name: z.string().trim().min(1).max(255) }).meta({ id: "PlanName" }),
  response: plan,
  errors: [...bodyErrors, "not_found", "plan_name_taken"],
  example: { name: "Gold" },
  async serve(ctx, { params: { id }, body: { name } }) {
    const actor = actorOf(ctx.principal, ctx.clock.now());
    await ctx.storage.commit(renamePlanChange, { actor, id, name });
    const row = await findPlanView(ctx.storage.reader, { org_id: actor.org_id, id });
    if (!row) throw new Failure("not_found");
    return new Answer(planText(row));
  },
});

`,
    },
    {
      file: "src/features/plans/plans.operations.ts",
      before: "  updatePlan as updatePlanChange,\n",
      text: "  renamePlan as renamePlanChange,\n",
    },
    {
      file: "test/features/plans/rename-plan.test.ts",
      text: `import assert from "node:assert/strict";
import { testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/people.ts";
import { planWith } from "../../support/verification.ts";

testOnEngines("plans: one gets another name, and its limits stay", async (desk) => {
  const plan = await planWith(desk, { rate: 7, per: 1 });
  const { name, rate } = await call(desk, "PUT", \`/v1/plans/\${plan}/name\`, { name: "Gold" });
  assert.deepEqual([name, rate], ["Gold", 7]);
  const absent = await desk.send("PUT", "/v1/plans/nothing/name", { body: { name: "Gold" } });
  assert.equal(absent.status, 404);
});
`,
    },
    {
      file: "CHANGELOG.md",
      behind: ADDED,
      text: "\n- `PUT /v1/plans/{id}/name` gives a plan another name.\n",
    },
  ],
};

/** A command that calls an operation: a plan is deleted. */
const command: Recipe = {
  files: 4,
  tests: [
    "test/cli/plans-remove.test.ts",
    "test/cli/commands.test.ts",
    "test/cli/grants.test.ts",
  ],
  edits: [
    {
      file: "src/cli/plans.ts",
      before: `    calls({
      verb: "activate <plan...>",`,
      text: `    calls({
      verb: "remove <plan>",
      summary: "delete a plan: keys that have it open nothing any more",
      of: plan,
      call: ({ client, id }) => client.deletePlan({ id }),
      done: (_, { word }) => \`The plan \${word} is deleted.\`,
    }),
`,
    },
    {
      file: "docs/command-line.md",
      behind: "| `keydesk plans list`, `show`, `add`, ",
      text: "`remove`, ",
    },
    {
      file: "test/cli/plans-remove.test.ts",
      text: `import assert from "node:assert/strict";
import { doors, openDoors } from "../support/doors.ts";

for (const way of doors) {
  Deno.test(\`plans remove (\${way}): a plan is found by its name, and gone\`, async () => {
    await using desk = await openDoors();
    const [plan] = (await desk[way]("plans", "list", "--json")).stdout.split("\\n");
    const { _id, name } = JSON.parse(plan ?? "");
    const removed = await desk[way]("plans", "remove", name);
    assert.deepEqual([removed.code, removed.stderr], [0, \`The plan \${name} is deleted.\\n\`]);
    const gone = await desk[way]("plans", "remove", _id);
    assert.equal(gone.stderr, \`keydesk: there is no plan \${_id} (not_found_for_deletion)\\n\`);
  });
}
`,
    },
    {
      file: "CHANGELOG.md",
      behind: ADDED,
      text: "\n- `keydesk plans remove` deletes a plan.\n",
    },
  ],
};

/** A filter of a list: keys that have a note, or none. */
const filter: Recipe = {
  files: 5,
  tests: ["test/whole/list-filters.test.ts"],
  edits: [
    {
      file: "src/contract/list-filters.ts",
      before: `  leaked: {
    takes: "yes",`,
      text: `  noted: {
    takes: "yes",
    description: "\`true\`: only keys with a note; \`false\`: only others.",
    option: ["--noted <yes>", "only keys with a note, or only others"],
    words: { true: "with a note", false: "without a note" },
  },
`,
    },
    {
      file: "src/features/keys/list-keys.service.ts",
      before: "  environment: {\n    walk: (label)",
      text:
        `  noted: { leaves: ({ note }, isNoted) => (note !== null && note !== "") === isNoted },\n`,
    },
    {
      file: "console/screens/keys/keys.screen.tsx",
      behind: `> = { plan: "",`,
      text: ` noted: "",`,
    },
    {
      file: "console/screens/keys/keys.screen.tsx",
      before: `    ...unusedOf(filters.use),\n`,
      text: `    noted: filters.noted === "yes" ? "true" as const : undefined,\n`,
    },
    {
      file: "console/screens/keys/keys.screen.tsx",
      before: `            {
              of: "use",`,
      text: `            {
              of: "noted",
              label: "Notes",
              options: [{ value: "", text: "Noted or not" }, { value: "yes", text: "Noted" }],
            },
`,
    },
    {
      file: "test/whole/list-filters.test.ts",
      behind: `    environment: ["live", found],\n`,
      text: `    noted: ["true", found],\n`,
    },
    {
      file: "test/whole/list-filters.test.ts",
      behind: `{ environment: "live", tags: ["payments"]`,
      text: `, note: "Ask Lena first."`,
    },
    {
      file: "CHANGELOG.md",
      behind: ADDED,
      text: "\n- The list of keys has a filter by whether they have a note (`noted`).\n",
    },
  ],
};

const ENVIRONMENT = `  environment: line(50).meta({
    description: "The environment, such as production or test, up to 50 characters.",
  }),
`;

/** A field with a filter: who pays for a key. */
const field: Recipe = {
  files: 15,
  tests: ["test/features/keys/cost-center.test.ts", "test/storage/declared-tables.test.ts"],
  edits: [
    {
      file: "src/storage/migrations/0099-newest.ts",
      before: "\n];\n",
      text:
        `\n  { version: NEXT, name: "cost-centers", oldestCode: 20, statements: costCentersSchema },`,
    },
    {
      file: "src/storage/migrations/0099-newest.ts",
      before: "/** Nothing is known any more of certificates that stand at gateways. */\n",
      text: `/** Who pays for a key. */
function costCentersSchema(db: QueryBuilder): Compilable[] {
  return [db.schema.alterTable("credentials").addColumn("cost_center", "text")];
}

`,
    },
    {
      file: "src/storage/schema.ts",
      behind: "    environment: textOrNull,\n",
      text: "    cost_center: textOrNull,\n",
    },
    {
      file: "src/features/keys/key-labels.ts",
      behind: `const TEXTS = ["name", "environment", "note"`,
      text: `, "cost_center"`,
    },
    {
      file: "src/contract/labels.ts",
      behind: ENVIRONMENT,
      text:
        `  cost_center: line(50).meta({ description: "Who pays for it, up to 50 characters." }),\n`,
    },
    {
      file: "src/contract/labels.ts",
      behind: "  environment: keyLabels.environment.optional(),\n",
      text: "  cost_center: keyLabels.cost_center.optional(),\n",
    },
    {
      file: "src/contract/labels.ts",
      behind: `  environment: keyLabels.environment.default(""),\n`,
      text: `  cost_center: keyLabels.cost_center.default(""),\n`,
    },
    {
      file: "src/contract/labels.ts",
      behind:
        `  environment: text.meta({ description: "The environment, such as production; may be empty." }),\n`,
      text: `  cost_center: text.meta({ description: "Who pays for it; may be empty." }),\n`,
    },
    {
      file: "src/contract/list-filters.ts",
      before: `  leaked: {
    takes: "yes",`,
      text: `  cost_center: {
    takes: "text",
    most: 50,
    description: "Only keys that this cost center pays for, as it is written there.",
    option: ["--cost-center <text>", "only keys of this cost center"],
    words: "paid for by {}",
  },
`,
    },
    {
      file: "src/features/keys/list-keys.service.ts",
      before: "  environment: {\n    walk: (label)",
      text: `  cost_center: { leaves: (row, cost_center) => row.cost_center === cost_center },\n`,
    },
    {
      file: "src/cli/keys.ts",
      behind:
        `  environment: opt("--environment <text>", "where it is used, such as production"),\n`,
      text: `  cost_center: opt("--cost-center <text>", "who pays for it"),\n`,
    },
    {
      file: "src/cli/keys.ts",
      behind: "          note: given.note ?? key.note,\n",
      text: "          cost_center: given.cost_center ?? key.cost_center,\n",
    },
    {
      file: "console/parts/labels/labels.ts",
      behind: "export interface LabelDraft {\n  name: string;\n",
      text: "  cost_center: string;\n",
    },
    {
      file: "console/parts/labels/labels.ts",
      behind: "NO_LABELS: LabelDraft = {",
      text: ` cost_center: "",`,
    },
    {
      file: "console/parts/labels/labels.ts",
      behind: "draftOf({ name, environment, tags, note",
      text: ", cost_center",
    },
    {
      file: "console/parts/labels/labels.ts",
      behind: `  return { name, environment, tags: tags.join(", "), note`,
      text: ", cost_center",
    },
    {
      file: "console/parts/labels/labels.ts",
      behind: "sentOf({ name, environment, tags, note",
      text: ", cost_center",
    },
    {
      file: "console/parts/labels/labels.ts",
      behind: "    note: note.trim(),\n",
      text: "    cost_center: cost_center.trim(),\n",
    },
    {
      file: "console/parts/labels/fields.tsx",
      before: `    {
      of: "tags",`,
      text:
        `    { of: "cost_center", label: "Cost center", hint: "Who pays for it.", maxLength: 50 },\n`,
    },
    {
      file: "console/parts/labels/label-facts.tsx",
      before: "        <TagsFact",
      text: `        <Fact name="Cost center">{key.cost_center}</Fact>\n`,
    },
    {
      file: "console/parts/labels/label-facts.tsx",
      behind: "  of: { name: string; mask: string;",
      text: " cost_center: string;",
    },
    {
      file: "console/screens/keys/keys.screen.tsx",
      behind: `> = { plan: "",`,
      text: ` cost_center: "",`,
    },
    {
      file: "console/screens/keys/keys.screen.tsx",
      behind: `...saidOf(filters, "plan",`,
      text: ` "cost_center",`,
    },
    {
      file: "console/screens/keys/keys.screen.tsx",
      before: `            <DeveloperChip
              key="developer"`,
      text: `            filters.cost_center !== "" && (
              <FilterChip
                key="cost_center"
                label="Of one cost center; show all keys"
                onClear={() => setFilters({ cost_center: "" })}
              >
                {filters.cost_center}
              </FilterChip>
            ),
`,
    },
    {
      file: "console/screens/keys/keys.screen.tsx",
      behind: "import { FilterLine",
      text: ", FilterChip",
    },
    {
      file: "docs/keys.md",
      before: "| `note`        | for administrators,",
      text: "| `cost_center` | who pays for it, up to 50 characters |\n",
    },
    {
      file: "test/features/keys/cost-center.test.ts",
      text: `import assert from "node:assert/strict";
import { testOnEngines } from "../../support/desk.ts";
import { registered } from "../../support/developers.ts";
import { call } from "../../support/people.ts";
import { planWith } from "../../support/verification.ts";

testOnEngines("cost center: it is set, shown, exported and filtered by", async (desk) => {
  const { id } = await registered(desk, "dev-a");
  const plans = [await planWith(desk, { rate: 7, per: 1 })];
  const issue = (more: object) =>
    call(desk, "POST", \`/v1/developers/\${id}/keys\`, { plans, deliver: "answer", ...more });
  const { key_id } = await issue({ cost_center: "4711" });
  await issue({});
  const listed = await call(desk, "GET", "/v1/keys?cost_center=4711");
  assert.deepEqual(listed.data.map((key: { key_id: string }) => key.key_id), [key_id]);
  const changed = await call(desk, "PUT", \`/v1/keys/\${key_id}/labels\`, { cost_center: "12" });
  assert.equal(changed.cost_center, "12");
  const file = await (await desk.send("GET", "/v1/keys/export?cost_center=12")).text();
  assert.match(file, /,cost_center,tags\\r\\n.*,12,\\r\\n$/);
});
`,
    },
    {
      file: "test/whole/list-filters.test.ts",
      behind: `    environment: ["live", found],\n`,
      text: `    cost_center: ["4711", found],\n`,
    },
    {
      file: "test/whole/list-filters.test.ts",
      behind: `{ environment: "live", tags: ["payments"]`,
      text: `, cost_center: "4711"`,
    },
    {
      file: "CHANGELOG.md",
      behind: ADDED,
      text: "\n- Keys have a cost center (`cost_center`), by which lists are filtered.\n",
    },
  ],
};

export const recipes = { operation, command, filter, field };
