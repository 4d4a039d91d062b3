/** The values of a documented file of docs/gateways. */
export interface FileValues {
  /** The address of the proxy, such as 127.0.0.1:8080. */
  readonly GATEWAY_ADDRESS: string;
  /** The API behind it. */
  readonly API_ADDRESS: string;
  /** The API as plans name it. */
  readonly API_ID: string;
  /** The address of Keydesk. */
  readonly DESK_ADDRESS: string;
  /** An access token with the permission `verify`. */
  readonly DESK_CREDENTIAL: string;
  readonly GATEWAY_NAME: string;
}

/** An address as files of gateways take one: nothing in it ends a word or a text. */
export const ADDRESS = /^(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9.-]+):\d{1,5}$/;

/** An API's id that is in every such file as it is. */
export const PLAIN_ID = /^[A-Za-z0-9_.~-]*$/;

/**
 * A documented file with these values in the places of their names: `${NAME}`, `{$NAME}` and, in
 * Lua, `os.getenv("NAME")`. A name without a value stays as it is, and its head lists only those.
 * The values must be such that they end no word and no text.
 */
export function filledFile(text: string, values: Partial<FileValues>): string {
  const all = new Map(Object.entries({ ...values, ...partsOf(values) }));
  return text
    .replace(TO_FILL_IN, (_found, before: string, names: string) => {
      const isOpen = (line: string) => namesIn(line).some((name) => !all.has(name));
      const open = names.match(/.+\n/g)?.filter(isOpen) ?? [];
      return open.length === 0 ? "" : before + open.join("");
    })
    .replace(
      /\$\{([A-Z_]+)\}|\{\$([A-Z_]+)\}/g,
      (found, one = "", other = "") => all.get(one || other) ?? found,
    )
    .replace(/os\.getenv\("([A-Z_]+)"\)/g, (found, name: string) => {
      const value = all.get(name);
      return value === undefined ? found : JSON.stringify(value);
    });
}

/** The list of names at the head of a file, after the line that introduces it. */
const TO_FILL_IN = /((?:^(?:#|--)\n)?^(?:#|--) Fill in.*:\n)((?:^(?:#|--) {3}[A-Z_]+.*\n)+)/m;

/** The names that a line of this list explains: those before two spaces. */
function namesIn(line: string): string[] {
  const [list = ""] = line.replace(/^\S+ +/, "").split("  ");
  return list.match(/[A-Z_]+/g) ?? [];
}

/** Host and port by themselves. */
function partsOf(values: Partial<FileValues>): Record<string, string> {
  const parts = (["GATEWAY", "API", "DESK"] as const).flatMap((name) => {
    const [, host, port] = /^(?:https?:\/\/)?(.*):(\d+)$/.exec(values[`${name}_ADDRESS`] ?? "") ??
      [];
    if (host === undefined || port === undefined) return [];
    return [[`${name}_HOST`, host.replace(/^\[|\]$/g, "")], [`${name}_PORT`, port]];
  });
  return Object.fromEntries(parts);
}
