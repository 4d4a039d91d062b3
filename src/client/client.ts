import type { z } from "zod";
import type { BodySchema, Endpoint, PathParams } from "../contract/endpoint.ts";
import type { FailureCode } from "../kernel/failure-codes.ts";
import { PlainFailure } from "../kernel/failure-plain.ts";

/** How a client reaches a server: `fetch` itself, or an application in process. */
export interface ClientOptions {
  baseUrl: string;
  credential?: string;
  fetch?: (request: Request) => Response | Promise<Response>;
}

type Part<Key extends string, Value> = unknown extends Value ? { [K in Key]?: Value }
  : { [K in Key]: Value };

/** The input of a call of this endpoint, by its contract. */
export type CallInput<
  Path extends string,
  Query extends z.ZodType,
  Body extends BodySchema,
> =
  & (keyof PathParams<Path> extends never ? { params?: undefined } : { params: PathParams<Path> })
  & { query?: { [K in keyof z.input<Query>]?: string | number | boolean } }
  & (Body extends z.ZodType ? Part<"body", z.input<Body>> : { body?: unknown })
  & { headers?: Record<string, string> };

/** A client typed by the contract: gives the answer of a success, or throws PlainFailure. */
export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Calls an endpoint. Throws the PlainFailure that the server answered with. */
  async call<
    Path extends string,
    Query extends z.ZodType,
    Body extends BodySchema,
    Output extends z.ZodType,
  >(
    endpoint: Endpoint<Path, Query, Body, Output>,
    input: CallInput<Path, Query, Body>,
  ): Promise<z.output<Output>> {
    const response = await this.send(endpoint, input);
    const answer = await response.json();
    if (response.status === (endpoint.status ?? 200)) return answer;
    throw toFailure(response, answer);
  }

  /** Makes the call and gives the plain HTTP response. */
  async send<Path extends string, Query extends z.ZodType, Body extends BodySchema>(
    endpoint: Endpoint<Path, Query, Body, z.ZodType>,
    input: CallInput<Path, Query, Body>,
  ): Promise<Response> {
    const { baseUrl, credential, fetch: send = fetch } = this.#options;
    const url = new URL(fillPath(endpoint.path, input.params ?? {}), baseUrl);
    for (const [name, value] of Object.entries(input.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers = new Headers(input.headers);
    if (credential !== undefined) headers.set("authorization", credential);
    const body = input.body === undefined ? null : encodeBody(endpoint, input.body);
    return await send(new Request(url, { method: endpoint.method, headers, body }));
  }
}

function encodeBody({ bodyEncoding }: Endpoint, body: unknown): BodyInit {
  // A file goes as it is.
  if (body instanceof Blob || body instanceof FormData) return body;
  // as: the schemas of forms hold texts alone.
  if (bodyEncoding === "form") return new URLSearchParams(body as Record<string, string>);
  return JSON.stringify(body);
}

function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
}

/** A failed answer: an envelope, under `/v1` a problem, under `/oauth` RFC 6749's. */
interface FailedAnswer {
  Message?: string;
  Errors?: string[];
  detail?: string;
  error_description?: string;
  errors?: string[];
}

function toFailure(response: Response, answer: FailedAnswer): PlainFailure {
  // as: the server's table and this one are the same; a newer server's code fits nothing that is
  // looked for.
  const code = (response.headers.get("x-keydesk-error") ?? "internal") as FailureCode;
  return new PlainFailure(code, {
    message: answer.Message ?? answer.detail ?? answer.error_description ?? "",
    details: answer.Errors ?? answer.errors ?? [],
  });
}
