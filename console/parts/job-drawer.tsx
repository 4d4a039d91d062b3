import { useEffect, useState } from "preact/hooks";
import { api, decisionKey } from "../api/client.ts";
import { listJobs, startJob, stopJob } from "../api/job-endpoints.ts";
import {
  forgetJobs,
  hadTurn,
  isUnderWay,
  type Job,
  noteSeen,
  resultPath,
  takeLinks,
  useJob,
} from "../api/jobs.ts";
import { grouped } from "../api/numbers.ts";
import { titleOf, usePlans } from "../api/plans.ts";
import { queries, useCall } from "../api/queries.ts";
import { may } from "../api/session.ts";
import { announce } from "./announcer.tsx";
import { Button, LinkButton } from "./button.tsx";
import { asChosen } from "./csv-mark.ts";
import { ExportButton } from "./export-button.tsx";
import { Drawer, Fact, Facts } from "./drawer.tsx";
import { leftOf } from "./job-left.ts";
import { JobBar } from "./job-side.tsx";
import { doneWord, jobProgress, jobTitle, whys } from "./job-words.ts";
import { Pill } from "./pill.tsx";
import { Loading } from "./states.tsx";
import { exactTime, Time } from "./time.tsx";
import { toastFailure } from "./toasts.tsx";
import { saveText } from "./save-text.ts";
import { listed, say } from "../said.ts";
import { SelectedWords } from "./job-selected.tsx";

/** A job beside the list: how far it is, what failed, its file, and the way to stop it. */
export default function JobDrawer({ id, onOpen, onEnded, onClose }: {
  id: string;
  onOpen: (id: string) => void;
  /** Called when it ends while it is shown. */
  onEnded: () => void;
  onClose: () => void;
}) {
  const job = useJob(id);
  const isOn = job && isUnderWay(job);
  useEffect(() => {
    if (isOn) return () => onEnded();
  }, [id, isOn]);
  useEffect(() => {
    if (job && !isOn) noteSeen(job.id);
  }, [id, isOn]);
  if (!job) {
    return (
      <Drawer of={id} title="Job" onClose={onClose}>
        <Loading lines={6} />
      </Drawer>
    );
  }
  return (
    <Drawer
      of={id}
      title={jobTitle(job)}
      onClose={onClose}
      footer={(isOn || (job.undone_by && job.done > 0)) && <Foot job={job} onOpen={onOpen} />}
    >
      <p>
        <b>{jobProgress(job)}</b> <span class="muted">{leftOf(job, Date.now())}</span>
      </p>
      <JobBar job={job} />
      {job.why && <p class="notice is-bad">{whys[job.why]}</p>}
      <Counts job={job} />
      {isOn && (
        <p class="notice">
          You can leave this screen or close the browser: the work goes on. It stays in view in the
          side bar.
        </p>
      )}
      <What job={job} />
      <Result job={job} />
      <Earlier than={job} onOpen={onOpen} />
    </Drawer>
  );
}

function Counts({ job }: { job: Job }) {
  const word = doneWord(job);
  return (
    <Facts title={isUnderWay(job) ? "So far" : "What became of them"}>
      <Fact name={`${word.slice(0, 1).toUpperCase()}${word.slice(1)}`}>
        <Pill tone="good">{grouped(job.done - job.steps)}</Pill>
      </Fact>
      {job.steps > 0 && (
        <Fact name="Steps">
          <Pill tone="waiting">{grouped(job.steps)}</Pill>{" "}
          your approval counts; others must say yes too
        </Fact>
      )}
      {job.left_alone > 0 && (
        <Fact name="Left alone">
          <Pill tone="quiet">{grouped(job.left_alone)}</Pill> {job.of === "key_requests"
            ? "decided, changed or deleted by others"
            : "changed by others, so already, or not found"}
        </Fact>
      )}
      {job.failed > 0 && (
        <Fact name="Failed">
          <Pill tone="bad">{grouped(job.failed)}</Pill> the file says why
        </Fact>
      )}
    </Facts>
  );
}

function What({ job }: { job: Job }) {
  const plans = usePlans();
  return (
    <Facts title="What it does">
      <Fact name="Selected">
        {job.filter
          ? <SelectedWords of={job.of} filter={job.filter} />
          : job.of_job
          ? job.of === "key_requests" ? "What another job declined" : "What another job changed"
          : "Chosen one by one"}
      </Fact>
      <Fact name={since[job.of]}>
        {job.filter?.created_before && `until ${exactTime(job.filter.created_before)}`}
      </Fact>
      <Fact name="One-time links">
        {job.deliver && (job.deliver === "mail" ? "By mail to each developer" : "As a file")}
      </Fact>
      <Fact name="Keys expire">{job.key_expires_at && exactTime(job.key_expires_at)}</Fact>
      <Fact name="Only from">{job.conditions?.addresses && listed(job.conditions.addresses)}</Fact>
      <Fact name="Looked at again">
        {job.conditions?.review_at && exactTime(job.conditions.review_at)}
      </Fact>
      <Fact name="Plans">
        {job.plans && titleOf("", job.plans, plans)}
      </Fact>
      <Fact name="Tags">{job.tags && listed(job.tags)}</Fact>
      <Fact name="Owner">{job.owner}</Fact>
      <Fact name="Muted until">{job.until && exactTime(job.until)}</Fact>
      <Fact name="Old keys live on">
        {job.overlap_seconds === null ? null : say`for ${grouped(job.overlap_seconds / 3600)} h`}
      </Fact>
      <Fact name="Their keys">{job.keys && keysOf[job.keys]}</Fact>
      <Fact name="Reason">{job.reason}</Fact>
      <Fact name="Assignee">{job.assignee?.name}</Fact>
      <Fact name="Message">{job.message}</Fact>
      <Fact name="Started">
        <Time at={job.started_at} /> by {job.mine ? "you" : job.started_by_name}
      </Fact>
      <Fact name="Stopped">{job.stopped_by_name && say`by ${job.stopped_by_name}`}</Fact>
      <Fact name="Ended">{job.ended_at && <Time at={job.ended_at} />}</Fact>
    </Facts>
  );
}

const since: Readonly<Record<Job["of"], string>> = {
  key_requests: "Asked",
  keys: "Issued",
  certificates: "Added",
  developers: "Registered",
};

const keysOf: Readonly<Record<NonNullable<Job["keys"]>, string>> = {
  keep: "stay as they are",
  suspend: "are suspended",
  resume: "that were suspended with them are resumed",
};

function Result({ job }: { job: Job }) {
  const [busy, setBusy] = useState(false);
  if (hadTurn(job) === 0 || !may("portal:read")) return null;
  if (job.of === "certificates" && !may("certs:read")) return null;
  const name = `${job.kind}-${job.started_at.slice(0, 10)}`;
  const take = async () => {
    setBusy(true);
    try {
      saveText(asChosen(await takeLinks(job.id)), `${name}-links.csv`);
      announce("The one-time links were saved");
    } catch (error) {
      toastFailure(error);
    }
    await queries.invalidateQueries({ queryKey: ["jobs"] });
    setBusy(false);
  };
  return (
    <section>
      <h3 class="group-title">Result</h3>
      <p class="muted">One line for each: whose it is, what became of it, and why. No secrets.</p>
      <p class="bulk">
        <ExportButton
          of={resultPath(job.id)}
          label={isUnderWay(job) ? `${grouped(hadTurn(job))} so far` : "Result as a file"}
          isQuiet={false}
        />
        {job.links_wait && (
          <Button kind="primary" busy={busy} onClick={() => void take()}>
            Take the one-time links
          </Button>
        )}
      </p>
      {job.links_wait && (
        <p class="muted">
          Each link is given once, then forgotten. Send each to its developer alone.
        </p>
      )}
    </section>
  );
}

function Earlier({ than, onOpen }: { than: Job; onOpen: (id: string) => void }) {
  const { data } = useCall(["jobs", "list"], listJobs, { query: { limit: 6 } });
  const others = data?.data.filter(({ id }) => id !== than.id).slice(0, 5) ?? [];
  if (others.length === 0) return null;
  return (
    <section>
      <h3 class="group-title">Other jobs</h3>
      <ul>
        {others.map((job) => (
          <li key={job.id}>
            <LinkButton onClick={() => onOpen(job.id)}>{jobTitle(job)}</LinkButton>{" "}
            <span class="muted">
              <Time at={job.started_at} /> · {job.mine ? "you" : job.started_by_name}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Foot({ job, onOpen }: { job: Job; onOpen: (id: string) => void }) {
  const [busy, setBusy] = useState(false);
  const act = async (what: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await what();
      forgetJobs();
    } catch (error) {
      toastFailure(error);
    }
    setBusy(false);
  };
  if (isUnderWay(job)) {
    return (
      <>
        <Button
          kind="danger"
          busy={busy || job.state === "stopping"}
          onClick={() => void act(() => api.call(stopJob, { params: { id: job.id } }))}
        >
          Stop the job
        </Button>
        <span class="muted">What is {doneWord(job)} stays {doneWord(job)}.</span>
      </>
    );
  }
  if (job.undone_by === null) return null;
  const kind = job.undone_by;
  const takeBack = async () => {
    const body = { kind, of_job: job.id };
    onOpen((await api.call(startJob, { body, headers: decisionKey() })).id);
  };
  return (
    <Button busy={busy} onClick={() => void act(takeBack)}>
      {kind === "reopen" ? "Reopen" : "Take back"} these {grouped(job.done)}
    </Button>
  );
}
