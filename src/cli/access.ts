import { calls, lists, noun } from "./noun.ts";

/** `keydesk access`. */
export const addAccessCommands = noun({
  name: "access",
  summary: "temporary access, and its rules",
  about:
    `People start temporary access in the console, by a rule that an administrator wrote there. Here it is
listed and ended.`,
  examples: ["list", "rules", "end 65b0c1d2e3f4a5b6c7d8e9f0"],
  verbs: [
    lists({
      verb: "list",
      summary: "list temporary access, newest first",
      read: ({ client }) => client.listTemporaryAccess(),
      columns: [
        { head: "ID", width: 24, of: "id" },
        { head: "STATE", width: 6, of: "state" },
        { head: "UNTIL", width: 24, of: (one) => one.date_ended ?? one.expires_at },
        { head: "ACTIONS", width: 7, of: "actions" },
        { head: "PERSON", width: 20, of: ({ person }) => person.name },
        { head: "RULE", of: ({ rule }) => rule.name, extra: 1 },
      ],
      empty: "There was no temporary access yet.",
    }),
    lists({
      verb: "rules",
      summary: "list the rules: who may have which role, for how long, by which proof",
      read: ({ client }) => client.listTemporaryAccessRules(),
      columns: [
        { head: "ID", width: 24, of: "id" },
        { head: "PEOPLE", width: 6, of: ({ people }) => people.length },
        { head: "MINUTES", width: 7, of: "minutes", extra: 1 },
        { head: "PROOF", width: 13, of: "proof" },
        { head: "NAME", width: 20, of: "name" },
        { head: "GIVES", of: ({ permissions }) => permissions.join(",") },
      ],
      empty: "There is no rule.",
    }),
    calls({
      verb: "end <id>",
      summary: "end one at once: nothing more is done in it",
      of: { kind: "temporary access" },
      call: ({ client, id }) => client.endTemporaryAccess({ id }),
      done: ({ person }, { id }) => `The temporary access ${id} of "${person.name}" is over.`,
    }),
  ],
});
