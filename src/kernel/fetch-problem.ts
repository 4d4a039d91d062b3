/** Why a server was not reached, without the asked address, which may hold an id or a key. */
export function fetchProblem(error: Error): string {
  const { message } = error.cause instanceof Error ? error.cause : error;
  return message
    .replace(/^error sending request(?: from \S+)? for (?:url )?\(?\S+?\)?(?: \(\S+\))?: /, "")
    .replace(/^client error \(\w+\): /, "");
}
