import type { Provider, ProviderFor } from "./identity-provider.ts";

/**
 * The path to which a browser comes back from a provider: a page for each, so that one can't pass
 * for another.
 */
export function returnPath(provider_id: string, audience: ProviderFor): string {
  return `${audience === "people" ? "/console" : "/portal"}/from/${provider_id}`;
}

/** The path at which a provider reports that it ended a session. */
export function logoutPath(provider_id: string, audience: ProviderFor): string {
  return `/v1${audience === "people" ? "" : "/my"}/session/provider/${provider_id}/logout`;
}

/**
 * By which address a browser comes back; undefined: by none. Without the setting that is the one by
 * which it came, where that is this machine's: a page can't choose what its browser calls itself.
 */
export function returnAddress(
  publicUrl: string,
  host: string | null,
  { id, terms }: Pick<Provider, "id" | "terms">,
): string | undefined {
  const path = returnPath(id, terms.for);
  if (publicUrl !== "") return publicUrl + path;
  const named = (host ?? "").trim().toLowerCase();
  const url = `http://${named}`;
  // Not every number is a port.
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(named) && URL.canParse(url);
  return isLocal ? new URL(url).origin + path : undefined;
}
