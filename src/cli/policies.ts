import { type Command, InvalidArgumentError, Option } from "commander";
import type { Client } from "../client/keydesk-client.ts";
import type { ApprovalPolicy, ApprovalPolicyInput } from "../client/operations.ts";
import { outcomes } from "../contract/approval-outcomes.ts";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { planOf, roleOf } from "./named.ts";
import { OperatorError } from "./operator-error.ts";
import { toCount } from "./requests.ts";
import { printable } from "./table.ts";
import { terminal } from "./terminal.ts";

/** The word for the policy of plans that have none of their own. */
const DEFAULT = "default";

/** `keydesk policies list|show|set|check|remove`. */
export function addPoliciesCommands(program: Command): void {
  const policies = program.command("policies")
    .description("who must approve key requests, for each plan and by default")
    .addHelpText(
      "after",
      `
A plan is meant by its id or its name; "${DEFAULT}" means all that have no policy of their own. Requests
that wait keep the policy under which they were asked.

A step is "name:how many", and who: "Data:1:role=approver", "Law:2:people=ID,ID"; without, all who
may approve.

Examples:
  keydesk policies list
  keydesk policies set Tides --outcome steps --step "Data:1:role=approver" --step "Platform:2"
  keydesk policies set ${DEFAULT} --outcome one --not-by-filer --expires-after 30 --remind-before 3
  keydesk policies check Tides --outcome steps --step "Platform:2"
  keydesk policies remove Tides`,
    );
  withWideOption(withDeskOptions(policies.command("list")))
    .description("list policies, the default first")
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(policies.command("show <plan>"))
    .description("show the policy of a plan: its own, or the default")
    .option("--json", "print JSON")
    .action(show);
  withTerms(policies.command("set <plan>"))
    .description("set who must approve; what is left out is not demanded")
    .option("--json", "print JSON")
    .action(set);
  withTerms(policies.command("check <plan>"))
    .description("tell who could approve under a policy; nothing is set")
    .option("--json", "print JSON")
    .action(check);
  withDeskOptions(policies.command("remove <plan>"))
    .description("take a plan's own policy away: the default holds for it again")
    .action(remove);
}

function withTerms(command: Command): Command {
  return withDeskOptions(command)
    .addOption(
      new Option("--outcome <who>", "who must say yes").choices(outcomes).makeOptionMandatory(),
    )
    .option("--step <step>", "one step, in their order; with --outcome steps", toStep)
    .option("--not-by-filer", "whoever filed a request may not decide it")
    .option("--expires-after <days>", "a request that waits so long is declined", toCount)
    .option("--remind-before <days>", "so long before, who may decide is reminded", toCount);
}

type Step = NonNullable<ApprovalPolicyInput["steps"]>[number];

function toStep(text: string, before: Step[] = []): Step[] {
  const found = /^(.+?):(\d{1,2})(?::(role|people)=(.+))?$/u.exec(text);
  const [, name = "", need = "", by, who = ""] = found ?? [];
  if (!found) throw new InvalidArgumentError('expected "name:how many", such as "Data:1"');
  const step: Step = { name, need: Number(need) };
  if (by === "role") step.role = who;
  if (by === "people") step.people = who.split(",");
  return [...before, step];
}

interface Terms extends DeskOptions {
  outcome: ApprovalPolicyInput["outcome"];
  step?: Step[];
  notByFiler?: boolean;
  expiresAfter?: number;
  remindBefore?: number;
  json?: boolean;
}

async function bodyOf(client: Client, options: Terms): Promise<ApprovalPolicyInput> {
  const steps: Step[] = [];
  for (const step of options.step ?? []) {
    steps.push(step.role ? { ...step, role: await roleOf(client, step.role) } : step);
  }
  return {
    outcome: options.outcome,
    steps,
    not_by_filer: options.notByFiler ?? false,
    expires_after_days: options.expiresAfter ?? null,
    remind_before_days: options.remindBefore ?? null,
  };
}

async function list(options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(options, ({ client }) =>
    printList(
      async () => ({ ...await client.listApprovalPolicies(), next_cursor: null }),
      options,
      {
        head: ["PLAN", "OUTCOME", "FILER", "ENDS AFTER", "STEPS"],
        widths: [24, 9, 6, 10],
        extra: ["FILER"],
        cells: (policy) => [
          policy.plan ?? DEFAULT,
          policy.outcome,
          policy.not_by_filer ? "no" : "may",
          policy.expires_after_days === null ? "" : `${policy.expires_after_days} d`,
          stepsOf(policy).join(", "),
        ],
        empty: "There is no policy.",
      },
    ));
}

function stepsOf({ steps }: ApprovalPolicy): string[] {
  return steps.map(({ name, need, role, people }) => {
    const who = role !== null ? `:role=${role}` : people ? `:people=${people.join(",")}` : "";
    return `${name}:${need}${who}`;
  });
}

async function show(plan: string, options: DeskOptions & { json?: boolean }): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const { own, byDefault } = await read(client, plan);
    const policy = own ?? byDefault;
    if (!policy || options.json) return await printObject(policy ?? {}, options);
    await printObject({ ...policy, steps: stepsOf(policy) }, options);
  });
}

async function set(plan: string, options: Terms): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const { id, own } = await read(client, plan);
    const unlessChanged = own ? { ifMatch: `"${own.revision}"` } : {};
    const body = await bodyOf(client, options);
    const policy = id === null
      ? await client.putDefaultApprovalPolicy({ body }, unlessChanged)
      : await forOne("plan", plan, () => client.putApprovalPolicy({ id, body }, unlessChanged));
    if (options.json) return terminal().out(JSON.stringify(policy));
    terminal().err(printable(`The policy of ${plan} is set. Requests that wait keep theirs.`));
  });
}

async function check(plan: string, options: Terms): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await idOf(client, plan);
    const body = { ...await bodyOf(client, options), plan: id };
    const checked = await forOne("plan", plan, () => client.checkApprovalPolicy({ body }));
    if (options.json) return terminal().out(JSON.stringify(checked));
    await printObject({
      lacks: checked.lacks,
      steps: checked.steps.map(({ name, need, count, people }) =>
        `${name || "approvers"}: ${need} of ${count} ${people.map((one) => one.name).join(", ")}`
          .trim()
      ),
    }, options);
  });
}

async function remove(plan: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const { id, own } = await read(client, plan);
    if (id === null) {
      const message = "the default is never removed: set it to the outcome catalogue";
      throw new OperatorError(message, { exitCode: 2 });
    }
    const unlessChanged = own ? { ifMatch: `"${own.revision}"` } : {};
    await forOne("plan", plan, () => client.deleteApprovalPolicy({ id }, unlessChanged));
    terminal().err(printable(`For ${plan} the default holds.`));
  });
}

/** A plan's id, its own policy, if it has one, and the default. */
async function read(client: Client, plan: string) {
  const id = await idOf(client, plan);
  const { data } = await client.listApprovalPolicies();
  const byDefault = data.find((one) => one.plan === null);
  const own = id === null ? byDefault : data.find((one) => one.plan === id);
  return { id, own, byDefault };
}

/** Null: the default. The `_id`, which policies name, whichever of its ids or names is given. */
async function idOf(client: Client, plan: string): Promise<string | null> {
  if (plan === DEFAULT) return null;
  const id = await planOf(client, plan);
  return (await forOne("plan", plan, () => client.getNativePlan({ id })))._id;
}
