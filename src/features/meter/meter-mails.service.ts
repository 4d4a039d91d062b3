import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { namesOfDevelopers } from "../developers/developer-names.store.ts";
import type { draftMeterMails } from "./meter.contract.ts";
import { shownKeys } from "./meter-keys.service.ts";
import { keysBehind } from "./meter.store.ts";

type Mails = z.output<typeof draftMeterMails.response>;
type Language = "en" | "de";

/** Keys that a draft is of, and those that are read at once. */
const MOST_KEYS = 10_000;
const AT_ONCE = 500;

/** Mails to the developers of keys that were never seen. Nothing is sent. */
export async function draftMails(
  ctx: RequestContext,
  { language }: { language: Language },
): Promise<Mails> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const now = toTimestamp(clock.now());
  const byOwner = new Map<string, { key_id: string; called: string }[]>();
  let left = MOST_KEYS;
  let more = false;
  for (let key_id: string | undefined = ""; key_id !== undefined && !more;) {
    const rows: Awaited<ReturnType<typeof keysBehind>> = await keysBehind(reader, {
      org_id,
      key_id,
      now,
    }, AT_ONCE);
    const never = rows.filter((row) => Number(row.never) === 1);
    const taken = never.slice(0, left);
    more = taken.length < never.length;
    left -= taken.length;
    const keys = await shownKeys(ctx, taken.map((one) => ({ key_id: one.key_id, calls: 0 })));
    for (const { key_id, developer_id, name, mask } of keys) {
      const own = byOwner.get(developer_id) ?? [];
      own.push({ key_id, called: name === "" ? mask : `${name} (${mask})` });
      byOwner.set(developer_id, own);
    }
    key_id = rows.length < AT_ONCE ? undefined : rows.at(-1)?.key_id;
  }
  const names = await namesOfDevelopers(reader, org_id, [...byOwner.keys()]);
  const made: Mails = { data: [], without_address: [], more };
  for (const [developer_id, own] of byOwner) {
    const { email = "", developer = "" } = names.get(developer_id) ?? {};
    const keys = own.map(({ key_id }) => key_id);
    if (email === "") made.without_address.push(...keys);
    else {
      const called = own.map((one) => one.called);
      made.data.push({ developer_id, to: email, ...texts[language](developer, called), keys });
    }
  }
  return made;
}

const texts: Record<Language, (name: string, keys: string[]) => { subject: string; text: string }> =
  {
    en: (name, keys) => ({
      subject: keys.length === 1 ? "Do you still use your key?" : "Do you still use your keys?",
      text: `${name === "" ? "Hello," : `Hello ${name},`}

we have moved our API keys to a new system. Yours came over and should work as before, but we have
not seen a call with ${keys.length === 1 ? "this key" : "these keys"} since:

${keys.map((key) => `- ${key}`).join("\n")}

If you still use ${
        keys.length === 1 ? "it" : "them"
      }, please make one call and tell us if it is refused.
If not, there is nothing to do; a word from you helps us to tidy up.
`,
    }),
    de: (name, keys) => ({
      subject: keys.length === 1
        ? "Benutzen Sie Ihren Schlüssel noch?"
        : "Benutzen Sie Ihre Schlüssel noch?",
      text: `${name === "" ? "Guten Tag," : `Guten Tag ${name},`}

wir sind mit unseren API-Schlüsseln in ein neues System umgezogen. Ihre sind mitgekommen und sollten
gehen wie zuvor, aber seither haben wir keinen Aufruf gesehen mit:

${keys.map((key) => `- ${key}`).join("\n")}

Wenn Sie noch damit arbeiten, machen Sie bitte einen Aufruf, und sagen Sie uns, falls er abgewiesen
wird. Wenn nicht, ist nichts zu tun; ein Wort von Ihnen hilft uns beim Aufräumen.
`,
    }),
  };
