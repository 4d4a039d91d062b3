import type { SealedPlace } from "../../kernel/sealing/sealer.ts";

/** Passkeys that a person has at once. */
export const MOST_PASSKEYS = 20;

/** For how long a challenge can be answered, in milliseconds. */
export const CHALLENGE_MS = 5 * 60 * 1000;

/** A sign-in by a passkey whose answer was looked at, and whose challenge is still to be spent. */
export interface ProvedPasskey {
  org_id: string;
  id: string;
  user_id: string;
  /** The authenticator's present counter. */
  counter: number;
  challenge: { hash: string; expires_at: string };
}

/** The sealing context of a passkey's key. */
export function passkeyPlace(org_id: string, id: string): SealedPlace {
  return { table: "passkeys", org_id, id, column: "public_key" };
}

/** For which host passkeys are made, and the one origin whose answers count. */
export interface PasskeySite {
  rpId: string;
  origin: string;
}

/** The host where no one said by which name this server is reached. */
const LOCAL = "localhost";

/**
 * For which host passkeys are made by the setting alone; undefined: its address can have none,
 * since it is neither https nor this machine, or has digits for a name.
 */
export function passkeyHostOf(publicUrl: string): string | undefined {
  if (publicUrl === "") return LOCAL;
  const { protocol, hostname } = new URL(publicUrl);
  // A parsed URL writes every address of four numbers so.
  const isAddress = hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname);
  const isSecure = protocol === "https:" || hostname === LOCAL;
  return isSecure && !isAddress ? hostname : undefined;
}

/**
 * The site with the origin. Without the setting that is the address by which the browser came, if
 * it is one of `localhost`: a page can't choose the name of its browser.
 */
export function passkeySiteOf(publicUrl: string, host: string | null): PasskeySite | undefined {
  const rpId = passkeyHostOf(publicUrl);
  if (rpId === undefined) return undefined;
  if (publicUrl !== "") return { rpId, origin: new URL(publicUrl).origin };
  const named = (host ?? "").trim().toLowerCase();
  const url = `http://${named}`;
  // Not every number is a port.
  if (!/^localhost(:\d{1,5})?$/.test(named) || !URL.canParse(url)) return undefined;
  return { rpId, origin: new URL(url).origin };
}
