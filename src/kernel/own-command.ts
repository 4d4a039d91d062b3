/**
 * How the commands of this installation are called where the server was started, such as `npx
 * keydesk`: the launcher says it. It never holds a path.
 */
export function ownCommand(): string {
  return Deno.env.get("KEYDESK_COMMAND") || "keydesk";
}
