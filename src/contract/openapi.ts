import { z } from "zod";
import { type FailureCode, failureCodes } from "../lib/failure-codes.ts";
import { bodyErrors, commonErrors, type Endpoint, type Method } from "./endpoint.ts";
import {
  errorEnvelope,
  isNativePath,
  isOAuthPath,
  oauthError,
  problem,
  takesSessions,
} from "./envelope.ts";

type Json = Record<string, unknown>;

const FORM = "application/x-www-form-urlencoded";

/** Methods that have a fixed field in a path item; any other stands under `additionalOperations` (OpenAPI 3.2). */
const FIXED: readonly Method[] = ["GET", "POST", "PUT", "DELETE"];

/** The endpoints as an OpenAPI 3.2.0 document. Deterministic: the same endpoints give the same document. */
export function toOpenApi(endpoints: readonly Endpoint[], version: string): Json {
  const schemas = new SchemaCollector();
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    for (const method of [endpoint.method, ...endpoint.aliases ?? []]) {
      const item = paths[endpoint.path] ??= {};
      const value = operation(endpoint, method, schemas);
      if (FIXED.includes(method)) item[method.toLowerCase()] = value;
      else item.additionalOperations = { ...item.additionalOperations ?? {}, [method]: value };
    }
  }
  return {
    openapi: "3.2.0",
    info: {
      title: "Keydesk",
      version,
      description: "Key requests of an API programme: ask, decide, receive a credential.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(endpoints.map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.all(),
      securitySchemes: {
        credential: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "An access credential, as it is or after the word Bearer.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "keydesk_session",
          description: "A browser's session; all but GET and HEAD need X-CSRF-Token beside it.",
        },
        ...otherCredentials(endpoints),
      },
    },
  };
}

/** Of the endpoints that take the caller's credential in another header than `Authorization`. */
function otherCredentials(endpoints: readonly Endpoint[]): Json {
  const names = endpoints.flatMap(({ credentialHeader }) => credentialHeader ?? []);
  return Object.fromEntries(names.map((name) => [name, {
    type: "apiKey",
    in: "header",
    name,
    description: "The caller's own access credential; Authorization is somebody else's here.",
  }]));
}

function operation(endpoint: Endpoint, method: Method, schemas: SchemaCollector): Json {
  const isAlias = method !== endpoint.method;
  return {
    operationId: isAlias ? `${endpoint.id}By${method}` : endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...endpoint.permission === "public" ? { security: [] } : {
      description: `Needs the permission ${endpoint.permission.join(" or ")}.` +
        (endpoint.wholeTree ? " Every method and every path below are answered alike." : ""),
      security: [
        { [endpoint.credentialHeader ?? "credential"]: [] },
        ...takesSessions(endpoint) ? [{ session: [] }] : [],
      ],
    },
    parameters: parameters(endpoint, schemas),
    ...endpoint.body ? { requestBody: requestBody(endpoint, schemas) } : {},
    responses: {
      "200": success(endpoint, schemas),
      ...failures(endpoint, method, schemas),
    },
  };
}

function success(endpoint: Endpoint, schemas: SchemaCollector): Json {
  if (endpoint.answerHeaders) {
    const headers = Object.entries(endpoint.answerHeaders).map(([name, description]) =>
      [name, { description, schema: { type: "string" } }] as const
    );
    return { description: "OK, without a body.", headers: Object.fromEntries(headers) };
  }
  const types = endpoint.contentTypes?.response ?? ["application/json"];
  return { description: "OK", content: contentOf(types, schemas.of(endpoint.response)) };
}

function contentOf(types: readonly string[], schema: Json, more: Json = {}): Json {
  return Object.fromEntries(types.map((type) => [type, { schema, ...more }]));
}

function parameters(endpoint: Endpoint, schemas: SchemaCollector): Json[] {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1, maxLength: 255 },
  }));
  const shape = endpoint.query instanceof z.ZodObject ? endpoint.query.shape : {};
  const inQuery = Object.entries(shape).map(([name, schema]) => {
    const { description, ...rest } = schemas.of(schema);
    return {
      name,
      in: "query",
      required: false,
      ...description ? { description } : {},
      schema: rest,
    };
  });
  const inHeader = Object.entries(endpoint.headers ?? {}).map(([name, { description }]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

function requestBody(endpoint: Endpoint, schemas: SchemaCollector): Json {
  if (endpoint.body === "ignored" || !endpoint.body) {
    return {
      description: "Anything or nothing; ignored.",
      required: false,
      content: { "application/json": { schema: {} } },
    };
  }
  const example = endpoint.example === undefined ? {} : { example: endpoint.example };
  if (endpoint.body === "bytes") {
    const types = endpoint.contentTypes?.body ?? ["application/octet-stream"];
    return { required: true, content: contentOf(types, { type: "string" }, example) };
  }
  const type = endpoint.bodyEncoding === "form" ? FORM : "application/json";
  const content = contentOf([type], schemas.of(endpoint.body), example);
  return { required: !endpoint.bodyOptional, content };
}

/** The failures of an endpoint, one response a status with the codes that it stands for. */
function failures(endpoint: Endpoint, method: Method, schemas: SchemaCollector): Json {
  const codes = new Set<FailureCode>([
    ...endpoint.errors,
    ...endpoint.body && endpoint.body !== "ignored" ? bodyErrors : [],
    ...endpoint.permission === "public"
      ? ["method_not_allowed", "unavailable", "internal"] as const
      : commonErrors,
    ...endpoint.permission !== "public" && takesSessions(endpoint) && method !== "GET"
      ? ["csrf_refused"] as const
      : [],
  ]);
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of codes) {
    const { status } = failureCodes[code];
    byStatus.set(status, [...byStatus.get(status) ?? [], code]);
  }
  const refusals = new Map(
    Object.entries(endpoint.refusals ?? {}).map(([status, text]) => [Number(status), text]),
  );
  for (const status of refusals.keys()) byStatus.set(status, byStatus.get(status) ?? []);
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, list]) => [String(status), {
    description: [
      ...refusals.has(status) ? [refusals.get(status)] : [],
      ...list.map((code) => `\`${code}\`: ${failureCodes[code].message.trim()}`),
    ].join("\n\n"),
    ...list.length === 0 ? {} : {
      content: failureContent(endpoint.path, schemas),
    },
  }]));
}

function failureContent(path: string, schemas: SchemaCollector): Json {
  if (isNativePath(path)) return contentOf(["application/problem+json"], schemas.of(problem));
  return contentOf(
    ["application/json"],
    schemas.of(isOAuthPath(path) ? oauthError : errorEnvelope),
  );
}

/** Turns Zod schemas into JSON Schema; those with an id become components and are referred to. */
class SchemaCollector {
  readonly #components: Record<string, Json> = {};

  of(schema: z.ZodType): Json {
    // as: a JSON Schema is a JSON object.
    const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, {
      io: "input",
      unrepresentable: "any",
      reused: "inline",
    }) as Json & { $defs?: Record<string, Json> };
    for (const [name, definition] of Object.entries($defs ?? {})) {
      this.#components[name] = withoutId(rewriteReferences(definition));
    }
    const { id } = rest;
    if (typeof id !== "string") return rewriteReferences(rest);
    this.#components[id] = withoutId(rewriteReferences(rest));
    return { $ref: `#/components/schemas/${id}` };
  }

  all(): Record<string, Json> {
    return Object.fromEntries(
      Object.entries(this.#components).sort(([a], [b]) => a < b ? -1 : 1),
    );
  }
}

function withoutId({ id: _, ...rest }: Json): Json {
  return rest;
}

function rewriteReferences(value: Json): Json {
  return JSON.parse(
    JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'),
  );
}
