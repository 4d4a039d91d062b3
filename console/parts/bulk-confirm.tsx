import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { jobKinds } from "../../src/contract/job-kinds.ts";
import { api, decisionKey } from "../api/client.ts";
import { countSelection, startJob } from "../api/job-endpoints.ts";
import { forgetJobs, type JobInput, type JobKind } from "../api/jobs.ts";
import { grouped } from "../api/numbers.ts";
import { useCall } from "../api/queries.ts";
import { say } from "../said.ts";
import type { BulkSelection } from "./bulk-selection.tsx";
import { Confirm } from "./confirm.tsx";
import { Fact, Facts } from "./drawer.tsx";
import { TextField } from "./fields.tsx";
import { SelectedWords } from "./job-selected.tsx";
import { exactTime } from "./time.tsx";
import { typed, useField } from "./use-field.ts";

/** So many are changed without that their number is typed, where the job can be taken back. */
const FEW = 50;

/** The action of a job on each row. */
export type BulkKind = Exclude<JobKind, "undo">;

/** Of all that match, those to which this can be done, at the same moment. */
export function useCounted<Row>(kind: BulkKind, { matching }: BulkSelection<Row>) {
  return useCall(["jobs", "selection", kind, JSON.stringify(matching?.filter)], countSelection, {
    query: { ...matching?.filter, kind },
  }, { enabled: matching !== undefined }).data;
}

/** Asks once more before a job over many begins, and begins it. */
export function BulkConfirm<Row>(
  { one, came, kind, title, action = title, note, selection, ...more }: {
    /** The word for one of them. */
    one: string;
    /** The label of the time at which each came. */
    came: string;
    kind: BulkKind;
    title: string;
    action?: string;
    note: string;
    selection: BulkSelection<Row>;
    /** Those of the selected rows to which it can be done, by their ids. */
    ids: readonly string[];
    /** Why it can't be done to the others. */
    whyLeft: string;
    /** Further input of the job; undefined: a field says what it lacks. */
    input: () => Partial<JobInput> | undefined;
    /** The typed text: another text is another decision. */
    written: readonly unknown[];
    onStarted: (id: string) => void;
    onClose: () => void;
    children?: ComponentChildren;
  },
) {
  const { ids, whyLeft, input, written, onStarted, onClose, children } = more;
  const number = useField("");
  const { matching } = selection;
  const counted = useCounted(kind, selection);
  const count = matching ? counted?.total ?? 0 : ids.length;
  const isWhole = !matching || counted?.complete !== false;
  const { of, isForGood = false } = jobKinds[kind];
  const isTyped = isForGood || count > FEW || !isWhole;
  const headers = useMemo(decisionKey, [kind, ...written]);
  const start = async () => {
    const said = input();
    if (!said) return false;
    if (isTyped && number.value.replaceAll(/\D/g, "") !== String(count)) {
      return number.refuse(`Type ${count} to go on.`);
    }
    if (count === 0) return false;
    const what = matching
      ? { filter: matching.filter, ...isWhole ? { at_most: count } : {} }
      : { ids: [...ids] };
    const { id } = await api.call(startJob, { headers, body: { kind, ...what, ...said } });
    forgetJobs();
    onStarted(id);
  };
  const heading = say`${title} ${grouped(count)}${isWhole ? "" : " or more"} ${
    count === 1 ? one : `${one}s`
  }?`;
  const left = selection.rows.length - ids.length;
  return (
    <Confirm
      title={matching && !counted ? "Counting…" : heading}
      note={note}
      action={say`${action} ${grouped(count)}`}
      danger={isForGood}
      onConfirm={start}
      onClose={onClose}
    >
      {matching && (
        <div class="boxed">
          <Facts>
            <Fact name="Selected" of={<SelectedWords of={of} filter={matching.filter} />} />
            <Fact name={came}>
              until {exactTime(matching.filter.created_before ?? "")}. Newer ones stay out.
            </Fact>
          </Facts>
        </div>
      )}
      {!matching && left > 0 && (
        <p class="muted">{grouped(left)} of those selected stay as they are: {whyLeft}.</p>
      )}
      {children}
      {isTyped && (
        <TextField label={`Type ${count} to go on`} autocomplete="off" {...typed(number)} />
      )}
    </Confirm>
  );
}
