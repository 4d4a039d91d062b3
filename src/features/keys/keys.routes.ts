import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { Idempotency } from "../../calls/principal.ts";
import { ok } from "../../contract/envelope.ts";
import { bind, ifMatchOf, withNextPage } from "../../http/routes.ts";
import { marked } from "../../kernel/csv.ts";
import { Failure } from "../../kernel/failure.ts";
import * as legacy from "./developer-keys.contract.ts";
import { setKeyAddresses } from "./key-addresses.contract.ts";
import { resumeKey, suspendKey } from "./key-suspension.contract.ts";
import * as contract from "./keys.contract.ts";
import { exportKeys } from "./export-keys.service.ts";
import { getKeyExpiry, setKeyExpiry } from "./key-expiry.contract.ts";
import { keyExpiry } from "./key-expiry.service.ts";
import * as service from "./keys.service.ts";
import { listKeys } from "./list-keys.service.ts";
import * as named from "./named-keys.contract.ts";
import { revokeByName, revokeOAuthClient } from "./named-keys.service.ts";

/** The life of a key; the words `export`, `find` and `labels` stand before `/{key_id}`. */
export const keyRoutes = [
  bind(contract.listKeys, async (ctx, call) => {
    const page = await listKeys(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(
    contract.exportKeys,
    async (ctx, { query: { bom, ...query } }) => marked(await exportKeys(ctx, query), bom),
  ),
  bind(contract.findKeyEndpoint, (ctx, { body }) => service.find(ctx, body.key)),
  bind(contract.listKeyLabels, (ctx) => service.labels(ctx)),
  bind(contract.getKey, (ctx, { params }) => service.get(ctx, params.key_id)),
  bind(suspendKey, (ctx, call) => {
    const { params, body } = call;
    return service.suspend(ctx, params.key_id, body, call.idempotency);
  }),
  bind(resumeKey, (ctx, call) => {
    const { params, body } = call;
    return service.change(ctx, params.key_id, "resume", body.reason, call.idempotency);
  }),
  bind(contract.revokeKey, (ctx, call) => {
    const { params, body } = call;
    return service.change(ctx, params.key_id, "revoke", body.reason, call.idempotency);
  }),
  bind(contract.restoreKey, (ctx, call) => {
    const { params, body } = call;
    return service.restore(ctx, params.key_id, body.reason, call.idempotency);
  }),
  bind(contract.rotateKeyEndpoint, (ctx, call) => {
    const { params, body } = call;
    return service.rotate(ctx, params.key_id, body, call.idempotency);
  }),
  bind(
    contract.setKeyPlans,
    (ctx, { params, body }) => service.setPlans(ctx, params.key_id, body),
  ),
  bind(
    setKeyExpiry,
    (ctx, { params, body }) => service.setExpiry(ctx, params.key_id, body.expires_at),
  ),
  bind(
    setKeyAddresses,
    (ctx, { params, body }) => service.setAddresses(ctx, params.key_id, body.addresses),
  ),
  bind(contract.setKeyLabels, (ctx, call) => {
    const { params, body } = call;
    return service.setLabels(ctx, params.key_id, body, ifMatchOf(call));
  }),
  bind(
    getKeyExpiry,
    (ctx, { params, query }) => keyExpiry(ctx, params.key_id, query.plans),
  ),
  bind(contract.issueKeyEndpoint, (ctx, call) => {
    const { params, body } = call;
    const references = ctx.settings.references === "strict" ? "strict" : "known";
    return service.issue(ctx, params.id, body, references, call.idempotency);
  }),
  bind(legacy.issueDeveloperKey, issueOf),
  bind(legacy.subscribeDeveloper, issueOf),
  bind(legacy.updateDeveloperKey, async (ctx, { params, body }) => {
    await service.setPlansOf(ctx, params.id, params.keyId, body.apply_policies);
    return ok("Data updated");
  }),
  bind(legacy.deleteDeveloperKey, async (ctx, { params }) => {
    await service.revokeOf(ctx, params.id, params.keyId);
    return ok("Data deleted");
  }),
  bind(legacy.resetKeyQuota, async (ctx, { params }) => {
    await service.resetQuotaOf(ctx, params.id, params.keyId);
    return ok("Data updated");
  }),
  bind(named.deleteOAuthClient, async (ctx, { params }) => {
    await revokeOAuthClient(ctx, params.client);
    return ok("Data deleted");
  }),
  bind(named.revokeKeyOfPlan, async (ctx, { params }) => {
    await revokeByName(ctx, params.key, params.developer);
    return ok(DELETED);
  }),
  bind(named.revokeKeyOfApi, async (ctx, { params }) => {
    await revokeByName(ctx, params.key);
    return ok(DELETED);
  }),
  bind(named.revokeNamedKey, async (ctx, { params }) => {
    await revokeByName(ctx, params.key);
    return ok(DELETED);
  }),
];

/** Issues by hand, as the older interface answers it. */
async function issueOf(
  ctx: RequestContext,
  { params, body, idempotency }: {
    params: { id: string };
    body: IssueBody;
    idempotency: Idempotency;
  },
) {
  const { references } = ctx.settings;
  const issued = await service.issue(ctx, params.id, orderOf(body), references, idempotency);
  const { key_id: _, expires_at: __, replaces: ___, claim: ____, ...shown } = issued;
  return shown;
}

type IssueBody = z.output<typeof legacy.issueDeveloperKey.body & z.ZodType>;

/**
 * What is issued by hand over the older interface. Throws `invalid_input` where no plan is named.
 */
function orderOf(
  { apply_policies = [], policy_id = "", oauth_info, fields = {} }: IssueBody,
) {
  const plans = policy_id === "" ? apply_policies : [...apply_policies, policy_id];
  if (plans.length === 0) {
    const message = "apply_policies: expected at least 1, or a policy_id";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return {
    plans,
    client: oauth_info && {
      redirect_uri: oauth_info.redirect_uri ?? "",
      app_description: fields.oauth_app_description ?? "",
      use_case: fields.oauth_use_case ?? "",
    },
  };
}

const DELETED = "Key deleted successfully.";
