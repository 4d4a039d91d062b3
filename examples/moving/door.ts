/**
 * The place where callers and the portal arrive, in front of the original and later of Keydesk:
 * what is a gateway and an address in a configuration elsewhere. One assignment switches it over;
 * calls under way end where they began.
 */

/** Whether a key opens an API: the status for the caller. */
export type Ask = (key: string, api_id: string) => Promise<number>;

/** One of the two places. */
export interface Place {
  ask: Ask;
  /** The portal's interface, and what opens it. */
  portal: { url: string; token: string };
}

/** A door that serves. */
export interface Door extends AsyncDisposable {
  readonly url: string;
  /** Calls from now on go there; resolves when the last one that went elsewhere is answered. */
  switchTo(place: Place): Promise<void>;
}

/**
 * Opens a door on a free port of this machine: `/api/portal/…` is the portal's, `/{api}/` is called
 * with a key.
 */
export function openDoor(first: Place): Door {
  let place = first;
  const underWay = new Map<Place, Set<Promise<Response>>>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const mine = place;
      const answer = answered(mine, request);
      const those = underWay.get(mine) ?? new Set();
      underWay.set(mine, those.add(answer));
      try {
        return await answer;
      } catch {
        return new Response(null, { status: 502 });
      } finally {
        those.delete(answer);
      }
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    switchTo: async (next) => {
      const before = place;
      place = next;
      await Promise.allSettled(underWay.get(before) ?? []);
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function answered({ ask, portal }: Place, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (!pathname.startsWith("/api/")) {
    const key = (request.headers.get("authorization") ?? "").replace(/^Bearer +/i, "");
    return new Response(null, { status: await ask(key, pathname.split("/")[1] ?? "") });
  }
  const headers: Record<string, string> = { authorization: portal.token };
  const again = request.headers.get("idempotency-key");
  if (again !== null) headers["idempotency-key"] = again;
  const body = await request.text();
  const { status, body: stream } = await fetch(portal.url + pathname + search, {
    method: request.method,
    headers,
    ...body === "" ? {} : { body },
  });
  return new Response(stream, { status, headers: { "content-type": "application/json" } });
}

/** Asks the original's gateway, by calling the API there. */
export function askGateway(url: string): Ask {
  return async (key, api_id) => {
    const response = await fetch(`${url}/${api_id}/`, { headers: { authorization: key } });
    await response.body?.cancel();
    return response.status;
  };
}

/** Asks Keydesk, as any gateway does; `token` needs the permission `verify` alone. */
export function askKeydesk(url: string, token: string): Ask {
  return async (key, api_id) => {
    const response = await fetch(`${url}/v1/keys/verify`, {
      method: "POST",
      headers: { authorization: token },
      body: JSON.stringify({ key, api_id }),
    });
    // Nobody is let in on a guess, and nobody is told that a key is wrong because Keydesk is away.
    if (!response.ok) return 503;
    const { valid, reason } = await response.json();
    if (valid) return 200;
    return String(reason).startsWith("over_") ? 429 : 401;
  };
}
