import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { openServer } from "../../src/open-server.ts";
import { ensureFirstAccessToken } from "../../src/features/people/first-access-token.ts";
import { FIRST_TOKEN_FILE } from "../../src/store-files.ts";
import { transactions } from "../../src/transactions.ts";

/**
 * Makes the store that settings name, as the first start of a server does: an organisation with its
 * first access token, and nothing else.
 */
export async function beginStore(settings: Readonly<Record<string, string>>): Promise<void> {
  const config = readConfig(settings);
  const ctx = await openServer(config, { writer: { thread: false, transactions } });
  try {
    await ensureFirstAccessToken(ctx, {}, join(config.DATA_DIR, FIRST_TOKEN_FILE));
  } finally {
    await ctx.storage.close();
  }
}
