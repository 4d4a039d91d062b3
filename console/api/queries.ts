import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { z } from "zod";
import type { CallInput } from "../../src/client/client.ts";
import type { BodySchema, Endpoint } from "../../src/contract/endpoint.ts";
import { api, codeOf } from "./client.ts";
import { onReachable } from "./connection.ts";
import {
  type Known,
  QueryCache,
  type QueryKey,
  type QueryOptions,
  type User,
} from "./query-cache.ts";

/** Further requests after the first, while the server says that it is busy. */
const RETRIES = 2;

/**
 * Every answer that the screens have read. No secret enters it: an access token that is shown once
 * is the answer of a call (`api.call`) that a component keeps by itself.
 */
export const queries = new QueryCache({
  // The server's own refusals stay what they are; `Unreachable` waits for the connection, see
  // below.
  pauseBeforeRetry: (failures, error) =>
    codeOf(error) === "unavailable" && failures < RETRIES ? 1000 * 2 ** failures : undefined,
});

onReachable(() => void queries.invalidateQueries());

globalThis.document?.addEventListener("visibilitychange", () => {
  if (!document.hidden) queries.refreshSeen();
});

/** How a component looks at what was read. */
interface Seen<T> {
  readonly refetchInterval?: number;
  readonly placeholderData?: (before: T | undefined) => T | undefined;
}

type Query<T> = Known<T> & { refetch: () => Promise<void> };

/**
 * The state of a key, and its reading. It is read when a component begins to use it and the answer
 * is older than `staleTime` (5 seconds), when it was invalidated, when the page comes to the front
 * again, and each `refetchInterval` milliseconds while it is there. It is forgotten `gcTime`
 * milliseconds (5 minutes) after the last component left. `placeholderData` replaces an answer that
 * is not there yet: it gets the answer of the key before.
 *
 *     const { data, error, refetch } = useQuery({
 *       queryKey: ["keys", id],
 *       queryFn: () => api.call(getKey, …),
 *     });
 */
export function useQuery<T>(options: QueryOptions<T> & Seen<T>): Query<T> {
  const { queryKey, enabled, refetchInterval: everyMs, placeholderData } = options;
  const [, show] = useState(0);
  const user = useRef<User<T>>({ options, changed: () => show((turn) => turn + 1) }).current;
  const before = useRef<T>(undefined);
  user.options = options;
  const name = JSON.stringify(queryKey);
  useLayoutEffect(() => queries.join(user), [name]);
  useLayoutEffect(() => queries.refresh(user), [name, enabled]);
  useEffect(() => {
    if (everyMs === undefined) return;
    // Several that count the same share what one of them asked for.
    const timer = setInterval(() => {
      if (!document.hidden) queries.refresh(user, everyMs / 2);
    }, everyMs);
    return () => clearInterval(timer);
  }, [name, everyMs]);
  const { data, error } = queries.peek<T>(queryKey);
  if (data !== undefined) before.current = data;
  return {
    data: data === undefined && error === null ? placeholderData?.(before.current) : data,
    error,
    refetch: () => queries.refetch(user.options),
  };
}

/** `useQuery` of what one call answers. */
export function useCall<
  Path extends string,
  Query extends z.ZodType,
  Body extends BodySchema,
  Output extends z.ZodType,
>(
  queryKey: QueryKey,
  endpoint: Endpoint<Path, Query, Body, Output>,
  input: CallInput<Path, Query, Body>,
  options?: Omit<Parameters<typeof useQuery<z.output<Output>>>[0], "queryKey" | "queryFn">,
) {
  return useQuery({ ...options, queryKey, queryFn: () => api.call(endpoint, input) });
}
