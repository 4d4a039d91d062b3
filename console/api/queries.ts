import { QueryClient } from "@tanstack/preact-query";
import { Failure } from "../../src/lib/failure.ts";
import { onReachable } from "./connection.ts";

/**
 * What the screens have read. Nothing secret ever enters it: a credential that is shown once is the answer of a call
 * (`api.call`) that a component keeps by itself.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      gcTime: 5 * 60_000,
      // The server's own refusals stay what they are; `Unreachable` waits for the connection, see below.
      retry: (count, error) =>
        error instanceof Failure && error.code === "unavailable" && count < 2,
      // Chromium's own idea of being online says nothing about our server.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

onReachable(() => void queries.invalidateQueries());
