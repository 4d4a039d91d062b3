import { givenNow, type TemporaryAccessRule } from "../../people/temporary-access.ts";
import { passkeyHostOf } from "../../people/passkey.ts";
import { passkeysOf } from "../../people/passkeys.store.ts";
import { findPerson } from "../../people/people.store.ts";
import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import type { Connection } from "../../../storage/storage.ts";
import { alarmReach } from "../../notifications/recipients.transactions.ts";

/** Whether a person can use a rule now, and how many would hear of it. */
export async function ruleHealth(
  { reader, sealer, publicUrl }: { reader: Connection; sealer: Sealer; publicUrl: string },
  org_id: string,
  rule: TemporaryAccessRule,
): Promise<{ usable: boolean; notified: { people: number; webhooks: number } }> {
  const told = await alarmReach(reader, org_id, rule.receivers);
  const isInForce = async (id: string) => {
    const person = await findPerson(reader, { org_id, id });
    return !!person && person.deactivated_at === null && person.suspended_at === null;
  };
  const host = passkeyHostOf(publicUrl);
  const canProve = async (id: string) => {
    if (rule.proof === "passkey") {
      const own = await passkeysOf(reader, { org_id, user_id: id });
      return own.some(({ rp_id }) => rp_id === host);
    }
    for (const second of rule.seconds) {
      if (second !== id && await isInForce(second)) return true;
    }
    return false;
  };
  let usable = false;
  const gives = (await givenNow(reader, sealer, org_id, rule)).length > 0;
  for (const id of gives ? rule.people : []) {
    usable ||= await isInForce(id) && await canProve(id);
  }
  return { usable, notified: told };
}
