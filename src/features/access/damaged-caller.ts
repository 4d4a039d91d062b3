import type { Damages } from "../../calls/damages.ts";
import type { CheckedRow } from "../../changes/checked-rows.ts";

/** An access token with its person: what decides of each, and the checksums of both. */
export type CallerRow =
  & CheckedRow<"access_tokens">
  & Omit<CheckedRow<"users">, "id" | "checksum">
  & { person_checksum: string | null };

/** Whether an access token or its person is not as it was written. It is told of then. */
export async function isDamagedCaller(damages: Damages, row: CallerRow): Promise<boolean> {
  if (await damages.refuses("access_tokens", row, row.id)) return true;
  const person = { ...row, id: row.user_id, checksum: row.person_checksum };
  return await damages.refuses("users", person, row.user_id);
}
