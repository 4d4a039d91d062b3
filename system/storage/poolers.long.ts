/**
 * PgBouncer of Debian 13, built from its source, which keeps prepared statements. In
 * `npm run test:long` alone, since its build takes most of a minute and needs Debian's gcc, make,
 * pkg-config, libevent-dev and libssl-dev.
 */
import { builtPgbouncer } from "../support/pgbouncer.ts";
import { walkBehindPooler } from "./poolers.ts";

Deno.test({
  name: "PgBouncer 1.24, transactions: two nodes work behind it, durably",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => walkBehindPooler({ program: await builtPgbouncer(), keeps: true }),
});
