import { shownLine } from "../../kernel/shown-text.ts";

/** Domains at which anybody gets an address: who shares one of them shares no company. */
const ANYBODYS = new Set(
  ("gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com aol.com " +
    "icloud.com me.com mac.com gmx.net gmx.de gmx.com web.de t-online.de freenet.de mail.com " +
    "proton.me protonmail.com pm.me fastmail.com hey.com zoho.com yandex.ru yandex.com mail.ru " +
    "qq.com 163.com 126.com naver.com orange.fr laposte.net free.fr libero.it").split(" "),
);

/**
 * By what others of a developer's company are found: its name, as they gave it, else the domain of
 * their address, with its "@". Undefined: neither tells one.
 */
export function companyOf(
  { email, fields }: { email: string; fields: Readonly<Record<string, unknown>> },
): string | undefined {
  const given = Object.entries(fields).find(([name]) => /^(company|organi[sz]ation)$/i.test(name));
  const name = typeof given?.[1] === "string" ? shownLine(given[1]) : "";
  if ([...name].length >= 3) return name;
  const domain = email.slice(email.lastIndexOf("@") + 1).trim().toLowerCase();
  const isOwn = email.includes("@") && domain.includes(".") && !ANYBODYS.has(domain);
  return isOwn ? `@${domain}` : undefined;
}
