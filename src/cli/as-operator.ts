import type { Config } from "../config.ts";
import { permissions } from "../contract/permissions.ts";
import type { ServerCall } from "../open-server.ts";
import { findFirstOrganisation } from "../features/people/organisations.store.ts";
import { withStore } from "./open-store.ts";
import { OperatorError } from "./operator-error.ts";

/** Runs a command on the store as the operator of its organisation. */
export async function asOperator<T>(
  work: (ctx: ServerCall, config: Config) => Promise<T>,
): Promise<T> {
  return await withStore(async (ctx, config) => {
    const organisation = await findFirstOrganisation(ctx.storage.reader);
    if (!organisation) {
      throw new OperatorError("the store is empty: start the server once, or run `keydesk seed`");
    }
    const principal = {
      org_id: organisation.id,
      user_id: "operator",
      token_id: "",
      permissions,
    };
    return await work({ ...ctx, principal }, config);
  });
}
