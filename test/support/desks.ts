import { readConfig } from "../../src/config.ts";
import { permissions } from "../../src/contract/permissions.ts";
import { openServer, type ServerCall } from "../../src/open-server.ts";
import { ensureFirstAccessToken } from "../../src/features/people/first-access-token.ts";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { transactions } from "../../src/transactions.ts";
import type { Engine } from "./desk.ts";
import { makeStoreFolder } from "./memory-folder.ts";
import { PATIENT_POSTGRES } from "./patient-postgres.ts";
import { copyMigrated, createMigrated } from "./migrated-stores.ts";

/** One of several desks: what services take, and where its SQLite file lies. */
export type OneDesk = ServerCall & { readonly databaseFile: string };

/** Several desks, each with connections of its own, over one store. */
export async function withDesks(
  engine: Engine,
  count: number,
  test: (desks: readonly OneDesk[]) => Promise<void>,
): Promise<void> {
  const folder = await makeStoreFolder("keydesk-contend-");
  const config = readConfig({
    KEYDESK_DATA_DIR: folder,
    ...engine === "postgres"
      ? {
        ...PATIENT_POSTGRES,
        KEYDESK_DATABASE_URL: await createMigrated(),
        KEYDESK_SEALING_KEY: newSealingKey(),
      }
      : {},
  });
  if (engine === "sqlite") await copyMigrated(config.databaseFile);
  const desks: OneDesk[] = [];
  try {
    for (let n = 0; n < count; n++) {
      const ctx = await openServer(config, { writer: { thread: false, transactions } });
      const { org_id } = await ensureFirstAccessToken(ctx, {}, `${folder}/credential`);
      const principal = { org_id, user_id: `user-${n}`, token_id: `token-${n}` };
      desks.push({
        ...ctx,
        databaseFile: config.databaseFile,
        principal: { ...principal, permissions: [...permissions] },
      });
    }
    await test(desks);
  } finally {
    for (const desk of desks) await desk.storage.close();
    await Deno.remove(folder, { recursive: true });
  }
}
