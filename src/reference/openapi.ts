import { z } from "zod";
import { type Endpoint, type Method, refusesUnlisted } from "../contract/endpoint.ts";
import { takesSessions } from "../contract/envelope.ts";
import { exampleIds, examplePath, namedByPath } from "../contract/example-ids.ts";
import { message } from "../features/notifications/message.contract.ts";
import { topics } from "../features/notifications/topics.contract.ts";
import { answers, contentOf, headerComponents, type Parts } from "./openapi-answers.ts";
import { type Json, SchemaCollector } from "./schema-collector.ts";

const FORM = "application/x-www-form-urlencoded";

/**
 * Methods that have a fixed field in a path item; any other is under `additionalOperations`
 * (OpenAPI 3.2).
 */
const FIXED: readonly Method[] = ["GET", "POST", "PUT", "DELETE"];

/** The editions of OpenAPI that the interface is described in. 3.1 knows no method but its own. */
export type Edition = "3.2" | "3.1";

/**
 * The endpoints as an OpenAPI document. Deterministic: the same endpoints give the same document.
 * In the 3.1 edition an alias that it knows represents a method that it does not, and `x-method`
 * names that one. Throws where there is no such alias.
 */
export function toOpenApi(
  endpoints: readonly Endpoint[],
  version: string,
  edition: Edition = "3.2",
): Json {
  const parts: Parts = { schemas: new SchemaCollector(), responses: {}, examples: {} };
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    for (const method of [endpoint.method, ...endpoint.aliases ?? []]) {
      if (edition === "3.1" && !FIXED.includes(method)) continue;
      const item = paths[endpoint.path] ??= {};
      const value = operation(endpoint, method, parts, edition);
      if (FIXED.includes(method)) item[method.toLowerCase()] = value;
      else item.additionalOperations = { ...item.additionalOperations ?? {}, [method]: value };
    }
    if (!paths[endpoint.path]) throw new Error(`${endpoint.id} has no method of OpenAPI 3.1`);
  }
  const hooks = webhooks(parts.schemas);
  return {
    openapi: edition === "3.2" ? "3.2.0" : "3.1.1",
    info: {
      title: "Keydesk",
      version,
      description:
        "Key requests of an API programme: ask, decide, receive a credential. Under `/v1` a member of a body or a parameter that is not listed is refused with 400, which names it and the nearest name; under `/api` it is dropped. `X-Request-Timeout` with any call says for how many seconds its caller waits: what would take longer is 503.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set([...endpoints.map(({ tag }) => tag), "Webhooks"])].map((name) => ({ name })),
    paths,
    webhooks: hooks,
    components: {
      schemas: withNames(parts.schemas.all()),
      responses: sorted(parts.responses),
      examples: sorted(parts.examples),
      headers: headerComponents,
      securitySchemes: {
        credential: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "An access token, as it is or after the word Bearer.",
        },
        session_cookie: {
          type: "apiKey",
          in: "cookie",
          name: "keydesk_session",
          description:
            "A browser's session, over https `__Host-keydesk`; all but GET and HEAD need X-CSRF-Token beside it.",
        },
        basic: {
          type: "http",
          scheme: "basic",
          description: "An access token as the password; the user name is not looked at.",
        },
        developer_bearer: {
          type: "http",
          scheme: "bearer",
          description: "A developer's own token.",
        },
        developer_session_cookie: {
          type: "apiKey",
          in: "cookie",
          name: "keydesk_developer",
          description:
            "A developer's session, over https `__Host-keydesk-developer`; all but GET and HEAD need X-CSRF-Token beside it.",
        },
        ...otherCredentials(endpoints),
      },
    },
  };
}

/**
 * The schemas with a name for ogen of the first of a plan's two ids, whose names are one in most
 * languages.
 */
function withNames(schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      // as: a component is a schema of an object or of a value.
      const { properties } = schema as { properties?: Json };
      const isTwice = properties !== undefined && "_id" in properties && "id" in properties;
      const names = { "x-ogen-properties": { _id: { name: "UnderscoreID" } } };
      return [name, isTwice ? { ...schema as Json, ...names } : schema];
    }),
  );
}

function sorted(parts: Record<string, Json>): Json {
  return Object.fromEntries(Object.entries(parts).sort(([a], [b]) => a < b ? -1 : 1));
}

/** Of the endpoints that take the caller's access token in another header than `Authorization`. */
function otherCredentials(endpoints: readonly Endpoint[]): Json {
  const names = endpoints.flatMap(({ credentialHeader }) => credentialHeader ?? []);
  return Object.fromEntries(names.map((name) => [name, {
    type: "apiKey",
    in: "header",
    name,
    description: "The caller's own access token; Authorization is the visitor's.",
  }]));
}

function operation(endpoint: Endpoint, method: Method, parts: Parts, edition: Edition): Json {
  const standsIn = edition === "3.1" && !FIXED.includes(endpoint.method);
  const isAlias = method !== endpoint.method && !standsIn;
  const description = [
    endpoint.description,
    ...needOf(endpoint),
    ...endpoint.wholeTree ? ["Every method and every path below are answered alike."] : [],
    ...endpoint.otherPaths
      ? [`Also at ${endpoint.otherPaths.map((path) => `\`${path}\``).join(", ")}.`]
      : [],
    ...endpoint.keyParameter
      ? ["A plain key in a path is written to the logs of proxies; a key's id is not a secret."]
      : [],
    ...endpoint.overridable
      ? [
        `With KEYDESK_METHOD_OVERRIDE=true also as POST with X-HTTP-Method-Override: ${endpoint.method}.`,
      ]
      : [],
    ...standsIn
      ? [
        `${method} replaces ${endpoint.method} in this document, since OpenAPI 3.1 can't express that method.`,
      ]
      : [],
  ].join(" ");
  return {
    operationId: isAlias ? `${endpoint.id}By${method}` : endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description,
    ...standsIn ? { "x-method": endpoint.method } : {},
    security: endpoint.permission === "public"
      ? []
      : endpoint.permission === "developer"
      ? [{ developer_bearer: [] }, { developer_session_cookie: [] }]
      : [
        { [endpoint.credentialHeader ?? "credential"]: [] },
        ...endpoint.clientAuthentication ? [{ basic: [] }] : [],
        ...takesSessions(endpoint) ? [{ session_cookie: [] }] : [],
      ],
    parameters: parameters(endpoint, parts),
    ...endpoint.body ? { requestBody: requestBody(endpoint, parts) } : {},
    responses: answers(endpoint, method, parts),
    "x-codeSamples": [{ lang: "Shell", label: "curl", source: curl(endpoint, method) }],
  };
}

/** The requirements of an endpoint for its caller, as a sentence; none if it has none. */
function needOf(endpoint: Endpoint): string[] {
  if (endpoint.permission === "public") return [];
  return endpoint.permission === "developer"
    ? ["For a developer, by their own session or token; no access token is valid for it."]
    : [
      `Needs the permission ${neededFor(endpoint)}.`,
      ...endpoint.withinScope ? ["Open within a scope."] : [],
    ];
}

/** The permissions that open an endpoint, in words. */
export function neededFor({ permission, permissionBesides: besides }: Endpoint): string {
  if (typeof permission === "string") return permission;
  return permission.join(" or ") + (besides === undefined ? "" : ` and ${besides}`);
}

const LONGEST_ID = { maxLength: 255 };

function parameters(endpoint: Endpoint, { schemas }: Pick<Parts, "schemas">): Json[] {
  const inPath = namedByPath(endpoint.path).map(({ name, kind }) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1, ...name === endpoint.keyParameter ? {} : LONGEST_ID },
    example: exampleIds[kind],
  }));
  const shape = endpoint.query instanceof z.ZodObject ? endpoint.query.shape : {};
  const inQuery = Object.entries(shape).map(([name, schema]) => {
    const { description, example, ...said } = schemas.of(schema);
    const { pattern: _, ...number } = said;
    const rest = said.type === "integer" ? number : said;
    const required = !schema.safeParse(undefined).success;
    return {
      name,
      in: "query",
      required,
      ...description ? { description } : {},
      schema: rest,
      // A required choice has its first value as the example.
      ...required && Array.isArray(rest.enum) ? { example: rest.enum[0] } : {},
      ...example === undefined ? {} : { example },
    };
  });
  const inHeader = Object.entries(endpoint.headers ?? {}).map(([name, { bounds, ...said }]) => ({
    name,
    in: "header",
    required: false,
    ...said,
    schema: { type: "string", ...bounds },
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

function requestBody(endpoint: Endpoint, { schemas }: Parts): Json {
  if (endpoint.body === "ignored" || !endpoint.body) {
    return {
      description: refusesUnlisted(endpoint)
        ? "Nothing; what has members is refused."
        : "Anything or nothing; ignored.",
      required: false,
      content: { "application/json": { schema: {} } },
    };
  }
  const example = endpoint.example === undefined ? {} : { example: endpoint.example };
  if (endpoint.body === "bytes") {
    const types = endpoint.contentTypes?.body ?? ["application/octet-stream"];
    const content = types.map((type) => [type, bytesContent(type, endpoint.example)]);
    return { required: true, content: Object.fromEntries(content) };
  }
  const type = endpoint.bodyEncoding === "form" ? FORM : "application/json";
  const content = contentOf([type], schemas.of(endpoint.body), example);
  return { required: !endpoint.bodyOptional, content };
}

/** A body of this type, with the example where that is one. */
function bytesContent(type: string, example: unknown): Json {
  if (type === "multipart/form-data") {
    const description = "The file, in a field of any name.";
    const schema = { type: "object", description, additionalProperties: BINARY };
    return { schema, example: { data: example } };
  }
  // It is signed as it is, and its service reads it.
  if (type === "application/json") return { schema: { type: "array", items: {} }, example };
  // The example is a text. Of a body that is called a text openapi-python-client makes what
  // can't be sent.
  return { schema: BINARY, ...TEXTS.includes(type) ? { example } : {} };
}

const TEXTS: readonly string[] = ["application/x-pem-file", "application/octet-stream"];
const BINARY = { type: "string", format: "binary" };

/** A body longer than this is sent from a file in the example. */
const LONG = 200;

/** The example as a command: `$DESK` is the server's address, `$CREDENTIAL` the caller's. */
function curl(endpoint: Endpoint, method: Method): string {
  const chosen = parameters(endpoint, { schemas: new SchemaCollector() })
    .filter((one) => one.in === "query" && one.example !== undefined)
    .map(({ name, example }) => `${name}=${example}`);
  const query = chosen.length > 0 ? `?${chosen.join("&")}` : "";
  const words = [`curl -X ${method} "$DESK${examplePath(endpoint)}${query}"`];
  if (endpoint.permission !== "public") {
    words.push(`-H "${endpoint.credentialHeader ?? "authorization"}: $CREDENTIAL"`);
  }
  for (const [name, { example }] of Object.entries(endpoint.headers ?? {})) {
    if (example !== undefined) words.push(`-H '${name}: ${example}'`);
  }
  const { example } = endpoint;
  if (example !== undefined && endpoint.bodyEncoding === "form") {
    // as: the schemas of forms hold texts alone.
    words.push(`-d '${new URLSearchParams(example as Record<string, string>)}'`);
  } else if (endpoint.body === "bytes") {
    const isJson = endpoint.contentTypes?.body?.includes("application/json");
    words.push(`--data-binary @example.${isJson ? "json" : "pem"}`);
  } else if (example !== undefined) {
    const text = JSON.stringify(example);
    const isPlain = text.length <= LONG && !text.includes("'");
    words.push(`-H 'content-type: application/json' -d ${isPlain ? `'${text}'` : "@example.json"}`);
  }
  return words.join(" \\\n  ");
}

/**
 * The messages of channels, by topic. All are of one named schema: of schemas in place generators
 * make a class for each topic.
 */
function webhooks(schemas: SchemaCollector): Json {
  const schema = schemas.of(message);
  return Object.fromEntries(topics.map(({ topic, summary, object }) => {
    return [topic, {
      post: {
        operationId: `on_${topic.replace(".", "_")}`,
        tags: ["Webhooks"],
        summary,
        description:
          `Sent to channels that want \`${topic}\` or \`${object.object}.*\`, signed as Standard Webhooks says: ` +
          HEADERS,
        security: [],
        requestBody: {
          required: true,
          content: { "application/json": { schema } },
        },
        responses: {
          "2XX": { description: "It was taken. Anything else is sent again, with the same id." },
        },
      },
    }];
  }));
}

/** In words: as parameters, generators of Python clients would make them names that are none. */
const HEADERS =
  "`webhook-id` is the same at every try, `webhook-timestamp` says when this one was made, in seconds since 1970, " +
  "and `webhook-signature` is `v1,` and base64, during a rotation two with a blank between them.";
