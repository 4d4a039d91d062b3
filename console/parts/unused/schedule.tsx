import type { z } from "zod";
import type { keySchedule } from "../../../src/features/hygiene/unused/unused.operations.ts";
import { api } from "../../api/client.ts";
import { useCall } from "../../api/queries.ts";
import { queries } from "../../api/queries.ts";
import { getKeySchedule, setKeyElsewhere } from "../../api/unused-endpoints.ts";
import { listed, say } from "../../said.ts";
import { Button, LinkButton } from "../button.tsx";
import { Fact, Facts } from "../drawer.tsx";
import type { Key } from "../keys/key.ts";
import { Time } from "../time.tsx";
import { toast, useBusy } from "../toasts.tsx";
import { keep } from "./keep.ts";

type Schedule = z.output<typeof keySchedule>;

/** A call with a suspended key is shown soon after it. */
const EVERY_MS = 2000;

/** The next automatic step of a key, the calls made meanwhile, and the one action that keeps it. */
export default function KeySchedule({ of: key, mayDecide, onKept }: {
  of: Key;
  mayDecide: boolean;
  onKept: (key: Key) => void;
}) {
  const { key_id } = key;
  const { data } = useCall(["key-schedules", key_id, key.state], getKeySchedule, {
    params: { key_id },
  }, { gcTime: 30_000, ...key.state === "suspended" ? { refetchInterval: EVERY_MS } : {} });
  const [busy, work] = useBusy();
  if (!data) return null;
  const run = (action: () => Promise<string>) => work(async () => toast({ text: await action() }));
  const keepIt = () =>
    run(async () => {
      onKept(await keep(key));
      return "Kept. Its days without a use begin anew.";
    });
  const sayIt = (elsewhere: boolean) =>
    run(async () => {
      const answer = await api.call(setKeyElsewhere, { params: { key_id }, body: { elsewhere } });
      queries.setQueryData(["key-schedules", key_id, key.state], answer);
      return elsewhere ? "It is left alone, however long Keydesk sees no call." : "Its use counts.";
    });
  const { elsewhere, resumes_at, call_origins: origins, step } = data;
  const isScheduled = step !== null && step !== "left_alone";
  return (
    <Facts title="Use and what follows">
      <Fact name="Idle since" of={<Time at={data.unused_since} />} />
      <Fact name="Unused">
        {step !== null && (
          <>
            {stepWords[step]} {step !== "left_alone" && <Time at={data.step_at} />}
            <small class="field-hint">
              {nextWords(data)} {data.next && <Time at={data.next.not_before} />}
            </small>
            {isScheduled && mayDecide && (
              <Button
                shortcut="K"
                busy={busy}
                onClick={() => void keepIt()}
              >
                Keep this key
              </Button>
            )}
          </>
        )}
      </Fact>
      <Fact name="Resumes">{resumes_at && <Time at={resumes_at} />}</Fact>
      <Fact name="Calls while suspended">{origins && originWords(origins)}</Fact>
      <Fact name="Elsewhere">
        {elsewhere.valid
          ? elsewhere.stated_at === null
            ? "It was imported: it may be valid at other gateways."
            : OTHERS
          : "Every gateway checks with Keydesk."}{" "}
        {mayDecide && key.state !== "revoked" && (
          <LinkButton
            disabled={busy}
            onClick={() => void sayIt(!elsewhere.valid)}
          >
            {elsewhere.valid ? "Every gateway checks with Keydesk" : "It is valid elsewhere too"}
          </LinkButton>
        )}
      </Fact>
    </Facts>
  );
}

const OTHERS = "It is also valid at gateways that do not check with Keydesk.";

const stepWords: Readonly<Record<NonNullable<Schedule["step"]>, string>> = {
  warned: "Its developer was warned",
  warned_again: "Its developer was warned a second time",
  suspended: "Suspended as unused",
  revoked: "Revoked as unused",
  left_alone: "Left alone: it is valid at gateways elsewhere too.",
};

function nextWords({ step, next, warning_sent_at }: Schedule): string {
  if (step === "revoked") return "For 7 days one key brings it back.";
  const isUnsent = step?.startsWith("warned") && warning_sent_at === null;
  if (isUnsent) return "No mail of it is known to be sent; nothing follows before.";
  if (!next) return step === "left_alone" ? "" : "Nothing follows by itself.";
  return nexts[next.what];
}

const nexts = {
  warn: "Unless it is used, a second warning follows, not before",
  suspend: "Unless it is used, it is suspended, not before",
  revoke: "Unless it is needed, it is revoked, not before",
} as const;

function originWords({ count, gateways }: NonNullable<Schedule["call_origins"]>): string {
  if (count === 0) return "It was not tried since it is suspended.";
  const often = count === 1 ? "Once" : count >= 100 ? "100 times or more" : `${count} times`;
  return gateways.length === 0 ? `${often}.` : say`${often}, at ${listed(gateways)}.`;
}
