/** A desk over a simulated disk, as the processes of a history open it, and as callers reach it. */
import { type Config, readConfig } from "../../../src/config.ts";
import { endWaitingRequests } from "../../../src/features/notifications/alerts/waiting-requests.transactions.ts";
import { createLog } from "../../../src/kernel/log.ts";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { type Application, openApplication } from "../../../src/server.ts";
import { migrateStorage } from "../../../src/storage/open-storage.ts";
import { transactions } from "../../../src/transactions.ts";
import { offerTokens } from "../../support/granted-keys.ts";
import { Crowd, type Node } from "../history/clients.ts";
import { setTable, type Table } from "../history/committee-table.ts";
import { History } from "../history/history.ts";
import { CHANNEL } from "./deliveries.ts";
import { Disk } from "./disk.ts";
import { abandonAll } from "./node-sqlite.ts";
import { useDisk } from "./sqlite-files.ts";
import { virtual } from "./virtual.ts";

/** What every history's clock shows at its beginning. */
export const BEGINS = Date.UTC(2026, 0, 31, 9);
const ADMIN = "administrator-of-every-simulated-desk";

/** A store that is made once: every history begins with a copy of its files. */
export interface Base {
  config: Config;
  files: Map<string, Uint8Array>;
  /** Where a committee works instead of a crowd. */
  committee?: { table: Table; tokenOf(request_id: string, offer_id: string): string };
}

/** Who calls: a crowd that does everything, or a committee that decides in steps. */
export type Clients = "crowd" | "committee";

/** One process, from its start to its end. */
export interface Life {
  app: Application;
  ended: Promise<void>;
  isOver: boolean;
  end(): void;
}

/**
 * Makes the store with which every history begins. `folder`: a real one, which stays empty but for
 * a mark.
 */
export async function makeBase(folder: string, clients: Clients = "crowd"): Promise<Base> {
  virtual.begin(0, BEGINS);
  const sealingKey = newSealingKey().trim();
  const config = readConfig({
    KEYDESK_DATA_DIR: folder,
    KEYDESK_ADMIN_TOKEN: ADMIN,
    KEYDESK_SEALING_KEY: sealingKey,
    // A jump of the clock is longer.
    KEYDESK_OFFER_DAYS: "1",
  });
  const disk = new Disk();
  useDisk(disk);
  await migrateStorage({ path: config.databaseFile });
  // Where the real file would be, so that who looks for one finds it.
  await Deno.writeTextFile(config.databaseFile, "simulated");
  const app = await openApp(config, transactions);
  const node = nodeOf(() => app);
  let committee: Base["committee"];
  if (clients === "committee") {
    const table = await setTable(node);
    committee = { table, tokenOf: offerTokens(sealingKey, app.first.org_id) };
  } else {
    await new Crowd(new History(), [node]).addPlan();
    const developer = { id: "dev-history", email: "dev@example.org" };
    await send(app, "POST", "/api/portal/developers", developer, {});
    await send(app, "POST", "/v1/channels", CHANNEL, {});
  }
  await app.ctx.verifier.close();
  await app.ctx.storage.close();
  abandonAll();
  return { config, files: disk.files(), ...committee ? { committee } : {} };
}

/** `onStoreEnd`: where the desk says that its process should end. */
export async function openApp(
  config: Config,
  list: typeof transactions,
  onStoreEnd = () => {},
): Promise<Application> {
  const options = {
    writer: { thread: false, transactions: list } as const,
    log: createLog("error", () => {}),
    onStoreEnd,
  };
  return await openApplication(config, options);
}

/** Ends requests whose days are over, as the engine of alerts does, but often. */
export function endsOf({ ctx: { storage }, first: { org_id } }: Application): { stop(): void } {
  const end = () => {
    const look = { org_id, holder: "simulated", now: Date.now() };
    storage.commit(endWaitingRequests, look).catch(() => {});
  };
  const timer = setInterval(end, 150);
  return { stop: () => clearInterval(timer) };
}

/** A way to whatever runs now: nothing comes back from a process that has ended meanwhile. */
export function nodeOf(running: () => Life | Application, think = () => Promise.resolve()): Node {
  return async (method, path, body, headers = {}) => {
    await think();
    await virtual.turn();
    const found = running();
    if (!("app" in found)) return await send(found, method, path, body, headers);
    const ended = found.ended.then(() => Promise.reject(new Error("the process has ended")));
    ended.catch(() => {});
    const answer = await Promise.race([send(found.app, method, path, body, headers), ended]);
    if (found.isOver) throw new Error("the process has ended");
    return answer;
  };
}

async function send(
  app: Application,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
) {
  const answer = await app.fetch(
    new Request(`http://desk.test${path}`, {
      method,
      headers: { authorization: ADMIN, ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    }),
  );
  return { status: answer.status, body: await answer.json() };
}
