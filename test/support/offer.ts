/** A catalogue that offers plans. */
import { succeed } from "./companions.ts";
import type { TestDesk } from "./desk.ts";

/** One plan of an API, and how one gets it. */
export interface Offered {
  api: string;
  plan: string;
  approval?: "automatic" | "manual";
  fields?: unknown[];
  show?: boolean;
  active?: boolean;
  quota_max?: number;
  quota_renewal_rate?: number;
}

/** Makes plans and a catalogue that offers them. Gives the plans' ids by their names. */
export async function offer(
  desk: TestDesk,
  offered: readonly Offered[],
  credential = desk.admin,
): Promise<{ plans: Record<string, string> }> {
  const plans: Record<string, string> = {};
  for (const { api, plan: name, active = true, quota_max, quota_renewal_rate } of offered) {
    const body = {
      name,
      active,
      access_rights: { [api]: { api_id: api, api_name: api } },
      ...quota_max === undefined ? {} : { quota_max },
      ...quota_renewal_rate === undefined ? {} : { quota_renewal_rate },
    };
    const made = await succeed<{ Message: string }>(desk, "POST", "/api/portal/policies", {
      body,
      credential,
    });
    plans[name] = made.Message;
  }
  const apis = offered.map(({ api, plan, show = true, approval = "manual", fields = [] }) => ({
    name: api,
    show,
    api_id: api,
    policy_id: plans[plan],
    config: {
      override: true,
      require_key_approval: approval === "manual",
      key_request_fields: fields,
    },
  }));
  await succeed(desk, "POST", "/api/portal/catalogue", { body: { apis }, credential });
  return { plans };
}
