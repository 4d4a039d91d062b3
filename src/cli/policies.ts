import { InvalidArgumentError } from "commander";
import type { Client } from "../client/keydesk-client.ts";
import type { ApprovalPolicy, ApprovalPolicyInput } from "../client/operations.ts";
import { outcomes } from "../contract/approval-outcomes.ts";
import { forOne } from "./each.ts";
import { planOf, roleOf } from "./named.ts";
import { calls, lists, noun } from "./noun.ts";
import { OperatorError } from "./operator-error.ts";
import { choice, flag, type Given, needed, opt, toCount } from "./options.ts";

/** The word for the policy of plans that have none of their own. */
const DEFAULT = "default";

const plan = { kind: "plan", idOf };

const terms = {
  outcome: needed(choice("--outcome <who>", "who must say yes", outcomes)),
  steps: opt("--step <step>", "one step, in their order; with --outcome steps", toStep),
  not_by_filer: flag("--not-by-filer", "the filer of a request may not decide it"),
  expires_after_days: opt(
    "--expires-after <days>",
    "a request that waits so long is declined",
    toCount,
  ),
  remind_before_days: opt(
    "--remind-before <days>",
    "so long before, who may decide is reminded",
    toCount,
  ),
};

/** `keydesk policies`. */
export const addPoliciesCommands = noun({
  name: "policies",
  summary: "who must approve key requests, for each plan and by default",
  about:
    `A plan is meant by its id or its name; "${DEFAULT}" means all that have no policy of their own. Requests
that wait keep the policy under which they were asked.

A step is "name:how many", and who: "Data:1:role=approver", "Law:2:people=ID,ID"; without, all who
may approve.`,
  examples: [
    "list",
    `set Tides --outcome steps --step "Data:1:role=approver" --step "Platform:2"`,
    `set ${DEFAULT} --outcome one --not-by-filer --expires-after 30 --remind-before 3`,
    `check Tides --outcome steps --step "Platform:2"`,
    "remove Tides",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list policies, the default first",
      read: ({ client }) => client.listApprovalPolicies(),
      columns: [
        { head: "PLAN", width: 24, of: ({ plan }) => plan ?? DEFAULT },
        { head: "OUTCOME", width: 9, of: "outcome" },
        { head: "FILER", width: 6, of: (one) => one.not_by_filer ? "no" : "may", extra: 1 },
        {
          head: "ENDS AFTER",
          width: 10,
          of: ({ expires_after_days: days }) => days === null ? "" : `${days} d`,
        },
        { head: "STEPS", of: (one) => stepsOf(one).join(", ") },
      ],
      empty: "There is no policy.",
    }),
    calls({
      verb: "show <plan>",
      summary: "show the policy of a plan: its own, or the default",
      of: plan,
      json: "print JSON",
      async call({ client, id }) {
        const { own, byDefault } = await read(client, id);
        return own ?? byDefault;
      },
      printed: (policy) => policy ?? {},
      written: (policy) => policy ? { ...policy, steps: stepsOf(policy) } : {},
    }),
    calls({
      verb: "set <plan>",
      summary: "set who must approve; what is left out is not demanded",
      of: plan,
      options: terms,
      json: "print JSON",
      async call({ client, id, given }) {
        const { own } = await read(client, id);
        const unlessChanged = own ? { ifMatch: `"${own.revision}"` } : {};
        const body = await bodyOf(client, given);
        return id === DEFAULT
          ? await client.putDefaultApprovalPolicy({ body }, unlessChanged)
          : await client.putApprovalPolicy({ id, body }, unlessChanged);
      },
      done: (_, { word }) => `The policy of ${word} is set. Requests that wait keep theirs.`,
    }),
    calls({
      verb: "check <plan>",
      summary: "show who could approve under a policy; nothing is set",
      of: plan,
      options: terms,
      json: "print JSON",
      async call({ client, id, given }) {
        const body = { ...await bodyOf(client, given), plan: id === DEFAULT ? null : id };
        return await client.checkApprovalPolicy({ body });
      },
      written: ({ lacks, steps }) => ({
        lacks,
        steps: steps.map(({ name, need, count, people }) =>
          `${name || "approvers"}: ${need} of ${count} ${people.map((one) => one.name).join(", ")}`
            .trim()
        ),
      }),
    }),
    calls({
      verb: "remove <plan>",
      summary: "take a plan's own policy away: the default holds for it again",
      of: plan,
      async call({ client, id }) {
        if (id === DEFAULT) {
          const message = "the default is never removed: set it to the outcome catalogue";
          throw new OperatorError(message, { exitCode: 2 });
        }
        const { own } = await read(client, id);
        const unlessChanged = own ? { ifMatch: `"${own.revision}"` } : {};
        return await client.deleteApprovalPolicy({ id }, unlessChanged);
      },
      done: (_, { word }) => `For ${word} the default holds.`,
    }),
  ],
});

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

async function bodyOf(
  client: Client,
  given: Given<typeof terms>,
): Promise<ApprovalPolicyInput> {
  const { outcome, not_by_filer = false, expires_after_days = null } = given;
  const { remind_before_days = null } = given;
  const steps: Step[] = [];
  for (const step of given.steps ?? []) {
    steps.push(step.role ? { ...step, role: await roleOf(client, step.role) } : step);
  }
  return { outcome, steps, not_by_filer, expires_after_days, remind_before_days };
}

function stepsOf({ steps }: ApprovalPolicy): string[] {
  return steps.map(({ name, need, role, people }) => {
    const who = role !== null ? `:role=${role}` : people ? `:people=${people.join(",")}` : "";
    return `${name}:${need}${who}`;
  });
}

/** A plan's own policy, if it has one, and the default. */
async function read(client: Client, id: string) {
  const { data } = await client.listApprovalPolicies();
  const byDefault = data.find(({ plan }) => plan === null);
  return { own: id === DEFAULT ? byDefault : data.find(({ plan }) => plan === id), byDefault };
}

/** The `_id`, which policies name, whichever id or name is given; the default is itself. */
async function idOf(client: Client, word: string): Promise<string> {
  if (word === DEFAULT) return DEFAULT;
  const id = await planOf(client, word);
  return (await forOne("plan", word, () => client.getPlan({ id })))._id;
}
