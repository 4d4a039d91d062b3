import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { grouped } from "../../../api/numbers.ts";
import { usePlans } from "../../../api/plans.ts";
import { may } from "../../../api/session.ts";
import { Button } from "../../../parts/button.tsx";
import { Time } from "../../../parts/time.tsx";
import { toast, toastFailure } from "../../../parts/toasts.tsx";
import { say } from "../../../said.ts";
import {
  canUndo,
  counted,
  dayOf,
  daysUntil,
  differencesOf,
  type MigrationReport,
  type PlanOfReport,
  sawYesterday,
  shareOf,
} from "./words.ts";
import { decide, readAgain } from "./report.ts";
import { Part } from "./part.tsx";
import { HandBack, SwitchOver } from "./switch-dialogs.tsx";

/** Each plan: what is decided where, whether that can end, and the switch. */
export function PlanTable({ of }: { of: MigrationReport }) {
  const { plans, more_plans } = of;
  const known = usePlans();
  // By the id that lists and filters call it by.
  const idOf = (plan: string) => encodeURIComponent(known.get(plan)?.id ?? plan);
  const [asked, setAsked] = useState<{ plan: string; to: "keydesk" | "gateway" }>();
  const [busy, setBusy] = useState<string>();
  // The newest answer of the server, also while the dialog is open.
  const plan = plans.find((one) => one.plan === asked?.plan);
  const close = () => setAsked(undefined);
  const undo = async ({ plan, name }: PlanOfReport) => {
    setBusy(plan);
    try {
      await decide(plan, "gateway");
      toast({ text: say`Keys of ${name} are decided by the old gateway again.` });
    } catch (error) {
      toastFailure(error);
      readAgain();
    }
    setBusy(undefined);
  };
  return (
    <Part title="By plan" note="yesterday">
      {!may("plans") && plans.length > 0 && (
        <p class="moving-text">
          You may not switch plans over: ask an administrator for “Change plans, the catalogue, what
          needs approval” (plans).
        </p>
      )}
      {plans.length === 0
        ? <p class="moving-text">No plan has keys or calls.</p>
        : (
          <table class="moving-plans">
            <thead>
              <tr>
                <th scope="col">Plan</th>
                <th scope="col">Decided in Keydesk</th>
                <th scope="col">At the old gateway</th>
                <th scope="col">Would be denied by Keydesk</th>
                <th scope="col">Switch</th>
              </tr>
            </thead>
            <tbody>
              {plans.map((one) => (
                <tr key={one.plan}>
                  <th scope="row">
                    <Link class="moving-key" href={`/apis/plans/${idOf(one.plan)}`}>
                      {one.name}
                    </Link>
                    <small>
                      {counted(one.keys, "key")}
                      {one.never_seen > 0 && say`, ${grouped(one.never_seen)} never seen`}
                    </small>
                  </th>
                  <td data-of="Decided in Keydesk">
                    <Share of={one} isKnown={sawYesterday(of)} />
                  </td>
                  <td data-of="At the old gateway">
                    <There of={one} />
                  </td>
                  <td data-of="Would be denied by Keydesk">
                    <Different of={one} id={idOf(one.plan)} />
                  </td>
                  <td data-of="Switch">
                    <Switch
                      of={one}
                      id={idOf(one.plan)}
                      isBusy={busy === one.plan}
                      onAsk={(to) => {
                        setAsked({ plan: one.plan, to });
                        readAgain();
                      }}
                      onUndo={() => void undo(one)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      {more_plans > 0 && (
        <p class="moving-foot">{say`${counted(more_plans, "plan")} more are not listed.`}</p>
      )}
      {plan && asked?.to === "keydesk" && (
        <SwitchOver
          of={plan}
          onUndo={() => void undo(plan)}
          onClose={close}
        />
      )}
      {plan && asked?.to === "gateway" && <HandBack of={plan} onClose={close} />}
    </Part>
  );
}

function Share({ of, isKnown }: { of: PlanOfReport; isKnown: boolean }) {
  if (!isKnown) return <span class="muted">not in shadow mode yet</span>;
  const share = shareOf(of);
  if (share === "") return <span class="muted">no call</span>;
  return (
    <span class="moving-bar">
      <svg width="100%" height="8" aria-hidden="true">
        <rect class="is-all" width="100%" height="8" rx="4" />
        <rect
          class="is-part"
          width={`${of.in_keydesk / (of.in_keydesk + of.at_gateway) * 100}%`}
          height="8"
          rx="4"
        />
      </svg>
      <span>{share}</span>
    </span>
  );
}

function There(
  { of: { at_gateway: there, keys_at_gateway, last_at_gateway } }: { of: PlanOfReport },
) {
  if (last_at_gateway === null) return <span class="muted">no call was seen</span>;
  return (
    <>
      <span>{there === 0 ? "0 calls" : counted(there, "call")}</span>
      <small>
        {keys_at_gateway !== null && keys_at_gateway > 0 &&
          say`${counted(keys_at_gateway, "key")} in 14 days, `}last call{" "}
        <Time at={last_at_gateway} />
      </small>
    </>
  );
}

function Different(
  { of: { allowed_at_gateway_only, compared }, id }: { of: PlanOfReport; id: string },
) {
  if (compared === 0) return <span class="muted">nothing was compared</span>;
  if (allowed_at_gateway_only.length === 0) {
    return <span>{say`none of ${counted(compared, "call")}`}</span>;
  }
  return (
    <Link class="text-link" href={`/gateways/migration?show=differences&plan=${id}`}>
      {differencesOf(allowed_at_gateway_only)}
    </Link>
  );
}

function Switch({ of, id, isBusy, onAsk, onUndo }: {
  of: PlanOfReport;
  id: string;
  isBusy: boolean;
  onAsk: (to: "keydesk" | "gateway") => void;
  onUndo: () => void;
}) {
  const { name, decided, decided_at, safe } = of;
  const mayNot = !may("plans");
  if (decided === "keydesk") {
    return (
      <>
        {canUndo(of, Date.now())
          ? (
            <Button
              label={say`Undo: have the old gateway decide about ${name} again`}
              disabled={mayNot}
              busy={isBusy}
              onClick={onUndo}
            >
              Undo
            </Button>
          )
          : (
            <Button
              label={say`Hand back: ${name}`}
              disabled={mayNot}
              onClick={() => onAsk("gateway")}
            >
              Hand back…
            </Button>
          )}
        <small>
          switched <Time at={decided_at} />
        </small>
      </>
    );
  }
  return (
    <>
      <Button label={say`Switch over: ${name}`} disabled={mayNot} onClick={() => onAsk("keydesk")}>
        Switch over…
      </Button>
      <small>
        {safe ? "safe" : <Lacks of={of} />}
        {!safe && of.keys_at_gateway !== 0 && (
          <>
            {" "}
            <Link
              class="text-link"
              aria-label={say`See who calls with keys of ${name}`}
              href={`/gateways/migration?show=at_gateway&plan=${id}`}
            >
              See who calls
            </Link>
          </>
        )}
      </small>
    </>
  );
}

/** The open conditions of a plan before switching off is safe. */
function Lacks(
  { of: { allowed_at_gateway_only, last_at_gateway, safe_on } }: { of: PlanOfReport },
) {
  if (allowed_at_gateway_only.length > 0) return <>answers differ.</>;
  if (safe_on === null) {
    return <>{last_at_gateway === null ? "not in shadow mode yet." : "still called."}</>;
  }
  const days = daysUntil(safe_on, Date.now());
  return <>{say`safe in ${counted(days, "more day")}, on ${dayOf(safe_on)}.`}</>;
}
