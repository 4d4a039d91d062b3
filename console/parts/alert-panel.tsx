import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { z } from "zod";
import type { alertReport } from "../../src/features/notifications/alerts/alerts.operations.ts";
import { api, wordsOf } from "../api/client.ts";
import {
  getCertificateAlerts,
  getKeyAlerts,
  muteCertificate,
  muteKey,
  unmuteCertificate,
  unmuteKey,
} from "../api/alert-endpoints.ts";
import { queries, useQuery } from "../api/queries.ts";
import { listed, say } from "../said.ts";
import { Button } from "./button.tsx";
import { Fact, Facts } from "./drawer.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { Unread } from "./states.tsx";
import { exactTime } from "./time.tsx";
import { toast } from "./toasts.tsx";
import { IN_ZONE } from "./zone.ts";

type Report = z.output<typeof alertReport>;
type Rule = Report["rules"][number];

/** The object of the alerts. */
interface Of {
  object: "certificate" | "key";
  id: string;
}

const endpoints = {
  certificate: {
    read: (id: string) => api.call(getCertificateAlerts, { params: { id } }),
    mute: (id: string, body: Mute) => api.call(muteCertificate, { params: { id }, body }),
    unmute: (id: string) => api.call(unmuteCertificate, { params: { id } }),
  },
  key: {
    read: (key_id: string) => api.call(getKeyAlerts, { params: { key_id } }),
    mute: (key_id: string, body: Mute) => api.call(muteKey, { params: { key_id }, body }),
    unmute: (key_id: string) => api.call(unmuteKey, { params: { key_id } }),
  },
};

interface Mute {
  until: string;
  reason: string;
}

const names: Record<Rule["rule"], string> = {
  due: "Alert due",
  renewed: "Renewal",
  channels: "Channels",
  mute: "Mute",
  sending: "Sending",
};

/**
 * Why nothing was sent about an end, or what was: the answer; behind it the rules that led to it,
 * and the mute.
 */
export default function AlertPanel({ of, mayMute }: { of: Of; mayMute: boolean }) {
  const { object, id } = of;
  const [muting, setMuting] = useState(false);
  const [busy, setBusy] = useState(false);
  const queryKey = ["alerts", object, id];
  const read = useQuery({ queryKey, queryFn: () => endpoints[object].read(id), gcTime: 30_000 });
  const report = read.data;
  if (!report) return <Unread of={read} lines={3} />;
  const unmute = async () => {
    setBusy(true);
    try {
      await endpoints[object].unmute(id);
      await queries.invalidateQueries({ queryKey });
      toast({ text: "The mute is lifted." });
    } catch (error) {
      toast({ text: wordsOf(error) });
    }
    setBusy(false);
  };
  const { next_alert: next, mute } = report;
  const renewal = {
    renewedBy: report.renewed_by,
    path: object === "certificate" ? "/certificates/" : "/keys/",
  };
  return (
    <section class="alerts" aria-label={report.title}>
      <details>
        <summary class={report.needs_attention ? "alerts-answer is-waiting" : "alerts-answer"}>
          <span class="alerts-says">{withTimes(report.answer)}</span>
          <span class="alerts-title">{report.title}</span>
        </summary>
        {mayMute && (report.expires_at !== null || mute) && (
          <p class="alerts-buttons">
            {mute
              ? (
                <Button kind="primary" busy={busy} onClick={() => void unmute()}>
                  Lift the mute
                </Button>
              )
              : <Button onClick={() => setMuting(true)}>Mute alerts</Button>}
          </p>
        )}
        <ol class="alerts-rules">
          {report.rules.map((one) => (
            <li
              key={one.rule}
              class={`is-${one.result}${report.result === "notified" ? " is-notified" : ""}`}
            >
              <b>{names[one.rule]}</b> {one.result === "decided" && <em>decided it</em>}
              <span class="line-2">
                {one.result === "not_reached"
                  ? "Not reached"
                  : <Says text={one.says} {...renewal} />}
              </span>
            </li>
          ))}
        </ol>
        <Facts>
          <Fact name="Next alert">
            {next && (
              <>
                {exactTime(next.at)}, {before(next.days)}.{" "}
                {report.held_back && <b class="alerts-held">Muted.</b>}
              </>
            )}
          </Fact>
          <Fact name="Last alert">
            {report.last_alert &&
              say`${exactTime(report.last_alert.at)}, ${before(report.last_alert.days)}`}
          </Fact>
          <Fact name="Muted">
            {mute && say`by ${mute.muted_by} until ${exactTime(mute.until)}: ${mute.reason}`}
          </Fact>
          <Fact name="Who wants it">
            {listed(
              report.channels.map(({ name, has_recipient }) =>
                has_recipient ? name : say`${name} (no recipient)`
              ),
            )}
          </Fact>
        </Facts>
      </details>
      {muting && <MuteDialog of={of} endsAt={report.expires_at} onClose={() => setMuting(false)} />}
    </section>
  );
}

const before = (days: number) =>
  days === 0 ? "at the end" : `${days} ${days === 1 ? "day" : "days"} before the end`;

/** Times as whoever looks has them. */
function withTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, exactTime);
}

function Says({ text, renewedBy, path }: {
  text: string;
  renewedBy: string | null;
  /** The path of the certificate that renews it. */
  path: string;
}) {
  const [head, tail] = renewedBy === null ? [text] : text.split(renewedBy);
  if (renewedBy === null || tail === undefined) return <>{withTimes(text)}</>;
  return (
    <>
      {head}
      <Link class="text-link" href={path + encodeURIComponent(renewedBy)}>
        …{renewedBy.slice(-10)}
      </Link>
      {tail}
    </>
  );
}

/** Mutes until a time, for a reason; warns where that is behind the end. */
function MuteDialog({ of: { object, id }, endsAt, onClose }: {
  of: Of;
  endsAt: string | null;
  onClose: () => void;
}) {
  return (
    <FormDialog
      name={`mute ${id}`}
      title="Mute alerts"
      note="What falls due meanwhile is not sent afterwards."
      action="Mute"
      initial={{ until: "", reason: "" }}
      onSave={async ({ until, reason }) => {
        const end = new Date(until);
        const body = { until: Number.isNaN(end.getTime()) ? "" : end.toISOString(), reason };
        await endpoints[object].mute(id, body);
        await queries.invalidateQueries({ queryKey: ["alerts", object, id] });
        toast({ text: "Alerts are muted." });
      }}
      onClose={onClose}
      fields={({ draft }) => [
        {
          of: "until",
          label: "Until",
          hint: IN_ZONE,
          type: "datetime-local",
          required: true,
        },
        endsAt !== null && Date.parse(draft.until) > Date.parse(endsAt) && (
          <p class="notice" role="status">
            It expires on {exactTime(endsAt)}, before the mute does: no alert will be sent.
          </p>
        ),
        { of: "reason", label: "Reason", required: true, maxLength: 500 },
      ]}
    />
  );
}
