import { openedRule } from "../features/access/elevation.ts";
import { everyElevationRule } from "../features/access/elevations.store.ts";
import { ruleHealth } from "../features/elevations/rule-health.ts";
import type { Sealer } from "../kernel/sealing/sealer.ts";
import type { Connection } from "../storage/storage.ts";

/** Rules of elevations that nobody can use, can't be read, or whose alarm nobody would hear. */
export async function elevationWarnings(
  reader: Connection,
  sealer: Sealer,
  publicUrl: string,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const row of await everyElevationRule(reader)) {
    const { org_id, id } = row;
    const rule = openedRule(sealer, row);
    if (!rule) {
      sentences.push(`The rule of elevations ${id} of ${org_id} can't be read: write it anew.`);
      continue;
    }
    const called = `The rule of elevations ${JSON.stringify(rule.name)} (${id}) of ${org_id}`;
    const { usable, told } = await ruleHealth({ reader, sealer, publicUrl }, org_id, rule);
    if (!usable) {
      sentences.push(
        `${called} can be used by nobody: its people have no passkey of this host, there is no second person, or its role gives nothing.`,
      );
    }
    if (told.people + told.webhooks === 0) {
      sentences.push(
        `${called} is heard by nobody: no target mails administrators who have an address, and no webhook wants elevation.started.`,
      );
    }
  }
  return sentences;
}
