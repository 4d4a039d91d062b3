/**
 * Writes what is generated from the contract: `deno run -A tools/openapi.ts`. The files are committed;
 * test/contract compares them with what this would write now.
 */
import { features } from "../src/endpoints.ts";
import { failureCodes } from "../src/kernel/failure-codes.ts";
import { version } from "../src/kernel/version.ts";
import { type Edition, toOpenApi } from "../src/reference/openapi.ts";
import { endpoints } from "../src/reference/registry.ts";
import { clientOperations } from "./client.ts";
import { DOCUMENTS, writeDocuments } from "./documents.ts";
import { routeTableText } from "./route-table.ts";
import { settingsText } from "./settings.ts";

/** Every generated file: its path in the repository and its text. */
export const generatedFiles: readonly { path: string; text: string }[] = [
  { path: "openapi.json", text: openApiText("3.2") },
  { path: "openapi-3.1.json", text: openApiText("3.1") },
  { path: "src/client/operations.ts", text: clientOperations(endpoints) },
  { path: "src/route-table.ts", text: await routeTableText(features) },
  { path: "docs/errors.md", text: errorsText() },
  { path: "docs/settings.md", text: settingsText() },
];

function openApiText(edition: Edition): string {
  return `${JSON.stringify(toOpenApi(endpoints, version, edition), null, 2)}\n`;
}

function errorsText(): string {
  const rows = Object.entries(failureCodes)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, message }]) => `| \`${code}\` | ${status} | ${message.trim()} |`);
  return `# Errors

Written by \`tools/openapi.ts\` from \`src/kernel/failure-codes.ts\`; change it there.

Every failure answers with the envelope \`{"Status":"Error","Message":…,"Meta":null}\`, with \`Errors\`, one
sentence for each problem, where there are several or a place to name. The header \`X-Keydesk-Error\` carries the code,
\`X-Request-Id\` the request's id: the caller's own where it sent a usable one, else ours. The log tells more under it.
Problem documents have ours as \`request_id\`, always, and the caller's own as \`caller_request_id\`.

Under \`/v1\` it is a problem document (RFC 9457) with the same code, under \`/oauth\` the
\`{"error","error_description"}\` of RFC 6749; see [oauth.md](oauth.md).

\`access_denied\` ends with two blanks and the path, \`invalid_input\` starts with the first problem instead of
the sentence below, and \`body_too_large\` names the limit.

| Code | Status | Message |
|---|---|---|
${rows.join("\n")}
`;
}

if (import.meta.main) {
  for (const { path, text } of generatedFiles) {
    await Deno.writeTextFile(new URL(`../${path}`, import.meta.url), text);
    console.log(path);
  }
  for (const name of writeDocuments(DOCUMENTS)) console.log(`dist/documents/${name}`);
}
