/**
 * Calls the URL of its first argument once for each line of standard input, by the way out that
 * KEYDESK_OUTBOUND opens, and prints what came of it: the status, or why nothing was sent.
 */
import { openOutbound } from "../../src/kernel/outbound/open-outbound.ts";
import { OutboundDenied } from "../../src/kernel/outbound/outbound.ts";

const [url = ""] = Deno.args;
const outbound = openOutbound({ entries: (Deno.env.get("KEYDESK_OUTBOUND") ?? "").split(",") });
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  for (const _ of text.trimEnd().split("\n")) {
    const call = { url, method: "GET", headers: {}, timeoutMs: 10_000, keptBytes: 100 };
    const outcome = await outbound.send(call).then(
      ({ status }) => String(status),
      (error) => error instanceof OutboundDenied ? error.reason : String(error.cause ?? error),
    );
    console.log(outcome);
  }
}
