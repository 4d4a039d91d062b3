import { z } from "zod";

const text = z.string();
const place = { org_id: text, id: text, at: text, name: text };

/**
 * Something that a store calls open again since it was put back, although it was ended or narrowed
 * after the copy was made. `at`: when that was; "": not known. `name`: what people know it by.
 */
export const ending = z.union([
  z.object({ of: z.literal("key"), what: z.enum(["revoked", "suspended"]), ...place }),
  z.object({ of: z.literal("key"), what: z.literal("expires"), expires_at: text, ...place }),
  z.object({ of: z.literal("access token"), what: z.literal("revoked"), ...place }),
  z.object({ of: z.literal("person"), what: z.enum(["deactivated", "suspended"]), ...place }),
  z.object({
    of: z.literal("person"),
    what: z.literal("narrowed"),
    permissions: text,
    covers: text.nullable(),
    ...place,
  }),
  z.object({ of: z.literal("developer"), what: z.literal("deactivated"), ...place }),
  z.object({
    of: z.literal("developer's token"),
    what: z.literal("revoked"),
    developer_id: text,
    ...place,
  }),
  z.object({ of: z.literal("one-time link"), what: z.literal("withdrawn"), ...place }),
]);

export type Ending = z.output<typeof ending>;

/** How many there are of each kind, by its word; kinds of which there is none are left out. */
export function countsOf(endings: readonly Ending[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { of } of endings) counts[of] = (counts[of] ?? 0) + 1;
  return counts;
}
