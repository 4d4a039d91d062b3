import type { Command } from "commander";
import { leavingOpen } from "../features/people/left-open.ts";
import { operator, suspendByOperator } from "../features/people/operator.transactions.ts";
import { peopleBelow } from "../features/people/people.store.ts";
import { type Person, toPerson } from "../features/people/person.ts";
import { openApprovals } from "../features/key-requests/open-approvals.service.ts";
import { permissionsOf } from "../features/sign-in/roles/person-permissions.service.ts";
import { type Form, printValues } from "./forms.ts";
import { type Column, printList } from "./listing.ts";
import { withStore } from "./open-store.ts";
import { openApprovalLines } from "./open-approvals.ts";
import { organisationOf, organisationOption } from "./organisation.ts";
import { withWideOption } from "./server-options.ts";
import { printable } from "./table.ts";
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

async function list(options: Options): Promise<void> {
  await withStore(async (ctx) => {
    const org_id = await organisationOf(ctx, options);
    const read = async ({ limit, cursor: below = "~" }: { limit: number; cursor?: string }) => {
      const rows = await peopleBelow(ctx.storage.reader, { org_id, below }, limit);
      return {
        data: rows.map(toPerson),
        next_cursor: rows.length < limit ? null : rows.at(-1)?.id,
      };
    };
    await printList(read, options, { columns: COLUMNS, empty: "There are no people yet." });
  });
}

const COLUMNS: readonly Column<Person>[] = [
  { head: "ID", width: 24, of: "id" },
  { head: "NAME", width: 20, of: "name" },
  { head: "STATE", width: 11, of: "state" },
  { head: "CREATED", width: 24, of: "date_created", extra: 1 },
  { head: "PERMISSIONS", of: ({ permissions }) => permissions.join(" ") },
];

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
