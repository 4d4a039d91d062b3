import { type Command, InvalidArgumentError } from "commander";
import { parseTimestamp } from "../kernel/timestamps.ts";
import { openDashboard } from "../maintenance/import/dashboard.ts";
import { openExportFiles } from "../maintenance/import/export-files.ts";
import { openGatewayRedis } from "../maintenance/import/gateway-redis.ts";
import { openGateway } from "../maintenance/import/gateway.ts";
import { identitiesIn } from "../maintenance/archive/age.ts";
import { type Source, SourceUnusable } from "../maintenance/import/source.ts";
import { together } from "../maintenance/import/sources.ts";
import type { Form } from "./forms.ts";
import { fileProblem, OperatorError } from "./operator-error.ts";
import { organisationOption } from "./organisation.ts";
import { touching } from "./touched.ts";

/** The source of `import tyk`, and how to read it. */
export interface SourceOptions {
  files: string[];
  redis?: string;
  redisUser?: string;
  redisPasswordFile?: string;
  redisCaFile?: string;
  dashboard?: string;
  dashboardTokenFile?: string;
  dashboardCaFile?: string;
  pageByPage?: boolean;
  gateway?: string;
  gatewaySecretFile?: string;
  gatewayCaFile?: string;
  allowPlain?: boolean;
  passphraseFile?: string;
  identityFile?: string;
  murmurUntil?: number;
  organisation?: string;
  form?: Form;
}

/** Adds the options that name sources. */
export function withSources(command: Command): Command {
  return touching(command, SOURCES)
    .option(
      "--files <path>",
      "an export file or a folder of them; may be given several times",
      (path: string, all: string[]) => [...all, path],
      [],
    )
    .option("--redis <url>", "the gateway's Redis, redis:// or rediss://; it is only read")
    .option("--redis-user <name>", "its user, where it has several")
    .option("--redis-password-file <file>", "its password")
    .option(
      "--redis-ca-file <file>",
      "certificates (PEM) of the authorities that are trusted for it",
    )
    .option("--dashboard <url>", "the dashboard's interface; it is only read")
    .option("--dashboard-token-file <file>", "the access token of one of its users")
    .option(
      "--dashboard-ca-file <file>",
      "certificates (PEM) of the authorities that are trusted for it",
    )
    .option("--page-by-page", "don't ask the dashboard for whole lists")
    .option("--gateway <url>", "the gateway's interface; it is only read")
    .option("--gateway-secret-file <file>", "its secret")
    .option(
      "--gateway-ca-file <file>",
      "certificates (PEM) of the authorities that are trusted for it",
    )
    .option("--allow-plain", "reach another machine without TLS")
    .option("--passphrase-file <file>", "decrypts the private keys of certificates, or an export")
    .option("--identity-file <file>", "decrypts an export that is encrypted to a public key")
    .option("--murmur-until <day>", "take keys known by 64 or 128 bits alone until then", toDay)
    .option(...organisationOption)
    .option("--json", "print JSON");
}

const SOURCES = {
  "--files": "read",
  "--redis": "net",
  "--redis-password-file": "read",
  "--redis-ca-file": "read",
  "--dashboard": "net",
  "--dashboard-token-file": "read",
  "--dashboard-ca-file": "read",
  "--gateway": "net",
  "--gateway-secret-file": "read",
  "--gateway-ca-file": "read",
  "--passphrase-file": "read",
  "--identity-file": "read",
} as const;

function toDay(text: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
  if (!parseTimestamp(time)) throw new InvalidArgumentError("expected a day such as 2026-12-31.");
  return Date.parse(time);
}

/** Opens every source that the options name. Throws OperatorError. */
export async function openSources(
  options: SourceOptions,
  passphrase: string | undefined,
): Promise<Source> {
  const sources: Source[] = [];
  const identities = identitiesIn(await textIn(options.identityFile) ?? "");
  try {
    for (const path of options.files) {
      sources.push(await openExportFiles(path, { passphrase, identities }));
    }
    if (options.redis !== undefined) {
      const password = await textIn(options.redisPasswordFile);
      const ca = await textIn(options.redisCaFile);
      sources.push(
        await openGatewayRedis({
          url: options.redis,
          allowPlain: options.allowPlain ?? false,
          ...options.redisUser === undefined ? {} : { username: options.redisUser },
          ...password === undefined ? {} : { password },
          ...ca === undefined ? {} : { ca },
        }),
      );
    }
    const { allowPlain = false } = options;
    if (options.dashboard !== undefined) {
      const { dashboard: url, dashboardTokenFile: file, dashboardCaFile } = options;
      const secret = await secretIn(file, "--dashboard", "--dashboard-token-file");
      const ca = await textIn(dashboardCaFile);
      const pageByPage = options.pageByPage ?? false;
      sources.push(await openDashboard({ url, secret, ca, allowPlain, pageByPage }));
    }
    if (options.gateway !== undefined) {
      const { gateway: url, gatewaySecretFile: file, gatewayCaFile } = options;
      const secret = await secretIn(file, "--gateway", "--gateway-secret-file");
      const ca = await textIn(gatewayCaFile);
      sources.push(await openGateway({ url, secret, ca, allowPlain }));
    }
  } catch (error) {
    throw error instanceof SourceUnusable ? new OperatorError(error.message) : error;
  }
  return together(sources);
}

/** A file's text without the line end at its end; undefined where none is named. */
export async function textIn(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return (await Deno.readTextFile(path)).replace(/\r?\n$/, "");
  } catch (error) {
    const problem = fileProblem(error);
    throw problem === undefined ? error : new OperatorError(`${path}: ${problem}`);
  }
}

/** The secret of an interface. Throws OperatorError. */
async function secretIn(file: string | undefined, of: string, option: string): Promise<string> {
  const secret = await textIn(file);
  if (secret !== undefined) return secret;
  throw new OperatorError(`${of} needs ${option}`, { exitCode: 2 });
}
