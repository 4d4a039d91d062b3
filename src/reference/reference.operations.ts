import { z } from "zod";
import { operation } from "../http/operation.ts";
import { StaticFiles } from "../http/static-files.ts";
import { Answer } from "../kernel/answer.ts";
import { ServedDocuments } from "./documents.ts";
import { page, pageFiles } from "./reference-page.ts";

const tag = "Reference";

/** The interface as a page that can call it. */
export const referencePage = operation({
  id: "referencePage",
  method: "GET",
  path: "/reference",
  tag,
  summary:
    "The interface as a page, which calls this server with an access token that it keeps nowhere",
  description:
    "Every operation can be tried out; those below `/v1` also as the person who is signed in to the console.",
  permission: "public",
  response: z.string(),
  contentTypes: { response: ["text/html"] },
  errors: ["unknown_path"],
  async serve(_ctx, { path }) {
    const html = page(await files.served(), path.endsWith("/"));
    return new Answer(html, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
    });
  },
});

/** Serves the files of that page. */
export const referenceFile = operation({
  id: "referenceFile",
  method: "GET",
  path: "/reference/{file}",
  tag,
  summary: "A file of that page; its name changes with its content, so that it is kept for good",
  description: "Loaded by the page itself.",
  permission: "public",
  response: z.string(),
  contentTypes: { response: ["text/javascript", "text/css"] },
  answerHeaders: {
    vary: "`Accept-Encoding`.",
    "content-encoding": "`br` or `gzip`; absent: neither is taken.",
  },
  errors: ["unknown_path"],
  serve: (_ctx, { params, headers }) => files.answer(params.file, headers.get("accept-encoding")),
});

/** The headers of an answer with a document, and of a 304 for a cached one. */
const kept = {
  headers: {
    "if-none-match": { description: "The `ETag` of the document that the caller has." },
  },
  answerHeaders: {
    etag: "Another one for each content and encoding.",
    vary: "`Accept-Encoding`.",
    "content-encoding": "`br` or `gzip`; absent: neither is taken.",
  },
  refusals: { 304: "The caller has the document already." },
  refusalHeaders: { etag: "The tag of what the caller has.", vary: "`Accept-Encoding`." },
} as const;

/** This very document. */
export const openapi = operation({
  id: "openapi",
  method: "GET",
  path: "/openapi.json",
  tag: "Operations",
  summary: "The interface as an OpenAPI 3.2 document",
  description: "The version of OpenAPI that can say the method `UPDATE`.",
  permission: "public",
  response: z.record(z.string(), z.unknown()),
  ...kept,
  errors: [],
  serve: (_ctx, { headers }) => documents.answer("openapi.json", headers),
});

/** Serves the document for tools that do not know OpenAPI 3.2. */
export const openapi31 = operation({
  id: "openapi31",
  method: "GET",
  path: "/openapi-3.1.json",
  tag: "Operations",
  summary: "The interface as an OpenAPI 3.1 document, with PUT for UPDATE",
  description:
    "For generators and for tools that don't know OpenAPI 3.2 yet. It says the same of every other operation.",
  permission: "public",
  response: z.record(z.string(), z.unknown()),
  ...kept,
  errors: [],
  serve: (_ctx, { headers }) => documents.answer("openapi-3.1.json", headers),
});

const files = new StaticFiles(pageFiles);

const documents = new ServedDocuments();

/**
 * Everything from this server, no script and no style inline, no HTML out of texts. Pictures stand
 * in the style sheet.
 */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";
