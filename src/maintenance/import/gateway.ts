import { isObject } from "./extended-json.ts";
import { inPath, type InterfacePlace, InterfaceReader } from "./interface-reader.ts";
import { type Kind, type Source, type SourceDocument, SourceUnusable } from "./source.ts";

/** The address of a gateway's interface. */
type GatewayPlace = Pick<
  InterfacePlace,
  "url" | "secret" | "ca" | "allowPlain" | "pauseMs"
>;

/** Sessions that are asked for at once: the gateway has other work. */
const AT_ONCE = 4;
/** The names of about a million keys. */
const LARGEST_LISTING = 128 * 1024 * 1024;

/**
 * A gateway by its interface: sessions of keys, OAuth clients, and the policies that it goes by.
 * Throws SourceUnusable, such as where it does not list keys, and says what to turn on.
 */
export function openGateway(place: GatewayPlace): Promise<Source> {
  const reader = new InterfaceReader({
    ...place,
    option: "--gateway",
    secretOption: "--gateway-secret-file",
    header: "x-tyk-authorization",
  });
  const gateway = new Gateway(reader);
  return Promise.resolve({
    name: reader.host,
    type: "gateway",
    kinds: new Set<Kind>(["plan", "client", "key"]),
    expected: async (kind) => kind === "key" ? (await gateway.names()).length : undefined,
    documents: (kind) => gateway.documents(kind),
    close: () => Promise.resolve(reader.close()),
  });
}

class Gateway {
  /** False once it said that it hashes no keys. */
  #hashes = true;

  constructor(readonly reader: InterfaceReader) {}

  documents(kind: Kind): AsyncGenerator<SourceDocument, void, void> {
    if (kind === "key") return this.#sessions();
    return kind === "client" ? this.#clients() : this.#policies();
  }

  /** Its names of its keys: their hashes, or the keys themselves if it hashes none. */
  async names(): Promise<string[]> {
    const { status, value } = await this.reader.value("/tyk/keys", LARGEST_LISTING);
    const { host } = this.reader;
    if (status === 404) {
      throw new SourceUnusable(
        `${host} does not list its keys; turn it on there with "enable_hashed_keys_listing": true ` +
          "(TYK_GW_ENABLEHASHEDKEYSLISTING=true), or read its Redis with --redis",
      );
    }
    const keys = isObject(value) ? value.keys : undefined;
    const names = (Array.isArray(keys) ? keys : []).filter((one) =>
      typeof one === "string" && one !== ""
    );
    if (status !== 200) throw this.reader.unusable("the list of keys", status);
    if (names.length > 0) return names;
    throw new SourceUnusable(
      `${host} lists no key, as it also does while its Redis is away; leave --gateway out where it has none`,
    );
  }

  /**
   * The session of each key. 404 is also what the gateway answers while its Redis is away, so it is
   * believed beside a key that is found at the same time, and nowhere else.
   */
  async *#sessions(): AsyncGenerator<SourceDocument, void, void> {
    const place = this.reader.host;
    const missed: string[] = [];
    let found: string | undefined;
    for await (const { name, session } of inOrder(await this.names(), this.#session)) {
      if (session === undefined) missed.push(name);
      else {
        found = name;
        yield { place, members: { name, session } };
      }
    }
    for (const name of missed) {
      const session = await this.#session(name);
      if (session !== undefined) yield { place, members: { name, session } };
      else if (found === undefined || await this.#session(found) === undefined) {
        throw new SourceUnusable(
          `${place} does not find keys that it lists, as it does while its Redis is away`,
        );
      }
    }
  }

  readonly #session = async (name: string): Promise<unknown> => {
    const path = `/tyk/keys/${inPath(name)}`;
    const byHash = this.#hashes ? await this.reader.value(`${path}?hashed=true`) : undefined;
    if (byHash && saysUnhashed(byHash)) this.#hashes = false;
    const { status, value } = this.#hashes && byHash ? byHash : await this.reader.value(path);
    if (status === 404) return undefined;
    if (status !== 200 || !isObject(value)) throw this.reader.unusable("a session", status);
    return value;
  };

  /**
   * Its policies, by their `id`; one that is another organisation's says so. Old releases list
   * none.
   */
  async *#policies(): AsyncGenerator<SourceDocument, void, void> {
    const place = this.reader.host;
    const { status, objects } = await this.reader.list("/tyk/policies");
    if (status === 404 || status === 405) return;
    if (status !== 200) throw this.reader.unusable("the policies", status);
    let n = 0;
    for await (const members of objects) yield { place: `${place}, policy ${++n}`, members };
  }

  /** The OAuth clients of each API, with the organisation of the API. */
  async *#clients(): AsyncGenerator<SourceDocument, void, void> {
    const place = this.reader.host;
    const { status, objects } = await this.reader.list("/tyk/apis");
    if (status === 404 || status === 405) return;
    if (status !== 200) throw this.reader.unusable("the list of APIs", status);
    const apis: { api_id: string; org_id: unknown }[] = [];
    for await (const { api_id, org_id, use_oauth2 } of objects) {
      if (typeof api_id === "string" && use_oauth2 === true) apis.push({ api_id, org_id });
    }
    const met = new Set<string>();
    for (const { api_id, org_id } of apis) {
      const path = `/tyk/oauth/clients/${inPath(api_id)}`;
      const answer = await this.reader.value(path);
      // An API that is not loaded there has none.
      if (answer.status === 400 || answer.status === 404) continue;
      if (answer.status !== 200) throw this.reader.unusable("OAuth clients", answer.status);
      const clients = Array.isArray(answer.value) ? answer.value.filter(isObject) : [];
      for (const { client_id, secret, policy_id, ...rest } of clients) {
        if (typeof client_id !== "string" || met.has(client_id)) continue;
        met.add(client_id);
        const client = { ...rest, id: client_id, secret, policyid: policy_id };
        yield { place, members: { api: api_id, org_id, client } };
      }
    }
  }
}

/** Whether a gateway says that it hashes no keys: it is asked for them by their names. */
function saysUnhashed({ status, value }: { status: number; value: unknown }): boolean {
  return status === 400 && isObject(value) &&
    String(value.message).includes("key hashing is not enabled");
}

/** The results of `ask` for each name, in their order, a few at a time. */
async function* inOrder<T>(
  names: readonly string[],
  ask: (name: string) => Promise<T>,
): AsyncGenerator<{ name: string; session: T }, void, void> {
  for (let i = 0; i < names.length; i += AT_ONCE) {
    const some = names.slice(i, i + AT_ONCE);
    const sessions = await Promise.all(some.map(ask));
    for (const [n, session] of sessions.entries()) yield { name: some[n] ?? "", session };
  }
}
