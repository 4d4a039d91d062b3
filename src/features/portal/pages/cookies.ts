import { Buffer } from "node:buffer";
import type { ReceivedHeaders } from "../../../../packages/http-listener/request.ts";
import { LONGEST_CREDENTIAL_HEADER } from "../../../kernel/input-limits.ts";
import { type Look, placeIn } from "./page.ts";

/** A requested code's ticket, kept by the browser that requested it. */
interface WaitingCode {
  readonly ticket: string;
  readonly email: string;
  readonly to: string;
  /** Of a sign-up. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The account at a provider that it brings along, as sealedAccount gave it. */
  readonly account?: string;
}

const CODE = "keydesk_code";
const PLACE = "keydesk_place";
const LANGUAGE = "keydesk_language";
const LOOK = "keydesk_look";
/** As long as a code can be entered, in seconds. */
const CODE_SECONDS = 600;
const YEAR_SECONDS = 31_536_000;
/** Characters; browsers keep no more than 4,096 bytes of a cookie. */
const LONGEST_CODE = 3000;

/** The cookie that keeps it; undefined: it is too long. */
export function codeCookie(waiting: WaitingCode, isSecure: boolean): string | undefined {
  const value = Buffer.from(JSON.stringify(waiting)).toString("base64url");
  return value.length > LONGEST_CODE ? undefined : cookie(CODE, value, CODE_SECONDS, isSecure);
}

/** Takes it away. */
export const noCodeCookie = (isSecure: boolean) => cookie(CODE, "", 0, isSecure);

/** The code that this browser asked for; undefined: none that can be read. */
export function waitingCode(headers: ReceivedHeaders): WaitingCode | undefined {
  try {
    const value: Partial<WaitingCode> = JSON.parse(
      Buffer.from(valueOf(headers, CODE) ?? "", "base64url").toString(),
    );
    const { ticket, email, to, fields = {}, account = "" } = value;
    if (typeof ticket !== "string" || typeof email !== "string") return undefined;
    const given = Object.entries(fields).filter(([, text]) => typeof text === "string");
    // A browser keeps what it likes; a form would have brought neither.
    const texts = [ticket, email, account, ...given.flat()].map(String);
    if (!texts.every((text) => text.isWellFormed() && !text.includes("\0"))) return undefined;
    return {
      ticket,
      email,
      to: String(to),
      fields: Object.fromEntries(given),
      ...account === "" ? {} : { account: String(account) },
    };
  } catch {
    return undefined;
  }
}

/** Keeps where a person wanted to go, while they are away at a provider. */
export const placeCookie = (to: string, isSecure: boolean) =>
  cookie(PLACE, encodeURIComponent(to), CODE_SECONDS, isSecure);

/** Takes it away. */
export const noPlaceCookie = (isSecure: boolean) => cookie(PLACE, "", 0, isSecure);

/** The page that they wanted. */
export const wantedPlace = (headers: ReceivedHeaders): string =>
  placeIn((valueOf(headers, PLACE) ?? "").replaceAll(/%2f/gi, "/").replaceAll("%25", "%"));

/** The cookie of the language that a reader chose. */
export const languageCookie = (language: string, isSecure: boolean) =>
  cookie(LANGUAGE, language, YEAR_SECONDS, isSecure);

/** The language that a reader chose; undefined: none. */
export function chosenLanguage(headers: ReceivedHeaders): string | undefined {
  const value = valueOf(headers, LANGUAGE);
  return value !== undefined && /^[a-z-]{2,20}$/.test(value) ? value : undefined;
}

/** The cookie of how a reader wants the pages. */
export const lookCookie = ({ theme, shortcuts }: Look, isSecure: boolean) =>
  cookie(LOOK, `${theme}.${shortcuts ? "keys" : "none"}`, YEAR_SECONDS, isSecure);

/** How a reader wants the pages; as their system has it where they said nothing. */
export function chosenLook(headers: ReceivedHeaders): Look {
  const [theme, keys] = valueOf(headers, LOOK)?.split(".") ?? [];
  return {
    theme: theme === "light" || theme === "dark" ? theme : "system",
    shortcuts: keys !== "none",
  };
}

function valueOf(headers: ReceivedHeaders, name: string): string | undefined {
  const header = headers.get("cookie");
  if (header === null || header.length > LONGEST_CREDENTIAL_HEADER) return undefined;
  const pair = header.split(";").map((one) => one.trim()).find((one) => one.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

function cookie(name: string, value: string, maxAge: number, isSecure: boolean): string {
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; Max-Age=${maxAge}; Path=/portal; HttpOnly${secure}; SameSite=Strict`;
}
