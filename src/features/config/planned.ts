/** A declaration compared with an organisation: what would change, and how. */
import type { z } from "zod";
import { findConfigState } from "../../changes/config-changes.store.ts";
import type { AnyCall } from "../../http/call.ts";
import { may } from "../../calls/principal.ts";
import { permissions } from "../../contract/permissions.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { ApplyStep, Managing } from "./apply.transactions.ts";
import {
  byKey,
  changeOf,
  labelOf,
  type Matched,
  matched,
  membersOf,
  textOf,
  type WantedChange,
} from "./changes.ts";
import { collect } from "./collected.ts";
import { managedOf, type ManagedRow } from "./config-objects.store.ts";
import type { diffInput } from "./config.contract.ts";
import { type Declared, readDeclaration } from "./declaration.ts";
import { everyKind } from "./every-kind.ts";
import type { At, ConfigContext, Doing, Kind, Present } from "./kind.ts";
import { apis } from "./kinds/apis.ts";
import { askedAgain, plans } from "./kinds/plans.ts";
import { type Losing, losingBy } from "./losing.ts";
import { everyPlan, namesOf } from "./names.ts";
import { referencesIn } from "./references.ts";

/** Everything of an organisation that can be declared. */
interface State {
  readonly at: At;
  readonly present: ReadonlyMap<Kind, ReadonlyMap<string, Present>>;
  /** Each by its kind and id. */
  readonly byId: ReadonlyMap<string, Present>;
  /** The count of changes before it was read. */
  readonly seen: number;
}

/** Reads an organisation as declarations speak of it. */
export async function readState(ctx: ConfigContext): Promise<State> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const seen = Number(await findConfigState(reader, { org_id }) ?? 0);
  const at = { ctx, names: await namesOf(ctx, await everyPlan(ctx)) };
  const present = new Map<Kind, ReadonlyMap<string, Present>>();
  const byId = new Map<string, Present>();
  for (const kind of everyKind) {
    const things = await kind.read(at);
    present.set(kind, byKey(things));
    for (const one of things) byId.set(`${kind.name} ${managedId(kind, one)}`, one);
  }
  return { at, present, byId, seen };
}

/** A compared declaration. */
export interface Planned {
  readonly state: State;
  readonly changes: readonly WantedChange[];
  readonly losing: readonly Losing[];
  readonly steps: readonly ApplyStep[];
  readonly needsConfirmation: boolean;
  readonly digest: string;
  /** Unchanged things that the file manages, and those that it manages no longer. */
  readonly managing: readonly (Managing & { object_id: string })[];
  readonly left: readonly { kind: string; object_id: string }[];
}

/**
 * Compares a declaration with the caller's organisation. `isLook`: nothing is applied, so that no
 * change takes a permission. Throws `invalid_input` for what it can't say, `managed_by_file` for
 * what another file manages, `access_denied` without the permission of a change or of what the file
 * is to manage, and what the operations refuse before their transactions.
 */
export async function planned(
  caller: ConfigContext,
  call: AnyCall,
  { config, references, source, prune }: z.output<typeof diffInput>,
  { isLook = false } = {},
): Promise<Planned> {
  const principal = { ...caller.principal, permissions };
  const ctx = isLook ? Object.create(caller, { principal: { value: principal } }) : caller;
  const declared = readDeclaration(config, references);
  const state = await readState(ctx);
  const managed = await managedOf(ctx.storage.reader, { org_id: ctx.principal.org_id });
  const all = matched(state.at, declared, state.present);
  requireOwn(all, managed, source);
  requirePermission(ctx, all);
  const changes = all.flatMap((one) => changeOf(one) ?? []);
  const theirs = noLongerDeclared(all, managed, source);
  const removed = prune ? theirs.flatMap((row) => removalOf(row, state) ?? []) : [];
  const wanted = [...changes, ...removed.toReversed()];
  const { steps, needsConfirmation } = await stepsOf(state, call, wanted, keptAsking(all, wanted));
  const left = new Set(theirs.filter((row) => prune || !row.made || !isThere(row, state)));
  return {
    state,
    changes: wanted,
    losing: await losingBy(ctx, wanted),
    steps,
    needsConfirmation,
    digest: digestOf(ctx, wanted, { source, references }),
    managing: [
      ...managingOf(all, changes, managed, source),
      ...theirs.filter((row) => !left.has(row) && row.declared !== "")
        .map(({ kind, object_id, name }) => ({ kind, object_id, name, made: 1, declared: "" })),
    ],
    left: [...left].map(({ kind, object_id }) => ({ kind, object_id })),
  };
}

/** The id under which a thing is managed. */
function managedId(kind: Kind, { id }: Pick<Present, "id">): string {
  return kind.single ? "" : id;
}

/** Throws `managed_by_file` for a declared thing that another file declares. */
function requireOwn(all: readonly Matched[], managed: readonly ManagedRow[], source: string) {
  const others = new Map(
    managed.filter((row) => row.source !== source && row.declared !== "")
      .map((row) => [`${row.kind} ${row.object_id}`, row]),
  );
  for (const { declared: { kind }, present } of all) {
    const other = present && others.get(`${kind.name} ${managedId(kind, present)}`);
    if (!other) continue;
    const message =
      `${kind.name}: ${other.name} is managed by ${other.source}: declare it in one file.`;
    throw new Failure("managed_by_file", { message });
  }
}

/** Throws `access_denied` for a thing that the caller could not change, and so not manage. */
function requirePermission({ principal }: ConfigContext, all: readonly Matched[]): void {
  for (const { permission, name } of new Set(all.map(({ declared: { kind } }) => kind))) {
    if (may(principal, permission)) continue;
    const message = `access denied: ${name} takes the permission ${permission}.`;
    throw new Failure("access_denied", { message });
  }
}

/** The things that the file managed and does not declare any more. */
function noLongerDeclared(
  all: readonly Matched[],
  managed: readonly ManagedRow[],
  source: string,
): ManagedRow[] {
  const named = new Set(
    all.flatMap(({ declared: { kind }, present }) =>
      present ? `${kind.name} ${managedId(kind, present)}` : []
    ),
  );
  return managed.filter((row) =>
    row.source === source && !named.has(`${row.kind} ${row.object_id}`)
  );
}

function isThere(row: ManagedRow, state: State): boolean {
  return presentOf(row, state) !== undefined;
}

/** The thing of a row, as it is now; undefined: it is gone. */
function presentOf({ kind, object_id }: ManagedRow, { byId }: State): Present | undefined {
  return byId.get(`${kind} ${object_id}`);
}

/** The removal of what a file made; undefined: it is gone, or can't be removed. */
function removalOf(row: ManagedRow, state: State): WantedChange | undefined {
  const kind = everyKind.find(({ name }) => name === row.kind);
  const there = presentOf(row, state);
  if (!kind?.remove || Number(row.made) === 0 || !there) return undefined;
  const none = { changed: {}, after: {}, written: {} };
  return { kind, key: there.key, action: "delete", present: there, ...none };
}

/** Steps that keep the requests of declared plans as declared, where their APIs change. */
function keptAsking(all: readonly Matched[], changes: readonly WantedChange[]): Doing[] {
  const ofApis = changes.filter(({ kind, changed, action }) =>
    kind === apis && (action === "delete" || changed.plans !== undefined)
  );
  const lists = ofApis.flatMap(({ present, changed }) => [present?.members.plans, changed.plans]);
  const plansOf = all.flatMap(({ declared: { kind, members }, present }) =>
    kind === plans && present ? { id: present.key, members } : []
  );
  return askedAgain(plansOf, new Set(lists.flat().map(String)));
}

/**
 * The steps of all changes, in their order; what needs others comes last, and `kept` behind that.
 */
async function stepsOf(
  state: State,
  call: AnyCall,
  changes: readonly WantedChange[],
  kept: readonly Doing[],
) {
  const steps: ApplyStep[] = [];
  const last: (() => Promise<void>)[] = [];
  let needsConfirmation = false;
  for (const change of changes) {
    const { kind, present, after } = change;
    const about = `${kind.name} "${labelOf(kind, present ? present.members : after)}"`;
    const doings = await saying(about, () => doingsOf(state.at, change));
    for (const [n, doing] of doings.entries()) {
      const isLast = n === doings.findLastIndex((one) => !one.last);
      const take = async () => {
        const { needsFreshSignIn, ...step } = await saying(
          about,
          () => collect(state.at.ctx, call, doing),
        );
        needsConfirmation ||= needsFreshSignIn;
        doing.made?.(step.input);
        const managing = isLast || doings.length === 1 ? managingIn(change) : undefined;
        steps.push({ ...step, about, managing });
      };
      if (doing.last) last.push(take);
      else await take();
    }
  }
  for (const take of last) await take();
  for (const doing of kept) {
    const { needsFreshSignIn: _, ...step } = await collect(state.at.ctx, call, doing);
    steps.push({ ...step, about: "plans" });
  }
  return { steps, needsConfirmation };
}

function doingsOf(at: At, { kind, key, action, present, changed, after }: WantedChange): Doing[] {
  if (!present) return kind.create?.(at, key, after) ?? [];
  if (action === "delete") return kind.remove?.(at, present) ?? [];
  return kind.change?.(at, { present, changed, after }) ?? [];
}

/** The thing that the file manages after a change; undefined: none. */
function managingIn(change: WantedChange): Managing | undefined {
  const { kind, key, action, present, after, all } = change;
  if (action === "delete") return undefined;
  const object_id = present ? managedId(kind, present) : kind.objectId?.(key, after) ?? null;
  return {
    kind: kind.name,
    object_id,
    name: labelOf(kind, after),
    made: Number(present === undefined),
    declared: textOf(all),
  };
}

/** Says what a refusal is about. */
async function saying<T>(about: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message, details } = error;
    throw new Failure(code, {
      message: `${about}: ${message}`,
      details: details.map((one) => `${about}: ${one}`),
      cause: error,
    });
  }
}

/** Things that stay as they are and are to be noted as the file's. */
function managingOf(
  all: readonly Matched[],
  changes: readonly WantedChange[],
  managed: readonly ManagedRow[],
  source: string,
): (Managing & { object_id: string })[] {
  const rows = new Map(managed.map((row) => [`${row.kind} ${row.object_id}`, row]));
  const changing = new Set(changes.flatMap(({ present }) => present ?? []));
  return all.flatMap(({ declared: { kind, members, written }, present }) => {
    if (!present) return [];
    const object_id = managedId(kind, present);
    const row = rows.get(`${kind.name} ${object_id}`);
    const noted = {
      kind: kind.name,
      object_id,
      name: labelOf(kind, { ...present.members, ...members }),
      made: row?.source === source ? Number(row.made) : 0,
      declared: textOf(written),
    };
    if (row && changing.has(present)) return Number(row.made) === 1 ? [noted] : [];
    const isNoted = row?.source === source && row.declared === noted.declared &&
      row.name === noted.name && row.drifted_at === null;
    return isNoted || changing.has(present) ? [] : [noted];
  });
}

/** The name of these changes and of the values of their references, which it does not tell. */
function digestOf(
  { sealer }: ConfigContext,
  changes: readonly WantedChange[],
  { source, references }: Pick<z.output<typeof diffInput>, "source" | "references">,
): string {
  const parts = changes.map((change) => {
    const { index: _, ...said } = toChange(change);
    return { ...said, written: change.written };
  });
  const values = [...referencesIn(changes.map(({ written }) => written))].sort()
    .map((name) => [name, sealer.blindIndex(references[name] ?? "")]);
  return sha256(textOf({ source, changes: parts, values }));
}

/** A change as answers have it. */
export function toChange(change: WantedChange) {
  const { kind, action, present, after, index } = change;
  const name = labelOf(kind, present ? present.members : after);
  const place = kind.single ? null : index ?? null;
  const members = membersOf(change);
  return { kind: kind.name, noun: kind.noun, name, action, index: place, members };
}

/** The declaration of an organisation as it is. */
export function exported({ present }: State): Record<string, unknown> {
  const config: Record<string, unknown> = { version: 1 };
  for (const kind of everyKind) {
    const things = [...present.get(kind)?.values() ?? []].map(({ members }) => members);
    config[kind.name] = kind.single ? things[0] : things;
  }
  return config;
}

/** Reads a stored declaration of one thing again, to compare it. */
export function driftOf(state: State, row: ManagedRow): ReturnType<typeof membersOf> {
  const kind = everyKind.find(({ name }) => name === row.kind);
  const there = presentOf(row, state);
  if (!kind || !there || row.declared === "") return [];
  // as: it was written of a declaration.
  const written = JSON.parse(row.declared) as Declared["written"];
  const values = Object.fromEntries(
    [...referencesIn(written)].map((name) => [name, `\${${name}}`]),
  );
  const declaredOne = readDeclaration(
    { [kind.name]: kind.single ? written : [written] },
    values,
  );
  const [declared] = declaredOne;
  if (!declared) return [];
  const change = changeOf({ declared, key: there.key, present: there });
  // The value of a reference is not known here.
  return change ? membersOf(change).filter(({ before }) => before !== "(hidden)") : [];
}
