import { z } from "zod";
import { exampleIds } from "../../contract/example-ids.ts";
import { idsWithCommas } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { listMailedLinksResponse } from "./mailed-links.contract.ts";
import { mailedLinks } from "./mails.service.ts";

/** Key requests of one call. */
const MOST = 100;

/** Whether anyone who approves has a link to pass on. */
export const listMailedLinks = operation({
  id: "listMailedLinks",
  method: "GET",
  path: "/v1/key-requests/mailed",
  tag: "Key requests",
  summary:
    "Tell who would be mailed the one-time link if the caller approved these key requests now",
  description:
    "`mailed_to` is the developer's address if a mail channel sends the mail `key_request.approved` and this server's settings allow it; null: no mail is sent, and the approver passes the link on. Unknown key requests are left out.",
  permission: ["approve", "admin:read"],
  query: z.object({
    ids: idsWithCommas(MOST).meta({
      description: "Their ids, 100 at the most, with commas between them.",
      example: exampleIds.keyRequest,
    }),
  }),
  response: listMailedLinksResponse,
  errors: ["invalid_input"],
  serve: (ctx, { query }) => mailedLinks(ctx, query.ids),
});
