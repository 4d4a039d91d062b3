import { z } from "zod";
import { idOrEmpty, text } from "../../../contract/values.ts";
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

/** The configuration before there is any: no request is approved automatically. */
export const emptyConfiguration = SAFE_CONFIG;

/** An organisation's catalogue as it is sent; `id` and `org_id` are ours. */
export const catalogueInput = z.object({
  id: idOrEmpty.optional(),
  org_id: text.optional(),
  apis: z.array(liveEntryInput).default([]),
  email: text.default(""),
}).meta({ id: "CatalogueInput" });
