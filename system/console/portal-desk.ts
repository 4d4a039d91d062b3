/** A desk whose developer has something in every state that their pages know. */
import type { Page } from "playwright-core";
import { mailServer } from "../../test/support/mail-server.ts";
import { type DemoServer, startDemoServer } from "./browser.ts";

const DAY_MS = 86_400_000;
const after = (ms: number) => new Date(Date.now() + ms).toISOString();

/** A desk with pages that mail codes, and what stands in it. */
export interface PortalDesk extends AsyncDisposable {
  readonly server: DemoServer;
  /** Ids of plans and keys, by the names that `fillPortal` gave them. */
  readonly ids: Readonly<Record<string, string>>;
  /** The newest code that was mailed to an address. */
  codeFor(email: string): Promise<string>;
}

/** The fields that are asked for with a key. */
const FIELDS = [{ name: "What for", required: true }, { name: "Team", required: false }];

const DOCUMENT = JSON.stringify({
  openapi: "3.0.0",
  info: { title: "Tides", version: "2" },
  paths: {
    "/stations/{station}/tides": {
      get: {
        summary: "Times and heights at a station",
        description: "In UTC, for 14 days at most.",
        parameters: [
          { name: "station", in: "path", required: true, schema: { type: "string" } },
          { name: "days", in: "query", description: "How many.", schema: { type: "integer" } },
        ],
        responses: { 200: { description: "Tides in their order" }, 404: { description: "None" } },
      },
      delete: { deprecated: true, responses: { 204: { description: "Gone" } } },
    },
  },
});

/** Opens it, with the plans and developers that the states need. */
export async function openPortalDesk(): Promise<PortalDesk> {
  const mails = await mailServer();
  const server = await startDemoServer(false, {
    KEYDESK_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    KEYDESK_MAIL_FROM: "desk@example.org",
  });
  const call = (method: string, path: string, body?: unknown) =>
    // as: each caller below knows what its call answers.
    server.call(method, path, body) as Promise<Record<string, string>>;
  const ids: Record<string, string> = {};
  await call("POST", "/v1/channels", { kind: "mail", name: "Mail", topics: ["developer.*"] });
  await call("PUT", "/v1/branding", {
    name: "Coastal Weather",
    base_url: "https://api.example.org/tides",
    support: "help@example.org",
  });
  await call("PUT", "/v1/developer-pages", { enabled: true, sign_up: "open" });
  const apis = [];
  const texts = { Tides: DOCUMENT, Waves: "openapi: [", Wind: "# Wind\n\nKnots, **not** metres." };
  for (
    const [api, plan, limits] of [
      ["Tides", "Free", { quota_max: 1000, quota_renewal_rate: 86_400 }],
      ["Tides", "Partners", { rate: 600, per: 60 }],
      ["Waves", "Trial", { quota_max: 2, quota_renewal_rate: 86_400, key_expires_in: 864_000 }],
      ["Wind", "Forecasts for the whole of the northern hemisphere", {}],
      ["Currents", "Refused once", {}],
    ] as const
  ) {
    const made = await call("POST", "/api/portal/policies", {
      name: plan,
      active: true,
      access_rights: { [api]: { api_id: api, api_name: api } },
      ...limits,
    });
    ids[plan] = made.Message ?? "";
    const documentation = api in texts
      ? (await call("POST", "/api/portal/documentation", {
        // as: the line above looked it up.
        documentation: btoa(texts[api as keyof typeof texts]),
      })).Message
      : "";
    const require_key_approval = plan !== "Free" && plan !== "Trial";
    apis.push({
      name: api,
      api_id: api,
      short_description: `All about ${api.toLowerCase()}, at 2,140 stations.`,
      long_description: `## ${api}\n\nWith a [page](https://example.org/${api}) of its own.`,
      show: true,
      policy_id: made.Message,
      documentation,
      config: { override: true, require_key_approval, key_request_fields: FIELDS },
    });
  }
  await call("POST", "/api/portal/catalogue", { apis });
  await call("POST", "/v1/developers", { id: "others", email: "others@example.org" });
  // Five that took four hours each: so long it usually takes.
  for (let n = 0; n < 5; n++) {
    const id = await asked(server, "others", ids.Partners, after(-4 * 3_600_000));
    await call("POST", `/v1/key-requests/${id}/decline`, { reason: "Not yet." });
  }
  return {
    server,
    ids,
    codeFor: async (email) => {
      while (true) {
        const mail = mails.taken.findLast(({ to }) => to.includes(email));
        const code = /\b(\d{6})\b/.exec(`${mail?.parsed.subject} ${mail?.parsed.text}`)?.[1];
        if (code !== undefined) return code;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await mails[Symbol.asyncDispose]();
    },
  };
}

/** A request that waits; by the older interface, which lets its moment be given. */
async function asked(
  server: DemoServer,
  by_user: string,
  plan: string | undefined,
  date_created = after(0),
): Promise<string> {
  const made = await server.call("POST", "/api/portal/requests", {
    by_user,
    for_plan: plan,
    apply_policies: [plan],
    date_created,
    fields: { "What for": "A map of tides for sailors", Team: "Harbour" },
    // as: the answer of the older interface.
  }) as { Message: string };
  return made.Message;
}

/** Gives a developer something in each state. Tells the ids of their keys by the states. */
export async function fillPortal(
  { server, ids }: PortalDesk,
  id: string,
): Promise<Record<string, string>> {
  const call = (method: string, path: string, body?: unknown) =>
    server.call(method, path, body) as Promise<Record<string, string>>;
  await call("POST", "/v1/developers", { id, email: `${id}@example.org`, fields: { name: "Ada" } });
  const keys: Record<string, string> = {};
  const give = async (name: string, plan: string, more: Record<string, unknown> = {}) => {
    const made = await call("POST", `/v1/developers/${id}/keys`, {
      plans: [ids[plan]],
      name,
      ...more,
    });
    keys[name] = made.key_id ?? "";
    return made.RawKey ?? "";
  };
  await give("Expired", "Partners", { expires_at: after(1000) });
  const used = await give("Used", "Free", { environment: "production" });
  for (const api_id of ["Tides", "Tides", "Waves"]) {
    await call("POST", "/v1/keys/verify", { key: used, api_id });
  }
  const spent = await give("Spent", "Trial");
  for (let n = 0; n < 3; n++) {
    await call("POST", "/v1/keys/verify", { key: spent, api_id: "Waves" });
  }
  await give("Ends in 20 days", "Partners", { expires_at: after(20.5 * DAY_MS) });
  await give("Ends in 10 days", "Partners", { expires_at: after(10.5 * DAY_MS) });
  await give("Ends in 2 days", "Partners", { expires_at: after(2.5 * DAY_MS) });
  await give("Suspended by others", "Partners");
  await call("POST", `/v1/keys/${keys["Suspended by others"]}/suspend`, { reason: "Asked for." });
  await give("Revoked", "Partners");
  await call("POST", `/v1/keys/${keys.Revoked}/revoke`, { reason: "Lost." });
  await give("Rotated", "Partners");
  await give("Mine to suspend", "Partners");
  await give("Ready", "Partners", { deliver: "one_time_link" });

  const decline = async (plan: string, reason: string | undefined) => {
    const request = await asked(server, id, ids[plan]);
    await call("POST", `/v1/key-requests/${request}/decline`, reason ? { reason } : {});
  };
  await decline("Refused once", "Tell us for which **harbours**.");
  await decline("Refused once", undefined);
  const granted = await asked(server, id, ids.Partners);
  await call("POST", `/v1/key-requests/${granted}/approve`, {
    deliver: "one_time_link",
    message: "Welcome.",
    expires_at: after(90 * DAY_MS),
    conditions: { addresses: ["192.0.2.0/24"] },
  });
  await asked(server, id, ids.Partners, after(-5 * 3_600_000));
  await asked(server, id, ids.Partners);
  const offered = await asked(server, id, ids.Partners);
  await call("POST", `/v1/key-requests/${offered}/offer`, {
    message: "Please begin with less.",
    conditions: { rate: { calls: 60, seconds: 60 }, expires_at: after(300 * DAY_MS) },
  });
  return keys;
}

/** Sends the form that leads to an address, whatever is missing in it. */
export async function send(
  page: Page,
  action: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  await Promise.all([
    page.waitForEvent("load"),
    page.evaluate(([action, fields]) => {
      const form = [...document.forms].find((one) => one.getAttribute("action") === action);
      if (!form) throw new Error(`no form leads to ${action}`);
      for (const [name, value] of Object.entries(fields)) {
        const field = form.elements.namedItem(name);
        if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
          field.value = value;
        }
      }
      form.noValidate = true;
      form.submit();
    }, [action, fields] as const),
  ]);
}
