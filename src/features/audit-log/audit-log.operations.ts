import { z } from "zod";
import { pageOf } from "../../contract/paging.ts";
import { attachment, nextPageLink } from "../../contract/v1.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { marked } from "../../kernel/csv.ts";
import { auditEvent, auditLogQuery, exportQuery } from "./audit-log.contract.ts";
import * as service from "./audit-log.service.ts";

const tag = "Audit log";

/** The audit log. */
export const listAuditLog = operation({
  id: "listAuditLog",
  method: "GET",
  path: "/v1/audit-log",
  tag,
  summary:
    "List actions with actor and time, newest first; a page may hold fewer than `limit` and have a next",
  description:
    "The audit log by cursor, with filters by actor, object, action and time, in the order of its own log, which is equal on every node; rows that the log has not yet taken in come first, by time. It never holds a key or a token.",
  permission: ["audit"],
  withinTemporaryAccess: true,
  query: auditLogQuery,
  answerHeaders: nextPageLink,
  response: pageOf(auditEvent).meta({ id: "AuditEventList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** The audit log, whole. */
export const exportAuditLog = operation({
  id: "exportAuditLog",
  isExport: true,
  method: "GET",
  path: "/v1/audit-log/export",
  tag,
  summary: "Everything that matches as JSON lines or CSV, newest first, streamed",
  description: "With the filters of the list.",
  permission: ["audit"],
  query: exportQuery,
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["application/jsonl", "text/csv"] },
  errors: ["invalid_input"],
  serve: async (ctx, { query: { bom, ...query } }) =>
    marked(await service.exportEvents(ctx, query), bom),
});
