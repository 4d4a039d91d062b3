import type { Client } from "../client/keydesk-client.ts";
import { calls, noun } from "./noun.ts";
import { OperatorError } from "./operator-error.ts";
import { needed, opt } from "./options.ts";
import { printable } from "./table.ts";

/** `keydesk delegation`. */
export const addDelegationCommands = noun({
  name: "delegation",
  summary: "stand-ins for an approver who is away",
  about: "The access token's person is away. Name the delegate by id or name.",
  examples: [
    "set Bob --until 2030-01-31T09:00:00Z --url https://desk.example.org",
    "end --url https://desk.example.org",
  ],
  verbs: [
    calls({
      verb: "show",
      summary: "show who approves for an absent person, and for whom one does",
      json: "print JSON",
      call: ({ client }) => client.getDelegation(),
      written: ({ delegate, decides_for }) => ({
        in_your_place: delegate && `${delegate.name} until ${delegate.until}`,
        you_approve_for: decides_for.map(({ name, until }) => `${name} until ${until}`),
      }),
      nothing: "You have no delegate, and are no one's.",
    }),
    calls({
      verb: "set <person>",
      summary: "name a delegate, for 90 days at the most",
      options: {
        until: needed(opt("--until <time>", "until when, such as 2030-01-31T09:00:00Z")),
      },
      json: "print JSON",
      call: async ({ client, word, given: { until } }) =>
        await client.putDelegation({ body: { delegate_id: await idOf(client, word), until } }),
      done: ({ delegate }, { word, given }) => {
        const { name = word, until = given.until } = delegate ?? {};
        return `${name} approves in your place until ${until}.`;
      },
    }),
    calls({
      verb: "end",
      summary: "end it",
      call: ({ client }) => client.deleteDelegation(),
      done: () => "You have no delegate now.",
    }),
  ],
});

async function idOf(client: Client, word: string): Promise<string> {
  const { candidates } = await client.getDelegation();
  const meant = candidates.filter(({ id, name }) =>
    id === word || name.toLowerCase() === word.toLowerCase()
  );
  const [one, ...others] = meant;
  if (!one) throw new OperatorError(printable(`no approver is called ${word}`));
  if (others.length > 0) {
    throw new OperatorError(printable(`several are called ${word}: give the id`), { exitCode: 2 });
  }
  return one.id;
}
