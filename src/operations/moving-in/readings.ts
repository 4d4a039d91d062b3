import type { RequestContext } from "../../calls/context.ts";
import { isObject, plainMembers, Unreadable } from "./extended-json.ts";
import type { Reading } from "./items.ts";
import { Owners } from "./owners.ts";
import { readCertificate } from "./read-certificate.ts";
import { emptyReading, type ReadBy, refusal } from "./read-common.ts";
import { readDeveloper } from "./read-developer.ts";
import { readClient, readKey } from "./read-key.ts";
import { readCatalogue, readConfiguration, readDocumentation, readPlan } from "./read-portal.ts";
import { readRequest } from "./read-request.ts";
import type { Kind, Members, Source, SourceDocument } from "./source.ts";

/** How a source is read; `murmurUntil` and `passphrase` as in ReadBy. */
export type ReadOptions = Pick<ReadBy, "murmurUntil" | "passphrase">;

/** Reads a source kind by kind, in the order of kinds: who owns a key is learnt from the developers before it. */
export class Reader {
  readonly #owners = new Owners();

  private constructor(
    readonly ctx: RequestContext,
    readonly source: Source,
    readonly by: ReadBy,
  ) {}

  static async open(ctx: RequestContext, source: Source, options: ReadOptions): Promise<Reader> {
    return new Reader(ctx, source, {
      ...options,
      org_id: ctx.principal.org_id,
      now: ctx.clock.now(),
      hasSessions: source.kinds.has("key"),
      authTypes: await authTypesIn(source),
    });
  }

  /** What becomes of each document of a kind; at the end, of keys that developers name and no session was met of. */
  async *readings(kind: Kind): AsyncGenerator<Reading, void, void> {
    for await (const document of this.source.documents(kind)) {
      yield await this.#read(kind, document);
    }
    const last = this.by.hasSessions ? "key" : "client";
    if (kind === last) yield this.#leftKeys();
  }

  async #read(kind: Kind, document: SourceDocument): Promise<Reading> {
    const { place } = document;
    if ("trouble" in document) return unreadable(kind, place, document.trouble);
    let members: Members;
    try {
      members = plainMembers(document.members);
    } catch (error) {
      if (error instanceof Unreadable) return unreadable(kind, place, error.message);
      throw error;
    }
    if (isForeign(kind, members, this.by.org_id)) return { ...emptyReading(), isForeign: true };
    try {
      return await this.#readAs(kind, members);
    } catch (error) {
      return refusal(kind, placeOf(kind, members, place), error);
    }
  }

  async #readAs(kind: Kind, members: Members): Promise<Reading> {
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
        return readDeveloper(members, this.by, this.#owners);
      case "client":
        return readClient(members, this.by, this.#owners);
      case "key":
        return readKey(members, this.by, this.#owners);
      case "request":
        return readRequest(members, this.by);
    }
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

/** What plans' entries in the catalogue say of how their keys are presented. */
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

function unreadable(kind: Kind, id: string, detail: string): Reading {
  return { ...emptyReading(), findings: [{ kind, id, code: "unreadable", detail }] };
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

/** What a document is called in the report: by its id, but keys by their place, since their name may be the key. */
function placeOf(kind: Kind, { id, _id }: Members, place: string): string {
  if (kind === "key" || kind === "client") return place;
  const own = [id, _id].find((one) => typeof one === "string" && one !== "" && one.length <= 255);
  return typeof own === "string" ? own : place;
}
