import { developerFilters } from "../contract/list-filters.ts";
import { markedEmail } from "./marked-email.ts";
import { developerOf } from "./named.ts";
import { calls, lists, noun } from "./noun.ts";
import { choice, flag, needed, opt, pairs, several, usual } from "./options.ts";

const developer = { kind: "developer", idOf: developerOf };
const once = { idempotencyKey: true } as const;

/** `keydesk developers`. */
export const addDevelopersCommands = noun({
  name: "developers",
  summary: "who asks for keys",
  examples: [
    "add grace@example.org --field name=Grace --field company=Example",
    "list -q example.org",
    "tag dev-ada --tag partners --tag beta",
    "show dev-ada --json",
    "confirm-email dev-ada ada@example.org",
    "deactivate dev-ada --keys suspend",
    "rm dev-ada --keys revoke",
    "restore dev-ada",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list and search developers, newest first",
      filters: developerFilters,
      inOrder: ["state", "q"],
      options: { sort: flag("--oldest", "the oldest first", "oldest") },
      limit: true,
      read: ({ client, query }) => client.listDevelopers(query),
      columns: [
        { head: "ID", width: 24, of: "id" },
        { head: "STATE", width: 8, of: ({ inactive }) => inactive ? "inactive" : "active" },
        { head: "SINCE", width: 10, of: ({ date_created }) => date_created.slice(0, 10) },
        { head: "REQUESTS", width: 8, of: "requests" },
        { head: "KEYS", width: 5, of: "keys" },
        {
          head: "E-MAIL",
          of: (one) => markedEmail(one.email, one.email_state, one.email_changed_at),
        },
      ],
      empty: "There is no developer that matches.",
    }),
    calls({
      verb: "show <developer>",
      summary: "show one developer, with the newest key for each plan",
      of: developer,
      json: "print JSON",
      call: ({ client, id }) => client.getDeveloper({ id }),
    }),
    calls({
      verb: "add <e-mail>",
      summary: "register a developer and print the id",
      options: {
        id: opt("--id <id>", "this id instead of a fresh one"),
        fields: opt(
          "--field <name=value>",
          "what is known about them; may be given several times",
          pairs("name=value", String),
        ),
      },
      json: "print the developer as JSON",
      call: ({ client, word: email, given: { id, fields = {} } }) =>
        client.createDeveloper({ body: { id, email, fields } }, once),
      done: ({ id }) => ["The developer is registered under the id:", { out: id }],
    }),
    calls({
      verb: "tag <developer>",
      summary: "file a developer under these tags, in place of their own; without any, under none",
      of: developer,
      options: { tags: several("--tag <tag>", "one of them; several times") },
      json: "print the developer as JSON",
      call: ({ client, id, given: { tags = [] } }) =>
        client.setDeveloperTags({ id, body: { tags } }),
      done: ({ tags }, { id }) =>
        `${id} is filed under ${tags.length === 0 ? "nothing" : tags.join(", ")}.`,
    }),
    calls({
      verb: "confirm-email <developer> <e-mail>",
      summary: "confirm a developer's changed e-mail address, in the place of the one before it",
      of: developer,
      json: "print the developer as JSON",
      about:
        `A developer who was registered under an id that had keys gets those by it; keydesk developers show
says so before.`,
      call: ({ client, id, words: [, email = ""] }) =>
        client.confirmDeveloperEmail({ id, body: { email } }, once),
      done: ({ email_state, has_former_keys }, { id }) =>
        email_state === "proved"
          ? `The e-mail address of developer ${id} is confirmed.`
          : `It is confirmed, and counts once the mailed link is opened${
            has_former_keys ? "; then the earlier keys are theirs" : ""
          }.`,
    }),
    calls({
      verb: "deactivate <developer...>",
      summary:
        "stop developers signing in to the portal; their unused one-time links are withdrawn",
      of: developer,
      past: "deactivated",
      options: {
        keys: needed(
          choice("--keys <choice>", "what becomes of their keys", ["keep", "suspend", "revoke"]),
        ),
      },
      json: "print one JSON object a line",
      call: ({ client, id, given }) => client.deactivateDeveloper({ id, body: given }, once),
      done: (changed, { id }) => `Developer ${id} is inactive${suspendedOf(changed)}.`,
    }),
    calls({
      verb: "reactivate <developer...>",
      summary: "let developers sign in to the portal again",
      of: developer,
      past: "reactivated",
      options: {
        keys: usual(
          choice("--keys <choice>", "what becomes of the keys that were suspended with them", [
            "keep",
            "resume",
          ]),
          "keep",
        ),
      },
      json: "print one JSON object a line",
      call: ({ client, id, given }) => client.reactivateDeveloper({ id, body: given }, once),
      done: (changed, { id }) => `Developer ${id} is active${suspendedOf(changed)}.`,
    }),
    calls({
      verb: "rm <developer...>",
      summary: "delete developers with their undecided requests",
      of: developer,
      past: "deleted",
      options: {
        keys: needed(
          choice("--keys <choice>", "what becomes of their keys", ["revoke", "keep"]),
        ),
      },
      json: "print one JSON object a line",
      about:
        "Within 7 days keydesk developers restore undoes it, with the keys that were revoked with them.",
      call: ({ client, id, given }) => client.deleteDeveloper({ id, ...given }),
      done: ({ revoked_keys, deleted_requests, undo_until }, { id }) =>
        `Developer ${id} is deleted: ${revoked_keys} keys revoked, ${deleted_requests} requests deleted; developers restore brings them back until ${undo_until}.`,
    }),
    lists({
      verb: "deleted",
      summary: "list deleted developers who can be restored, the latest first",
      limit: true,
      read: ({ client, query }) => client.listDeletedDevelopers(query),
      columns: [
        { head: "ID", width: 24, of: "id" },
        { head: "DELETED", width: 10, of: ({ deleted_at }) => deleted_at.slice(0, 10) },
        { head: "UNTIL", width: 10, of: ({ until }) => until.slice(0, 10) },
        { head: "KEYS", width: 5, of: "keys" },
        { head: "DELETION", width: 24, of: "deletion" },
        { head: "E-MAIL", of: "email" },
      ],
      empty: "There is no developer who can be restored.",
    }),
    calls({
      verb: "restore <id>",
      summary: "restore a developer who was deleted within 7 days, with maps and keys",
      of: { kind: "developer" },
      options: { deletion: opt("--deletion <id>", "which deletion, if there were several") },
      json: "print the developer as JSON",
      call: ({ client, id, given }) => client.restoreDeveloper({ id, body: given }, once),
      done: ({ keys }, { id }) => `Developer ${id} is back, with ${keys} keys.`,
    }),
  ],
});

/** The things suspended with a developer, in words. */
function suspendedOf({ suspended_keys }: { suspended_keys: number }): string {
  if (suspended_keys === 0) return "";
  return `; ${suspended_keys} keys that were suspended with them are so: reactivate --keys resume resumes them`;
}
