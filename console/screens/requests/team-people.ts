import type { z } from "zod";
import type { listTeam } from "../../../src/features/key-requests/assign.operations.ts";
import { listTeam as endpoint } from "../../api/decision-endpoints.ts";
import { useCall } from "../../api/queries.ts";

type Team = z.output<typeof listTeam.response>["data"];

/** The people who work on a request; none until they are read. */
export function useTeam(id: string): Team {
  const { data } = useCall(["key-requests", "team", id], endpoint, { params: { id } }, {
    gcTime: 30_000,
  });
  return data?.data ?? [];
}
