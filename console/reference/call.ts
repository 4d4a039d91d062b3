import type { Document, Media, Operation } from "./document.ts";

/** The input of an operation: texts by the names of parameters, and a body. */
export interface Filled {
  readonly values: Readonly<Record<string, string>>;
  /** The media type of the body; undefined without one. */
  readonly type?: string;
  /** The body as a text. */
  readonly text: string;
  /** A file in place of the text. */
  readonly file?: File;
}

/** A call that can be sent or written as a program. */
export interface Call {
  readonly method: string;
  /** Path and query behind the server's address. */
  readonly target: string;
  /** Head fields by name, without who calls. */
  readonly headers: Readonly<Record<string, string>>;
  /** The header of authentication, with the text before the credential; undefined: none. */
  readonly credential?: { readonly header: string; readonly before: string };
  readonly body?: string | File;
}

/** A body's media types that this page can send: a file goes as it is, not in a form of parts. */
export function sendable(operation: Operation): [string, Media][] {
  return Object.entries(operation.requestBody?.content ?? {})
    .filter(([type]) => type !== "multipart/form-data");
}

/** The first input of an operation: its examples, as the document has them. */
export function exampleOf(document: Document, operation: Operation): Filled {
  const values = (operation.parameters ?? []).filter(({ example }) => example !== undefined)
    .map(({ name, example }) => [name, String(example)]);
  const [first] = sendable(operation);
  return {
    values: Object.fromEntries(values),
    text: first ? bodyText(document, ...first) : "",
    ...first ? { type: first[0] } : {},
  };
}

/** The example of a body as it is typed: JSON in lines, a form in one. */
export function bodyText(document: Document, type: string, media: Media): string {
  const example = exampleIn(document, media);
  if (example === undefined) return "";
  if (typeof example === "string" && !isJson(type)) return example;
  if (type === "application/x-www-form-urlencoded") {
    // as: the schemas of forms hold texts alone.
    return String(new URLSearchParams(example as Record<string, string>));
  }
  return JSON.stringify(example, null, 2);
}

/** The first example of a body or an answer; undefined without one. */
export function exampleIn(document: Document, { example, examples }: Media): unknown {
  if (example !== undefined) return example;
  const [first] = Object.values(examples ?? {});
  if (first?.$ref === undefined) return first?.value;
  const name = first.$ref.slice(first.$ref.lastIndexOf("/") + 1);
  // as: an example of the document, which holds a value.
  return (document.components.examples?.[name] as { value?: unknown } | undefined)?.value;
}

/** Whether a media type is JSON, in any of its dialects. */
export function isJson(type: string): boolean {
  return /[/+]json\b/.test(type);
}

/** The call that the fields say. Empty fields of queries and heads are left out. */
export function callOf(document: Document, operation: Operation, filled: Filled): Call {
  const headers: Record<string, string> = {};
  const query: string[] = [];
  let path = operation.path;
  for (const { name, in: place } of operation.parameters ?? []) {
    const value = filled.values[name] ?? "";
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value === "") continue;
    else if (place === "query") query.push(`${name}=${encodeURIComponent(value)}`);
    else headers[name] = value;
  }
  const body = filled.file ?? filled.text;
  const hasBody = filled.type !== undefined && (filled.file !== undefined || body !== "");
  if (hasBody) headers["content-type"] = filled.type ?? "";
  const credential = credentialOf(document, operation);
  return {
    method: operation.method,
    target: path + (query.length > 0 ? `?${query.join("&")}` : ""),
    headers,
    ...credential ? { credential } : {},
    ...hasBody ? { body } : {},
  };
}

/** How an access token goes with an operation: in the first scheme that is a head field. */
function credentialOf(document: Document, { security = [] }: Operation): Call["credential"] {
  for (const name of security.flatMap((one) => Object.keys(one))) {
    const scheme = document.components.securitySchemes[name];
    if (scheme?.type === "http" && scheme.scheme === "bearer") {
      return { header: "authorization", before: "Bearer " };
    }
    if (scheme?.type === "apiKey" && scheme.in === "header") {
      return { header: (scheme.name ?? "").toLowerCase(), before: "" };
    }
  }
  return undefined;
}

/** The names of path parameters that are still empty. */
export function missing(operation: Operation, { values }: Filled): string[] {
  return (operation.parameters ?? [])
    .filter(({ name, in: place }) => place === "path" && (values[name] ?? "") === "")
    .map(({ name }) => name);
}
