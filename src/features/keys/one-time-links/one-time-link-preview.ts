import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Connection } from "../../../storage/storage.ts";
import { isInForce } from "../../people/access-token.ts";
import { findAccessToken } from "../../people/access-tokens.store.ts";
import { findUserName } from "../../people/people.store.ts";
import { publicBrand } from "../../branding/public-brand.ts";
import { findDeveloper } from "../../developers/developer-accounts.store.ts";
import { namesInText } from "../../developers/developer-names.ts";
import { apiNamesOf } from "../../plans/plan.ts";
import { namesOfEveryPlan } from "../../plans/plan-counts.store.ts";
import { planViewsOf, readPlan } from "../../plans/plans.store.ts";
import { findKeyLife } from "../keys.store.ts";
import { conditionsIn, lowerLimit } from "../key-conditions.ts";
import { handsOverAccess } from "./one-time-link.ts";
import type { oneTimeLinkPreview } from "./one-time-links.contract.ts";
import { findByHash, type OneTimeLinkRow } from "./one-time-links.store.ts";

type Preview = z.output<typeof oneTimeLinkPreview>;

/** The content of a one-time link, and its recipient. */
type HandedOver = Pick<
  Preview,
  "kind" | "recipient" | "name" | "environment" | "plans" | "key_expires_at"
>;

/**
 * The preview of the one-time link of a token's hash. Throws `one_time_link_gone` if it is not
 * valid now.
 */
export async function previewOf(
  { storage: { reader }, clock }: RequestContext,
  hash: string,
): Promise<Preview> {
  const ms = clock.now();
  const oneTimeLink = await findByHash(reader, { hash });
  if (oneTimeLink?.state !== "open" || oneTimeLink.expires_at <= toTimestamp(ms)) {
    throw new Failure("one_time_link_gone");
  }
  const { org_id, created_at, expires_at } = oneTimeLink;
  const handed = handsOverAccess(oneTimeLink)
    ? await accessToken(reader, oneTimeLink, ms)
    : await key(reader, oneTimeLink, toTimestamp(ms));
  const brand = await publicBrand(reader, org_id);
  const { name, logo, colour, support, documentation, base_url, key_header } = brand;
  return {
    ...handed,
    organisation: { name, logo, colour, support, documentation },
    base_url,
    key_header,
    created_at,
    expires_at,
  };
}

type Placed = OneTimeLinkRow & { org_id: string; email: string | null };

async function key(
  db: Connection,
  { org_id, key_id, email }: Placed,
  now: string,
): Promise<HandedOver> {
  const life = await findKeyLife(db, { org_id, key_id });
  if (life?.state !== "active" || (life.expires_at !== null && life.expires_at <= now)) {
    throw new Failure("one_time_link_gone");
  }
  // as: a key's plans are stored as an array of ids.
  const ids = JSON.parse(life.plans) as string[];
  const rows = await planViewsOf(db, org_id, ids);
  const deleted = await namesOfEveryPlan(db, org_id, ids.filter((id) => !rows.has(id)));
  const developer = await findDeveloper(db, { org_id, id: life.developer_id });
  const called = developer && namesInText(developer.document);
  const own = conditionsIn(life.conditions);
  const plans = ids.map((id) => {
    const row = rows.get(id);
    if (!row) return { id, name: deleted.get(id) ?? "", apis: [], ...UNLIMITED };
    const plan = readPlan(row);
    // A plan with a rate of no period sets none.
    const rate = own?.rate && plan.per === 0
      ? own.rate
      : lowerLimit(own?.rate ?? null, { calls: plan.rate, seconds: plan.per });
    const quota = lowerLimit(own?.quota ?? null, {
      calls: plan.quota_max,
      seconds: plan.quota_renewal_rate,
    });
    return {
      id,
      name: plan.name,
      apis: apiNamesOf(plan),
      rate: rate.calls,
      per: rate.seconds,
      quota_max: quota.calls,
      quota_renewal_rate: quota.seconds,
    };
  });
  return {
    kind: life.kind === "oauth" ? "oauth_client" : "key",
    // A one-time link of older code goes to the developer as they are.
    recipient: { name: called?.developer?.trim() ?? "", email: email ?? called?.email ?? "" },
    name: life.name ?? "",
    environment: life.environment ?? "",
    plans,
    key_expires_at: life.expires_at,
  };
}

const UNLIMITED = { rate: 0, per: 0, quota_max: 0, quota_renewal_rate: 0 };

async function accessToken(
  db: Connection,
  { org_id, access_token_id }: Placed,
  now: number,
): Promise<HandedOver> {
  const token = await findAccessToken(db, { org_id, id: access_token_id });
  if (!token || !isInForce(token, now)) throw new Failure("one_time_link_gone");
  const name = await findUserName(db, { org_id, id: token.user_id }) ?? "";
  return {
    kind: "access_token",
    recipient: { name, email: "" },
    name: "",
    environment: "",
    plans: [],
    key_expires_at: token.expires_at,
  };
}
