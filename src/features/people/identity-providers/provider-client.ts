import type { ServerMetadata } from "openid-client";
import type { ServiceContext } from "../../../calls/context.ts";
import type { Provider, ProviderTerms } from "./identity-provider.ts";
import { callProvider, type Metadata, ProviderAway } from "./provider-calls.ts";

/** The errors while a client was at work. */
export interface OnTheWay {
  away?: ProviderAway;
  /** The status of the last answer, below 200 or from 300 on. */
  status?: number;
  /** The provider has answered a call. */
  isAnswered?: true;
}

/**
 * Clocks of providers and ours may differ by the first number of seconds. From the second on it is
 * reported; people can still sign in.
 */
export const TOLERANCE_S = 300;
export const REPORTED_S = 60;

type Client = typeof import("openid-client");

/**
 * A client of the provider, whose every call goes the one way out, and whose keys are read anew.
 * Throws ProviderAway where the settings lack the certificate by which it proves itself.
 */
export async function clientOf(
  { outbound }: Pick<ServiceContext, "outbound">,
  { terms }: Pick<Provider, "terms">,
  metadata: Metadata,
  now: number,
  onTheWay: OnTheWay = {},
) {
  const client = await import("openid-client");
  const byTls = terms.client_auth === "tls_client_auth";
  if (byTls && !outbound.hasClientCertificate) throw new ProviderAway(NO_CERTIFICATE);
  // A copy, since keys are kept by it. as: it was read as JSON.
  const config = new client.Configuration(
    structuredClone(metadata) as unknown as ServerMetadata,
    terms.client_id,
    {
      [client.clockSkew]: Math.round((now - Date.now()) / 1000),
      [client.clockTolerance]: TOLERANCE_S,
      use_mtls_endpoint_aliases: byTls,
    },
    await authenticationOf(client, terms, metadata),
  );
  client.enableNonRepudiationChecks(config);
  // The way out speaks it to this machine alone.
  if (new URL(terms.issuer).protocol === "http:") client.allowInsecureRequests(config);
  config[client.customFetch] = async (url, options) => {
    try {
      const { body } = options;
      const answer = await callProvider(outbound, url, {
        method: options.method,
        headers: options.headers,
        ...body === null || body === undefined ? {} : { body: String(body) },
        presentsCertificate: byTls,
      });
      onTheWay.isAnswered = true;
      if (answer.status >= 300) onTheWay.status = answer.status;
      const hasNone = answer.status === 204 || answer.status === 205 || answer.status === 304;
      const type = answer.headers.get("content-type") ?? "";
      return new Response(hasNone ? null : answer.body, {
        status: answer.status,
        headers: { "content-type": type },
      });
    } catch (error) {
      if (error instanceof ProviderAway) onTheWay.away = error;
      throw error;
    }
  };
  return { client, config };
}

/** The problem of a client that proves itself by a certificate. */
export const NO_CERTIFICATE =
  "KEYDESK_PROVIDER_CLIENT_FILE names no certificate, by which this client proves itself";

/** By which of the methods that a provider knows this client proves itself. */
export function methodOf(
  { client_auth, client_secret }: ProviderTerms,
  { token_endpoint_auth_methods_supported: methods }: Readonly<Record<string, unknown>>,
): string {
  if (client_auth === "client_secret_basic_unencoded") return "client_secret_basic";
  if (client_auth !== "auto") return client_auth;
  if (client_secret === null) return "none";
  // Without a word it takes this one (OpenID Connect Discovery 1.0, 3).
  const takesBasic = !Array.isArray(methods) || methods.includes("client_secret_basic");
  return takesBasic ? "client_secret_basic" : "client_secret_post";
}

async function authenticationOf(client: Client, terms: ProviderTerms, metadata: Metadata) {
  const secret = terms.client_secret ?? "";
  switch (methodOf(terms, metadata)) {
    case "client_secret_basic":
      return terms.client_auth === "client_secret_basic_unencoded"
        ? unencoded(terms.client_id, secret)
        : client.ClientSecretBasic(secret);
    case "client_secret_post":
      return client.ClientSecretPost(secret);
    case "private_key_jwt": {
      const { client_key } = terms;
      if (client_key === null) throw new ProviderAway("the client has no key");
      const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
      const key = await crypto.subtle.importKey("jwk", client_key, algorithm, false, ["sign"]);
      return client.PrivateKeyJwt({ key, kid: client_key.kid });
    }
    case "tls_client_auth":
      return client.TlsClientAuth();
    default:
      return client.None();
  }
}

/** Basic credentials as RFC 7617 has them: some providers decode nothing. */
function unencoded(client_id: string, secret: string): ReturnType<Client["None"]> {
  const bytes = new TextEncoder().encode(`${client_id}:${secret}`);
  const credentials = btoa(String.fromCharCode(...bytes));
  return (_server, _client, _body, headers) => {
    headers.set("authorization", `Basic ${credentials}`);
  };
}
