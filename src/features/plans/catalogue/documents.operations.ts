import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { envelope, ok } from "../../../contract/envelope.ts";
import { id, text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { documentInput } from "./documents.contract.ts";
import * as document from "./documents.service.ts";

const tag = "Portal";

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

export const createDocument = operation({
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
  serve: async (ctx, { body, idempotency }) => ok(await document.create(ctx, body, idempotency)),
});

export const getDocument = operation({
  id: "getDocumentation",
  method: "GET",
  path: "/api/portal/documentation/{id}",
  tag,
  summary: "Read a document",
  description: "As it came, in Base64.",
  permission: ["portal:read"],
  response: portalDocument,
  errors: ["not_found"],
  serve: (ctx, { params }) => document.get(ctx, params.id),
});

export const updateDocument = operation({
  id: "updateDocumentation",
  method: "PUT",
  path: "/api/portal/documentation/{id}",
  tag,
  summary: "Replace a document",
  description: "Entries that name it show the new one.",
  permission: ["plans"],
  body: documentInput,
  response: envelope,
  errors: [...bodyErrors, "not_found", "managed_by_file"],
  example,
  async serve(ctx, { params, body }) {
    await document.update(ctx, params.id, body);
    return ok("Data updated");
  },
});

export const deleteDocument = operation({
  id: "deleteDocumentation",
  method: "DELETE",
  path: "/api/portal/documentation/{id}",
  tag,
  summary: "Delete a document; entries that name it keep its id",
  description: "Nothing else is changed.",
  permission: ["plans"],
  response: envelope,
  errors: ["not_found_for_deletion", "managed_by_file"],
  async serve(ctx, { params }) {
    await document.remove(ctx, params.id);
    return ok("Data deleted");
  },
});
