import { listAuditLog } from "../../api/endpoints.ts";
import { usePlans } from "../../api/plans.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Time } from "../../parts/time.tsx";
import { listed } from "../../said.ts";
import type { Key } from "../../parts/keys/key.ts";

const words: Record<string, string> = {
  "key.issued": "issued it",
  "key.imported": "imported it",
  "key.migrated": "migrated it from a gateway at its first call",
  "key.suspended": "suspended it",
  "key.leaked": "found it reported as leaked",
  "key.leak_dismissed": "said that it has not leaked",
  "key.resumed": "resumed it",
  "key.revoked": "revoked it",
  "key.restored": "brought it back",
  "key.rotated": "rotated it",
  "key.plans_changed": "changed its plans",
  "key.addresses_changed": "changed from where it is valid",
  "key.expiry_changed": "changed its expiry",
  "key.labels_changed": "changed its name or tags",
  "key.quota_reset": "began its quota anew",
  "key.unused": "warned that it is unused",
  "key.kept": "said that it is needed",
  "key.elsewhere_changed": "said whether it is valid elsewhere",
  "key.review_due": "reminds of looking at it again",
  "key.rehashed": "was the first to use it",
};

/** The first events of a key. */
const FIRST = ["key.issued", "key.migrated"];

const SHOWN = 20;

/** The history of a key, newest first: out of the audit log, for people who may read it. */
export function KeyHistory({ of: { key_id, created } }: { of: Key }) {
  const plans = usePlans();
  const events = useCall(["audit-log", "of", key_id], listAuditLog, {
    query: { object_id: key_id, limit: SHOWN },
  }, { enabled: may("audit"), gcTime: 30_000 }).data;
  const auditLog = events?.data ?? [];
  // Older than the audit log, or further down in it; and all that those may know who don't read the
  // audit log.
  const isWhole = auditLog.some(({ action }) => FIRST.includes(action));
  const detailOf = (detail: Readonly<Record<string, unknown>>): string => {
    if (typeof detail["reason"] === "string") return detail["reason"];
    if (Array.isArray(detail["plans"])) {
      return listed(detail["plans"].map((id) => plans.get(String(id))?.name ?? String(id)));
    }
    return "";
  };
  return (
    <>
      <h3 class="group-title">History</h3>
      <ol class="history">
        {auditLog.map((event) => (
          <li key={event.id}>
            <span>
              {event.actor_name} {words[event.action] ?? event.action.replace(/^.*\./, "")}
              {detailOf(event.detail) !== "" && (
                <span class="line-2 history-detail">{detailOf(event.detail)}</span>
              )}
            </span>
            <Time at={event.at} />
          </li>
        ))}
        {!isWhole && (
          <li>
            <span>Created</span>
            <Time at={created} />
          </li>
        )}
      </ol>
    </>
  );
}
