import { type Command, Option } from "commander";
import type { CreatePlanInput, NativePlan } from "../client/operations.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions } from "./desk-options.ts";
import { forEach, forOne } from "./each.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { fileTrouble, OperatorError } from "./operator-error.ts";
import { toCount } from "./requests.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** `keydesk plans list|show|add|activate|deactivate`. */
export function addPlansCommands(program: Command): void {
  const plans = program.command("plans").description("what keys may do")
    .addHelpText(
      "after",
      `
Examples:
  keydesk plans list --state active
  keydesk plans show 5f1a2b3c4d5e6f7081920001 --json >plan.json
  keydesk plans add plan.json
  keydesk plans deactivate 5f1a2b3c4d5e6f7081920001`,
    );
  withDeskOptions(plans.command("list"))
    .description("list and search plans, newest first")
    .addOption(
      new Option("--state <state>", "only plans in this state").choices(["active", "inactive"]),
    )
    .option("-q, --q <text>", "only plans that hold this text in id, name or tags")
    .option("--limit <n>", "so many at the most", toCount)
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(plans.command("show <id>"))
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
A member that it does not know is refused, with the nearest name. Of what "plans show --json"
prints, take out the ids and what only the server says: "date_created", "approval",
"key_request_fields", "keys", "pending_requests" and "revision".`,
    )
    .action(add);
  for (const verb of ["activate", "deactivate"] as const) {
    withDeskOptions(plans.command(`${verb} <id...>`))
      .description(
        verb === "activate"
          ? "activate plans: their keys open them again"
          : "deactivate plans: within a second their keys open nothing of them",
      )
      .option("--json", "print one JSON object a line")
      .action((ids: string[], options: ShownOptions) => change(verb, ids, options));
  }
}

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
        cells,
        empty: state === undefined && q === undefined
          ? "There is no plan yet."
          : "There is no plan that matches.",
      }),
  );
}

async function show(id: string, options: ShownOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const shown = await forOne("plan", id, () => client.getNativePlan({ id }));
    await printObject(shown, options);
  });
}

async function add(file: string, options: ShownOptions): Promise<void> {
  const body = await readPlan(file);
  await atDesk(options, async ({ client }) => {
    const added = await client.createNativePlan({ body }, { idempotencyKey: true });
    if (options.json) return await print(`${JSON.stringify(added)}\n`);
    terminal().err(`The plan "${added.name}" is added under the id:`);
    await print(`${added._id}\n`);
  });
}

async function change(
  verb: "activate" | "deactivate",
  ids: readonly string[],
  options: ShownOptions,
): Promise<void> {
  await atDesk(options, ({ client }) =>
    forEach("plan", ids, `${verb}d`, async (id) => {
      const call = { idempotencyKey: true } as const;
      const changed = verb === "activate"
        ? await client.activatePlan({ id }, call)
        : await client.deactivatePlan({ id }, call);
      if (options.json) await print(`${JSON.stringify(changed)}\n`);
      else terminal().err(`Plan ${id} is ${changed.active ? "active" : "inactive"}.`);
    }));
}

/** The file's JSON. Whether it is a plan is the interface's to say. */
async function readPlan(file: string): Promise<CreatePlanInput> {
  try {
    const text = file === "-"
      ? await new Response(terminal().input).text()
      : await Deno.readTextFile(file);
    return JSON.parse(text);
  } catch (error) {
    const trouble = error instanceof SyntaxError ? "is no JSON" : fileTrouble(error);
    if (trouble === undefined) throw error;
    throw new OperatorError(`${file}: ${trouble}`, { cause: error });
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
