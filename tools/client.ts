/**
 * Writes the types of the published client from the document, so that the client needs neither it
 * nor Zod.
 */
import { type Endpoint, type Method } from "../src/contract/endpoint.ts";
import { failureCodes } from "../src/kernel/failure-codes.ts";
import { toOpenApi } from "../src/reference/openapi.ts";

/** A JSON Schema as the document has it. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  not?: { const: boolean };
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

interface Operation {
  parameters: {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: Schema;
  }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: { [status: string]: { content?: Record<string, { schema: Schema }> } };
}

/**
 * Pages, scripts and verdicts in headers are for browsers and proxies; the documents describe the
 * client itself.
 */
function isForClients({ wholeTree, contentTypes, path }: Endpoint): boolean {
  const isPage = contentTypes?.response?.some((type) => /html|javascript|css/.test(type));
  return !wholeTree && !isPage && !path.startsWith("/openapi");
}

/** The text of `src/client/operations.ts`. Deterministic. */
export function clientOperations(all: readonly Endpoint[]): string {
  const endpoints = all.filter(isForClients);
  const document = toOpenApi(endpoints, "0");
  // as: toOpenApi builds them.
  const { schemas } = document.components as { schemas: Record<string, Schema> };
  const paths = document.paths as Record<string, Item>;
  const types = Object.entries(schemas).filter(([name]) => !FAILED.includes(name)).map((
    [name, schema],
  ) => declaration(name, schema));
  const operations = endpoints.map((endpoint) => ({
    endpoint,
    operation: operationOf(paths, endpoint),
  }));
  return `// Written by \`npm run generate\` from the contract; change it there.

${types.join("\n")}
/** Why a call failed; a newer server may know others. */
export type FailureCode =
${Object.keys(failureCodes).map((code) => `  | "${code}"`).join("\n")};

/** What an operation takes that takes nothing. */
export type Nothing = Record<never, never>;

/**
 * Every operation: what it takes, what it answers, and which of the two headers mean something to
 * it.
 */
export interface Operations {
${operations.map(({ endpoint, operation }) => memberOf(endpoint, operation)).join("\n")}
}

/** How an operation is sent. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  /** A form, or bytes as they are; absent: JSON. */
  readonly body?: "form" | "bytes";
  readonly headers?: readonly ("idempotencyKey" | "ifMatch")[];
}

/** How each is. */
export const calls: { readonly [Id in keyof Operations]: Call } = {
${operations.map(({ endpoint, operation }) => callOf(endpoint, operation)).join("\n")}
};
`;
}

function declaration(name: string, schema: Schema): string {
  const type = typeOf(schema);
  const isInterface = schema.type === "object" && type.startsWith("{");
  return isInterface ? `export interface ${name} ${type}\n` : `export type ${name} = ${type};\n`;
}

type Item = Record<string, Operation> & { additionalOperations?: Record<string, Operation> };

/** What failures look like is the client's own matter. */
const FAILED = ["ErrorEnvelope", "Problem", "OAuthError"];

function operationOf(paths: Record<string, Item>, { path, method, id }: Endpoint): Operation {
  const item = paths[path];
  const operation = item?.[method.toLowerCase()] ?? item?.additionalOperations?.[method];
  if (!operation) throw new Error(`${id} is not in the document`);
  return operation;
}

function memberOf(endpoint: Endpoint, operation: Operation): string {
  const members = operation.parameters.filter((one) => one.in !== "header").map(
    ({ name, in: place, required, schema, description }) => {
      const type = place === "query" ? queryType(schema) : "string";
      return memberLine(name, type, { isRequired: required, description }, "      ");
    },
  );
  const { requestBody } = operation;
  if (requestBody && endpoint.body !== "ignored") {
    const [content] = Object.values(requestBody.content);
    const type = endpoint.body === "bytes"
      ? "string | Uint8Array | Blob"
      : typeOf(content?.schema ?? {}, 3);
    const isRequired = requestBody.required;
    members.push(memberLine("body", type, { isRequired, description: undefined }, "      "));
  }
  const [type, answer] =
    Object.entries(operation.responses[endpoint.status ?? 200]?.content ?? {})[0] ?? [];
  const output = type?.endsWith("json") ? typeOf(answer?.schema ?? {}, 2) : "string";
  const headers = headersOf(endpoint).map((name) => `"${name}"`).join(" | ") || "never";
  const input = members.length === 0 ? "Nothing" : `{\n${members.join("\n")}\n    }`;
  return `  /** ${endpoint.summary}. ${sentMethod(endpoint)} ${endpoint.path} */
  ${endpoint.id}: {
    input: ${input};
    output: ${output};
    headers: ${headers};
  };`;
}

function callOf(endpoint: Endpoint, operation: Operation): string {
  const query = operation.parameters.filter((one) => one.in === "query").map(({ name }) => name);
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  for (const name of query) {
    if (name === "body" || names.includes(name)) throw new Error(`${endpoint.id}: ${name} twice`);
  }
  const body = endpoint.body === "bytes" ? "bytes" : endpoint.bodyEncoding;
  const headers = headersOf(endpoint);
  const call: { [name: string]: unknown; method: Method } = {
    method: sentMethod(endpoint),
    path: endpoint.path,
    ...query.length > 0 ? { query } : {},
    ...body ? { body } : {},
    ...headers.length > 0 ? { headers } : {},
  };
  return `  ${endpoint.id}: ${JSON.stringify(call)},`;
}

/**
 * The endpoint's method, or an alias where not every `fetch` passes it on: Bun sends UPDATE as GET.
 */
function sentMethod({ id, method, aliases = [] }: Endpoint): Method {
  const sent = [method, ...aliases].find((one) => one !== "UPDATE");
  if (!sent) throw new Error(`${id} has no method that every fetch sends`);
  return sent;
}

function headersOf({ headers = {} }: Endpoint): string[] {
  return [
    ..."idempotency-key" in headers ? ["idempotencyKey"] : [],
    ..."if-match" in headers ? ["ifMatch"] : [],
  ];
}

/** A query parameter as a caller writes it; in the address it is text. */
function queryType(schema: Schema): string {
  if (schema.enum?.join() === "true,false") return "boolean";
  return /^\^(-\?)?\\d/.test(schema.pattern ?? "") ? "number" : typeOf(schema, 3);
}

/** A member of an object type, with what is said of it on a line before. */
function memberLine(
  name: string,
  type: string,
  { isRequired, description }: { isRequired: boolean; description: string | undefined },
  indent: string,
): string {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  const said = description ? `${indent}/** ${description} */\n` : "";
  return `${said}${indent}${key}${isRequired ? "" : "?"}: ${type};`;
}

/** A schema as a TypeScript type, its further lines indented by so many steps. */
function typeOf(schema: Schema, depth = 0): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "unknown";
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.not) return JSON.stringify(!schema.not.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return either.map((one) => typeOf(one, depth)).join(" | ");
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeOf({ ...schema, type }, depth)).join(" | ");
  }
  switch (schema.type) {
    case "integer":
      return "number";
    case "array": {
      const item = typeOf(schema.items ?? {}, depth);
      return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
    }
    case "object":
      return objectOf(schema, depth);
    default:
      return schema.type ?? "unknown";
  }
}

function objectOf(
  { properties, required = [], additionalProperties }: Schema,
  depth: number,
): string {
  const members = Object.entries(properties ?? {});
  if (members.length === 0) {
    const isMap = typeof additionalProperties === "object";
    return `Record<string, ${isMap ? typeOf(additionalProperties, depth) : "unknown"}>`;
  }
  const indent = "  ".repeat(depth);
  const lines = members.map(([name, schema]) => {
    const { description } = schema;
    const isRequired = required.includes(name);
    return memberLine(name, typeOf(schema, depth + 1), { isRequired, description }, `${indent}  `);
  });
  if (typeof additionalProperties === "object") lines.push(`${indent}  [member: string]: unknown;`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}
