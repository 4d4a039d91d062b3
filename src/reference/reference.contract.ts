import { z } from "zod";
import { defineEndpoint } from "../contract/endpoint.ts";

const tag = "Reference";

/** The interface as a page that can call it. */
export const referencePage = defineEndpoint({
  id: "referencePage",
  method: "GET",
  path: "/reference",
  tag,
  summary:
    "The interface as a page, which calls this server with an access token that it keeps nowhere",
  description:
    "Every operation can be tried there; those below `/v1` also as whoever is signed in to the console.",
  permission: "public",
  response: z.string(),
  contentTypes: { response: ["text/html"] },
  errors: ["unknown_path"],
});

/** What that page is made of. */
export const referenceFile = defineEndpoint({
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
});

/** What answers with a document carry, and 304 to whoever has it already. */
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
export const openapi = defineEndpoint({
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
});

/** The same for tools that do not know OpenAPI 3.2. */
export const openapi31 = defineEndpoint({
  id: "openapi31",
  method: "GET",
  path: "/openapi-3.1.json",
  tag: "Operations",
  summary: "The interface as an OpenAPI 3.1 document, where PUT stands for UPDATE",
  description:
    "For generators and for tools that don't know OpenAPI 3.2 yet. It says the same of every other operation.",
  permission: "public",
  response: z.record(z.string(), z.unknown()),
  ...kept,
  errors: [],
});
