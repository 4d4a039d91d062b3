import { InvalidArgumentError } from "commander";
import type { Client } from "../client/keydesk-client.ts";
import { ADDRESS, filledFile, PLAIN_ID } from "../contract/filled-file.ts";
import { gatewayFiles } from "../contract/gateway-files.ts";
import { gatewaySteps } from "../contract/gateway-steps.ts";
import { isBrought } from "./named.ts";
import { runs } from "./noun.ts";
import { OperatorError } from "./operator-error.ts";
import { opt } from "./options.ts";
import { terminal } from "./terminal.ts";

type Named = {
  readonly kind: string;
  readonly idOf: (client: Client, word: string) => Promise<string>;
};

/** `keydesk gateways file`: what a proxy is set up with that checks each call. */
export const fileOfGateway = (gateway: Named) =>
  runs({
    verb: "file <gateway>",
    summary: "print a file of a gateway that checks, filled in but for the access token",
    of: gateway,
    options: {
      listen: opt("--listen <address>", "where it listens", toAddress),
      API_ADDRESS: opt(
        "--api-address <address>",
        "the API behind it, as it reaches it",
        toAddress,
      ),
      API_ID: opt("--api <id>", "that API as plans name it", toPlainId),
      DESK_ADDRESS: opt("--keydesk <address>", "Keydesk, as it reaches it", toAddress),
      part: opt("--part <name>", "the file of this name, where there are several"),
    },
    // Options that were not given, and the access token, stay as the document has them.
    async run({ client, id, word, given: { listen, part, ...given } }) {
      const gateway = await client.getGateway({ id });
      if (isBrought(gateway)) {
        throw new OperatorError(`${word} does not check calls: there is no file for it`);
      }
      if (gateway.kind === "other") {
        throw new OperatorError(
          "there is no documented file for this product: --kind of change",
        );
      }
      const values = {
        GATEWAY_ADDRESS: listen && gateway.kind === "caddy" ? `http://${listen}` : listen,
        ...given,
        GATEWAY_NAME: gateway.name,
      };
      const said = Object.fromEntries(
        Object.entries(values).filter(([, value]) => value !== undefined),
      );
      const files = gatewayFiles[gateway.kind]
        .map((file) => ({ ...file, name: filledFile(file.name, said) }));
      const found = part === undefined ? files[0] : files.find(({ name }) => name === part);
      const names = files.map(({ name }) => name).join(", ");
      if (!found) throw new OperatorError(`--part: there is ${names}`, { exitCode: 2 });
      terminal().out(filledFile(found.text, said).trimEnd());
      const steps = gatewaySteps[gateway.kind].map((step) => filledFile(step, said));
      terminal().err(
        [`Save it as ${found.name} (all files: ${names}), then:`, ...steps].join("\n"),
      );
    },
  });

function toAddress(text: string): string {
  if (ADDRESS.test(text)) return text;
  throw new InvalidArgumentError("Expected a host and a port, such as 127.0.0.1:8080.");
}

function toPlainId(text: string): string {
  if (PLAIN_ID.test(text)) return text;
  throw new InvalidArgumentError("This id is not possible in such a file: fill it in by hand.");
}
