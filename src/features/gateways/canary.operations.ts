import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { type Page, pageOf } from "../../contract/paging.ts";
import { nextPageLink, pageQuery } from "../../contract/v1.ts";
import { text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { source, walk } from "../../kernel/walk.ts";
import { canaryRunList } from "./canary.contract.ts";
import { requireGateway, runs } from "./canary.service.ts";
import { unknownKeysBehind } from "./unknown-keys.store.ts";

const tag = "Gateways";

/** One a minute. */
export const listCanaryRuns = operation({
  id: "listCanaryRuns",
  method: "GET",
  path: "/v1/gateways/{id}/canary",
  tag,
  summary: "Read how long a gateway took to accept a key and to refuse it, minute by minute",
  description:
    "Each minute a key of Keydesk's own is made at the gateway, used and revoked; the oldest first. They are kept for a day.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  query: z.object({
    hours: z.string().regex(/^([1-9]|1\d|2[0-4])$/, { error: "expected hours from 1 to 24" })
      .meta({ type: "integer", minimum: 1, maximum: 24 }).transform(Number).default(1)
      .meta({ description: "Of so many hours, 1 to 24." }),
  }),
  response: canaryRunList,
  errors: ["invalid_input", "not_found"],
  serve(ctx, { params, query }) {
    return runs(ctx, params.id, query.hours);
  },
});

const listUnknownKeysAtGatewayQuery = z.object({ ...pageQuery });

/** Keys there that no one decided here. */
export const listUnknownKeysAtGateway = operation({
  id: "listUnknownKeysAtGateway",
  method: "GET",
  path: "/v1/gateways/{id}/unknown-keys",
  tag,
  summary: "List keys at a gateway that were not decided in Keydesk, by their names at the gateway",
  description: "As the last comparison found them. They are never touched.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  query: listUnknownKeysAtGatewayQuery,
  answerHeaders: nextPageLink,
  response: pageOf(
    z.strictObject({ name: text.meta({ description: "Its name at the gateway." }) })
      .meta({ id: "UnknownKey" }),
  ).meta({ id: "UnknownKeyList" }),
  errors: ["invalid_input", "not_found"],
  async serve(ctx, call) {
    const page = await unknownKeys(ctx, call.params.id, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** A page of keys there that no one decided here. Throws `not_found`. */
async function unknownKeys(
  ctx: RequestContext,
  id: string,
  query: z.output<typeof listUnknownKeysAtGatewayQuery>,
): Promise<Page<{ name: string }>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  await requireGateway(ctx, id);
  const place = { org_id, gateway_id: id };
  const names = source(
    (behind, limit) => unknownKeysBehind(reader, { ...place, behind: behind.id }, limit),
    ({ name }: { name: string }) => ({ sort: "", id: name }),
  );
  const order = `unknown keys ${id}`;
  const page = await walk({ order, first: { sort: "", id: "" }, sources: [names] }, query);
  return { data: page.rows, next_cursor: page.next_cursor };
}
