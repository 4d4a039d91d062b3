import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { defineTransaction } from "../../storage/storage.ts";
import type { Branding } from "./branding.ts";
import { saveBranding } from "./branding.store.ts";

/** Replaces an organisation's brand. */
export const replaceBranding = defineTransaction(
  "branding.replace",
  async (tx, { actor, branding }: { actor: Actor; branding: Branding }): Promise<Branding> => {
    const { org_id } = actor;
    await saveBranding(tx, { org_id, document: JSON.stringify(branding) });
    const { logo, ...plainMembers } = branding;
    const detail = { ...plainMembers, logo: logo === "" ? "" : `${logo.length} characters` };
    await recordChange(tx, actor, { action: "branding.updated", object_id: org_id, detail });
    return branding;
  },
);
