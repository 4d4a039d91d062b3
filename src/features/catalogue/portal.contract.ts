import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { envelope } from "../../contract/envelope.ts";
import { id, idOrEmpty, text } from "../../contract/values.ts";
import { catalogueConfig, catalogueEntry } from "./catalogue.contract.ts";

/**
 * Specification 2.6 as the portal's own configuration is sent. Keys are issued without an
 * administrator only where that is said: a `require_key_approval` that is left out is true.
 */
export const configurationInput = catalogueConfig.openInput
  .extend({ require_key_approval: z.boolean().default(true) })
  .meta({ id: "PortalConfigurationInput" });

const SAFE_CONFIG = configurationInput.parse({});

/** Specification 2.5 as an entry of the live catalogue is sent; its `config` as above. */
export const liveEntryInput = catalogueEntry.openInput
  .extend({ config: configurationInput.default(SAFE_CONFIG) })
  .meta({ id: "LiveCatalogueEntryInput" });

/** What a configuration is before there is any: nobody is approved automatically. */
export const emptyConfiguration = SAFE_CONFIG;

/** An organisation's catalogue as it is sent; `id` and `org_id` are ours. */
export const catalogueInput = z.object({
  id: idOrEmpty.optional(),
  org_id: text.optional(),
  apis: z.array(liveEntryInput).default([]),
  email: text.default(""),
}).meta({ id: "CatalogueInput" });

/** An organisation's catalogue as it is shown. */
export const catalogue = z.strictObject({
  id,
  org_id: text,
  apis: z.array(catalogueEntry.openOutput),
  email: text,
}).meta({ id: "Catalogue" });

const tag = "Portal";

const configExample = {
  key_request_fields: ["company", { name: "use_case", required: true }],
  require_key_approval: true,
  email: "apis@example.org",
};

const catalogueExample = {
  apis: [{
    name: "Weather",
    short_description: "Forecasts by the hour",
    show: true,
    api_id: "5e1f3c2ab4d5e6f7a8b9c0d1",
    policy_id: "5e1f3c2ab4d5e6f7a8b9c0d2",
    version: "v2",
    auth_type: "authToken",
    config: { override: true, require_key_approval: false },
  }],
  email: "apis@example.org",
};

export const getCatalogue = defineEndpoint({
  id: "getCatalogue",
  method: "GET",
  path: "/api/portal/catalogue",
  tag,
  summary: "Read the organisation's catalogue; empty before there is one",
  description: "What a portal shows of the APIs: entries with their plans and texts.",
  permission: ["portal:read"],
  withinScope: true,
  response: catalogue,
  errors: [],
});

export const createCatalogue = defineEndpoint({
  id: "createCatalogue",
  method: "POST",
  path: "/api/portal/catalogue",
  tag,
  summary: "Set the organisation's catalogue; the message is its id",
  description: "An organisation has one catalogue: where there is one already, it is replaced.",
  permission: ["plans"],
  body: catalogueInput,
  keepsUnknown: true,
  response: envelope,
  errors: bodyErrors,
  example: catalogueExample,
});

export const updateCatalogue = defineEndpoint({
  id: "updateCatalogue",
  method: "PUT",
  path: "/api/portal/catalogue",
  tag,
  summary: "Replace the organisation's catalogue",
  description: "Entries that are left out are gone from the catalogue; plans and keys stay.",
  permission: ["plans"],
  body: catalogueInput,
  keepsUnknown: true,
  response: envelope,
  errors: bodyErrors,
  example: catalogueExample,
});

export const getConfiguration = defineEndpoint({
  id: "getConfiguration",
  method: "GET",
  path: "/api/portal/configuration",
  tag,
  summary: "Read the organisation's portal configuration; empty before there is one",
  description:
    "What a portal goes by: fields of its forms, whether requests need approval, and its mails.",
  permission: ["portal:read"],
  response: catalogueConfig.openOutput,
  errors: [],
});

export const createConfiguration = defineEndpoint({
  id: "createConfiguration",
  method: "POST",
  path: "/api/portal/configuration",
  tag,
  summary: "Set the organisation's portal configuration; the message is its id",
  description: "An organisation has one configuration: where there is one already, it is replaced.",
  permission: ["plans"],
  body: configurationInput,
  keepsUnknown: true,
  response: envelope,
  errors: bodyErrors,
  example: configExample,
});

export const updateConfiguration = defineEndpoint({
  id: "updateConfiguration",
  method: "PUT",
  path: "/api/portal/configuration",
  tag,
  summary: "Replace the organisation's portal configuration",
  description: "Members that Keydesk does not know are kept and given back.",
  permission: ["plans"],
  body: configurationInput,
  keepsUnknown: true,
  response: envelope,
  errors: bodyErrors,
  example: configExample,
});
