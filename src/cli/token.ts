import { type Command, InvalidArgumentError, Option } from "commander";
import type { ServiceContext } from "../calls/context.ts";
import { type CertsAnswer, certsAnswers } from "../contract/certs-answer.ts";
import { type Permission, permissions } from "../contract/permissions.ts";
import { rolePresets } from "../contract/roles.ts";
import {
  type AccessToken,
  newAccessToken,
  toAccessToken,
} from "../features/people/access-token.ts";
import { listTokens } from "../features/people/access-tokens.store.ts";
import { networksOf } from "../features/people/address-list.ts";
import { createToken, endToken, operator } from "../features/people/operator.transactions.ts";
import { toWords } from "../features/people/person.ts";
import { openedRole } from "../features/people/role.ts";
import { rolesOf } from "../features/people/roles.store.ts";
import { toTimestamp } from "../kernel/clock.ts";
import { isId } from "../kernel/ids.ts";
import { sha256 } from "../kernel/sha256.ts";
import { type Form, printValues } from "./forms.ts";
import { withWideOption } from "./server-options.ts";
import { type Column, printList } from "./listing.ts";
import { withStore } from "./open-store.ts";
import { OperatorError } from "./operator-error.ts";
import { organisationOf, organisationOption } from "./organisation.ts";
import { permissionsText, toPermissions } from "./permission-list.ts";
import { terminal } from "./terminal.ts";

/** `keydesk token create|list|revoke`. */
export function addTokenCommands(program: Command): void {
  const token = program.command("token").description("access tokens of people and scripts")
    .addHelpText(
      "after",
      `
Examples:
  keydesk token create ci --allow portal:write --expires 90
  keydesk token create nightly --role auditor
  keydesk token list --json
  keydesk token revoke 66f0a1b2c3d4e5f601234567`,
    );
  token.command("create")
    .argument("<name>", "what it is for, up to 100 characters", toName)
    .description("make an access token and print it once; only its hash is kept")
    .addOption(
      new Option("--allow <permissions>", "what it may do, separated by commas")
        .choices(permissions).argParser(toPermissions),
    )
    .option("--role <role>", "the same by a role's id or name: it says that, now and later")
    .option("--expires <days>", "days from now until it expires", toDays)
    .option(
      "--addresses <list>",
      "the only addresses and networks that it may be used from, separated by commas",
    )
    .addOption(
      new Option(
        "--certs-answer <form>",
        "how lists of certificates read to it, instead of KEYDESK_CERTS_ANSWER",
      ).choices(certsAnswers),
    )
    .option(...organisationOption)
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Permissions:
${permissionsText()}

\`keydesk roles list\` shows the roles. A change of one counts for its access tokens, too.

Use it if no working access token is left. Without --expires it ends
with KEYDESK_TOKEN_LONGEST_DAYS, where that is set.

The access token goes to standard output, alone:
  TOKEN="$(keydesk token create ci --allow portal:read,approve)"
  curl -H "Authorization: $TOKEN" http://127.0.0.1:3000/api/portal/requests`,
    )
    .action(create);
  withWideOption(token.command("list"))
    .description("list the access tokens, never their values")
    .option(...organisationOption)
    .option("--json", "print one JSON object a line")
    .action(list);
  token.command("revoke <id>")
    .description("end an access token; every server refuses it within a second")
    .option("--json", "print JSON")
    .option(...organisationOption)
    .action(revoke);
}

async function create(
  name: string,
  options: {
    allow?: Permission[];
    role?: string;
    expires?: number;
    addresses?: string;
    certsAnswer?: CertsAnswer;
    organisation?: string;
    form?: Form;
  },
): Promise<void> {
  const { allow, role: word } = options;
  if ((allow === undefined) === (word === undefined)) {
    throw new OperatorError("--allow or --role is needed, and not both", { exitCode: 2 });
  }
  await withStore(async (ctx) => {
    const actor = operator(await organisationOf(ctx, options), ctx.clock.now());
    const role = word === undefined ? undefined : await roleCalled(ctx, actor.org_id, word);
    const access_token = newAccessToken();
    const addresses = networksOf(options.addresses?.split(",").map((one) => one.trim()) ?? []);
    const expires_at = endOf(ctx, actor.now, options.expires);
    const { id } = await ctx.storage.commit(createToken, {
      actor,
      name,
      hash: sha256(access_token),
      permissions: toWords(allow ?? []),
      role,
      expires_at,
      addresses,
      certs_answer: options.certsAnswer,
    });
    if (options.form) {
      await printValues([{ id, name, access_token, expires_at, addresses }], options.form);
    } else {
      terminal().err(`Access token ${id} for "${name}". It is shown this once:`);
      terminal().out(access_token);
    }
  });
}

/** The id of the role of this id or name. Throws OperatorError where there is none. */
async function roleCalled(
  { storage, sealer }: ServiceContext,
  org_id: string,
  word: string,
): Promise<string> {
  const own = await rolesOf(storage.reader, { org_id });
  const all = [...rolePresets, ...own.flatMap((row) => openedRole(sealer, row) ?? [])];
  const found = all.find(({ id }) => id === word) ??
    all.find(({ name }) => name.toLowerCase() === word.toLowerCase());
  if (!found) throw new OperatorError(`there is no role ${word}: see keydesk roles list`);
  return found.id;
}

/** Days from now, or the longest life there is. Throws OperatorError beyond that. */
function endOf({ settings }: ServiceContext, now: number, days?: number): string | null {
  const asked = days === undefined ? null : days * DAY_MS;
  const longest = settings.longestTokenMs;
  if (asked !== null && longest !== null && asked > longest) {
    throw new OperatorError(
      `--expires: at most ${longest / DAY_MS} days (KEYDESK_TOKEN_LONGEST_DAYS)`,
      { exitCode: 2 },
    );
  }
  const life = asked ?? longest;
  return life === null ? null : toTimestamp(now + life);
}

const DAY_MS = 24 * 60 * 60 * 1000;

async function list(
  options: { organisation?: string; form?: Form; output?: "wide" },
): Promise<void> {
  await withStore(async (ctx) => {
    const now = ctx.clock.now();
    const org_id = await organisationOf(ctx, options);
    const rows = await listTokens(ctx.storage.reader, { org_id });
    const data = rows.map((row) => toAccessToken(row, now));
    const empty = "There is no access token yet.";
    await printList(() => Promise.resolve({ data }), options, { columns: COLUMNS, empty });
  });
}

const COLUMNS: readonly Column<AccessToken>[] = [
  { head: "ID", width: 24, of: "id" },
  { head: "NAME", width: 20, of: "name" },
  { head: "STATE", width: 9, of: "state" },
  { head: "CREATED", width: 24, of: "date_created", extra: 1 },
  { head: "EXPIRES", width: 24, of: ({ expires_at }) => expires_at ?? "", extra: 6 },
  { head: "USED", width: 24, of: ({ last_used_at }) => last_used_at ?? "", extra: 4 },
  { head: "LEAKED", width: 24, of: ({ leaked }) => leaked?.reported_at ?? "", extra: 5 },
  { head: "ADDRESSES", width: 18, of: ({ addresses }) => addresses?.join(" ") ?? "", extra: 3 },
  { head: "PERSON", width: 24, of: "person_id", extra: 2 },
  { head: "PERMISSIONS", of: ({ permissions }) => permissions.join(" ") },
];

async function revoke(
  id: string,
  options: { organisation?: string; form?: Form },
): Promise<void> {
  await withStore(async (ctx) => {
    const actor = operator(await organisationOf(ctx, options), ctx.clock.now());
    await ctx.storage.commit(endToken, { actor, id });
    if (options.form) await printValues([{ id, revoked: true }], options.form);
    else terminal().err(`Access token ${id} is revoked.`);
  });
}

function toName(text: string): string {
  const name = text.trim();
  if (isId(name) && name.length <= 100) return name;
  throw new InvalidArgumentError("Expected 1 to 100 characters, none of them a control character.");
}

function toDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 36500) return days;
  throw new InvalidArgumentError("Expected a whole number of days from 1 to 36500.");
}
