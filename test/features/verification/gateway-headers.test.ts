/**
 * The configurations of docs/gateways that name headers one by one name all that forward-auth
 * knows.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { forwardAuth } from "../../../src/features/verification/verification.operations.ts";
import { repository } from "../../support/command.ts";

const known = [
  ...[forwardAuth.answerHeaders, forwardAuth.refusalHeaders, forwardAuth.headers]
    .flatMap((headers) => Object.keys(headers ?? {})),
  forwardAuth.credentialHeader ?? "",
].filter((name) => name.startsWith("x-keydesk-")).toSorted();

/** Where a visitor's headers are replaced or taken away, and what stands there. */
const places: [string, RegExp][] = [
  ["docs/gateways/nginx.server", /^ {2}proxy_set_header (X-Keydesk-\S+)/gm],
  ["docs/gateways/two-apis.nginx.conf", /^ {2}proxy_set_header (X-Keydesk-\S+)/gm],
];

for (const [file, line] of places) {
  Deno.test(`${file}: takes each header of forward-auth from a visitor`, async () => {
    const text = await Deno.readTextFile(join(repository, file));
    const named = [...text.matchAll(line)].map(([, name = ""]) => name.toLowerCase());
    // The place that asks Keydesk has lines of its own.
    assert.deepEqual([...new Set(named)].toSorted(), known);
  });
}

/** The statuses that nginx answers by itself where Keydesk lets nobody in. */
const REFUSED = [401, 403, 500];

for (const [file] of places) {
  Deno.test(`${file}: every refusal is JSON`, async () => {
    const text = await Deno.readTextFile(join(repository, file));
    for (const status of REFUSED) {
      const [, name] = new RegExp(`error_page ${status} = (@\\w+);`).exec(text) ?? [];
      const [, place = ""] =
        new RegExp(`location ${name} \\{\\n([\\s\\S]*?)\\n {0,2}\\}`).exec(text) ?? [];
      assert.match(place, /default_type application\/json;/, String(status));
      assert.match(place, /return \d+ '\{"error":"[^"]+"\}';/, String(status));
    }
  });
}
