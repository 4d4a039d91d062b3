import type { Actor } from "../../../changes/audit.ts";
import { changedMembers } from "../../../changes/changed-members.ts";
import { type Known, knownMembers } from "../../../changes/known-members.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { lockOrganisation } from "../../people/organisations.store.ts";
import { raiseRevision } from "../catalogue-revision.store.ts";
import {
  type EntryRow,
  findCatalogue,
  findConfiguration,
  listEntries,
  putCatalogue,
  putConfiguration,
} from "./catalogue.store.ts";
import { configurationNames, entryNames } from "./member-names.ts";
import { portalId } from "./portal-ids.ts";
import type { QuestionInput } from "./questions.contract.ts";
import { storedQuestions } from "./questions.ts";

/** Sets the organisation's catalogue, whole, and gives its id. */
export const setCatalogue = defineTransaction(
  "catalogue.set",
  async (tx, input: { actor: Actor; email: string; entries: EntryRow[] }): Promise<string> => {
    const { actor, email, entries } = input;
    const { org_id } = actor;
    // The earlier state is read after the lock on concurrent changes: also of the first catalogue
    // and its entries one by one.
    await lockOrganisation(tx, { org_id });
    await raiseRevision(tx, { org_id });
    const known = await findCatalogue(tx, { org_id });
    const before = membersOf(known?.email ?? "", await listEntries(tx, { org_id }));
    const id = known?.id ?? portalId(org_id, "catalogue");
    await putCatalogue(tx, { org_id, id, email, entries });
    const detail = changedMembers(before, membersOf(email, entries), ofCatalogue);
    await recordChange(tx, actor, { action: "catalogue.updated", object_id: id, detail });
    return id;
  },
);

/** Sets the organisation's portal configuration, whole, and gives its id. */
export const setConfiguration = defineTransaction(
  "catalogue.set-configuration",
  async (tx, input: { actor: Actor; members: Record<string, unknown> }): Promise<string> => {
    const { actor, members } = input;
    const { org_id } = actor;
    await lockOrganisation(tx, { org_id });
    const stored = await findConfiguration(tx, { org_id });
    const before: Record<string, unknown> = stored === undefined ? {} : JSON.parse(stored);
    const id = typeof before.id === "string" && before.id !== ""
      ? before.id
      : portalId(org_id, "configuration");
    const after = { ...members, id, org_id };
    await putConfiguration(tx, { org_id, id, document: JSON.stringify(after) });
    const detail = changedMembers(before, after, ofConfiguration);
    await recordChange(tx, actor, { action: "configuration.updated", object_id: id, detail });
    return id;
  },
);

/** The questions of sign-up and requests. */
interface Questions {
  readonly signup_fields: readonly QuestionInput[];
  readonly key_request_fields: readonly QuestionInput[];
}

/**
 * Changes what the organisation's portal configuration asks for, and nothing else of it: a field
 * that was there keeps whatever else a portal knows of it. `empty`: what a configuration is before
 * there is any; `strict`: whether a bare name asks for an answer.
 */
export const changeQuestions = defineTransaction(
  "catalogue.change-questions",
  async (tx, input: {
    actor: Actor;
    questions: Questions;
    empty: Readonly<Record<string, unknown>>;
    strict: boolean;
  }): Promise<null> => {
    const { actor, questions, empty, strict } = input;
    const { org_id } = actor;
    await lockOrganisation(tx, { org_id });
    const stored = await findConfiguration(tx, { org_id });
    // as: the documents are written from the contract's own types.
    const before = stored === undefined ? empty : JSON.parse(stored) as Record<string, unknown>;
    const id = typeof before.id === "string" && before.id !== ""
      ? before.id
      : portalId(org_id, "configuration");
    const kept = (name: keyof Questions) =>
      storedQuestions(questions[name], Array.isArray(before[name]) ? before[name] : [], strict);
    const after = {
      ...before,
      signup_fields: kept("signup_fields"),
      key_request_fields: kept("key_request_fields"),
      id,
      org_id,
    };
    await putConfiguration(tx, { org_id, id, document: JSON.stringify(after) });
    const detail = changedMembers(before, after, ofConfiguration);
    await recordChange(tx, actor, { action: "configuration.updated", object_id: id, detail });
    return null;
  },
);

/**
 * Keydesk's members of a configuration and of a catalogue as `membersOf` gives it; the rest is the
 * portal's own.
 */
const ofConfiguration = knownMembers(configurationNames);
const ofEntry = knownMembers(entryNames);
const ofEntries: Known = () => (name) => name === "fields" ? noneOfThese : ofEntry(name);
const ofCatalogue: Known = (name) => name === "apis" ? ofEntries : true;

function noneOfThese(): undefined {}

/** A catalogue for comparison: entries by API and plan, so that a new one moves no other. */
function membersOf(email: string, entries: readonly EntryRow[]): Record<string, unknown> {
  const apis = new Map<string, unknown>();
  for (const { api_id, policy_id, document } of entries) {
    const name = `${api_id} ${policy_id}`.trim();
    let place = name;
    // Of several entries for one plan the first decides, so their order counts.
    for (let turn = 2; apis.has(place); turn++) place = `${name} #${turn}`;
    apis.set(place, JSON.parse(document));
  }
  return { email, apis: Object.fromEntries(apis) };
}
