import { useMemo, useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { countSelection, startJob } from "../../api/job-endpoints.ts";
import { forgetJobs } from "../../api/jobs.ts";
import { grouped } from "../../api/numbers.ts";
import { useQuery } from "../../api/queries.ts";
import type { BulkSelection } from "../../parts/bulk-selection.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { TextField } from "../../parts/fields.tsx";
import { SelectedWords } from "../../parts/job-selected.tsx";
import { idOf } from "../../parts/list-place.ts";
import { exactTime } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import type { DeveloperRow } from "./developer.ts";
import { KeysChoice } from "./keys-choice.tsx";

/** What is done to many developers at once. */
export type BulkAct = "deactivate" | "reactivate";

type Keys = "keep" | "suspend" | "resume";

const words: Readonly<
  Record<BulkAct, { title: string; note: string; choices: Partial<Record<Keys, string>> }>
> = {
  deactivate: {
    title: "Deactivate",
    note:
      "The portal no longer lets them sign in, and their open claim links are withdrawn for good. The job can be taken back.",
    choices: {
      keep: "Keep: they open what they open",
      suspend: "Suspend: they open nothing until they are resumed",
    },
  },
  reactivate: {
    title: "Reactivate",
    note: "The portal lets them sign in again. The job can be taken back.",
    choices: {
      keep: "Keep: those that are suspended stay so",
      resume: "Resume those that were suspended with their developer",
    },
  },
};

/** So many are changed without that their number is typed. */
const FEW = 50;

/** Deactivates or reactivates any number of developers in one job. */
export default function BulkDevelopersDialog({ act, selection, onStarted, onClose }: {
  act: BulkAct;
  selection: BulkSelection<DeveloperRow>;
  onStarted: (id: string) => void;
  onClose: () => void;
}) {
  const { title, note, choices } = words[act];
  const kind = `${act}_developers` as const;
  const [keys, setKeys] = useState<Keys>();
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const { matching } = selection;
  const rows = selection.rows.filter(({ inactive }) => inactive === (act === "reactivate"));
  // Of all that match, those to whom it can be done, at the same moment.
  const counted = useQuery({
    queryKey: ["jobs", "selection", kind, JSON.stringify(matching?.filter)],
    enabled: matching !== undefined,
    queryFn: () => api.call(countSelection, { query: { ...matching?.filter, kind } }),
  }).data;
  const count = matching ? counted?.total ?? 0 : rows.length;
  const isWhole = !matching || counted?.complete !== false;
  const isTyped = count > FEW || !isWhole;
  const headers = useMemo(decisionKey, [kind, keys, reason]);
  const start = async () => {
    if (keys === undefined) {
      setErrors({ keys: "Say what becomes of their keys." });
      return false;
    }
    if (isTyped && typed.replaceAll(/\D/g, "") !== String(count)) {
      setErrors({ typed: `Type ${count} to go on.` });
      return false;
    }
    if (count === 0) return false;
    const what = matching
      ? { filter: matching.filter, ...isWhole ? { at_most: count } : {} }
      : { ids: rows.map(idOf) };
    const why = reason.trim() === "" ? {} : { reason: reason.trim() };
    const { id } = await api.call(startJob, { headers, body: { kind, ...what, keys, ...why } });
    forgetJobs();
    onStarted(id);
  };
  const heading = say`${title} ${grouped(count)}${isWhole ? "" : " or more"} ${
    count === 1 ? "developer" : "developers"
  }?`;
  const left = selection.rows.length - rows.length;
  return (
    <Confirm
      title={matching && !counted ? "Counting…" : heading}
      note={note}
      action={say`${title} ${grouped(count)}`}
      onConfirm={start}
      onClose={onClose}
    >
      {matching && (
        <div class="boxed">
          <Facts>
            <Fact name="Selected">
              <SelectedWords of="developers" filter={matching.filter} />
            </Fact>
            <Fact name="Registered">
              until {exactTime(matching.filter.asked_before ?? "")}. Newer ones stay out.
            </Fact>
          </Facts>
        </div>
      )}
      {!matching && left > 0 && (
        <p class="muted">
          {grouped(left)} of those selected stay as they are: they are so already.
        </p>
      )}
      <KeysChoice
        legend="Their keys"
        choices={choices}
        keys={keys}
        onChoose={(choice) => {
          setKeys(choice);
          setErrors({});
        }}
      />
      {errors["keys"] && <p class="notice is-bad" role="alert">{errors["keys"]}</p>}
      <TextField
        label="Reason"
        hint="Kept with the job and in the activity: no secrets."
        maxLength={500}
        value={reason}
        onInput={setReason}
      />
      {isTyped && (
        <TextField
          label={`Type ${count} to go on`}
          value={typed}
          error={errors["typed"]}
          autocomplete="off"
          onInput={(text) => {
            setTyped(text);
            setErrors({});
          }}
        />
      )}
    </Confirm>
  );
}
