import { Option } from "commander";
import { forOne } from "./each.ts";
import { calls, noun } from "./noun.ts";
import { printable } from "./table.ts";

/**
 * Characters of a certificate's id: its organisation's and its fingerprint. A key's id has 64 at
 * the most.
 */
const CERTIFICATE_ID = 88;

/** `keydesk alerts`. */
export const addAlertsCommands = noun({
  name: "alerts",
  summary: "alerts before certificates and keys expire",
  examples: [
    "why 65b0c1d2e3f4a5b6c7d8e9f0…    a certificate, by its id",
    "why --key 5f2a…                  a key, by its key id",
  ],
  verbs: [
    calls({
      verb: "why <id>",
      summary: "say why no alert about a certificate or key was sent, or which was",
      options: {
        key: { option: new Option("--key", "the id is a key's").conflicts("certificate") },
        certificate: {
          option: new Option(
            "--certificate",
            "the id is a certificate's; the default for 88 characters",
          ),
        },
      },
      json: "print JSON",
      async call({ client, id, given: { key, certificate } }) {
        return key ?? (!certificate && id.length < CERTIFICATE_ID)
          ? await forOne("key", id, () => client.getKeyAlerts({ key_id: id }))
          : await forOne("certificate", id, () => client.getCertificateAlerts({ id }));
      },
      done: ({ title, answer, rules }) => {
        const reached = rules.filter(({ result }) => result !== "not_reached")
          .map(({ rule, result, says }) =>
            `  ${result === "passed" ? "ok" : "=>"} ${rule}: ${says}`
          );
        return [{ out: printable([title, answer, ...reached].join("\n")) }];
      },
    }),
  ],
});
