/** The document that the page is drawn from, as far as the page looks at it. */

/** A schema; `$ref` leads to a named one. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  deprecated?: boolean;
  readOnly?: boolean;
  writeOnly?: boolean;
}

/** A body in one media type. */
export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { $ref?: string; value?: unknown }>;
}

/** A parameter of a path, a query or a head. */
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

/** An answer, described once or in place. */
export interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref?: string; description?: string; schema?: Schema }>;
  content?: Record<string, Media>;
}

/** An operation as the document has it. */
interface OperationBase {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
}

/** How a credential is presented. */
export interface Scheme {
  type: string;
  in?: string;
  name?: string;
  scheme?: string;
}

/** The document of this server. */
export interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, unknown>>;
  webhooks: Record<string, Record<string, unknown>>;
  components: Record<string, Record<string, unknown>> & { securitySchemes: Record<string, Scheme> };
}

/** An operation of the page. */
export interface Operation extends OperationBase {
  /** The chapter that it stands in. */
  readonly tag: string;
  /** In capitals, as it is sent. */
  readonly method: string;
  /** The path, or the topic of a message. */
  readonly path: string;
  /** The server sends it: it can't be called. */
  readonly isMessage: boolean;
  /** The searched text, in small letters. */
  readonly words: string;
}

/** A chapter with its operations, in the order of the document. */
export interface Group {
  readonly name: string;
  readonly operations: readonly Operation[];
}

/** Every operation of the document under its chapter: extension methods and messages as well. */
export function groupsOf(document: Document): Group[] {
  const groups = new Map<string, Operation[]>(document.tags.map(({ name }) => [name, []]));
  const add = (items: Document["paths"], isMessage: boolean) => {
    for (const [path, { additionalOperations, ...item }] of Object.entries(items)) {
      // as: a path's item holds operations by their methods and nothing else.
      const methods = { ...item, ...additionalOperations as object } as Record<
        string,
        OperationBase
      >;
      for (const [name, given] of Object.entries(methods)) {
        const method = name.toUpperCase();
        const [tag = ""] = given.tags;
        const words = `${method} ${path} ${given.summary} ${given.operationId} ${tag}`
          .toLowerCase();
        groups.set(tag, [
          ...groups.get(tag) ?? [],
          { ...given, ...parametersOf(document, given), tag, method, path, isMessage, words },
        ]);
      }
    }
  };
  add(document.paths, false);
  add(document.webhooks, true);
  return [...groups].map(([name, operations]) => ({ name, operations }))
    .filter(({ operations }) => operations.length > 0);
}

/** An operation's parameters, where it has any, each with its schema whole. */
function parametersOf(
  document: Document,
  { parameters }: OperationBase,
): Pick<OperationBase, "parameters"> {
  if (!parameters) return {};
  const whole = (schema: Schema): Schema => {
    const { $ref: _, ...own } = schema;
    return { ...followed(document, schema), ...own };
  };
  return {
    parameters: parameters.map((one) => one.schema ? { ...one, schema: whole(one.schema) } : one),
  };
}

/** Whether an operation has each word of a search, wherever it stands. */
export function matches(operation: Operation, search: string): boolean {
  return search.toLowerCase().split(/\s+/).every((word) => operation.words.includes(word));
}

/** The target of a reference; any other value stays as it is. */
export function followed<T extends { $ref?: string }>(document: Document, given: T): T {
  if (given.$ref === undefined) return given;
  const [, , kind = "", name = ""] = given.$ref.split("/");
  // as: the document refers to its own components alone, each under its kind.
  return document.components[kind]?.[name] as T;
}

/** The last part of a reference: what a schema is called. */
export function nameOf({ $ref }: { $ref?: string }): string | undefined {
  return $ref?.slice($ref.lastIndexOf("/") + 1);
}

/** The place of an operation, or a chapter, in the page's address. */
export function addressOf({ tag, operationId }: { tag: string; operationId?: string }): string {
  const parts = operationId === undefined ? [tag] : [tag, operationId];
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** The chapter and the operation that an address names; empty where it names none. */
export function namedBy(hash: string): { tag?: string; operationId?: string } {
  if (!hash.startsWith("#/")) return {};
  try {
    const [tag, operationId] = hash.slice(2).split("/").map(decodeURIComponent);
    return { tag, operationId };
  } catch {
    // Half an escape sequence names nothing.
    return {};
  }
}
