import { type FailureCode, failureCodes, ownMessageOf } from "../src/kernel/failure-codes.ts";

/** The page of failure codes, `docs/errors.md`. */
export function errorsText(): string {
  const rows = Object.entries(failureCodes)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, message }]) =>
      // as: the table has no other names.
      `| \`${code}\` | ${status} | ${messagesOf(code as FailureCode, message)} |`
    );
  return `# Errors

Written by \`npm run generate\` from \`src/kernel/failure-codes.json\`; change it there.

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

/** Both sentences, where `/v1` has one of its own. */
function messagesOf(code: FailureCode, message: string): string {
  const own = ownMessageOf(code);
  return own === message ? message.trim() : `${message} Under \`/v1\`: ${own}`;
}
