/** Calls of shadow mode and of its report that are refused, each with its reason. */
import { testRefusals } from "../../../support/refusals.ts";
import { planWith } from "../../../support/verification.ts";

testRefusals("meter", async (desk) => {
  const plan = await planWith(desk, {});
  return {
    rows: [
      {
        name: "nobody observes",
        call: ["POST", "/v1/keys/shadow", { key: "x" }],
        by: null,
        code: "not_authorised",
      },
      {
        name: "observing needs verify",
        call: ["POST", "/v1/keys/shadow", { key: "x" }],
        by: ["portal:read"],
        code: "access_denied",
      },
      {
        name: "reporting needs verify",
        call: ["POST", "/v1/keys/shadow/allowed", { receipt: "x" }],
        by: ["plans"],
        code: "access_denied",
      },
      {
        name: "the meter needs portal:read",
        call: ["GET", "/v1/migration"],
        by: ["verify"],
        code: "access_denied",
      },
      {
        name: "a switch needs plans",
        call: ["PUT", `/v1/plans/${plan}/decided`, { decided: "keydesk" }],
        by: ["portal:write", "verify", "approve"],
        code: "access_denied",
      },
      {
        name: "a switch of no plan",
        call: ["PUT", "/v1/plans/none/decided", { decided: "keydesk" }],
        by: ["plans"],
        code: "not_found",
      },
    ],
  };
});
