/** Settings of the developer pages that a store of an earlier release holds. */
import assert from "node:assert/strict";
import { readPages } from "../../../../src/features/portal/access/developer-pages.ts";

Deno.test("developer pages: what a portal's link allows is read under its former name, too", () => {
  const accessIn = (document?: string) => readPages(document).back_end_access;
  assert.equal(accessIn('{"enabled":true,"back_end_opens":"all"}'), "all");
  assert.equal(accessIn('{"back_end_access":"all"}'), "all");
  assert.equal(accessIn('{"back_end_access":"look","back_end_opens":"all"}'), "look");
  assert.equal(accessIn('{"enabled":true}'), "look");
  assert.equal(accessIn(), "look");
});
