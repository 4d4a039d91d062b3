import { everyPlan } from "../plans/every-plan.store.ts";
import { rulesOf } from "../plans/plan.ts";
import { canaryNames } from "./canary.store.ts";
import { closingOf, findingsOf, findingsText } from "./closing.ts";
import type { GatewayContext } from "./gateway-context.ts";
import type { Finding, GatewayRow, ProvisionedRow, Reconciled } from "./gateway.ts";
import type { Kind, Opened } from "./kind.ts";
import { apiToCall } from "./own-calls.service.ts";
import { provisionedBehind } from "./provisioned-keys.store.ts";
import { askedOf, foundText } from "./reconciled.ts";
import {
  type KeysDue,
  noteFindings,
  noteReconciled,
  noteUnknownKeys,
  raiseKeys,
} from "./settle-key.transactions.ts";
import { unknownKeysBehind } from "./unknown-keys.store.ts";
import type { KnownPlan } from "./wanted-key.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Clocks that differ by no more are alike. */
const CLOCK_MS = 2000;
/** A gateway says its time to the second, without the rest. */
const SECOND_MS = 1000;
/** Rows that are read at once. */
const ROWS = 500;
/** Keys whose sessions are read in one comparison, chosen by chance, unless all are asked for. */
const SAMPLE = 200;
/** Keys that are due by one transaction. */
const DUE = 1000;
/** Names that stand beside what was found of keys that no one decided here. */
const FOREIGN = 100;
/** Names of those that are written at once. */
const NAMES = 1000;

/** Whether a gateway was not inspected for a day, or a person asks for it. */
export function isInspectionDue({ checked_at }: GatewayRow, now: number): boolean {
  return checked_at === null || now - Date.parse(checked_at) > DAY_MS;
}

/** A gateway's first answer, with the time at which it came. */
interface Look extends Opened {
  readonly at: number;
}

/** Makes sure that a gateway can be believed. Throws GatewayAway. */
export async function lookAt(
  kind: Kind,
  canary: string,
  { clock }: Pick<GatewayContext, "clock">,
): Promise<Look> {
  const opened = await kind.open(canary);
  return { ...opened, at: clock.now() };
}

/**
 * Looks for what makes a gateway unreliable, and compares its keys with a sample of sessions.
 * `first`: what was said before.
 */
export async function inspect(
  ctx: GatewayContext,
  gateway: GatewayRow,
  kind: Kind,
  first: Look,
): Promise<void> {
  const { storage, clock } = ctx;
  const { org_id, id } = gateway;
  const plans: KnownPlan[] = [];
  const ofPlans = gateway.plans === null ? null : JSON.parse(gateway.plans) as string[];
  for await (const { row, plan } of everyPlan(storage.reader, org_id)) {
    const isOurs = ofPlans === null || ofPlans.includes(row.id) || ofPlans.includes(row.given_id);
    if (isOurs) plans.push({ ...rulesOf(plan, false), given_id: row.given_id });
  }
  // The caller who requests the check has the API called.
  const api = gateway.checked_at === null ? gateway.probe_url : await apiToCall(ctx, gateway);
  const { findings: found, closing } = await kind.check(plans, api);
  const isWhole = api === gateway.probe_url;
  const findings = isWhole ? [...found] : withEarlier(found, gateway);
  // The result of the last calls is valid until other calls find another one.
  const earlier = closing && { ...closingOf(gateway), version: closing.version };
  const seconds = await secondsAhead(ctx, kind, first);
  if (seconds !== 0) findings.push({ code: "clock_differs", detail: `${seconds}` });
  const isListing = await reconcile(ctx, gateway, kind);
  if (!isListing) findings.push({ code: "no_list", detail: "" });
  const facts = isWhole && closing?.cache !== "not_tried" ? closing : earlier;
  const noted = { org_id, id, findings: findingsText(findings, facts), now: clock.now() };
  await storage.commit(noteFindings, noted);
}

/**
 * How far its clock is ahead; 0: it is right. A second look tells a clock that differs from one
 * that was just set, and from an answer that was long on its way.
 */
async function secondsAhead(ctx: GatewayContext, kind: Kind, first: Look): Promise<number> {
  if (!isWrong(first)) return 0;
  const second = await lookAt(kind, first.canary, ctx);
  // Its second had begun, half a second ago as likely as not.
  const aheadMs = second.date + SECOND_MS / 2 - second.at;
  return isWrong(second) ? Math.round(aheadMs / 1000) : 0;
}

/** Whether the clocks differ, wherever in its second the gateway was. */
function isWrong({ date, at }: Look): boolean {
  return date - at > CLOCK_MS || at - date > CLOCK_MS + SECOND_MS;
}

/** The findings without calls, and those of the last calls. */
function withEarlier(found: readonly Finding[], gateway: GatewayRow): Finding[] {
  const earlier = findingsOf(gateway);
  const isOfCalls = ({ code }: Finding) => code === "cache_on" || code === "not_checked";
  return [...found.filter((one) => !isOfCalls(one)), ...earlier.filter(isOfCalls)];
}

/**
 * Compares what the gateway lists with what was written to it: what is missing or came back is
 * written again, and of the rest a sample is read, or all. Keys that were not decided here are
 * reported and never touched. False: the gateway does not list its keys.
 */
async function reconcile(
  ctx: GatewayContext,
  gateway: GatewayRow,
  kind: Kind,
): Promise<boolean> {
  const { storage, clock } = ctx;
  const { org_id, id } = gateway;
  const { whole, dry_run } = askedOf(gateway) ?? { whole: false, dry_run: false };
  const names = await kind.names();
  const foreign = new Set(names);
  foreign.delete(gateway.canary);
  for (const { name } of await canaryNames(storage.reader, { org_id, gateway_id: id })) {
    for (const one of name.split(" ")) foreign.delete(one);
  }
  const sample: string[] = [];
  let [compared, missing, returned, sampled] = [0, 0, 0, 0];
  let due: KeysDue = { again: [], looks: [] };
  const raise = async () => {
    if (!dry_run) await storage.commit(raiseKeys, { org_id, id, ...due, now: clock.now() });
    due = { again: [], looks: [] };
  };
  for await (const row of provisioned(ctx, gateway)) {
    compared++;
    const name = kind.nameIn(row);
    foreign.delete(name);
    // A change under way is synced there anyway, and OAuth clients are listed elsewhere.
    const isListed = names?.has(name) ?? false;
    if (row.state === "gone" && isListed) {
      returned++;
      due.again.push(row.key_id);
    } else if (row.state === "delivered" || row.state === "diverged") {
      const isSession = names !== undefined && /^[0-9a-f]{8,64}$/.test(name);
      if (isSession && !isListed && row.held.includes('"open"')) {
        missing++;
        due.looks.push(row.key_id);
      } else if (whole) due.looks.push(row.key_id);
      else {
        // Each of those seen so far is in the sample with the same chance.
        const at = sampled++ < SAMPLE ? sample.length : Math.floor(Math.random() * sampled);
        if (at < SAMPLE) sample[at] = row.key_id;
      }
    }
    if (due.again.length + due.looks.length >= DUE) await raise();
  }
  due.looks.push(...sample);
  await raise();
  await reportOf(ctx, { org_id, id }, foreign);
  const found: Reconciled = {
    compared,
    missing,
    returned,
    foreign: foreign.size,
    foreign_names: [...foreign].slice(0, FOREIGN),
    dry_run,
  };
  await storage.commit(noteReconciled, {
    org_id,
    id,
    reconciled: foundText(found),
    now: clock.now(),
  });
  return names !== undefined;
}

/** Keeps the names of all keys there that no one decided here; what is known is written no more. */
async function reportOf(
  { storage }: GatewayContext,
  { org_id, id }: { org_id: string; id: string },
  foreign: ReadonlySet<string>,
): Promise<void> {
  const found = new Set(foreign);
  for (let behind = "";;) {
    const place = { org_id, gateway_id: id, behind };
    const names = (await unknownKeysBehind(storage.reader, place, NAMES)).map(({ name }) => name);
    const gone = names.filter((name) => !found.delete(name));
    if (gone.length > 0) await storage.commit(noteUnknownKeys, { org_id, id, found: [], gone });
    const last = names.at(-1);
    if (last === undefined || names.length < NAMES) break;
    behind = last;
  }
  const news = [...found];
  for (let at = 0; at < news.length; at += NAMES) {
    const some = news.slice(at, at + NAMES);
    await storage.commit(noteUnknownKeys, { org_id, id, found: some, gone: [] });
  }
}

async function* provisioned(
  { storage: { reader } }: GatewayContext,
  { org_id, id: gateway_id }: GatewayRow,
): AsyncGenerator<ProvisionedRow, void, void> {
  let behind = "";
  for (;;) {
    const rows = await provisionedBehind(reader, { org_id, gateway_id, behind }, ROWS);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS) return;
    behind = last.key_id;
  }
}
