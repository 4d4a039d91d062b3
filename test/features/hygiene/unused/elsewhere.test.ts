/** Which keys doors open for that do not ask Keydesk: nobody ends those by their use. */
import assert from "node:assert/strict";
import {
  isValidInOtherSystems,
  type Origin,
} from "../../../../src/features/hygiene/unused/elsewhere.ts";

const issued: Origin = {
  attempt_id: "0123456789abcdef0123456789abcdef",
  imported_as: null,
  said_elsewhere: null,
  gateway_id: null,
};
const imported = { ...issued, attempt_id: "65b0c1d2e3f4a5b6c7d8e9f0" };

Deno.test("elsewhere: a gateway that holds a key counts whatever is said, then what is said, then an import", () => {
  const cases: [key: Origin, importedCount: boolean, opens: boolean][] = [
    [issued, false, false],
    [{ ...issued, said_elsewhere: 1 }, true, true],
    [{ ...issued, gateway_id: "gateway", said_elsewhere: 0 }, true, true],
    [imported, false, true],
    [{ ...issued, imported_as: "old" }, false, true],
    [{ ...issued, attempt_id: "" }, false, true],
    [imported, true, false],
    [{ ...imported, said_elsewhere: 0 }, false, false],
    [{ ...imported, said_elsewhere: 1 }, true, true],
  ];
  for (const [key, counts, opens] of cases) {
    assert.equal(
      isValidInOtherSystems(key, { imported: counts }),
      opens,
      JSON.stringify([key, counts]),
    );
  }
});
