import { type Client, Failure } from "../client/keydesk-client.ts";
import { OperatorError } from "./operator-error.ts";
import { tableLine } from "./table.ts";

/** Something that people call by a name and the interface by an id. */
interface Named {
  id: string;
  name: string;
}

/** More of one name are not looked for. */
const MOST = 100;
/** An id that Keydesk makes is never a name. */
const OWN_ID = /^[0-9a-f]{24}$/;

/**
 * The id of the plan that a word means: its id, else its name. A word that nothing is called by
 * stays as it is, since ids of other systems are taken. Throws OperatorError where several plans
 * have the name, with all of them.
 */
export function planOf(client: Client, word: string): Promise<string> {
  return idOf("plan", word, {
    isId: () => client.getPlan({ id: word }),
    search: async () => {
      const { data } = await client.listPlans({ q: word, limit: MOST });
      return data.map(({ _id, name }) => ({ id: _id, name }));
    },
  });
}

/** Finds a developer by id, else by e-mail address, else by the name among the fields. */
export function developerOf(client: Client, word: string): Promise<string> {
  return idOf("developer", word, {
    isId: () => client.getDeveloper({ id: word }),
    search: async () => {
      const { data } = await client.listDevelopers({ q: word, limit: MOST });
      return data.flatMap(({ id, email, fields }) => [
        { id, name: email },
        ...Object.entries(fields).filter(([name]) => /^name$/i.test(name))
          .map(([, text]) => ({ id, name: String(text) })),
      ]);
    },
  });
}

/** Finds a gateway. Several may have the same name: then its id is needed. */
export async function gatewayOf(client: Client, word: string): Promise<string> {
  return await idOf("gateway", word, {
    isId: () => client.getGateway({ id: word }),
    search: async () => (await client.listGateways()).data,
  });
}

type Gateway = Awaited<ReturnType<Client["listGateways"]>>["data"][number];

/** A gateway that keys are brought to. */
export type BroughtGateway = Exclude<Gateway, { connection: "checks" }>;

/** Whether keys are brought to a gateway, which does not check each call. */
export function isBrought(gateway: Gateway): gateway is BroughtGateway {
  return gateway.connection !== "checks";
}

/** The gateway as a synced one. Throws OperatorError for one that checks each call. */
export function brought(gateway: Gateway): BroughtGateway {
  if (isBrought(gateway)) return gateway;
  throw new OperatorError(`${gateway.name} checks each call: no keys are brought to it`);
}

/** Finds a role by its id, else by its name, which is unique in an organisation. */
export async function roleOf(client: Client, word: string): Promise<string> {
  if (OWN_ID.test(word)) return word;
  const { data } = await client.listRoles();
  if (data.some(({ id }) => id === word)) return word;
  return data.find(({ name }) => name.toLowerCase() === word.toLowerCase())?.id ?? word;
}

/**
 * The beginning of a hash that a word may be, as a list at a narrow terminal shows it: from 8
 * digits on, with or without the sign that it was cut. Undefined for any other word, and a whole
 * hash.
 */
export function startOf(word: string): string | undefined {
  return /^([0-9a-f]{8,63})(…|\.\.\.)?$/u.exec(word)?.[1];
}

/**
 * The one of these that begins so; undefined where there is none. Throws OperatorError where there
 * are several, with all of them.
 */
export function beginsWith(
  kind: string,
  start: string,
  all: readonly string[],
): string | undefined {
  const ids = all.filter((id) => id.startsWith(start));
  if (ids.length <= 1 || ids.includes(start)) return ids.includes(start) ? start : ids[0];
  const title = `${ids.length} ${kind}s begin with ${start}; give more of one:`;
  throw new OperatorError([title, ...ids.map((one) => `  ${one}`)].join("\n"));
}

/**
 * The id of the key that a word means: its id, else the beginning of it, as lists show it. A word
 * that none begins with stays as it is. Throws OperatorError where several keys begin so, with all
 * of them.
 */
export async function keyOf(client: Client, word: string): Promise<string> {
  const start = startOf(word);
  if (start === undefined) return word;
  const found = await client.listKeys({ q: start, limit: MOST }).catch((error) => {
    // Without the right to look a word is the id that it may be.
    if (error instanceof Failure && error.code === "access_denied") return undefined;
    throw error;
  });
  return beginsWith("key", start, found?.data.map(({ key_id }) => key_id) ?? []) ?? word;
}

/** `keyOf` of several words, in their order. */
export async function keysOf(client: Client, words: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const word of words) ids.push(await keyOf(client, word));
  return ids;
}

/** `planOf` of several words, in their order. */
export async function plansOf(client: Client, words: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const word of words) ids.push(await planOf(client, word));
  return ids;
}

async function idOf(
  kind: string,
  word: string,
  { isId, search }: { isId(): Promise<unknown>; search(): Promise<Named[]> },
): Promise<string> {
  if (OWN_ID.test(word)) return word;
  try {
    await isId();
    return word;
  } catch (error) {
    // Without the right to look a word is the id that it may be.
    if (!(error instanceof Failure) || error.code !== "not_found") return word;
  }
  const found = await search();
  const exact = found.filter(({ name }) => name === word);
  const all = exact.length > 0
    ? exact
    : found.filter(({ name }) => name.toLowerCase() === word.toLowerCase());
  const ids = [...new Set(all.map(({ id }) => id))];
  const [id] = ids;
  if (id === undefined || ids.length === 1) return id ?? word;
  const width = Math.max(...ids.map((one) => one.length));
  const lines = ids.map((one) =>
    `  ${tableLine([one, all.find(({ id }) => id === one)?.name ?? ""], [width])}`
  );
  const title = `${ids.length} ${kind}s are called ${JSON.stringify(word)}; give one of the ids:`;
  throw new OperatorError([title, ...lines].join("\n"));
}
