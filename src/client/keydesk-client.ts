/**
 * The client that the package publishes as `keydesk/client`: what is here and in the files that it
 * imports runs wherever there is `fetch`, and needs nothing else of ours.
 */
import { readFailure } from "./failure.ts";
import { type Call, calls, type Nothing, type Operations } from "./operations.ts";
import { again, type Attempts } from "./retry.ts";

export { Failure } from "./failure.ts";
export type * from "./operations.ts";

/** How a server is reached. */
export interface ClientOptions {
  /** Its address; a path is kept, so that a proxy may put the server below one. */
  url: string | URL;
  /**
   * An access token, or what gives one for each call; absent: calls are anonymous, or a browser's
   * session.
   */
  credential?: string | (() => string | Promise<string>);
  /** Instead of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Tries after the first, where trying again can't do a thing twice; 2 by default. */
  retries?: number;
}

/** The options of a call besides its input. */
export interface CallOptions {
  /** Ends the call, and the waiting between two tries. */
  signal?: AbortSignal;
  /** Further headers, such as `passphrase` of an upload. */
  headers?: Readonly<Record<string, string>>;
}

/** Only where the operation heeds them; elsewhere the server would take no notice. */
interface HeededOptions {
  /**
   * Makes repeats harmless, 16 characters or more; `true`: a fresh one for this call and its
   * retries.
   */
  idempotencyKey?: string | true;
  /** The `etag` of what was read: 412 when it has changed since. */
  ifMatch?: string;
}

type Id = keyof Operations;
type Input<I extends Id> = Operations[I]["input"];
type Output<I extends Id> = Operations[I]["output"];
type Options<I extends Id> = CallOptions & Pick<HeededOptions, Operations[I]["headers"]>;
type Arguments<I extends Id> = Nothing extends Input<I> ? [input?: Input<I>, options?: Options<I>]
  : [input: Input<I>, options?: Options<I>];

/** An answer with what its headers say. */
export interface Answer<T> {
  readonly value: T;
  /** For `ifMatch`; undefined where the answer has none. */
  readonly etag: string | undefined;
  readonly requestId: string | undefined;
  readonly headers: Headers;
}

/** One operation. Throws a {@link Failure} for what the server refuses, and what `fetch` throws. */
export interface Operation<I extends Id> {
  (...args: Arguments<I>): Promise<Output<I>>;
  /** Makes the call and gives the answer with its headers. */
  answer(...args: Arguments<I>): Promise<Answer<Output<I>>>;
}

/** A list that is read page by page. */
export interface PagedOperation<I extends Id> extends Operation<I> {
  /** Every item from `input.cursor` on, page after page, each when its first item is wanted. */
  all(...args: Arguments<I>): AsyncGenerator<Item<Output<I>>, void, void>;
}

type Item<Page> = Page extends { data: (infer T)[]; next_cursor: string | null } ? T : never;

/** Every operation of the interface by its id, as the reference names it. */
export type Client = {
  readonly [I in Id]: [Item<Output<I>>] extends [never] ? Operation<I> : PagedOperation<I>;
};

/** A client of a Keydesk server. Needs only `fetch`; keeps no connection and no state. */
export function createClient(options: ClientOptions): Client {
  const entries = Object.entries(calls).map(([id, call]) => [id, operation(options, id, call)]);
  // as: `calls` has every operation, and the arguments were checked by their types.
  return Object.freeze(Object.fromEntries(entries)) as Client;
}

type AnyInput = Readonly<Record<string, unknown>>;
type AnyOptions = CallOptions & HeededOptions;

function operation(client: ClientOptions, id: string, call: Call) {
  const answer = (input: AnyInput = {}, options: AnyOptions = {}) =>
    send(client, id, call, input, options);
  const value = async (input?: AnyInput, options?: AnyOptions) =>
    (await answer(input, options)).value;
  async function* all(input: AnyInput = {}, options?: AnyOptions) {
    let cursor = input.cursor;
    do {
      // as: what takes a cursor answers with a page.
      const page = await value({ ...input, cursor }, options) as {
        data: unknown[];
        next_cursor: string | null;
      };
      yield* page.data;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
  return Object.assign(value, { answer, ...call.query?.includes("cursor") ? { all } : {} });
}

async function send(
  client: ClientOptions,
  id: string,
  call: Call,
  input: AnyInput,
  options: AnyOptions,
): Promise<Answer<unknown>> {
  const headers = headersOf(id, call, options);
  const { credential } = client;
  const presented = typeof credential === "function" ? await credential() : credential;
  if (presented !== undefined) headers.set("authorization", presented);
  const url = addressOf(client.url, call, input);
  const body = bodyOf(call, input.body, headers);
  const { signal } = options;
  const fetchOne = client.fetch ?? fetch;
  const attempts: Attempts = {
    most: 1 + (client.retries ?? 2),
    // Else a lost answer may be that of a change that was made.
    isRepeatable: call.method === "GET" || headers.has("idempotency-key"),
    ...signal ? { signal } : {},
  };
  const response = await again(attempts, () =>
    fetchOne(
      new Request(url, {
        method: call.method,
        headers,
        ...body === undefined ? {} : { body },
        ...signal ? { signal } : {},
      }),
    ));
  if (!response.ok) throw await readFailure(response);
  const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
  return {
    value: isJson ? await response.json() : await response.text(),
    etag: response.headers.get("etag") ?? undefined,
    requestId: response.headers.get("x-request-id") ?? undefined,
    headers: response.headers,
  };
}

function addressOf(base: string | URL, { path, query = [] }: Call, input: AnyInput): URL {
  const filled = path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = input[name];
    // An empty one would be another path.
    if (typeof value !== "string" || value === "") throw new TypeError(`${name} is missing`);
    return encodeURIComponent(value);
  });
  const root = new URL(base);
  if (!root.pathname.endsWith("/")) root.pathname += "/";
  const url = new URL(filled, root);
  for (const name of query) {
    const value = input[name];
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  }
  return url;
}

function headersOf(id: string, { headers: heeded = [] }: Call, options: AnyOptions): Headers {
  const headers = new Headers(options.headers);
  for (const name of ["idempotencyKey", "ifMatch"] as const) {
    if (options[name] !== undefined && !heeded.includes(name)) {
      throw new TypeError(`${id} takes no ${name}`);
    }
  }
  const { idempotencyKey, ifMatch } = options;
  if (idempotencyKey !== undefined) {
    headers.set("idempotency-key", idempotencyKey === true ? randomKey() : idempotencyKey);
  }
  if (ifMatch !== undefined) headers.set("if-match", ifMatch);
  return headers;
}

/** 128 random bits; `crypto.randomUUID` is absent in pages on plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bodyOf(call: Call, body: unknown, headers: Headers): BodyInit | undefined {
  if (body === undefined) return undefined;
  // as: the operations' types say what a body may be.
  if (call.body === "bytes") return body as BodyInit;
  if (call.body === "form") return new URLSearchParams(body as Record<string, string>);
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return JSON.stringify(body);
}
