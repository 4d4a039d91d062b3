import type { MailName } from "../../contract/mail-names.ts";
import type { Connection } from "../../storage/storage.ts";
import { findPerson } from "../people/people.store.ts";
import { parseTail, termsOf } from "../key-requests/stored-request.ts";
import { findV1Of, type V1Row } from "../key-requests/v1.store.ts";
import { accessesOf, daysBetween, developerOf, type MailPlan, plansOf } from "./mail-access.ts";
import { quotedName } from "./mail-words.ts";
import { isToHear, mailOfOne } from "./team-mail.ts";

/** The content of such a mail besides names. */
interface WaitingFacts {
  waiting: { id: string; text: string }[];
  developer?: string;
  plans?: MailPlan[];
  asked?: string;
  ends?: string;
  days?: number;
}

/** The requests of a mail: those that still wait for its recipient; undefined: none does. */
export async function waitingFacts(
  db: Connection,
  about: {
    org_id: string;
    topic: string;
    object_id: string;
    at: string;
    gathered: readonly string[];
    recipient: { id: string };
    detail: string | null;
  },
): Promise<{ name: MailName; facts: WaitingFacts } | undefined> {
  const { org_id, topic, object_id, at, gathered, recipient } = about;
  const person = await findPerson(db, { org_id, id: recipient.id });
  if (!person) return undefined;
  // A request that was assigned twice is listed once.
  const ids = [...new Set([object_id, ...gathered])];
  const found = await findV1Of(db, org_id, ids);
  const rows: V1Row[] = [];
  for (const id of ids) {
    const row = found.find((one) => one.id === id);
    if (row && await isToHear(db, about, row, person)) rows.push(row);
  }
  const [first, ...others] = rows;
  if (!first) return undefined;
  const plansIn = (row: V1Row) => plansOf(db, org_id, termsOf(row).plans);
  if (others.length > 0) {
    const waiting: WaitingFacts["waiting"] = [];
    for (const row of rows) {
      waiting.push({
        id: row.id,
        text: `${quotedName(developerOf(row))}: ${accessesOf(await plansIn(row))}`,
      });
    }
    return { name: "key_request.waiting_several", facts: { waiting } };
  }
  const developer = developerOf(first);
  const plans = await plansIn(first);
  const { expires_at } = first;
  return {
    name: mailOfOne(topic),
    facts: {
      waiting: [{ id: first.id, text: `${developer}: ${accessesOf(plans)}` }],
      developer,
      plans,
      asked: parseTail(first).date_created,
      ...topic === "key_request.expires_soon" && expires_at !== null
        ? { ends: expires_at, days: daysBetween(at, expires_at) }
        : {},
    },
  };
}
