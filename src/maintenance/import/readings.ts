import type { RequestContext } from "../../calls/context.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { isObject, plainMembers, Unreadable } from "./extended-json.ts";
import type { Finding } from "./findings.ts";
import { FirstSources } from "./first-sources.ts";
import { hereOf } from "./here.store.ts";
import { openKeysAfter, places } from "./imports.store.ts";
import type { Reading } from "./items.ts";
import { namedKey } from "./key-names.ts";
import { isOurs } from "./ours.ts";
import { Owners } from "./owners.ts";
import { readCertificate } from "./read-certificate.ts";
import { emptyReading, idOf, type ReadBy, refusal } from "./read-common.ts";
import { readArchiveRows } from "./read-archive-rows.ts";
import { readDeveloper } from "./read-developer.ts";
import { readClient, readKey, sessionOf } from "./read-key.ts";
import { readCatalogue, readConfiguration, readDocumentation, readPlan } from "./read-portal.ts";
import { readRequest } from "./read-request.ts";
import {
  type Kind,
  type Members,
  type Source,
  type SourceDocument,
  SourceUnusable,
} from "./source.ts";
import { planIdsOf } from "../../features/plans/plan-ids.store.ts";
import type { Connection } from "../../storage/storage.ts";

/** How a source is read; `murmurUntil` and `passphrase` as in ReadBy. */
export type ReadOptions = Pick<ReadBy, "murmurUntil" | "passphrase">;

/**
 * Reads a source kind by kind, in the order of kinds: who owns a key is learnt from the developers
 * before it.
 */
export class Reader {
  readonly #owners = new Owners();
  readonly #organisations: Organisations;
  /** The documents of the present kind so far; undefined if one source alone has it. */
  #first: FirstSources | undefined;

  private constructor(
    readonly ctx: RequestContext,
    readonly source: Source,
    readonly by: ReadBy,
  ) {
    this.#organisations = new Organisations(ctx.storage.reader, by.org_id);
  }

  static async open(ctx: RequestContext, source: Source, options: ReadOptions): Promise<Reader> {
    return new Reader(ctx, source, {
      ...options,
      org_id: ctx.principal.org_id,
      now: ctx.clock.now(),
      hasSessions: source.kinds.has("key"),
      authTypes: await authTypesIn(source),
    });
  }

  /**
   * The objects of each document of a kind; at the end, of keys that developers name and no session
   * was met of. Throws SourceUnusable if keys are known and no source has a session of any.
   */
  async *readings(kind: Kind): AsyncGenerator<Reading, void, void> {
    this.#first = this.source.several?.has(kind) ? new FirstSources() : undefined;
    let isMet = false;
    for await (const document of this.source.documents(kind)) {
      const { from } = document;
      const reading = withSource(kind, document, await this.#read(kind, document));
      isMet ||= isOurs(reading);
      yield from === undefined ? reading : { ...reading, from };
    }
    this.#first = undefined;
    if (kind === "key" && this.by.hasSessions && !isMet) await this.#refuseEmptiness();
    const last = this.by.hasSessions ? "key" : "client";
    if (kind === last) yield this.#leftKeys();
  }

  async #read(kind: Kind, document: SourceDocument): Promise<Reading> {
    const { place, from = "" } = document;
    if ("problem" in document) return found(kind, place, "unreadable", document.problem);
    let members: Members;
    try {
      if ("missing" in document) {
        plainMembers({ id: document.id });
        return await this.#missing(kind, document);
      }
      members = plainMembers(document.members);
    } catch (error) {
      if (error instanceof Unreadable) return found(kind, place, "unreadable", error.message);
      throw error;
    }
    const foreign = isForeign(kind, members, this.by.org_id);
    if (kind === "plan") this.#organisations.notePlan(members, foreign);
    const isClient = kind === "client" && !document.isOwn;
    const side = foreign ? "foreign" : isClient ? await this.#sideOf(members) : "own";
    if (side === "foreign") return { ...emptyReading(), isForeign: true };
    if (side === "unknown") {
      return found(kind, nameOf(kind, members, this.by.org_id) ?? place, "client_organisation", "");
    }
    const first = this.#first;
    const id = first && nameOf(kind, members, this.by.org_id);
    const by = id === undefined ? undefined : first?.by(id);
    const isGiven = by !== undefined && by !== from;
    try {
      if (document.isOwn && isObject(members.keydesk)) {
        return readArchiveRows(kind, members.keydesk);
      }
      // A document that does not count must not name the owner of a key either.
      const reading = await this.#readAs(kind, members, isGiven ? new Owners() : this.#owners);
      return first ? this.#settled(first, kind, reading, from) : reading;
    } catch (error) {
      if (isGiven) return passedOver();
      return refusal(kind, placeOf(kind, members, place), error);
    }
  }

  /** A reading as it counts beside what other sources tell of the same object. */
  #settled(first: FirstSources, kind: Kind, reading: Reading, from: string): Reading {
    const item = reading.items.find((one) => one.kind === kind);
    const id = item?.id ?? reading.findings.find((one) => one.kind === kind)?.id;
    if (id === undefined) return reading;
    const by = first.by(id);
    if (by === undefined || by === from) {
      first.note(id, from, item);
      return reading;
    }
    // Whichever source tells of a password is believed: another one may have blanked it.
    const user = reading.findings.filter(({ code }) => code === "basic_password");
    if (user.length > 0 && first.comes(id)) return { ...passedOver(), findings: user };
    const findings = first.differs(id, item)
      ? [{ kind, id, code: "sources_differ" as const, detail: `${by} counts, not ${from}` }]
      : [];
    return { ...passedOver(), findings };
  }

  /**
   * The object exists and this source does not give it: no finding if another one gave it, or it is
   * in Keydesk.
   */
  async #missing(
    kind: Kind,
    { id, missing }: { id: string; missing: string },
  ): Promise<Reading> {
    const { ctx: { storage: { reader }, sealer }, by: { org_id } } = this;
    const own = kind === "certificate" ? id.slice(-64) : id;
    if (isForeign(kind, { id }, org_id)) return { ...emptyReading(), isForeign: true };
    if (this.#first?.by(own) !== undefined) return passedOver();
    if ((await hereOf(reader, sealer, org_id, kind, [own])).has(own)) return emptyReading();
    const code = kind === "certificate" ? "certificate_without_pem" : "documentation_not_given";
    return found(kind, own, code, missing);
  }

  /**
   * The side of an OAuth client's record; if nothing in it says so, its developer, plan or API
   * does.
   */
  async #sideOf(members: Members): Promise<"own" | "foreign" | "unknown"> {
    const { id, policyid } = isObject(members.client) ? members.client : {};
    if (typeof members.org_id === "string" && members.org_id !== "") return "own";
    const key_id = sha256(typeof id === "string" ? id : "");
    if (this.#owners.has(key_id) || this.#owners.hasClient(key_id)) return "own";
    const plan = typeof policyid === "string" ? policyid : "";
    const api = typeof members.api === "string" ? members.api : "";
    return await this.#organisations.ofClient(plan, api);
  }

  async #readAs(kind: Kind, members: Members, owners: Owners): Promise<Reading> {
    switch (kind) {
      case "plan":
        return readPlan(members, this.by);
      case "configuration":
        return readConfiguration(members, this.by);
      case "catalogue":
        return readCatalogue(members);
      case "documentation":
        return readDocumentation(members, this.by);
      case "certificate":
        return await readCertificate(this.ctx, members, this.by);
      case "developer":
        return readDeveloper(members, this.by, owners);
      case "client":
        return readClient(members, this.by, owners);
      case "key":
        return readKey(members, this.by, owners);
      case "request":
        return readRequest(members, this.by);
      case "rest":
        return emptyReading();
    }
  }

  /**
   * Refuses a source that knows no key at all: it does not prove that the keys of others are gone.
   */
  async #refuseEmptiness(): Promise<void> {
    const { ctx: { storage: { reader } }, by: { org_id }, source: { name } } = this;
    const isNamed = [...this.#owners.left()].some(([, { isClient }]) => isClient !== true);
    const isHere = async () => {
      for (const place of places) {
        if ((await openKeysAfter(reader, org_id, place, "", 1)).length > 0) return true;
      }
      return false;
    };
    if (!isNamed && !await isHere()) return;
    throw new SourceUnusable(
      `${name}: no session of a key of organisation ${org_id} is there, and keys of it are known: what is empty says ` +
        "nothing of them. Name the gateway's own Redis and database (redis://host:6379/1), or leave it out",
    );
  }

  #leftKeys(): Reading {
    const reading = emptyReading();
    for (const [id, { isClient }] of this.#owners.left()) {
      reading.findings.push(
        isClient
          ? { kind: "client", id, code: "client_without_secret", detail: "" }
          : { kind: "key", id, code: "key_not_in_gateway", detail: "" },
      );
    }
    return reading;
  }
}

/** The auth types in plans' entries of the catalogue. */
async function authTypesIn(source: Source): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const document of source.documents("catalogue")) {
    const apis = "members" in document ? document.members.apis : undefined;
    for (const entry of Array.isArray(apis) ? apis : []) {
      if (!isObject(entry)) continue;
      const { policy_id, auth_type, is_keyless } = entry;
      if (typeof policy_id !== "string" || policy_id === "" || found.has(policy_id)) continue;
      if (is_keyless === true) found.set(policy_id, "keyless");
      else if (typeof auth_type === "string" && auth_type !== "") found.set(policy_id, auth_type);
    }
  }
  return found;
}

function found(kind: Kind, id: string, code: Finding["code"], detail: string): Reading {
  return { ...emptyReading(), findings: [{ kind, id, code, detail }] };
}

/** A reading with what its document says of the source as a whole. */
function withSource(kind: Kind, { place, ofSource }: SourceDocument, reading: Reading): Reading {
  if (ofSource === undefined) return reading;
  const finding = { kind, id: place, code: ofSource, detail: "" };
  return { ...reading, findings: [...reading.findings, finding] };
}

function passedOver(): Reading {
  return { ...emptyReading(), isPassedOver: true };
}

/** The id under which an object will be imported, if that is known before it is read. */
function nameOf(kind: Kind, members: Members, org_id: string): string | undefined {
  if (kind === "catalogue" || kind === "configuration") return "";
  if (kind === "certificate") return undefined;
  try {
    if (kind === "plan" || kind === "documentation") {
      return idOf({ id: members._id || members.id });
    }
    if (kind === "client") {
      const { id } = isObject(members.client) ? members.client : {};
      return typeof id === "string" ? sha256(id) : undefined;
    }
    return kind === "key" ? namedKey(sessionOf(members).name, org_id).id : idOf(members);
  } catch {
    // Its reading says what is wrong with it.
    return undefined;
  }
}

/** Whether a document says that it is another organisation's. */
function isForeign(kind: Kind, members: Members, org_id: string): boolean {
  const session = [members.session, members.data].find(isObject);
  const own = (kind === "key" ? session?.org_id : undefined) ?? members.org_id;
  if (kind === "certificate") {
    const { id } = members;
    return typeof id === "string" && /^[0-9a-f]{88}$/.test(id) && !id.startsWith(org_id);
  }
  return typeof own === "string" && own !== "" && own !== org_id;
}

/**
 * The name of a document in the report: its id, but of keys their position, since their name may be
 * the key.
 */
function placeOf(kind: Kind, { id, _id }: Members, place: string): string {
  if (kind === "key" || kind === "client") return place;
  const own = [id, _id].find((one) => typeof one === "string" && one !== "" && one.length <= 255);
  return typeof own === "string" ? own : place;
}

/**
 * The sides of plans and APIs, learnt while they are read: a record of an OAuth client does not
 * name its own.
 */
class Organisations {
  readonly #own = new Set<string>();
  readonly #foreign = new Set<string>();

  constructor(readonly db: Connection, readonly org_id: string) {}

  /** Learns from a plan: its ids and the APIs that it opens. */
  notePlan({ _id, id, access_rights }: Members, isForeign: boolean): void {
    const apis = isObject(access_rights) ? Object.keys(access_rights) : [];
    const known = isForeign ? this.#foreign : this.#own;
    for (const plan of [_id, id]) if (typeof plan === "string") known.add(`plan ${plan}`);
    for (const api of apis) known.add(`api ${api}`);
  }

  /**
   * The side of the client of a plan and an API: its plan decides, or its API for an unknown plan.
   */
  async ofClient(plan: string, api: string): Promise<"own" | "foreign" | "unknown"> {
    const named = [...plan === "" ? [] : [`plan ${plan}`], ...api === "" ? [] : [`api ${api}`]];
    const [byPlan, byApi] = named.map((one) => this.#side(one));
    if (byPlan !== "unknown" && byPlan !== undefined) return byPlan;
    if (plan !== "" && (await planIdsOf(this.db, this.org_id, [plan])).has(plan)) return "own";
    return byApi ?? "unknown";
  }

  #side(name: string): "own" | "foreign" | "unknown" {
    if (this.#own.has(name)) return "own";
    return this.#foreign.has(name) ? "foreign" : "unknown";
  }
}
