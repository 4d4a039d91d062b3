import { join, resolve } from "node:path";
import type { ServiceContext } from "../calls/context.ts";
import type { Config } from "../config.ts";
import { findTokenByHash } from "../features/people/access-tokens.store.ts";
import { Authenticator } from "../features/people/authenticate.ts";
import { sha256 } from "../kernel/sha256.ts";
import { FIRST_TOKEN_FILE } from "../store-files.ts";

/** How an administrator gets in. */
interface AdministratorAccess {
  /** A sentence for the person at the terminal; never the access token. */
  sentence: string;
  /** The shell expression of the access token for command lines; undefined: none is known. */
  shellWord?: string;
}

/**
 * Finds out which administrator's access token is in force: the setting's, the file's, or one that
 * is elsewhere.
 */
export async function administratorAccess(
  config: Config,
  ctx: ServiceContext,
): Promise<AdministratorAccess> {
  const authenticator = new Authenticator(ctx.storage.reader, ctx.clock, ctx.attempts, ctx.damages);
  const { ADMIN_TOKEN, ADMIN_TOKEN_FILE } = config;
  if (ADMIN_TOKEN !== undefined) {
    const setting = `KEYDESK_ADMIN_TOKEN${ADMIN_TOKEN_FILE === undefined ? "" : "_FILE"}`;
    if (!await authenticator.authenticate(ADMIN_TOKEN)) {
      if (await isKeyAway(ctx, ADMIN_TOKEN)) return { sentence: KEY_AWAY };
      return {
        sentence:
          `The access token in ${setting} has expired, so that the setting can be left out; \`keydesk token create\` makes another.`,
      };
    }
    return {
      sentence: `The administrator's access token is the one in ${setting}.`,
      shellWord: ADMIN_TOKEN_FILE === undefined
        ? "$KEYDESK_ADMIN_TOKEN"
        : `$(cat ${shellQuoted(resolve(ADMIN_TOKEN_FILE))})`,
    };
  }
  const file = resolve(join(config.DATA_DIR, FIRST_TOKEN_FILE));
  const text = await Deno.readTextFile(file).catch(() => "");
  if (await authenticator.authenticate(text)) {
    return {
      sentence: `The administrator's access token is in ${file}`,
      shellWord: `$(cat ${shellQuoted(file)})`,
    };
  }
  if (await isKeyAway(ctx, text)) return { sentence: KEY_AWAY };
  return {
    sentence:
      "The administrator's access token is not in the data directory; `keydesk token create` makes another.",
  };
}

const KEY_AWAY =
  "The store's newest sealing key is not at hand, so that every key and access token is denied: put it back, or if it is lost for good run `keydesk reseal --accept-loss`.";

/**
 * Whether an access token is known and nothing can tell that it is as it was written: its sealing
 * key is missing.
 */
async function isKeyAway({ storage, sealer }: ServiceContext, token: string): Promise<boolean> {
  const row = await findTokenByHash(storage.reader, { hash: sha256(token.trim()) });
  return row !== undefined && row.checksum !== null && !sealer.hasKeyOf(row.checksum);
}

/** Output for terminals only. */
interface ForTerminal {
  isTerminal: boolean;
  /** The access token that this start made. */
  fresh: string | undefined;
  /** Signs a browser in once. */
  link: string | undefined;
}

/** The output at the start: the sign-in link, output for terminals only, and a line to paste. */
export function firstSteps(
  access: AdministratorAccess,
  url: string,
  { isTerminal, fresh, link }: ForTerminal,
): string[] {
  return [
    access.sentence,
    ...fresh !== undefined && isTerminal ? [`  ${fresh}`] : [],
    ...link !== undefined && isTerminal
      ? ["The console, signed in by this link once within ten minutes:", `  ${link}`]
      : [],
    ...access.shellWord === undefined ? [] : [
      "Try:",
      `  curl -H "Authorization: ${access.shellWord}" '${url}/api/portal/requests?p=1'`,
    ],
  ];
}

/** The address of a listener as a URL. */
export function urlOf(hostname: string, port: number): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
