import { grouped } from "../../../api/numbers.ts";
import { announce } from "../../../parts/announcer.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Fact, Facts } from "../../../parts/drawer.tsx";
import { toast } from "../../../parts/toasts.tsx";
import { say } from "../../../said.ts";
import { decide } from "./report.ts";
import { counted, differencesOf, type PlanOfReport } from "./words.ts";

/** Asks before Keydesk decides about a plan's keys, with what will happen. */
export function SwitchOver({ of, onUndo, onClose }: {
  of: PlanOfReport;
  onUndo: () => void;
  onClose: () => void;
}) {
  const {
    plan,
    name,
    keys,
    keys_in_keydesk,
    keys_at_gateway,
    never_seen,
    compared,
    allowed_at_gateway_only,
  } = of;
  const refused = allowed_at_gateway_only.reduce((sum, { calls }) => sum + calls, 0);
  return (
    <Confirm
      title={say`Decide about keys of ${name} in Keydesk?`}
      note="Within a second the old gateway denies the calls that Keydesk denies. Calls that it denies itself stay denied."
      action="Switch over"
      onConfirm={async () => {
        await decide(plan, "keydesk");
        const text = say`Keys of ${name} are decided in Keydesk.`;
        toast({ text, actions: [{ label: "Undo", run: onUndo }] });
      }}
      onClose={onClose}
    >
      {refused > 0 && (
        <p class="notice is-warning">
          <span>
            {say`Of the last ${counted(compared, "call")} at the gateway ${
              grouped(refused)
            } would have been refused: ${
              differencesOf(allowed_at_gateway_only)
            }. Such calls are refused from now on.`}
          </span>
        </p>
      )}
      <Facts>
        <Fact name="Decided in Keydesk then">
          {say`${counted(keys_in_keydesk, "key")} of ${grouped(keys)}`}
          {keys_in_keydesk < keys && (
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
        <Fact name="Called at the gateway in 14 days">
          {keys_at_gateway === null ? "Too many keys to compare" : counted(keys_at_gateway, "key")}
        </Fact>
        <Fact name="Never seen">{never_seen > 0 && counted(never_seen, "key")}</Fact>
      </Facts>
      <p class="field-hint">For 7 days one click on this page takes it back.</p>
    </Confirm>
  );
}

/** Asks before the old gateway decides about them again, once that is no undo any more. */
export function HandBack({ of: { plan, name, keys_in_keydesk }, onClose }: {
  of: PlanOfReport;
  onClose: () => void;
}) {
  return (
    <Confirm
      title={say`Have the old gateway decide about ${name} again?`}
      note={say`${
        counted(keys_in_keydesk, "key")
      }: within a second, the old gateway no longer denies the calls that Keydesk denies.`}
      action="Hand back"
      danger
      onConfirm={async () => {
        await decide(plan, "gateway");
        announce(say`Keys of ${name} are decided by the old gateway again.`);
      }}
      onClose={onClose}
    />
  );
}
