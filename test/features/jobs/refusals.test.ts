/**
 * What the endpoints of jobs refuse: approve, with portal:read for filters and files; links only
 * where they are mailed.
 */
import { jobKinds } from "../../../src/contract/job-kinds.ts";
import { call } from "../../support/people.ts";
import { absent, denied, invalid, testRefusals } from "../../support/refusals.ts";

const JOBS = "/v1/jobs";
const kinds = Object.keys(jobKinds).join(", ");

testRefusals("jobs", async (desk) => {
  const { id } = await call(desk, "POST", JOBS, { kind: "decline", ids: ["x"] });
  const { admin: other } = await desk.otherOrganisation();
  const start = (body: unknown) => ["POST", JOBS, body] as const;
  const rows = [
    denied(start({ kind: "decline", ids: ["x"] }), "portal:read"),
    denied(start({ kind: "decline", filter: {} }), "approve"),
    denied(["GET", `${JOBS}/${id}/result`], "approve"),
    {
      name: "mails where nobody mails",
      call: start({ kind: "approve", ids: ["x"], deliver: "mail" }),
      code: "links_not_mailed",
    } as const,
    invalid(
      "neither ids nor a filter",
      start({ kind: "decline" }),
      "filter, ids, seen, of_job: expected exactly one of them",
    ),
    invalid(
      "ids and a filter",
      start({ kind: "decline", ids: ["a"], filter: {} }),
      "filter, ids, seen, of_job: expected exactly one of them",
    ),
    invalid(
      "links of what is declined",
      start({ kind: "decline", ids: ["a"], deliver: "mail" }),
      "deliver: goes with approve, rotate_keys alone",
    ),
    invalid(
      "what a job left is not declined",
      start({ kind: "decline", of_job: id }),
      "of_job: goes with the kinds reopen and undo",
    ),
    invalid(
      "a kind that there is not",
      start({ kind: "nothing", ids: ["a"] }),
      `kind: expected ${kinds}, undo`,
    ),
    invalid("no ids", start({ kind: "decline", ids: [] }), "ids: expected at least 1"),
    absent(["GET", `${JOBS}/${id}`], other),
    absent(["POST", `${JOBS}/${id}/stop`], other),
    absent(["GET", `${JOBS}/${id}/result`], other),
    absent(["POST", `${JOBS}/${id}/one-time-links/csv`], other),
    absent(start({ kind: "reopen", of_job: id }), other),
  ];
  const unchanged = () => call(desk, "GET", `${JOBS}/${id}`);
  return { rows, unchanged };
});
