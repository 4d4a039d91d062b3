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
    "The interface as a page, which calls this server with a credential that it keeps nowhere",
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
  permission: "public",
  response: z.string(),
  contentTypes: { response: ["text/javascript", "text/css"] },
  answerHeaders: {
    vary: "`Accept-Encoding`.",
    "content-encoding": "`br` or `gzip`; absent: neither is taken.",
  },
  errors: ["unknown_path"],
});
