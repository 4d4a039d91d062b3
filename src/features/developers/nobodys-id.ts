import { sha256 } from "../../kernel/sha256.ts";

/** The developer under whom keys stand that belonged to no one. The id is equal for each run. */
export function nobodysId(org_id: string): string {
  return sha256(`${org_id} keys without a developer`).slice(0, 24);
}
