import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { envelope, ok } from "../../../contract/envelope.ts";
import { id, text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { catalogueConfig, catalogueEntry } from "./catalogue.contract.ts";
import { catalogueInput, configurationInput } from "./portal.contract.ts";
import * as service from "./portal.service.ts";

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

export const getCatalogue = operation({
  id: "getCatalogue",
  method: "GET",
  path: "/api/portal/catalogue",
  tag,
  summary: "Read the organisation's catalogue; empty before there is one",
  description: "The view of the APIs in a portal: entries with their plans and texts.",
  permission: ["portal:read"],
  withinScope: true,
  response: catalogue,
  errors: [],
  serve: (ctx) => service.getCatalogue(ctx),
});

export const createCatalogue = operation({
  id: "createCatalogue",
  method: "POST",
  path: "/api/portal/catalogue",
  tag,
  summary: "Set the organisation's catalogue; the message is its id",
  description: "An organisation has one catalogue: an existing one is replaced.",
  permission: ["plans"],
  body: catalogueInput,
  keepsUnknown: true,
  response: envelope,
  errors: [...bodyErrors, "managed_by_file"],
  example: catalogueExample,
  serve: async (ctx, { body }) => ok(await service.putCatalogue(ctx, body)),
});

export const updateCatalogue = operation({
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
  errors: [...bodyErrors, "managed_by_file"],
  example: catalogueExample,
  async serve(ctx, { body }) {
    await service.putCatalogue(ctx, body);
    return ok("Data updated");
  },
});

export const getConfiguration = operation({
  id: "getConfiguration",
  method: "GET",
  path: "/api/portal/configuration",
  tag,
  summary: "Read the organisation's portal configuration; empty before there is one",
  description:
    "The settings of a portal: fields of its forms, whether requests need approval, and its mails.",
  permission: ["portal:read"],
  response: catalogueConfig.openOutput,
  errors: [],
  serve: (ctx) => service.getConfiguration(ctx),
});

export const createConfiguration = operation({
  id: "createConfiguration",
  method: "POST",
  path: "/api/portal/configuration",
  tag,
  summary: "Set the organisation's portal configuration; the message is its id",
  description: "An organisation has one configuration: an existing one is replaced.",
  permission: ["plans"],
  body: configurationInput,
  keepsUnknown: true,
  response: envelope,
  errors: [...bodyErrors, "managed_by_file"],
  example: configExample,
  serve: async (ctx, { body }) => ok(await service.putConfiguration(ctx, body)),
});

export const updateConfiguration = operation({
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
  errors: [...bodyErrors, "managed_by_file"],
  example: configExample,
  async serve(ctx, { body }) {
    await service.putConfiguration(ctx, body);
    return ok("Data updated");
  },
});
