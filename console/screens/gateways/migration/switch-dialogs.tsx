import { grouped } from "../../../api/numbers.ts";
import { announce } from "../../../parts/announcer.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Fact, Facts } from "../../../parts/drawer.tsx";
import { toast } from "../../../parts/toasts.tsx";
import { say } from "../../../said.ts";
import { decide } from "./meter.ts";
import { counted, differencesOf, type PlanOfMeter } from "./words.ts";

/** Asks before Keydesk decides about a plan's keys, with what will happen. */
export function SwitchOver({ of, onUndo, onClose }: {
  of: PlanOfMeter;
  onUndo: () => void;
  onClose: () => void;
}) {
  const { plan, name, keys, keys_here, keys_there, never_seen, compared, opened_there_only } = of;
  const refused = opened_there_only.reduce((sum, { calls }) => sum + calls, 0);
  return (
    <Confirm
      title={say`Decide about keys of ${name} here?`}
      note="Within the second the old gateway heeds what Keydesk refuses. It refuses more and never less: what it refuses itself stays refused there."
      action="Switch over"
      onConfirm={async () => {
        await decide(plan, "here");
        const text = say`Keys of ${name} are decided here.`;
        toast({ text, actions: [{ label: "Undo", run: onUndo }] });
      }}
      onClose={onClose}
    >
      {refused > 0 && (
        <p class="notice is-warning">
          <span>
            {say`Of the last ${counted(compared, "call")} there ${
              grouped(refused)
            } would have been refused: ${
              differencesOf(opened_there_only)
            }. Such calls are refused from now on.`}
          </span>
        </p>
      )}
      <Facts>
        <Fact name="Decided here then">
          {say`${counted(keys_here, "key")} of ${grouped(keys)}`}
          {keys_here < keys && (
            <small class="field-hint">
              The others have a plan besides that is not switched over.
            </small>
          )}
        </Fact>
        <Fact name="Would be refused">
          {compared === 0
            ? "Nothing was compared yet"
            : refused === 0
            ? say`None of the last ${counted(compared, "call")}`
            : counted(refused, "call")}
        </Fact>
        <Fact name="Called there in 14 days">
          {keys_there === null ? "Too many keys to tell" : counted(keys_there, "key")}
        </Fact>
        <Fact name="Never seen">{never_seen > 0 && counted(never_seen, "key")}</Fact>
      </Facts>
      <p class="field-hint">For 7 days one click on this page takes it back.</p>
    </Confirm>
  );
}

/** Asks before the old gateway decides about them again, once that is no undo any more. */
export function HandBack({ of: { plan, name, keys_here }, onClose }: {
  of: PlanOfMeter;
  onClose: () => void;
}) {
  return (
    <Confirm
      title={say`Have the old gateway decide about ${name} again?`}
      note={say`${
        counted(keys_here, "key")
      }: from then on, within the second, what Keydesk refuses counts there no more.`}
      action="Hand back"
      danger
      onConfirm={async () => {
        await decide(plan, "there");
        announce(say`Keys of ${name} are decided by the old gateway again.`);
      }}
      onClose={onClose}
    />
  );
}
