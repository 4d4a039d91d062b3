import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { envelope } from "../../contract/envelope.ts";
import { id, idOrEmpty, text } from "../../contract/values.ts";

const tag = "Portal";

/** A document as a client sends it; `documentation` is base64 and kept as it came. */
export const documentInput = z.object({
  api_id: idOrEmpty.default(""),
  doc_type: z.string().max(64).default(""),
  documentation: text.default(""),
}).meta({ id: "DocumentationInput" });

/** A document as it is shown. */
const portalDocument = z.strictObject({
  id,
  api_id: text,
  doc_type: text,
  documentation: text,
}).meta({ id: "Documentation" });

const example = {
  api_id: "5e1f3c2ab4d5e6f7a8b9c0d1",
  doc_type: "swagger",
  documentation: "eyJvcGVuYXBpIjoiMy4wLjAifQ==",
};

export const createDocument = defineEndpoint({
  id: "createDocumentation",
  method: "POST",
  path: "/api/portal/documentation",
  tag,
  summary: "Add a document that catalogue entries may name; the message is its id",
  description: "The text is Base64 and kept as it came.",
  permission: ["plans"],
  body: documentInput,
  idempotent: true,
  response: envelope,
  errors: bodyErrors,
  example,
});

export const getDocument = defineEndpoint({
  id: "getDocumentation",
  method: "GET",
  path: "/api/portal/documentation/{id}",
  tag,
  summary: "Read a document",
  description: "As it came, in Base64.",
  permission: ["portal:read"],
  response: portalDocument,
  errors: ["not_found"],
});

export const updateDocument = defineEndpoint({
  id: "updateDocumentation",
  method: "PUT",
  path: "/api/portal/documentation/{id}",
  tag,
  summary: "Replace a document",
  description: "Entries that name it show the new one.",
  permission: ["plans"],
  body: documentInput,
  response: envelope,
  errors: [...bodyErrors, "not_found"],
  example,
});

export const deleteDocument = defineEndpoint({
  id: "deleteDocumentation",
  method: "DELETE",
  path: "/api/portal/documentation/{id}",
  tag,
  summary: "Delete a document; entries that name it keep its id",
  description: "Nothing else is changed.",
  permission: ["plans"],
  response: envelope,
  errors: ["not_found_for_deletion"],
});
