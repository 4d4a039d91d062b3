import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import type { ProvedAccount } from "../../people/identity-providers/provider-answer.ts";

/** For how long an account that signs no one in yet may be signed up with, in milliseconds. */
const PENDING_MS = 20 * 60 * 1000;

/** An account at a provider that was proved, and is to be linked to anyone who signs up with it. */
export type PendingAccount = Pick<ProvedAccount, "org_id" | "provider_id" | "subject">;

const place = (org_id: string) => ({
  table: "developer_identities",
  org_id,
  id: "pending",
  column: "account",
});

/** It as a text that a form carries, which no one else can make or read. */
export function sealedAccount(
  sealer: Sealer,
  { org_id, provider_id, subject }: PendingAccount,
  now: number,
): string {
  const until = now + PENDING_MS;
  return sealer.seal(place(org_id), JSON.stringify({ org_id, provider_id, subject, until }));
}

/** The account in a submitted form; undefined: it is expired, or none of ours. */
export function openedAccount(
  sealer: Sealer,
  org_id: string,
  text: string,
  now: number,
): PendingAccount | undefined {
  if (text === "" || !sealer.canOpen(place(org_id), text)) return undefined;
  // as: sealedAccount writes it, and no one else can seal.
  const { until, ...account } = JSON.parse(sealer.open(place(org_id), text)) as
    & PendingAccount
    & { until: number };
  return until > now ? account : undefined;
}
