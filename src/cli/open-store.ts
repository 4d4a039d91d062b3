import type { ServiceContext } from "../calls/context.ts";
import type { Config } from "../config.ts";
import { openDesk } from "../desk.ts";
import { transactions } from "../transactions.ts";
import { configFromEnvironment } from "./environment.ts";
import { openingStore } from "./operator-error.ts";

/** Runs a command against the store that the settings name, beside a running server or without one. */
export async function withStore<T>(
  work: (ctx: ServiceContext, config: Config) => Promise<T>,
): Promise<T> {
  const config = configFromEnvironment();
  const ctx = await openingStore(
    config,
    () => openDesk(config, { writer: { thread: false, transactions } }),
  );
  try {
    return await work(ctx, config);
  } finally {
    await ctx.storage.close();
  }
}
