import { calls, lists, noun, type Said } from "./noun.ts";
import { choice, needed, opt, several, upTo, usual } from "./options.ts";
import { printable } from "./table.ts";

const channel = { kind: "channel" };

/** `keydesk channels`. */
export const addChannelsCommands = noun({
  name: "channels",
  summary: "notification channels",
  about:
    `A channel's secret is printed to standard output, once, by add and rotate; all else they say goes to
standard error.`,
  examples: [
    "add https://portal.example.org/hooks --name Portal --topic 'key_request.*'",
    "test 65b0c1d2e3f4a5b6c7d8e9f6",
    "rotate 65b0c1d2e3f4a5b6c7d8e9f6 --overlap-hours 48",
    "pause 65b0c1d2e3f4a5b6c7d8e9f6",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list channels, newest first",
      read: ({ client, query }) => client.listChannels(query),
      columns: [
        { head: "ID", width: 24, of: "id" },
        { head: "STATE", width: 7, of: "state" },
        { head: "FAILURES", width: 8, of: "failures", extra: 1 },
        { head: "NAME", width: 20, of: "name" },
        { head: "TOPICS", width: 30, of: ({ topics }) => topics.join(" "), extra: 2 },
        { head: "URL", of: "url" },
      ],
      empty: "There is no notification channel yet.",
    }),
    calls({
      verb: "add <url>",
      summary: "add a webhook and print the secret that signs what it is sent, once",
      options: {
        name: needed(opt("--name <name>", "what people call it")),
        topics: several(
          "--topic <topic>",
          "a topic or a pattern that it wants; several times for several",
        ),
        template: usual(
          choice("--template <template>", "the form of what is sent", [
            "standard",
            "slack",
            "teams",
            "discord",
          ]),
          "standard",
        ),
      },
      json: "print the channel with its secret as JSON",
      call: ({ client, id: url, given }) => client.createChannel({ body: { url, ...given } }),
      done: (made) => [...missing(made), ...secret(made, `Channel ${made.id} "${made.name}".`)],
    }),
    calls({
      verb: "test <id>",
      summary: "send a channel a test at once and print what it answers",
      of: channel,
      json: "print JSON",
      touches: { calls: true },
      call: ({ client, id }) => client.testChannel({ id }),
      done: ({ ok, status, error, answer, duration_ms }) => [
        { out: status === 0 ? printable(error) : `${status} in ${duration_ms} ms` },
        ...answer === "" ? [] : [{ out: printable(answer) }],
        ...ok ? [] : [{ fails: "the test was not taken" }],
      ],
    }),
    calls({
      verb: "pause <id>",
      summary: "send a channel nothing until it is resumed",
      of: channel,
      call: ({ client, id }) => client.pauseChannel({ id }),
      done: ({ name, state }) => `${name} is ${state}.`,
    }),
    calls({
      verb: "resume <id>",
      summary: "go on with a channel",
      of: channel,
      call: ({ client, id }) => client.resumeChannel({ id }),
      done: ({ name, state }) => `${name} is ${state}.`,
    }),
    calls({
      verb: "rotate <id>",
      summary: "give a channel a fresh secret and print it, once",
      of: channel,
      options: {
        overlap_hours: opt(
          "--overlap-hours <n>",
          "how long the old one signs too; 24 where not given",
          upTo(168, "Expected a whole number from 0 to 168."),
        ),
      },
      json: "print the channel with its secret as JSON",
      call: ({ client, id, given: { overlap_hours = 24 } }) =>
        client.rotateChannelSecret({ id, body: { overlap_hours } }),
      done: (rotated) => {
        const { name, old_secret_until: until } = rotated;
        const old = until === null ? "" : ` The old secret signs too until ${until}.`;
        return secret(rotated, `"${name}" has a fresh secret.${old}`);
      },
    }),
    calls({
      verb: "remove <id>",
      summary: "remove a channel, and what waits for it",
      of: channel,
      call: ({ client, id }) => client.deleteChannel({ id }),
      done: ({ dropped }, { id }) =>
        `Channel ${id} is removed, and ${dropped} messages that waited for it.`,
    }),
  ],
});

/** The secret alone goes to standard output, so that it can be piped to where it is kept. */
function secret({ secret }: { secret: string }, sentence: string): Said[] {
  return [`${sentence} Its secret is shown this once:`, { out: secret }];
}

function missing({ missing_outbound: host }: { missing_outbound: string | null }): Said[] {
  if (host === null) return [];
  return [{ always: `Nothing can be sent to it until KEYDESK_OUTBOUND names ${host}.` }];
}
