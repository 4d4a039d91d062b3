import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { networksOf } from "../people/address-list.ts";
import { changeAddresses } from "./key-addresses.transactions.ts";
import { key } from "./keys.contract.ts";
import { callOf, changed } from "./keys.service.ts";

/** From where the key opens. */
export const setKeyAddresses = operation({
  id: "setKeyAddresses",
  method: "PUT",
  path: "/v1/keys/{key_id}/addresses",
  tag: "Keys",
  withinScope: true,
  summary: "Set the addresses from which alone a key is valid",
  description:
    "Only of a key that was granted for some addresses alone; one that is valid from all stays so. The key itself does not change, and gateways follow within a second.",
  permission: ["approve"],
  body: z.object({
    addresses: z.array(text.trim().min(1).max(64)).min(1).max(100).meta({
      description:
        "Addresses and networks of visitors, such as `192.0.2.0/24`, instead of its own.",
    }),
  }).meta({ id: "KeyAddressesInput" }),
  response: key,
  errors: [...bodyErrors, "not_found", "key_revoked", "key_opens_from_all", "beyond_granted"],
  example: { addresses: ["192.0.2.0/24", "198.51.100.7"] },
  async serve(ctx, { params: { key_id }, body: { addresses: sent } }) {
    const { actor } = callOf(ctx, key_id, null);
    const addresses = networksOf(sent) ?? [];
    await ctx.storage.commit(changeAddresses, { actor, key_id, addresses });
    return await changed(ctx, key_id);
  },
});
