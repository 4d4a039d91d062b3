import { type Command, InvalidArgumentError, Option } from "commander";
import type { CreatePlanInput, NativePlan } from "../client/operations.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { forEach, forOne } from "./each.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { planOf, plansOf } from "./named.ts";
import { fileProblem, OperatorError } from "./operator-error.ts";
import { toCount } from "./requests.ts";
import { addDecidedCommand } from "./plans-decided.ts";
import { addUnusedRuleCommand } from "./plans-unused.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** Members of a plan that its server alone says. */
const SAID_BY_SERVER = [
  "date_created",
  "approval",
  "key_request_fields",
  "keys",
  "pending_requests",
  "revision",
];

/** `keydesk plans list|show|add|unused-keys|edit|activate|deactivate`. */
export function addPlansCommands(program: Command): void {
  const plans = program.command("plans").description("what keys may do")
    .addHelpText(
      "after",
      `
Examples:
  keydesk plans list --state active
  keydesk plans show 5f1a2b3c4d5e6f7081920001 --json >plan.json
  keydesk plans add plan.json
  keydesk plans edit Tides --set rate=120
  keydesk plans deactivate 5f1a2b3c4d5e6f7081920001`,
    );
  withWideOption(withDeskOptions(plans.command("list")))
    .description("list and search plans, newest first")
    .addOption(
      new Option("--state <state>", "only plans in this state").choices(["active", "inactive"]),
    )
    .option("-q, --q <text>", "only plans that hold this text in id, name or tags")
    .option("--limit <n>", "so many at the most", toCount)
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(plans.command("show <plan>"))
    .description("show one plan, with how its requests are decided")
    .option("--json", "print JSON")
    .action(show);
  withDeskOptions(plans.command("add <file>"))
    .description("add a plan out of a JSON file and print its id; - reads standard input")
    .option("--json", "print the plan as JSON")
    .addHelpText(
      "after",
      `
The file holds the members of POST /v1/plans; what is left out has no limit:
  {"name": "Tides", "rate": 60, "per": 60, "access_rights": {"tides": {"api_id": "tides"}}}
A member that it does not know is refused, with the nearest name. What "plans show --json" prints
can be given as it is: what only the server says (${SAID_BY_SERVER.join(", ")})
is left out. With its ids the plan is the same on another desk; for a copy on this one take out
"_id" and "id", and give it another name.`,
    )
    .action(add);
  addUnusedRuleCommand(plans);
  addDecidedCommand(plans);
  withDeskOptions(plans.command("edit <plan>"))
    .description("change members of a plan, named by id or name; all others stay as they are")
    .option("--file <file>", "a JSON file with the members to change; - reads standard input")
    .option(
      "--set <member=value>",
      "one of them, in JSON or plain; may be given several times",
      toMember,
    )
    .option("--json", "print the plan as JSON")
    .addHelpText(
      "after",
      `
Within a second every key of the plan goes by what is changed.

Examples:
  keydesk plans edit Tides --set rate=120 --set per=60
  keydesk plans show Tides --json >plan.json; "$EDITOR" plan.json; keydesk plans edit Tides --file plan.json`,
    )
    .action(edit);
  for (const verb of ["activate", "deactivate"] as const) {
    withDeskOptions(plans.command(`${verb} <plan...>`))
      .description(
        verb === "activate"
          ? "activate plans: their keys open them again"
          : "deactivate plans: within a second their keys open nothing of them",
      )
      .option("--json", "print one JSON object a line")
      .action((ids: string[], options: ShownOptions) => change(verb, ids, options));
  }
}

type EditOptions = { file?: string; set?: Record<string, unknown> } & ShownOptions;

type ShownOptions = { json?: boolean } & DeskOptions;

async function list(
  options: { state?: "active" | "inactive"; q?: string } & ListOptions & DeskOptions,
): Promise<void> {
  const { state, q } = options;
  await atDesk(
    options,
    ({ client }) =>
      printList((place) => client.listNativePlans({ ...place, state, q }), options, {
        head: ["ID", "STATE", "TYPE", "APPROVAL", "RATE", "QUOTA", "KEYS", "PENDING", "NAME"],
        widths: [24, 8, 9, 9, 12, 12, 5, 7],
        extra: ["TYPE", "APPROVAL", "QUOTA", "PENDING"],
        cells,
        empty: state === undefined && q === undefined
          ? "There is no plan yet."
          : "There is no plan that matches.",
      }),
  );
}

async function show(word: string, options: ShownOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await planOf(client, word);
    const shown = await forOne("plan", id, () => client.getNativePlan({ id }));
    await printObject(shown, options);
  });
}

async function add(file: string, options: ShownOptions): Promise<void> {
  const body = withoutMembers(await readPlan(file), SAID_BY_SERVER);
  await atDesk(options, async ({ client }) => {
    const added = await client.createNativePlan({ body }, { idempotencyKey: true });
    if (options.json) return await print(`${JSON.stringify(added)}\n`);
    terminal().err(`The plan "${added.name}" is added under the id:`);
    await print(`${added._id}\n`);
  });
}

async function edit(word: string, options: EditOptions): Promise<void> {
  const { file, set = {} } = options;
  if (file === undefined && Object.keys(set).length === 0) {
    throw new OperatorError("name what changes: --set member=value, or --file", { exitCode: 2 });
  }
  const ours = ["_id", "id", ...SAID_BY_SERVER];
  const given = file === undefined ? {} : await readPlan(file);
  await atDesk(options, async ({ client }) => {
    const id = await planOf(client, word);
    const edited = await forOne("plan", id, async () => {
      const plan = await client.getNativePlan({ id });
      const body = withoutMembers({ ...plan, ...given, ...set }, ours);
      // What somebody else changes meanwhile is not lost.
      return await client.editPlan({ id, body }, { ifMatch: `"${plan.revision}"` });
    });
    if (options.json) await print(`${JSON.stringify(edited)}\n`);
    else terminal().err(`The plan "${edited.name}" is changed.`);
  });
}

function withoutMembers(plan: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(plan).filter(([name]) => !names.includes(name)));
}

/** A member with its value: JSON, or a text where it is none. */
function toMember(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError("Expected member=value.");
  }
  try {
    return { ...before, [name]: JSON.parse(value) };
  } catch {
    return { ...before, [name]: value };
  }
}

async function change(
  verb: "activate" | "deactivate",
  words: readonly string[],
  options: ShownOptions,
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const ids = await plansOf(client, words);
    await forEach("plan", ids, `${verb}d`, async (id) => {
      const call = { idempotencyKey: true } as const;
      const changed = verb === "activate"
        ? await client.activatePlan({ id }, call)
        : await client.deactivatePlan({ id }, call);
      if (options.json) await print(`${JSON.stringify(changed)}\n`);
      else terminal().err(`Plan ${id} is ${changed.active ? "active" : "inactive"}.`);
    });
  });
}

/** The file's JSON. Whether it is a plan is the interface's to say. */
async function readPlan(file: string): Promise<CreatePlanInput> {
  try {
    const text = file === "-"
      ? await new Response(terminal().input).text()
      : await Deno.readTextFile(file);
    return JSON.parse(text);
  } catch (error) {
    const problem = error instanceof SyntaxError ? "is no JSON" : fileProblem(error);
    if (problem === undefined) throw error;
    throw new OperatorError(`${file}: ${problem}`, { cause: error });
  }
}

function cells(plan: NativePlan): string[] {
  return [
    plan._id,
    plan.active ? "active" : "inactive",
    plan.auth_type,
    plan.approval,
    plan.rate > 0 && plan.per > 0 ? `${plan.rate} in ${plan.per} s` : "-",
    plan.quota_max > 0 ? String(plan.quota_max) : "-",
    String(plan.keys),
    String(plan.pending_requests),
    plan.name,
  ];
}
