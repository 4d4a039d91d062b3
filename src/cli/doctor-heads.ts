import type { Config } from "../config.ts";
import { toTimestamp } from "../kernel/clock.ts";
import type { Sealer } from "../kernel/sealing/sealer.ts";
import { followLog } from "../maintenance/audit-log/follow-log.ts";
import { headsGoToChannels } from "../maintenance/audit-log/head-news.ts";
import { HeadsUnreadable, readHeads } from "../maintenance/audit-log/kept-heads.ts";
import type { Connection } from "../storage/storage.ts";
import { fail, type Finding, ok, skip, warn } from "./doctor-findings.ts";

/** Whether the audit logs go on from the heads that servers of this machine keep outside. */
export async function* headFindings(
  { DATA_DIR, AUDIT_CHECKPOINTS_FILE, AUDIT_WITNESSES }: Config,
  reader: Connection,
  sealer: Sealer,
): AsyncGenerator<Finding, void, void> {
  try {
    const file = await readHeads(DATA_DIR);
    if (!file) {
      return yield skip(
        "audit-log",
        "compared with nothing: a running server keeps its checkpoints",
      );
    }
    if (file.accept) {
      return yield skip(
        "audit-log",
        `${file.accept.reason}: the next start takes the store as it is`,
      );
    }
    let rewound = 0;
    for (const head of file.heads) {
      const store = { storage: { reader }, sealer };
      const followed = await followLog(store, head, toTimestamp(Date.now()));
      if (followed.result !== "rewound") continue;
      rewound++;
      yield fail("audit-log", `${followed.why}; see keydesk audit verify`);
    }
    if (rewound === 0) yield ok("audit-log", "every log goes on from its checkpoint");
    if (AUDIT_CHECKPOINTS_FILE !== undefined || AUDIT_WITNESSES.length > 0) return;
    for (const { org_id } of file.heads) {
      if (await headsGoToChannels(reader, org_id)) continue;
      return yield warn("audit-log", GOES_NOWHERE);
    }
  } catch (error) {
    if (!(error instanceof HeadsUnreadable)) throw error;
    yield fail("audit-log", error.message);
  }
}

const GOES_NOWHERE =
  "no checkpoint leaves this machine, so its administrator can write another history: set KEYDESK_AUDIT_WITNESSES or KEYDESK_AUDIT_CHECKPOINTS_FILE, or add a notification channel with the topic audit_log.checkpoint";
