/** Views of lists. */
import type { Caller, Desk } from "../picture-desk.ts";

/** Ways to look at lists that somebody keeps. */
export async function keepViews(
  desk: Desk,
  { marit, tomas }: Record<"marit" | "tomas", Caller>,
): Promise<void> {
  const add = (list: string, name: string, query: object, more: object = {}, as = marit) =>
    desk.call("POST", "/v1/views", { list, name, query, ...more }, as);
  await add("keys", "Ends soon", { state: "active", sort: "ends" }, { shared: true });
  await add("keys", "Live in shops", { environment: "production", tag: "shop" });
  await add("keys", "Partners, newest first", { tag: "partner" }, { shared: true });
  await add("key-requests", "Over two weeks", { age: "over-14d", sort: "oldest" }, {}, tomas);
}
