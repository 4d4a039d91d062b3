import { bodyErrors } from "../../contract/endpoint.ts";
import { operation } from "../../http/operation.ts";
import { mailPreview, mailPreviewInput } from "./mail.contract.ts";
import { preview } from "./mails.service.ts";

/** A look at a mail. */
export const previewMail = operation({
  id: "previewMail",
  method: "POST",
  path: "/v1/channels/{id}/preview",
  tag: "Channels",
  summary: "Show a mail as its recipient would get it, with made-up values; nothing is sent",
  description:
    "Of a mail channel. `draft` replaces the channel's texts for this preview. If the portal's configuration words the mail, its words are shown.",
  permission: ["admin"],
  body: mailPreviewInput,
  response: mailPreview,
  errors: [...bodyErrors, "not_found"],
  example: { mail: "key_request.approved" },
  serve: (ctx, { params, body }) => preview(ctx, params.id, body),
});
