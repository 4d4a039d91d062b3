/** A parameter of an operation, in words. */
interface Parameter {
  readonly name: string;
  /** `path`, `query`, `header`, `cookie` or `body`, or what else the document says. */
  readonly in: string;
  readonly required: boolean;
  readonly type: string;
  readonly description: string;
}

/** An answer of an operation. */
interface OperationAnswer {
  readonly status: string;
  readonly description: string;
}

/** One operation, in words. */
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Its first tag; "": none. */
  readonly group: string;
  readonly deprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly answers: readonly OperationAnswer[];
}

/** The content of a document about an API. */
export interface Operations {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  /** How many more there are than are listed. */
  readonly left_out: number;
}

const MOST_OPERATIONS = 500;
const MOST_PARAMETERS = 50;
const MOST_ANSWERS = 20;
/** Characters of all operations together: one text may be named by each of them. */
const MOST_CHARACTERS = 400_000;
/** Characters of a line, and of a text. */
const LINE = 300;
const TEXT = 4000;
/** A reference leads to no more references than this. */
const HOPS = 8;

const METHODS = new Set([
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
  "query",
]);

type Node = Readonly<Record<string, unknown>>;

/** Whether this is an OpenAPI or Swagger document. */
export function isOpenApi(document: unknown): document is Node {
  const { openapi, swagger, paths } = objectOf(document);
  return (typeof openapi === "string" || swagger !== undefined) && isObject(paths) ||
    typeof openapi === "string";
}

/**
 * The operations of an OpenAPI document (2.0 to 3.2) as texts. Only what is shown is read, by the
 * document's own references, each at most HOPS long; parts of an unexpected form are left out.
 * Nothing in it is fetched, and no text is more than text.
 */
export function operationsOf(document: Node): Operations {
  const { title, version, description, summary } = objectOf(document.info);
  const operations: Operation[] = [];
  let count = 0;
  let room = MOST_CHARACTERS;
  for (const [path, item] of Object.entries(objectOf(document.paths))) {
    const found = objectOf(followed(document, item));
    const shared = listOf(found.parameters);
    const more = Object.entries(objectOf(found.additionalOperations));
    const named = Object.entries(found).filter(([name]) => METHODS.has(name));
    for (const [name, operation] of [...named, ...more]) {
      if (!isObject(operation)) continue;
      if (++count > MOST_OPERATIONS || room <= 0) continue;
      const one = described(document, { method: name, path, shared }, operation);
      room -= JSON.stringify(one).length;
      operations.push(one);
    }
  }
  return {
    title: line(title),
    version: line(version),
    description: text(description) || text(summary),
    operations,
    left_out: count - operations.length,
  };
}

function described(
  document: Node,
  { method, path, shared }: { method: string; path: string; shared: readonly unknown[] },
  operation: Node,
): Operation {
  const own = listOf(operation.parameters);
  const parameters = new Map<string, Parameter>();
  for (const one of [...shared, ...own].slice(0, 2 * MOST_PARAMETERS)) {
    const parameter = parameterOf(document, one);
    // An operation's own takes the place of its path's.
    if (parameter) parameters.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  const body = bodyOf(document, operation.requestBody);
  const answers = Object.entries(objectOf(operation.responses)).slice(0, MOST_ANSWERS);
  return {
    method: line(method).toUpperCase(),
    path: line(path),
    summary: line(operation.summary) || line(operation.operationId),
    description: text(operation.description),
    group: line(listOf(operation.tags)[0]),
    deprecated: operation.deprecated === true,
    parameters: [...parameters.values(), ...body].slice(0, MOST_PARAMETERS),
    answers: answers.map(([status, answer]) => ({
      status: line(status),
      description: line(objectOf(followed(document, answer)).description),
    })),
  };
}

function parameterOf(document: Node, given: unknown): Parameter | undefined {
  const parameter = objectOf(followed(document, given));
  const name = line(parameter.name);
  if (name === "") return undefined;
  return {
    name,
    in: line(parameter.in),
    required: parameter.required === true,
    // Before OpenAPI 3 the type stood in the parameter itself.
    type: typeOf(document, parameter.schema ?? parameter),
    description: text(parameter.description),
  };
}

/** The body of a request, as one parameter more. */
function bodyOf(document: Node, given: unknown): Parameter[] {
  const body = objectOf(followed(document, given));
  const [form] = Object.entries(objectOf(body.content));
  if (!form) return [];
  return [{
    name: line(form[0]),
    in: "body",
    required: body.required === true,
    type: typeOf(document, objectOf(form[1]).schema),
    description: text(body.description),
  }];
}

/** A schema in a few words: its type, and what it may be. */
function typeOf(document: Node, given: unknown): string {
  const schema = objectOf(followed(document, given));
  const type = Array.isArray(schema.type)
    ? schema.type.map(line).filter(Boolean).slice(0, 4).join(" | ")
    : line(schema.type);
  const values = listOf(schema.enum).slice(0, 12).map(line).filter(Boolean);
  if (values.length > 0) return line(values.join(", "));
  if (type === "array") {
    const items = line(objectOf(followed(document, schema.items)).type);
    return items === "" ? type : `${type} (${items})`;
  }
  const format = line(schema.format);
  return format === "" ? type : line(`${type} (${format})`);
}

/** The target of a reference within the document; undefined for one outside of it. */
function followed(document: Node, given: unknown): unknown {
  let node = given;
  for (let hop = 0; hop < HOPS; hop++) {
    if (!isObject(node)) return undefined;
    const { $ref } = node;
    if (typeof $ref !== "string") return node;
    if (!$ref.startsWith("#/") || $ref.length > LINE) return undefined;
    node = $ref.slice(2).split("/").map(unescaped).reduce<unknown>(
      (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
      document,
    );
  }
  return undefined;
}

/** RFC 6901, within an address. */
function unescaped(name: string): string {
  const plain = name.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function isObject(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const objectOf = (value: unknown): Node => isObject(value) ? value : {};
const listOf = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];

/** A text in one line, without letters that no one sees. */
function line(value: unknown): string {
  return cut(plain(value).replaceAll(/\s+/g, " ").trim(), LINE);
}

function text(value: unknown): string {
  return cut(plain(value).trim(), TEXT);
}

function plain(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return "";
  // Nothing turns the direction of what is beside it, or ends a line unseen.
  return value.slice(0, 4 * TEXT).replaceAll(/[^\P{C}\t\n\r]/gu, "").toWellFormed();
}

function cut(value: string, most: number): string {
  return value.length <= most ? value : `${value.slice(0, most - 1).toWellFormed()}…`;
}
