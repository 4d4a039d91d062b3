import { Argument } from "commander";
import { visibilities, type Visibility } from "../contract/visibilities.ts";
import { calls, lists, noun } from "./noun.ts";
import { opt, several } from "./options.ts";

const api = { kind: "API" };

const seenBy: Readonly<Record<Visibility, string>> = {
  public: "everyone",
  signed_in: "all signed-in developers",
  invited: "invited developers",
};

/** `keydesk apis`. */
export const addApisCommands = noun({
  name: "apis",
  summary: "the catalogue, and who sees its APIs in the developer portal",
  examples: [
    "list",
    "show tides",
    "visibility tides public",
    "visibility tides invited --invited example.org --invited-tag partner",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list APIs in the catalogue's order",
      options: {
        q: opt("-q, --q <text>", "only APIs that hold this text in id, name or description"),
      },
      limit: true,
      read: ({ client, query }) => client.listCatalogueApis(query),
      columns: [
        { head: "ID", width: 24, of: "id" },
        { head: "SEEN BY", width: 9, of: "visibility" },
        { head: "SHOWN", width: 5, of: ({ show }) => show ? "yes" : "no" },
        { head: "PLANS", width: 5, of: ({ plans }) => plans.length },
        { head: "NAME", of: "name" },
      ],
      empty: ({ q }) => q === undefined ? "There is no API yet." : "There is no API that matches.",
    }),
    calls({
      verb: "show <api>",
      summary: "show one API by its id, with its plans and its invitations",
      of: api,
      json: "print JSON",
      call: ({ client, id }) => client.getCatalogueApi({ id }),
      written: ({ plans, ...members }) => ({
        ...members,
        plans: plans.map(({ name, id }) => name || id),
      }),
    }),
    calls({
      verb: "visibility",
      args: [
        new Argument("<api>", "its id"),
        new Argument("<visibility>", "everyone, signed-in developers, or invited ones alone")
          .choices(visibilities),
      ],
      summary: "set who sees an API in the developer portal",
      of: api,
      options: {
        invited: several(
          "--invited <who>",
          "an e-mail address, or a domain; these replace those of before",
        ),
        invited_tags: several(
          "--invited-tag <tag>",
          "developers with this tag; these replace those of before",
        ),
      },
      json: "print the API as JSON",
      about:
        `Others can neither read an API for invited developers nor request its plans. Granted keys stay valid. An
address counts once it is verified by a mailed code or link. Without an option, invitations stay as they are.`,
      examples: ["visibility tides public", "visibility tides invited --invited ann@example.org"],
      call: ({ client, id, words: [, visibility], given }) =>
        client.editCatalogueApi({
          id,
          body: { ...given, visibility: visibilities.find((one) => one === visibility) },
        }),
      done: ({ name, id, visibility }) => `${name || id} is seen by ${seenBy[visibility]}.`,
    }),
  ],
});
