import addFormats from "ajv-formats";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Endpoint, Method } from "../../src/contract/endpoint.ts";
import { version } from "../../src/kernel/version.ts";
import { type Edition, toOpenApi } from "../../src/reference/openapi.ts";
import { endpoints } from "../../src/reference/registry.ts";
import type { Example } from "./examples/examples.ts";
import { type WalkedCall, walkedCalls } from "./walk.ts";

/** What the document tells of one answer. */
export interface ToldAnswer {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: unknown }>;
}

/** An operation of the document, its answers with their references followed. */
export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  requestBody?: { required: boolean; content: Record<string, { example?: unknown }> };
  responses: Record<string, ToldAnswer>;
  parameters: {
    name: string;
    in: string;
    required: boolean;
    schema: { type?: string };
    example?: string;
  }[];
  "x-codeSamples": { source: string }[];
  "x-method"?: Method;
}

type Item = Record<string, Operation> & { additionalOperations?: Record<string, Operation> };

/** A document and its operations under each way to call them; undefined where it has none. */
export interface ReadDocument {
  readonly document: Record<string, unknown>;
  readonly paths: Record<string, Item>;
  readonly operations: readonly (WalkedCall & { operation: Operation | undefined })[];
}

/** The document of an edition. */
export function readDocument(edition: Edition = "3.2"): ReadDocument {
  const document = toOpenApi(endpoints, version, edition);
  // as: toOpenApi builds path items of operations; the validator checks that it does.
  const paths = document.paths as Record<string, Item>;
  const { responses } = document.components as { responses: Record<string, ToldAnswer> };
  const followed = (operation: Operation): Operation => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, answer]) => {
        const name = "$ref" in answer ? String(answer.$ref).split("/").at(-1) ?? "" : "";
        return [status, responses[name] ?? answer];
      }),
    ),
  });
  const operations = walkedCalls.map((call) => {
    const item = paths[call.endpoint.path];
    const found = item?.[call.method.toLowerCase()] ?? item?.additionalOperations?.[call.method];
    return { ...call, operation: found ? followed(found) : undefined };
  });
  return { document, paths, operations };
}

/** The example of an operation as the document has it; undefined where a part of it has none. */
export function exampleOf(
  { endpoint, method }: { endpoint: Endpoint; method: Method },
  operation: Operation,
): Example | undefined {
  let { path } = endpoint;
  const headers: Record<string, string> = {};
  for (const { name, in: place, required, example } of operation.parameters) {
    if (example === undefined) {
      if (required) return undefined;
    } else if (place === "path") {
      path = path.replace(`{${name}}`, example);
    } else if (place === "query") {
      path += `${path.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(example)}`;
    } else if (place === "header") {
      headers[name] = example;
    }
  }
  const { operationId, requestBody } = operation;
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
  if (requestBody?.required && content?.example === undefined) return undefined;
  const value = content?.example;
  if (value === undefined || type === undefined) {
    return { operationId, method, path, headers, body: null };
  }
  headers["content-type"] = type;
  const body = typeof value === "string" ? value : type === "application/x-www-form-urlencoded"
    // as: the schemas of forms hold texts alone.
    ? new URLSearchParams(value as Record<string, string>).toString()
    : JSON.stringify(value);
  return { operationId, method, path, headers, body };
}

/** Whether a value fits a schema of a document, and where it does not. */
export function schemaCheck(document: Record<string, unknown>) {
  // Most schemas judge a value or two: quickly compiled, not quickly run.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    inlineRefs: false,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "keydesk", components: document.components });
  const compiled = new Map<string, ValidateFunction>();
  const compile = (schema: unknown): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"keydesk#/components/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate;
  };
  return (schema: unknown, value: unknown): string[] => {
    const validate = compile(schema);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}
