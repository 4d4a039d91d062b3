import { formerNames, type NameSort } from "../src/contract/former-names.ts";
import { meanings, withinScope } from "../src/contract/permission-meanings.ts";
import type { Endpoint } from "../src/contract/endpoint.ts";
import { allows, permissions, permissionsOf } from "../src/contract/permissions.ts";
import { topicObjects } from "../src/features/notifications/topics.contract.ts";

/** The page of permissions, `docs/permissions.md`: what each allows, and which calls take it. */
export function permissionsText(endpoints: readonly Endpoint[]): string {
  const rows = permissions.map((one) => {
    const included = permissions.filter((other) => other !== one && allows([one], other));
    return `| \`${one}\` | ${meanings[one]} | ${coded(included)} | ${
      withinScope.includes(one) ? "yes" : ""
    } |`;
  });
  return `# Permissions

Written by \`npm run generate\` from \`src/contract/permissions.ts\` and the operations; change them there.

A person has permissions, by themselves or by a role; an access token has those of its person that it names. A call that
lacks one is 403 \`access_denied\`. [Signing in](signing-in.md#roles) tells who may grant them.

| Permission | A person with it may | Includes | Works within a scope |
|---|---|---|---|
${rows.join("\n")}

## Calls

One of the permissions is enough where a call names several. A permission that includes a named one is enough, too.

| Permission | Calls |
|---|---|
| any | ${coded(endpoints.filter(takesAny).map(({ id }) => id).toSorted())} |
${permissions.map((one) => `| \`${one}\` | ${callsOf(one, endpoints)} |`).join("\n")}
`;
}

function callsOf(permission: string, endpoints: readonly Endpoint[]): string {
  const own = endpoints.filter((one) =>
    !takesAny(one) && permissionsOf(one.permission).some((named) => named === permission)
  );
  return coded(own.map(({ id }) => id).toSorted());
}

/** Whether each permission is enough for a call. */
function takesAny(endpoint: Endpoint): boolean {
  const named = permissionsOf(endpoint.permission);
  return permissions.every((one) => named.includes(one));
}

function coded(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/**
 * The page of topics, `docs/events.md`: what Keydesk notifies of, by the thing that it is about.
 */
export function eventsText(): string {
  const sections = topicObjects.map(({ object, name, api, verbs }) => {
    const rows = Object.entries(verbs).map(([verb, says]) => `| \`${object}.${verb}\` | ${says} |`);
    const where = api === undefined ? "" : `\n\nThe message's \`path\` is \`${api}{id}\`.`;
    return `## ${name[0]?.toUpperCase()}${name.slice(1)}${where}\n\n| Topic | Says |\n|---|---|\n${
      rows.join("\n")
    }`;
  });
  return `# Events

Written by \`npm run generate\` from \`src/features/notifications/topics.contract.ts\`; change it there.

Channels name the topics that they want: [webhooks](webhooks.md), [mail](mail.md). \`key.*\` stands for every topic of a
key, \`*\` for all but \`audit_log.checkpoint\`.

${sections.join("\n\n")}
`;
}

const sorts: Readonly<Record<NameSort, string>> = {
  paths: "Paths of `/v1`",
  parameters: "Parameters of `/v1`",
  members: "Members of `/v1`",
  values: "Values of members",
  mails: "Placeholders and fixed words of mails",
  permissions: "Permissions",
  objects: "Topics and actions: what they begin with",
  actions: "Topics and actions, whole",
  errors: "Error codes",
  headers: "Headers",
  metrics: "Metrics",
  settings: "Settings",
  commands: "Commands",
  options: "Options of commands",
  screens: "Screens of the console",
  operations: "Operations of the documents (`operationId`)",
};

const OPERATIONS =
  "`listNativePlans` is `listPlans`, and so on; those of the classic interface that had such a name say so: " +
  "`listClassicPlans`. Their tags end in `(classic)`.\n\n";

/** Whether an operation was renamed by itself: the pairs of the classic interface have a rule. */
function isOfOne([former, present]: readonly [string, string]): boolean {
  return !former.includes("Native") && !present.includes("Classic");
}

/** The tables of names that were others before 0.9.0, for a section of `docs/upgrading.md`. */
export function formerNamesText(): string {
  // as: the table has no other sorts.
  return (Object.keys(sorts) as NameSort[]).flatMap((sort) => {
    const names = Object.entries(formerNames[sort]);
    const rows = sort === "operations" ? names.filter(isOfOne) : names;
    if (rows.length === 0) return [];
    return `### ${sorts[sort]}\n\n${
      sort === "operations" ? OPERATIONS : ""
    }| Before | Now |\n|---|---|\n${
      rows.map(([former, present]) => `| \`${former}\` | \`${present}\` |`).join("\n")
    }`;
  }).join("\n\n");
}

/**
 * `docs/upgrading.md` with the tables of former names between their marks. Throws without these.
 */
export function withFormerNames(page: string): string {
  return betweenMarks(page, "former names", formerNamesText());
}

/**
 * `page` with `text` in place of what stands between the marks of `what`. Throws if one is missing.
 */
export function betweenMarks(page: string, what: string, text: string): string {
  const [begin, end] = [
    `<!-- ${what}: written by \`npm run generate\` -->`,
    `<!-- end of ${what} -->`,
  ];
  const [before, rest] = page.split(`${begin}\n`);
  const after = rest?.split(`${end}\n`)[1];
  if (before === undefined || after === undefined) throw new Error(`the marks of ${what} are gone`);
  return `${before}${begin}\n\n${text}\n\n${end}\n${after}`;
}
