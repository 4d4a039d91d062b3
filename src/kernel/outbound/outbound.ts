/** One call to another server. */
export interface OutboundCall {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** After what time the whole call is given up. */
  timeoutMs: number;
  /** Bytes of the answer that are kept. */
  keptBytes: number;
}

/** What the other server answered. */
export interface OutboundAnswer {
  status: number;
  headers: Headers;
  /** At most `keptBytes` of it. */
  body: string;
  durationMs: number;
}

/** Thrown where the settings do not allow a call. Nothing was sent. */
export class OutboundDenied extends Error {
  constructor(
    readonly host: string,
    readonly reason: "not_named" | "private_address" | "not_https",
    readonly setting: "KEYDESK_OUTBOUND",
  ) {
    super(`${host}: ${reason}; ${setting} says which hosts are called`);
  }
}

/** The way out. No redirect is followed. Throws OutboundDenied, or an Error where no answer came. */
export interface Outbound {
  send(call: OutboundCall): Promise<OutboundAnswer>;
}

/** Calls any host over https, and loopback over http too. */
export function openOutbound(): Outbound {
  return { send };
}

async function send(call: OutboundCall): Promise<OutboundAnswer> {
  const { protocol, hostname } = new URL(call.url);
  if (protocol !== "https:" && !isLoopback(hostname)) {
    throw new OutboundDenied(hostname, "not_https", "KEYDESK_OUTBOUND");
  }
  const started = performance.now();
  const response = await fetch(call.url, {
    method: call.method,
    headers: call.headers,
    body: (call.body ?? null) as BodyInit | null,
    redirect: "manual",
    signal: AbortSignal.timeout(call.timeoutMs),
  });
  const body = await firstOf(response, call.keptBytes);
  const { status, headers } = response;
  return { status, headers, body, durationMs: performance.now() - started };
}

async function firstOf(response: Response, most: number): Promise<string> {
  if (!response.body) return "";
  const kept = new Uint8Array(most);
  let n = 0;
  for await (const chunk of response.body) {
    kept.set(chunk.subarray(0, most - n), n);
    n += Math.min(chunk.length, most - n);
    if (n === most) break;
  }
  return new TextDecoder().decode(kept.subarray(0, n));
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
