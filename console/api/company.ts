/** The browser's side of identity providers: away to one, and what is known when it is back. */
import { beginIdentity, beginProviderSignIn } from "./identity-endpoints.ts";
import { api } from "./client.ts";
import { keep, kept } from "./kept.ts";
import { plain } from "./session.ts";

/** A provider as its button names it. */
export interface Company {
  readonly id: string;
  readonly name: string;
}

/** The reason for a visit to a provider, kept by this tab until the person is back. */
export interface Errand {
  /** `again`: a fresh sign-in for a page that waits in another tab. */
  readonly what: "sign-in" | "again" | "link";
  readonly name: string;
  /** The address to go on at afterwards. */
  readonly at: string;
}

const ERRAND = "keydesk.errand";
const LAST = "keydesk.provider";

/** Leaves for a provider. Throws what the server throws; else the page goes away. */
export async function goTo({ id, name }: Company, what: Errand["what"]): Promise<void> {
  const at = what === "again" ? "/console" : location.pathname + location.search;
  const params = { id };
  const { url } = what === "link"
    ? await api.call(beginIdentity, { params })
    : await plain.call(beginProviderSignIn, { params, body: { fresh: what === "again" } });
  try {
    sessionStorage.setItem(ERRAND, JSON.stringify({ what, name, at }));
  } catch {
    // Without storage the person starts at the beginning again.
  }
  location.assign(url);
  // The page goes away, and every waiting call with it.
  await new Promise(() => {});
}

/** Takes this tab's reason for leaving, once; without one, to sign in. */
export function takeErrand(): Errand {
  let text: string | null = null;
  try {
    text = sessionStorage.getItem(ERRAND);
    sessionStorage.removeItem(ERRAND);
  } catch {
    // As if it had kept nothing.
  }
  // as: `goTo` wrote it.
  return text === null ? { what: "sign-in", name: "", at: "/console" } : JSON.parse(text) as Errand;
}

/** The provider of the last sign-in here; undefined: none. */
export function lastCompany(): Company | undefined {
  const text = kept(LAST);
  // as: `keepCompany` wrote it.
  return text === null ? undefined : JSON.parse(text) as Company;
}

/** Keeps it, so that a sign-in over a page can offer it. */
export function keepCompany({ id, name }: Company): void {
  keep(LAST, JSON.stringify({ id, name }));
}
