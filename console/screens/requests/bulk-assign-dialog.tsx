import { useMemo, useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { startJob } from "../../api/job-endpoints.ts";
import { forgetJobs } from "../../api/jobs.ts";
import { grouped } from "../../api/numbers.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { say } from "../../said.ts";
import { useTeam } from "./team-people.ts";
import type { RequestRow } from "./request.ts";
import type { Matching } from "../../parts/bulk-selection.tsx";

/** Assigns any number of requests in one job. */
export function BulkAssignDialog({ requests, matching, onStarted, onClose }: {
  requests: readonly RequestRow[];
  matching: Matching | undefined;
  onStarted: (id: string) => void;
  onClose: () => void;
}) {
  const [to, setTo] = useState("me");
  const headers = useMemo(decisionKey, [to]);
  const team = useTeam(requests[0]?.id ?? "");
  const count = matching?.total ?? requests.length;
  const start = async () => {
    const { id } = await api.call(startJob, {
      headers,
      body: {
        kind: "assign",
        assignee: to,
        ...matching ? { filter: matching.filter } : { ids: requests.map((one) => one.id) },
      },
    });
    forgetJobs();
    onStarted(id);
  };
  return (
    <Confirm
      title={say`Assign ${grouped(count)} requests?`}
      note="This is a hint for the team: everybody who may decide still may. A request stays as it is where its policy does not let them decide."
      action="Assign"
      onConfirm={start}
      onClose={onClose}
    >
      <SelectField
        label="Assigned to"
        value={to}
        options={[
          { value: "me", text: "Me" },
          { value: "nobody", text: "No one" },
          ...team.map(({ id, name }) => ({ value: id, text: name })),
        ]}
        onChange={setTo}
      />
    </Confirm>
  );
}
