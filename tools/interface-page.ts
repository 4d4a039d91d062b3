/**
 * The interface as lines, one for each operation and each member, so that a change of it is a
 * difference of a few.
 */
import type { Endpoint } from "../src/contract/endpoint.ts";
import { neededFor, toOpenApi } from "../src/reference/openapi.ts";

/** A JSON Schema as the document has it. */
type Schema = Readonly<Record<string, unknown>>;

interface Operation {
  readonly parameters: readonly { in: string; name: string; required: boolean; schema: Schema }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { schema?: Schema }>>;
  };
  readonly responses: Readonly<
    Record<string, { content?: Readonly<Record<string, { schema?: Schema }>> }>
  >;
}

type Item =
  & Readonly<Record<string, Operation>>
  & { additionalOperations?: Readonly<Record<string, Operation>> };

/**
 * The text of docs/interface.txt. Where an endpoint or a member stands in its file changes nothing
 * of it.
 */
export function interfaceText(endpoints: readonly Endpoint[]): string {
  // as: toOpenApi builds it so.
  const { paths, components, webhooks } = toOpenApi(endpoints, "0") as unknown as {
    paths: Record<string, Item>;
    components: { schemas: Record<string, Schema> };
    webhooks: Record<string, unknown>;
  };
  const operations = endpoints.flatMap((endpoint) => {
    const item = paths[endpoint.path];
    const operation = item?.[endpoint.method.toLowerCase()] ??
      item?.additionalOperations?.[endpoint.method];
    if (!operation) throw new Error(`${endpoint.id} is not in the document`);
    return operationLines(endpoint, operation);
  });
  const types = Object.entries(components.schemas).flatMap(([name, schema]) =>
    schemaLines(name, schema)
  );
  return `The interface, a line for each operation and each member: made by \`npm run generate\` from the contracts.
\`?\` after a name: it may be absent. A type with a capital has its own lines below.

${sorted(operations)}

# Types

${sorted(types)}

# Messages to channels

${sorted(Object.keys(webhooks))}
`;
}

function operationLines(endpoint: Endpoint, operation: Operation): string[] {
  const { id, method, path, errors, aliases = [], otherPaths = [] } = endpoint;
  const at = `${path} ${method}`;
  const needs = neededFor(endpoint);
  const flags = flagsOf(endpoint);
  const status = endpoint.status ?? 200;
  return [
    `${at} = ${[id, needs, ...flags].join(", ")}`,
    ...aliases.map((alias) => `${at} also by ${alias}`),
    ...otherPaths.map((other) => `${at} also at ${other}`),
    ...operation.parameters.flatMap(({ in: place, name, required, schema }) =>
      schemaLines(`${at} ${place} ${name}${required ? "" : "?"}`, schema)
    ),
    ...bodyLines(at, endpoint, operation),
    ...contentLines(`${at} ${status}`, operation.responses[status]?.content),
    ...Object.keys(endpoint.answerHeaders ?? {}).map((name) => `${at} ${status} header ${name}`),
    ...Object.keys(endpoint.refusals ?? {}).map((refusal) => `${at} ${refusal}`),
    ...Object.keys(endpoint.refusalHeaders ?? {}).map((name) => `${at} refusal header ${name}`),
    ...errors.map((code) => `${at} fails ${code}`),
  ];
}

function flagsOf(endpoint: Endpoint): string[] {
  const names = [
    "idempotent",
    "needsFreshSignIn",
    "clientAuthentication",
    "overridable",
    "bodyOptional",
    "keepsUnknown",
    "fromOthers",
    "waitsBriefly",
    "wholeTree",
  ] as const;
  const {
    credentialHeader,
    keyParameter,
    answersSecrets: answersSecrets,
    longestBody,
    droppedMembers,
  } = endpoint;
  return [
    ...names.filter((name) => endpoint[name]),
    ...credentialHeader ? [`credential in ${credentialHeader}`] : [],
    ...keyParameter ? [`key in ${keyParameter}`] : [],
    ...answersSecrets ? [`shows secrets ${answersSecrets}`] : [],
    ...longestBody ? [`body at most ${longestBody} bytes`] : [],
    ...droppedMembers ? [`drops ${droppedMembers.join(" ")}`] : [],
  ];
}

function bodyLines(at: string, { body }: Endpoint, { requestBody }: Operation): string[] {
  if (!requestBody) return [];
  if (body === "ignored") return [`${at} body ignored`];
  return contentLines(`${at} body${requestBody.required ? "" : "?"}`, requestBody.content);
}

function contentLines(
  at: string,
  content: Readonly<Record<string, { schema?: Schema }>> = {},
): string[] {
  return Object.entries(content).flatMap(([type, { schema }]) =>
    schemaLines(type === "application/json" ? at : `${at} as ${type}`, schema ?? {})
  );
}

/** The line of a value, then those of its members: `Key.plans: array of string`. */
function schemaLines(at: string, schema: Schema): string[] {
  return [`${at}: ${typeOf(schema)}`, ...memberLines(at, schema)];
}

function memberLines(at: string, schema: Schema): string[] {
  // as: these are what JSON Schema says that they are.
  const { properties, required = [], items, additionalProperties, anyOf, oneOf } = schema as {
    properties?: Readonly<Record<string, Schema>>;
    required?: readonly string[];
    items?: Schema;
    additionalProperties?: boolean | Schema;
    anyOf?: readonly Schema[];
    oneOf?: readonly Schema[];
  };
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, member]) =>
      schemaLines(`${at}.${name}${required.includes(name) ? "" : "?"}`, member)
    ),
    ...items ? memberLines(`${at}[]`, items) : [],
    ...typeof additionalProperties === "object" ? memberLines(`${at}.*`, additionalProperties) : [],
    ...[...anyOf ?? [], ...oneOf ?? []].flatMap((one) => memberLines(at, one)),
  ];
}

/** Members that are told by lines of their own, or to people alone. */
const ELSEWHERE = [
  "properties",
  "required",
  "description",
  "title",
  "example",
  "examples",
  "type",
  "items",
  "additionalProperties",
  "propertyNames",
  "$ref",
  "anyOf",
  "oneOf",
  "not",
];

function typeOf(schema: Schema): string {
  const limits = Object.entries(schema).filter(([name]) => !ELSEWHERE.includes(name))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [kindOf(schema), ...limits].join(", ");
}

function kindOf(schema: Schema): string {
  const { $ref, type, not, items, additionalProperties, anyOf, oneOf, propertyNames } = schema as {
    $ref?: string;
    type?: string | string[];
    not?: { const: boolean };
    items?: Schema;
    additionalProperties?: boolean | Schema;
    anyOf?: readonly Schema[];
    oneOf?: readonly Schema[];
    propertyNames?: Schema;
  };
  // The document says a boolean that is always the same by the other one.
  if (not) return String(!not.const);
  if ($ref) return $ref.split("/").at(-1) ?? "";
  const either = anyOf ?? oneOf;
  if (either) return either.map((one) => typeOf(one)).join(" | ");
  if (type === "array") return `array of ${items ? `(${typeOf(items)})` : "anything"}`;
  if (type !== "object") return [type ?? "anything"].flat().join(" | ");
  const names = propertyNames && Object.keys(propertyNames).some((name) => name !== "type")
    ? ` by (${typeOf(propertyNames)})`
    : "";
  if (typeof additionalProperties !== "object") {
    return `object${additionalProperties === false ? "" : ", open"}${names}`;
  }
  return `object${names} of (${typeOf(additionalProperties)})`;
}

function sorted(lines: readonly string[]): string {
  return [...new Set(lines)].sort().join("\n");
}
