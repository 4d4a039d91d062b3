/** Former addresses of the console's screens lead to the present ones, whatever follows them. */
import assert from "node:assert/strict";
import { presentAddress } from "../../console/shell/former-addresses.ts";
import { formerNames } from "../../src/contract/former-names.ts";

Deno.test("former addresses: each one of the table leads to the present one", () => {
  const screens = Object.entries(formerNames.screens).filter(([one]) =>
    one.startsWith("/console/")
  );
  assert.ok(screens.length >= 7);
  for (const [former, present] of screens) {
    assert.equal(presentAddress(former.slice("/console".length)), present.slice("/console".length));
  }
});

Deno.test("former addresses: what is open, and the filters, stay", () => {
  for (
    const [former, present] of [
      ["/key-requests/a%20b?state=all", "/requests/a%20b?state=all"],
      ["/catalogue/tides?q=sea", "/apis/tides?q=sea"],
      ["/plans/free", "/apis/plans/free"],
      ["/plans?show=policy", "/apis?show=policy"],
      ["/leaks?state=open&object=key", "/keys?leaked=reports&state=open&object=key"],
      ["/migration?show=never", "/gateways/migration?show=never"],
      ["/migration?show=there&plan=a", "/gateways/migration?show=at_gateway&plan=a"],
      ["/migration/a?show=differences", "/gateways/migration/a?show=differences"],
      ["/activity/e1", "/audit-log/e1"],
      ["/deliveries/a?state=dead", "/settings/a?show=deliveries&state=dead"],
      ["/start", "/home?steps=all"],
    ] as const
  ) {
    assert.equal(presentAddress(former), present);
  }
});

Deno.test("former addresses: a present one is none", () => {
  for (const one of ["", "/", "/keys", "/requests/plans", "/apis/plans/free", "/key-requests-2"]) {
    assert.equal(presentAddress(one), undefined, one);
  }
});
