import { join, resolve } from "node:path";
import { REVOKED_FILE } from "../calls/revoked-lately.ts";
import type { Config } from "../config.ts";
import { locationOf, wrongKeysText } from "../open-server.ts";
import { driftWarnings } from "../features/config/config-state.ts";
import { findFirstOrganisation } from "../features/people/organisations.store.ts";
import { pagesBesideConsole } from "../features/portal/access/pages-beside-console.ts";
import { systemClock } from "../kernel/clock.ts";
import { collectorOf, whyUnreachable } from "../kernel/collector.ts";
import { Sealer } from "../kernel/sealing/sealer.ts";
import {
  parseSealingKeys,
  type SealingKeys,
  SealingKeysInvalid,
} from "../kernel/sealing/sealing-keys.ts";
import { HEADS_FILE } from "../maintenance/audit-log/kept-heads.ts";
import { leftOpenOfAll } from "../maintenance/import/user-names.ts";
import { wrongSealingKeys } from "../maintenance/sealing-keys/sealing-keys.store.ts";
import { newestChange } from "../maintenance/server-info/server-info.store.ts";
import { clockOf } from "../storage/store-clock.ts";
import { settingsTable } from "../settings-table.ts";
import type { StoreSession } from "../storage/engines/store-session.ts";
import { inOne, stepsOf } from "../storage/migrate-session.ts";
import { missingSteps, refuseForeign } from "../storage/migrate.ts";
import { SchemaTooNew, SchemaTooOld } from "../storage/schema-errors.ts";
import { migrations } from "../storage/migrations/list.ts";
import { databaseWarnings } from "../storage/open-inspection.ts";
import { openSession } from "../storage/open-session.ts";
import { storeMark } from "../storage/store-mark.store.ts";
import { storeProblem } from "../store-folder.ts";
import { FIRST_TOKEN_FILE, SEALING_KEY_FILE } from "../store-files.ts";
import { clockFinding, fail, type Finding, ok, skip, warn } from "./doctor-findings.ts";
import { headFindings } from "./doctor-heads.ts";
import { streamFindings } from "./doctor-stream.ts";
import { addressFindings } from "./doctor-server.ts";
import { urlOf } from "./first-steps.ts";
import { isThere } from "./is-there.ts";
import { leftOpenSentences } from "./left-open.ts";
import { openToOthers } from "./open-to-others.ts";
import {
  fileProblem,
  openingStore,
  OperatorError,
  reasonOf,
  roomProblem,
  storePlace,
  unusableKeyText,
} from "./operator-error.ts";
import { passkeyWarnings, planWarnings, storeWarnings } from "./start-warnings.ts";
import { terminal } from "./terminal.ts";
import { parsePermissions } from "../calls/principal.ts";
import { allows } from "../contract/permissions.ts";
import { everyApprover } from "../features/people/people.store.ts";
import type { Connection } from "../storage/storage.ts";
import { openedRule } from "../features/people/temporary-access.ts";
import { everyTemporaryAccessRule } from "../features/people/temporary-access.store.ts";
import { ruleHealth } from "../features/sign-in/temporary-access/rule-health.ts";
import { nextOrganisation } from "../features/notifications/alerts/alerts.store.ts";
import { askedPolicyIn, presentStep, standing } from "../features/key-requests/asked-policy.ts";
import type { V1Row } from "../features/key-requests/v1.store.ts";
import { requestsWithoutApprover } from "../features/key-requests/whose-turn.service.ts";

type Findings = AsyncGenerator<Finding, void, void>;

/** Checks this machine for a server. Makes and changes nothing. */
export async function* storeFindings(config: Config): Findings {
  yield ok("settings", settingsText());
  yield* fileFindings(config);
  const mark = yield* databaseFindings(config);
  yield* streamFindings(config);
  yield* listenerFindings(config, mark);
  yield* collectorFindings();
  if (config.PUBLIC_URL === undefined) return;
  yield* addressFindings(config.PUBLIC_URL);
}

/** By their names alone: a value may be a secret. */
function settingsText(): string {
  const given = Object.keys(terminal().environment);
  const set = settingsTable().map(({ name }) => name).filter((name) => given.includes(name));
  return set.length === 0 ? "all are the defaults" : `${set.join(", ")} and the defaults`;
}

/**
 * The folder and what is in it: a secret that others may read has to be mended, anything else is
 * worth a word.
 */
async function* fileFindings(config: Config): Findings {
  const folder = resolve(config.DATA_DIR);
  const folderMode = await modeOf(folder);
  if (folderMode === undefined) {
    if (!config.DATABASE_URL) yield fail("files", `${folder} does not exist (KEYDESK_DATA_DIR)`);
    return;
  }
  const open = openToOthers(folder, folderMode, "700");
  for (const sentence of open) yield warn("files", sentence);
  let isFine = open.length === 0;
  for (const [name, isSecret] of Object.entries(files)) {
    const path = join(folder, name);
    const mode = await modeOf(path);
    // No one gets through a closed folder; a secret is closed by itself too.
    if (mode === undefined || (!isSecret && open.length === 0)) continue;
    for (const sentence of openToOthers(path, mode)) {
      isFine = false;
      yield isSecret ? fail("files", sentence) : warn("files", sentence);
    }
  }
  if (isFine) yield ok("files", `${folder} and its files are for their owner alone`);
}

/** The files of a data directory, and whether they hold a secret in plain. */
const files: Readonly<Record<string, boolean>> = {
  [SEALING_KEY_FILE]: true,
  [FIRST_TOKEN_FILE]: true,
  [HEADS_FILE]: false,
  [REVOKED_FILE]: false,
  "keydesk.db": false,
  "keydesk.db-wal": false,
  "keydesk.db-shm": false,
  "keydesk.db-reserve": false,
};

async function modeOf(path: string): Promise<number | null | undefined> {
  try {
    return (await Deno.stat(path)).mode;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new OperatorError(`${path}: ${fileProblem(error) ?? reasonOf(error)}`, { cause: error });
  }
}

/** Returns the store's mark, where one could be read. */
async function* databaseFindings(
  config: Config,
): AsyncGenerator<Finding, string | undefined, void> {
  const place = storePlace(config);
  if (!config.DATABASE_URL && !await isSomething(config.databaseFile)) {
    const problem = await storeProblem(config);
    yield fail("database", problem ?? `there is no store in ${place}: start the server once`);
    return;
  }
  let session: StoreSession | undefined;
  try {
    session = await openingStore(config, () => openSession(locationOf(config)));
    yield* sessionFindings(config, session);
    return (await stepsOf(session)).length === 0 ? undefined : await storeMark(session);
  } catch (error) {
    const reason = await roomProblem(config, error) ?? reasonOf(error);
    if (reason === undefined) throw error;
    yield fail("database", reason);
  } finally {
    await session?.close();
  }
}

async function isSomething(file: string): Promise<boolean> {
  return await isThere(file) && (await Deno.stat(file)).size > 0;
}

async function* sessionFindings(config: Config, session: StoreSession): Findings {
  const steps = await stepsOf(session);
  if (steps.length === 0) {
    return yield fail(
      "database",
      `there is no store in ${storePlace(config)}: start the server once`,
    );
  }
  try {
    refuseForeign(steps);
  } catch (error) {
    if (!(error instanceof SchemaTooNew || error instanceof SchemaTooOld)) throw error;
    return yield fail("schema", error.message);
  }
  // Waits for anyone who writes now, and fails where this process may not.
  await inOne(session, () => Promise.resolve());
  yield ok("database", `${session.dialect} in ${storePlace(config)} can be read and written`);
  const location = locationOf(config);
  for (const sentence of await databaseWarnings(location)) yield warn("database", sentence);
  const sealing = await sealingFinding(config, session);
  yield sealing;
  const missing = missingSteps(steps).length;
  const schema = `schema ${steps.at(-1)?.version ?? 0}`;
  if (missing > 0) {
    yield config.UPGRADE === "off"
      ? fail(
        "schema",
        `${schema} lacks ${missing} steps, and KEYDESK_UPGRADE is off: keydesk upgrade`,
      )
      : warn("schema", `${schema} lacks ${missing} steps; the next start of a server makes them`);
    return yield skip(
      "plans",
      `this release looks at schema ${migrations.at(-1)?.version ?? 0} alone`,
    );
  }
  yield ok("schema", `${schema} is this release's`);
  yield* clockFindings(session);
  const plans = await planWarnings(config, session);
  for (const sentence of plans) yield warn("plans", sentence);
  if (plans.length === 0) yield ok("plans", "every plan that active keys name is known");
  yield* importFindings(session);
  const sealer = sealing.result === "ok" ? new Sealer(await sealingKeysOf(config)) : undefined;
  if (sealer) yield* headFindings(config, session, sealer);
  const others = await storeWarnings(session, sealer, systemClock.now());
  for (const sentence of others) yield warn("store", sentence);
  const { PUBLIC_URL: publicUrl = "", PORTAL_URL: portalUrl = "" } = config;
  const orphans = await passkeyWarnings(session, publicUrl);
  for (const sentence of orphans) yield warn("passkeys", sentence);
  for (const sentence of await dutyWarnings(session)) yield warn("duties", sentence);
  const left = await waitingWarnings(session, systemClock.now());
  for (const sentence of left) yield warn("requests", sentence);
  const unheard = sealer ? await temporaryAccessWarnings(session, sealer, publicUrl) : [];
  for (const sentence of unheard) yield warn("access", sentence);
  for (const sentence of await driftWarnings(session)) yield warn("config", sentence);
  const beside = await pagesBesideConsole(session, { publicUrl, portalUrl });
  for (const sentence of beside) yield warn("pages", sentence);
}

/** User names that came as keys; nothing where no key ever came from another system. */
async function* importFindings(session: StoreSession): Findings {
  const all = await leftOpenOfAll(session);
  const sentences = all.flatMap(leftOpenSentences);
  for (const sentence of sentences) yield fail("import", sentence);
  if (all.length > 0 && sentences.length === 0) {
    yield ok("import", "no key that came from another system is a user name");
  }
}

async function sealingFinding(config: Config, session: StoreSession): Promise<Finding> {
  const file = resolve(config.DATA_DIR, SEALING_KEY_FILE);
  const problem = await storeProblem(config);
  if (problem !== undefined) return fail("sealing", problem);
  try {
    const wrong = await wrongSealingKeys(session, new Sealer(await sealingKeysOf(config)));
    if (wrong.length > 0) return fail("sealing", wrongKeysText(config, wrong));
    return ok("sealing", "the sealing key is the one that this store was sealed with");
  } catch (error) {
    if (error instanceof SealingKeysInvalid) {
      return fail("sealing", unusableKeyText(config, error));
    }
    const problem = fileProblem(error);
    if (problem === undefined) throw error;
    return fail("sealing", `${file}: ${problem}; put the store's sealing key back`);
  }
}

/** Those of the setting, or of the file, which is not made. */
async function sealingKeysOf(config: Config): Promise<SealingKeys> {
  const file = resolve(config.DATA_DIR, SEALING_KEY_FILE);
  return config.SEALING_KEY ?? parseSealingKeys(await Deno.readTextFile(file));
}

async function* clockFindings(session: StoreSession): Findings {
  const before = Date.now();
  const theirs = await clockOf(session);
  const slack = Date.now() - before;
  if (theirs !== undefined) yield clockFinding(before - theirs, "the database's", slack);
  const organisation = await findFirstOrganisation(session);
  if (!organisation) {
    return yield warn(
      "database",
      "the store is empty: start the server once, or run `keydesk seed`",
    );
  }
  const newest = await newestChange(session, organisation.id);
  if (newest !== undefined && newest > Date.now()) {
    yield clockFinding(Date.now() - newest, "the newest change in the store");
  } else if (theirs === undefined) yield ok("clock", "is not behind what the store holds");
}

/** Checks the server's own address. A missing listener is no problem: commands need no server. */
async function* listenerFindings(config: Config, mark: string | undefined): Findings {
  const url = urlOf(config.HOST, config.PORT);
  if (config.PORT === 0) return yield skip("server", "KEYDESK_PORT is 0: its address is not known");
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) });
    const body = await response.text();
    yield response.ok && body.includes('"ready"')
      ? otherServerFinding(url, body, mark)
      : response.headers.has("x-keydesk-error")
      ? fail(
        "server",
        `answers at ${url}, but not ready (HTTP ${response.status}): ${errorsIn(body)}`,
      )
      : fail("server", `what listens at ${url} is no Keydesk (HTTP ${response.status})`);
  } catch (error) {
    if (!(error instanceof TypeError)) {
      return yield fail("server", `what listens at ${url} gives no answer`);
    }
    yield skip("server", `nothing answers at ${url}; commands need none`);
  }
}

/** Whether spans would arrive, where the settings here have any sent. */
async function* collectorFindings(): Findings {
  const collector = collectorOf(terminal().environment);
  if (collector === undefined) return;
  const reason = await whyUnreachable(collector);
  yield reason === undefined
    ? ok("traces", `the collector at ${collector} takes connections`)
    : warn("traces", `spans are lost: ${reason}`);
}

/** Whether the server that answers is the one of this store. */
function otherServerFinding(url: string, body: string, mark: string | undefined): Finding {
  const theirs = /"Store":"([0-9a-f]+)"/.exec(body)?.[1];
  if (mark === undefined) {
    return fail(
      "server",
      `a Keydesk answers at ${url}, and this machine has no store of it`,
    );
  }
  if (theirs === undefined) {
    return warn(
      "server",
      `a Keydesk answers at ${url}, of a release that does not say whose it is`,
    );
  }
  return theirs === mark ? ok("server", `answers at ${url}, and its store too`) : fail(
    "server",
    `another server answers at ${url}: its store is not this one (KEYDESK_PORT, KEYDESK_DATA_DIR)`,
  );
}

/**
 * The `Errors` of `/readyz` as one sentence; no control character of a server reaches the terminal.
 */
function errorsIn(answer: string): string {
  let errors: string[] = [];
  try {
    const { Errors } = JSON.parse(answer);
    if (Array.isArray(Errors)) errors = Errors.map(String);
  } catch {
    // A proxy between answers with text of its own.
  }
  return (errors.join("; ") || "its store does not answer").replaceAll(/\p{C}/gu, "\ufffd");
}

/** The most people that are listed by name. */
const MOST_NAMED = 5;

/**
 * Warns of people who may both file key requests and decide them, a sentence for each organisation.
 * None if one person alone decides: otherwise no request would be decided.
 */
export async function dutyWarnings(db: Connection): Promise<string[]> {
  const approvers = (await everyApprover(db)).map((row) => ({
    ...row,
    held: parsePermissions(row.permissions),
  })).filter(({ held }) => held.includes("approve"));
  return [...Map.groupBy(approvers, ({ org_id }) => org_id)].flatMap(([org_id, people]) => {
    const both = people.filter(({ held }) => allows(held, "portal:write"));
    if (people.length < 2 || both.length === 0) return [];
    const names = both.slice(0, MOST_NAMED).map(({ name, id }) =>
      `${JSON.stringify(name)} (${id})`
    );
    const more = both.length > MOST_NAMED ? ", …" : "";
    return [
      `People who may both file key requests and decide them in the organisation ${org_id} (${both.length}): ${
        names.join(", ")
      }${more}. The role approver decides alone.`,
    ];
  });
}

/**
 * Rules of temporary access that no one can use, can't be read, or whose alarm no one would hear.
 */
async function temporaryAccessWarnings(
  reader: Connection,
  sealer: Sealer,
  publicUrl: string,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const row of await everyTemporaryAccessRule(reader)) {
    const { org_id, id } = row;
    const rule = openedRule(sealer, row);
    if (!rule) {
      sentences.push(
        `The rule of temporary access ${id} of ${org_id} can't be read: write it anew.`,
      );
      continue;
    }
    const called = `The rule of temporary access ${JSON.stringify(rule.name)} (${id}) of ${org_id}`;
    const { usable, notified } = await ruleHealth({ reader, sealer, publicUrl }, org_id, rule);
    if (!usable) {
      sentences.push(
        `${called} can be used by no one: its people have no passkey of this host, there is no second person, or its role gives nothing.`,
      );
    }
    if (notified.people + notified.webhooks === 0) {
      sentences.push(
        `${called} notifies no one: no notification channel mails administrators who have an address, and no webhook has the topic temporary_access.started.`,
      );
    }
  }
  return sentences;
}

/** Key requests that wait and that no one may decide, a sentence for each organisation. */
export async function waitingWarnings(db: Connection, now: number): Promise<string[]> {
  const sentences: string[] = [];
  for (
    let org_id = await nextOrganisation(db, { behind: "" });
    org_id !== undefined;
    org_id = await nextOrganisation(db, { behind: org_id })
  ) {
    const rows = await requestsWithoutApprover(db, org_id, now);
    if (rows.length === 0) continue;
    const named = rows.slice(0, MOST_NAMED).map((row) => `${row.id}${stepOf(row, now)}`);
    const more = rows.length > MOST_NAMED ? ", …" : "";
    sentences.push(
      `Key requests that no person may decide in the organisation ${org_id} (${rows.length}): ${
        named.join(", ")
      }${more}. Grant the permission to a person, restart their approval by today's policy, or decline them as a person who may.`,
    );
  }
  return sentences;
}

/** Which step lacks a person. */
function stepOf({ policy }: V1Row, now: number): string {
  const asked = askedPolicyIn(policy);
  if (asked?.outcome !== "steps") return "";
  const steps = standing(asked, now);
  return ` (${JSON.stringify(steps.steps[presentStep(steps) ?? 0]?.name ?? "")})`;
}
