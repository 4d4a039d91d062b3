import { Argument } from "commander";
import type { CreatePlanInput } from "../client/operations.ts";
import { unusedActions } from "../contract/unused-actions.ts";
import { planOf } from "./named.ts";
import { calls, lists, noun } from "./noun.ts";
import { fileProblem, OperatorError } from "./operator-error.ts";
import { choice, file, opt, pairs, toCount } from "./options.ts";
import { terminal } from "./terminal.ts";

const plan = { kind: "plan", idOf: planOf };

/** Members of a plan that its server alone says. */
const SAID_BY_SERVER = [
  "date_created",
  "approval",
  "key_request_fields",
  "keys",
  "pending_requests",
  "revision",
];

/** `keydesk plans`. */
export const addPlansCommands = noun({
  name: "plans",
  summary: "what keys may do",
  examples: [
    "list --state active",
    "show 5f1a2b3c4d5e6f7081920001 --json >plan.json",
    "add plan.json",
    "edit Tides --set rate=120",
    "deactivate 5f1a2b3c4d5e6f7081920001",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list and search plans, newest first",
      options: {
        state: choice("--state <state>", "only plans in this state", ["active", "inactive"]),
        q: opt("-q, --q <text>", "only plans that hold this text in id, name or tags"),
      },
      limit: true,
      read: ({ client, query }) => client.listPlans(query),
      columns: [
        { head: "ID", width: 24, of: "_id" },
        { head: "STATE", width: 8, of: ({ active }) => active ? "active" : "inactive" },
        { head: "TYPE", width: 9, of: "auth_type", extra: 1 },
        { head: "APPROVAL", width: 9, of: "approval", extra: 2 },
        {
          head: "RATE",
          width: 12,
          of: ({ rate, per }) => rate > 0 && per > 0 ? `${rate} in ${per} s` : "-",
        },
        {
          head: "QUOTA",
          width: 12,
          of: ({ quota_max }) => quota_max > 0 ? quota_max : "-",
          extra: 3,
        },
        { head: "KEYS", width: 5, of: "keys" },
        { head: "PENDING", width: 7, of: "pending_requests", extra: 4 },
        { head: "NAME", of: "name" },
      ],
      empty: ({ state, q }) =>
        state === undefined && q === undefined
          ? "There is no plan yet."
          : "There is no plan that matches.",
    }),
    calls({
      verb: "show <plan>",
      summary: "show one plan, with how its requests are decided",
      of: plan,
      json: "print JSON",
      call: ({ client, id }) => client.getPlan({ id }),
    }),
    calls({
      verb: "add <file>",
      summary: "add a plan out of a JSON file and print its id; - reads standard input",
      touches: { arguments: "read" },
      json: "print the plan as JSON",
      about: `The file holds the members of POST /v1/plans; what is left out has no limit:
  {"name": "Tides", "rate": 60, "per": 60, "access_rights": {"tides": {"api_id": "tides"}}}
An unknown member is refused, with the nearest name. The output of "plans show --json" can be given as
it is: members that only the server sets (${SAID_BY_SERVER.join(", ")})
are left out. With its ids the plan is the same on another server. For a copy on this server remove
"_id" and "id", and change the name.`,
      async call({ client, word: file }) {
        const body = withoutMembers(await readPlan(file), SAID_BY_SERVER);
        return await client.createPlan({ body }, { idempotencyKey: true });
      },
      done: ({ _id, name }) => [`The plan "${name}" is added under the id:`, { out: _id }],
    }),
    calls({
      verb: "unused-keys <plan>",
      summary: "show or set what becomes of a plan's unused keys",
      of: plan,
      options: {
        action: choice("--action <action>", "how far it goes", unusedActions),
        after_days: opt(
          "--after <days>",
          "without a use for so long a key counts as unused",
          toCount,
        ),
        warn_days: opt(
          "--warn <days>",
          "between the two warnings, and before a suspension",
          toCount,
        ),
        imported: choice("--imported <answer>", "imported keys count too", ["yes", "no"]),
      },
      json: "print JSON",
      about:
        "Settings without an option stay as they are. Two warnings are mailed before anything else happens.",
      examples: ["unused-keys Tides", "unused-keys Tides --action suspend --after 180 --warn 14"],
      async call({ client, id, given }) {
        const { action, after_days, warn_days, imported } = given;
        const rule = await client.getUnusedKeyRule({ id });
        if (Object.values(given).every((one) => one === undefined)) return rule;
        const body = {
          action: action ?? rule.action,
          after_days: after_days ?? rule.after_days,
          warn_days: warn_days ?? rule.warn_days,
          imported: imported === undefined ? rule.imported : imported === "yes",
        };
        // A concurrent change by another caller is not lost.
        return await client.putUnusedKeyRule({ id, body }, { ifMatch: `"${rule.revision}"` });
      },
    }),
    calls({
      verb: "decided",
      args: [
        new Argument("<plan>", "its name, or one of its ids"),
        new Argument("<side>", "keydesk, or gateway").choices(["keydesk", "gateway"]),
      ],
      summary:
        "set whether a plan's keys are decided by Keydesk or by the old gateway in shadow mode",
      of: plan,
      json: "print JSON",
      about:
        `With keydesk, the gateway's plugin follows denials of Keydesk within a second. A denial of the gateway
itself stays. keydesk import migration-report shows what would change.`,
      examples: ["decided Tides keydesk", "decided Tides gateway"],
      call: ({ client, id, words: [, side] }) =>
        client.switchPlan({ id, body: { decided: side === "keydesk" ? "keydesk" : "gateway" } }),
      done: ({ decided }, { word }) =>
        `Keys of plan ${word} are ${
          decided === "keydesk" ? "decided by Keydesk" : "decided by the old gateway"
        }.`,
    }),
    calls({
      verb: "edit <plan>",
      summary: "change members of a plan, named by id or name; all others stay as they are",
      of: plan,
      options: {
        file: file(
          "--file <file>",
          "a JSON file with the members to change; - reads standard input",
        ),
        set: opt(
          "--set <member=value>",
          "one of them, in JSON or plain; may be given several times",
          pairs("member=value", jsonOr),
        ),
      },
      json: "print the plan as JSON",
      about: "Within a second every key of the plan goes by what is changed.",
      examples: [
        "edit Tides --set rate=120 --set per=60",
        `keydesk plans show Tides --json >plan.json; "$EDITOR" plan.json; keydesk plans edit Tides --file plan.json`,
      ],
      refuses: ({ file, set }) =>
        file === undefined && set === undefined
          ? "name what changes: --set member=value, or --file"
          : undefined,
      async call({ client, id, given: { file, set } }) {
        const given = file === undefined ? {} : await readPlan(file);
        const plan = await client.getPlan({ id });
        const ours = ["_id", "id", ...SAID_BY_SERVER];
        const body = withoutMembers({ ...plan, ...given, ...set }, ours);
        // A concurrent change by another caller is not lost.
        return await client.editPlan({ id, body }, { ifMatch: `"${plan.revision}"` });
      },
      done: ({ name }) => `The plan "${name}" is changed.`,
    }),
    calls({
      verb: "activate <plan...>",
      summary: "activate plans: their keys are valid for them again",
      of: plan,
      past: "activated",
      json: "print one JSON object a line",
      call: ({ client, id }) => client.activatePlan({ id }, { idempotencyKey: true }),
      done: standing,
    }),
    calls({
      verb: "deactivate <plan...>",
      summary: "deactivate plans: within a second their keys are valid for nothing of them",
      of: plan,
      past: "deactivated",
      json: "print one JSON object a line",
      call: ({ client, id }) => client.deactivatePlan({ id }, { idempotencyKey: true }),
      done: standing,
    }),
  ],
});

function standing({ active }: { active: boolean }, { id }: { id: string }): string {
  return `Plan ${id} is ${active ? "active" : "inactive"}.`;
}

function withoutMembers(plan: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(plan).filter(([name]) => !names.includes(name)));
}

/** A value in JSON, or a text where it is none. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
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
