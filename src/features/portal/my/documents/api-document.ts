import { Buffer } from "node:buffer";
import { parseDocument } from "yaml";
import { isOpenApi, type Operations, operationsOf } from "./openapi.ts";

/** The kinds of documents. */
export type ApiDocument =
  | { readonly kind: "none" }
  /** Too large, too slow to read, or broken. */
  | { readonly kind: "unreadable" }
  /** Markdown, as it was written. */
  | { readonly kind: "text"; readonly text: string }
  /** An address of documentation elsewhere. */
  | { readonly kind: "link"; readonly text: string }
  | ({ readonly kind: "operations" } & Operations);

/** Characters of a document that is read, as it came and of YAML, which takes longer. */
export const LONGEST_DOCUMENT = 2 * 1024 * 1024;
const LONGEST_YAML = 512 * 1024;
/** Characters of Markdown. */
export const LONGEST_MARKDOWN = 200_000;
/** How often what is named in YAML may stand for itself: a bomb of names is no document. */
const MOST_ALIASES = 100;

/**
 * Reads a document as a portal or a person left it: Base64 or not, OpenAPI as JSON or YAML, a link,
 * or Markdown. Whatever is broken, nested beyond the stack or larger than it may be is
 * `unreadable`; it never throws.
 */
export function readDocument(stored: string): ApiDocument {
  if (stored.length > LONGEST_DOCUMENT) return { kind: "unreadable" };
  const text = documentText(stored);
  if (text === "") return { kind: "none" };
  if (/^https?:\/\/\S+$/.test(text)) return { kind: "link", text: text.slice(0, 2000) };
  try {
    const document = parsed(text);
    if (document === undefined) return written(text);
    return isOpenApi(document)
      ? { kind: "operations", ...operationsOf(document) }
      : { kind: "unreadable" };
  } catch {
    return { kind: "unreadable" };
  }
}

function written(text: string): ApiDocument {
  return text.length > LONGEST_MARKDOWN ? { kind: "unreadable" } : { kind: "text", text };
}

/** The value of JSON or YAML; undefined: it is neither. Throws for a broken text. */
function parsed(text: string): unknown {
  if (text.startsWith("{")) return JSON.parse(text);
  if (!/^(openapi|swagger|["'](openapi|swagger)["'])\s*:/m.test(text.slice(0, 4096))) {
    return undefined;
  }
  if (text.length > LONGEST_YAML) throw new RangeError("longer than YAML may be");
  const document = parseDocument(text, { schema: "core", logLevel: "silent", strict: false });
  if (document.errors.length > 0) throw new SyntaxError("no YAML");
  return document.toJS({ maxAliasCount: MOST_ALIASES });
}

/** A stored document as it was written: the text within Base64, or itself. */
export function documentText(stored: string): string {
  return decoded(stored).trim();
}

/** The text within Base64; a text that is none is itself. */
function decoded(stored: string): string {
  const packed = stored.replaceAll(/\s/g, "");
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) return stored;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(packed, "base64"));
    // deno-lint-ignore no-control-regex -- what is no text by these was none in Base64.
    return /[\x00-\x08\x0e-\x1f]/.test(text) ? stored : text;
  } catch {
    return stored;
  }
}
