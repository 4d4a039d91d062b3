import type { Command } from "commander";
import { leavingOpen } from "../features/people/left-open.ts";
import { operator, suspendByOperator } from "../features/people/operator.transactions.ts";
import { peopleBelow } from "../features/people/people.store.ts";
import { toPerson } from "../features/people/person.ts";
import { openApprovals } from "../features/key-requests/open-approvals.service.ts";
import { permissionsOf } from "../features/sign-in/roles/person-permissions.service.ts";
import { type Form, printValues } from "./forms.ts";
import { withWideOption } from "./server-options.ts";
import { withStore } from "./open-store.ts";
import { openApprovalLines } from "./open-approvals.ts";
import { organisationOf, organisationOption } from "./organisation.ts";
import { printable, printTable } from "./table.ts";
import { terminal } from "./terminal.ts";

interface Options {
  organisation?: string;
  form?: Form;
  output?: "wide";
}

/** `keydesk people list|permissions|suspend|resume`. */
export function addPeopleCommands(program: Command): void {
  const people = program.command("people").description("people and scripts who hold access tokens")
    .addHelpText(
      "after",
      `
Examples:
  keydesk people list
  keydesk people permissions 66f0a1b2c3d4e5f601234567    what they can do, and why
  keydesk people suspend 66f0a1b2c3d4e5f601234567    all their access tokens and sessions, at once
  keydesk people resume 66f0a1b2c3d4e5f601234567`,
    );
  withWideOption(people.command("list"))
    .description("list people, newest first")
    .option(...organisationOption)
    .option("--json", "print one JSON object a line")
    .action(list);
  people.command("permissions <id>")
    .description("show a person's permissions, and their source")
    .option(...organisationOption)
    .option("--json", "print JSON")
    .action(permissions);
  people.command("suspend <id>")
    .description("stop all access tokens and sessions of a person within a second")
    .option(...organisationOption)
    .addHelpText(
      "after",
      `
Nothing is revoked: \`people resume\` makes them valid again. The last administrator can
be suspended too; \`keydesk token create\` makes another.`,
    )
    .action((id: string, options: Options) => change(id, true, options));
  people.command("resume <id>")
    .description(
      "make the access tokens of a suspended person valid again",
    )
    .option(...organisationOption)
    .action((id: string, options: Options) => change(id, false, options));
}

/** People read at once. */
const PAGE = 1000;

async function list(options: Options): Promise<void> {
  await withStore(async (ctx) => {
    const org_id = await organisationOf(ctx, options);
    const rows = [];
    for (let below = "~"; below !== "";) {
      const page = await peopleBelow(ctx.storage.reader, { org_id, below }, PAGE);
      rows.push(...page.map((row) => {
        const { id, name, state, permissions, date_created } = toPerson(row);
        return { id, name, state, permissions: permissions.join(" "), created: date_created };
      }));
      below = page.length < PAGE ? "" : page.at(-1)?.id ?? "";
    }
    if (options.form) await printValues(rows, options.form);
    else {
      const isWide = options.output === "wide";
      printTable(rows, "There are no people yet.", { isWide, extra: ["CREATED"] });
    }
  });
}

async function permissions(id: string, options: Options): Promise<void> {
  await withStore(async (ctx) => {
    const org_id = await organisationOf(ctx, options);
    const permissionsNow = await permissionsOf(ctx.storage.reader, ctx.sealer, { org_id, id });
    if (options.form) return await printValues([permissionsNow], options.form);
    for (const { sentence } of permissionsNow.can) terminal().out(sentence);
    if (permissionsNow.can.length === 0) terminal().out("Can do nothing yet.");
    for (const sentence of permissionsNow.limits) terminal().out(sentence);
  });
}

async function change(id: string, suspended: boolean, options: Options): Promise<void> {
  await withStore(async (ctx) => {
    const org_id = await organisationOf(ctx, options);
    const actor = operator(org_id, ctx.clock.now());
    const { storage, clock } = ctx;
    const approvals = {
      openApprovals: (org_id: string) =>
        openApprovals(storage.reader, { org_id, now: clock.now() }),
    };
    const { made: { name }, left_open } = await leavingOpen(
      approvals,
      org_id,
      () => storage.commit(suspendByOperator, { actor, id, suspended }),
    );
    terminal().err(`${name} is ${suspended ? "suspended" : "resumed"}.`);
    for (const line of openApprovalLines(left_open)) terminal().err(printable(line));
  });
}
