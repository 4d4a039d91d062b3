/**
 * The words that start Keydesk on this machine, such as `npx keydesk`: the launcher knows how it
 * was started.
 */
export function commandName(): string {
  return Deno.env.get("KEYDESK_COMMAND") || "keydesk";
}

/** A text of ours with its commands as they can be typed on this machine. */
export function withCommandName(text: string): string {
  const name = commandName();
  return name === "keydesk" ? text : text.replaceAll(/`keydesk (?=[a-z])/g, `\`${name} `);
}
