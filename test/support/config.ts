import { createClient } from "../../src/client/keydesk-client.ts";
import { permissions } from "../../src/contract/permissions.ts";
import { interfaceFor } from "../../src/in-process.ts";
import type { Log } from "../../src/kernel/log.ts";
import type { TestDesk } from "./desk.ts";

const silent: Log = { on: () => false, line: () => {}, raw: () => {}, flush: () => {} };

/** A client of a desk's organisation, or of another, for the operator of its server. */
export function operatorOf(
  { app: { ctx }, org_id: first }: Pick<TestDesk, "app" | "org_id">,
  org_id = first,
) {
  const principal = { org_id, user_id: "operator", token_id: "", permissions };
  return createClient({
    url: "http://desk.local",
    fetch: interfaceFor({ ...ctx, principal }, silent),
  });
}
