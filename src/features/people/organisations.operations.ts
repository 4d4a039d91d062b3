import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, idempotentCall } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { type Page, pageOf } from "../../contract/paging.ts";
import { nextPageLink, pageQuery } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { Failure } from "../../kernel/failure.ts";
import { OWN_ID } from "../../kernel/ids.ts";
import { byId, type PageQuery, walk } from "../../kernel/walk.ts";
import { newAccessToken } from "./access-token.ts";
import { findFirstOrganisation, organisationsBelow } from "./organisations.store.ts";
import { createOrganisation as createOrganisationChange } from "./organisations.transactions.ts";
import { nameInput } from "./people.contract.ts";

const tag = "Organisations";

/** An organisation, as the operator sees it: nothing of what is in it. */
const organisation = z.strictObject({ id: text, name: text, date_created: timestamp })
  .meta({ id: "Organisation" });

/** Organisations of this server. */
export const listOrganisations = operation({
  id: "listOrganisations",
  method: "GET",
  path: "/v1/organisations",
  tag,
  summary: "List organisations, newest first; for the server administrator, within the first one",
  description: "Each organisation's data is its own: no access token reaches another's.",
  permission: ["operator"],
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(organisation).meta({ id: "OrganisationList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** A further organisation. */
export const createOrganisation = operation({
  id: "createOrganisation",
  method: "POST",
  path: "/v1/organisations",
  tag,
  summary:
    "Make an organisation with its first administrator, whose access token is shown this once",
  description:
    "The administrator's access token is valid for the new organisation alone. An `id` imports one from another system, whose keys and certificates begin with it.",
  permission: ["operator"],
  needsFreshSignIn: true,
  body: z.object({
    id: z.string().regex(OWN_ID, { error: "expected 24 lower-case hexadecimal digits" }).optional()
      .meta({ description: "Its id, such as it had in another system; absent: a fresh one." }),
    name: nameInput,
    administrator: nameInput,
  }).meta({ id: "OrganisationInput" }),
  idempotent: true,
  response: z.strictObject({
    id: text,
    name: text,
    date_created: timestamp,
    administrator: z.strictObject({ person_id: text, access_token_id: text, access_token: text }),
  }).meta({ id: "CreatedOrganisation" }),
  errors: [...bodyErrors, "organisation_exists"],
  example: { name: "Weather Service", administrator: "Grace" },
  async serve(ctx, { body, idempotency }) {
    const now = ctx.clock.now();
    const made = await ctx.storage.commit(createOrganisationChange, {
      actor: actorOf(ctx.principal, now),
      ...body,
      credential: newAccessToken(),
      longestMs: ctx.settings.longestTokenMs,
      idempotency: idempotentCall(ctx.principal, now, idempotency),
    });
    // Kept answers of `Idempotency-Key` have the former names.
    const { person_id, credential_id, credential } = made.administrator;
    const administrator = { person_id, access_token_id: credential_id, access_token: credential };
    return { ...made, administrator };
  },
});

/** Organisations, newest first. Throws `access_denied` outside the first one. */
async function list(
  ctx: RequestContext,
  query: PageQuery,
): Promise<Page<{ id: string; name: string; date_created: string }>> {
  const { storage: { reader }, principal } = ctx;
  const first = await findFirstOrganisation(reader);
  if (first?.id !== principal.org_id) throw new Failure("access_denied");
  const { rows, next_cursor } = await walk(
    byId("organisations", (below, limit) => organisationsBelow(reader, { below }, limit)),
    query,
  );
  return { data: rows, next_cursor };
}
