import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { hurryGateway, resumeGateway } from "../../api/gateway-endpoints.ts";
import type { SyncedGateway } from "../../api/gateways.ts";
import { usePlans } from "../../api/plans.ts";
import { may } from "../../api/session.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button, LinkButton } from "../../parts/button.tsx";
import { CopyField, CopyId } from "../../parts/copy.tsx";
import { Drawer, Fact, Facts } from "../../parts/drawer.tsx";
import { findings, GatewayPill } from "../../parts/gateways/gateway-words.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Managed } from "../../parts/managed.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useBusy } from "../../parts/toasts.tsx";
import { listed, say } from "../../said.ts";
import { Canary } from "./canary.tsx";
import { Compared } from "./compared.tsx";
import { GatewayKeys } from "./gateway-keys.tsx";
import { kindNames } from "./kind-names.ts";
import { LazyMigrationPart } from "./lazy-migration.tsx";
import { CompareGateway, confirm, pause, RemoveGateway } from "./gateway-dialogs.tsx";

const GatewayForm = lazily(() => import("./gateway-form.tsx"), ({ onClose }) => onClose());

type Asked = "change" | "compare" | "remove";

/** A gateway in full: what is wrong there, its keys, and what can be done. */
export function GatewayDrawer({ id, of: gateway, isRead, onChanged, onRemoved, onClose }: {
  id: string;
  of: SyncedGateway | undefined;
  /** Whether the list of all is there. */
  isRead: boolean;
  onChanged: () => void;
  onRemoved: () => void;
  onClose: () => void;
}) {
  const [asked, setAsked] = useState<Asked>();
  /** The comparison before the one that was asked for; undefined: none was. */
  const [before, setBefore] = useState<string | null>();
  const [busy, run] = useBusy();
  const isOurs = () => gateway !== undefined && may("admin");
  const done = (work: () => Promise<string>) =>
    run(async () => {
      announce(await work());
      onChanged();
    });
  const tryAll = () =>
    done(async () => {
      const { tried } = await api.call(hurryGateway, { params: { id }, body: {} });
      return tried === 0 ? "Nothing waits for this gateway." : say`${tried} keys are tried now.`;
    });
  const resume = () =>
    done(async () => {
      const { name } = await api.call(resumeGateway, { params: { id } });
      return say`${name} goes on.`;
    });
  useShortcuts("This gateway", [
    { keys: ["t"], label: "Try all now", run: () => void tryAll(), when: isOurs },
    { keys: ["r"], label: "Reconcile it", run: () => setAsked("compare"), when: isOurs },
    { keys: ["e"], label: "Change it", run: () => setAsked("change"), when: isOurs },
    { keys: ["d"], label: "Remove it", run: () => setAsked("remove"), when: isOurs },
  ]);
  if (!gateway) {
    return (
      <Drawer of={id} title="Gateway" onClose={onClose}>
        {isRead
          ? <Empty title="There is no such gateway">It was removed, or the link is wrong.</Empty>
          : <Loading />}
      </Drawer>
    );
  }
  const close = () => setAsked(undefined);
  return (
    <Drawer
      of={id}
      title={gateway.name}
      onClose={onClose}
      footer={may("admin") && (
        <>
          <Button kind="primary" shortcut="T" busy={busy} onClick={() => void tryAll()}>
            Try all now
          </Button>
          <Button shortcut="E" onClick={() => setAsked("change")}>Change</Button>
          <Button kind="danger" shortcut="D" onClick={() => setAsked("remove")}>Remove</Button>
        </>
      )}
    >
      <Managed kind="gateways" id={id} />
      <div class="gateway-state">
        <GatewayPill of={gateway} />
        {may("admin") && gateway.unconfirmed_since === null && (
          <LinkButton
            disabled={busy}
            onClick={() => gateway.state === "active" ? pause(gateway, onChanged) : void resume()}
          >
            {pauseWords[gateway.state]}
          </LinkButton>
        )}
      </div>
      {gateway.unconfirmed_since !== null && (
        <div class="notice is-warning">
          <div>
            <p>
              <b>It waits for a person's yes</b> since{" "}
              <Time at={gateway.unconfirmed_since} />: an access token added or moved it. Nothing is
              written to it before.
            </p>
            {may("admin") && may("approve") && (
              <Button onClick={() => confirm(gateway, onChanged)}>Confirm</Button>
            )}
          </div>
        </div>
      )}
      <Problems of={gateway} />
      <GatewayKeys of={gateway} />
      <Canary of={gateway} />
      {gateway.closing && <Late of={gateway.closing} />}
      <Compared
        of={gateway}
        isAsked={before !== undefined && before === gateway.reconciled_at}
        onCompare={may("admin") ? () => setAsked("compare") : undefined}
      />
      {gateway.connection === "synced" && <LazyMigrationPart of={gateway} />}
      <About of={gateway} />
      <h3 class="group-title">Gateway id</h3>
      <CopyId id={id} label="gateway id" />
      {asked === "change" && <GatewayForm gateway={gateway} onSaved={onChanged} onClose={close} />}
      {asked === "compare" && (
        <CompareGateway
          of={gateway}
          onDone={() => {
            setBefore(gateway.reconciled_at);
            onChanged();
          }}
          onClose={close}
        />
      )}
      {asked === "remove" && (
        <RemoveGateway of={gateway} onChanged={onChanged} onRemoved={onRemoved} onClose={close} />
      )}
    </Drawer>
  );
}

/** The button that changes its state. */
const pauseWords: Record<SyncedGateway["state"], string> = {
  active: "Pause",
  paused: "Resume",
  ending: "Keep it",
};

/** The gateway's problems, and the setting that helps. */
function Problems({ of: { state, missing_outbound, failing_since, failure, findings: found } }: {
  of: SyncedGateway;
}) {
  return (
    <>
      {state === "ending" && (
        <p class="notice is-warning">
          <span>Its keys are deleted at the gateway. It is removed with the last of them.</span>
        </p>
      )}
      {missing_outbound !== null && (
        <div class="notice is-warning">
          <div>
            <p>
              <b>It can't be called yet.</b> The setting <code>KEYDESK_OUTBOUND</code>{" "}
              does not name its host. The server administrator adds it to the setting and starts the
              server again:
            </p>
            <CopyField label="KEYDESK_OUTBOUND" text={missing_outbound} />
          </div>
        </div>
      )}
      {missing_outbound === null && failing_since !== null && (
        <p class="notice is-bad">
          <span>
            <b>It can't be reached or believed</b> since <Time at={failing_since} />:{" "}
            {failure}. Keys wait, revocations and suspensions first. Keydesk tries again by itself.
          </span>
        </p>
      )}
      {found.length > 0 && (
        <>
          <h3 class="group-title">Found at its last check</h3>
          <ul class="gateway-findings">
            {found.map(({ code, detail }) => {
              const isBad = code === "cache_on" && detail === "undone";
              const setting = findings[code].setting?.(detail);
              return (
                <li key={`${code} ${detail}`} class={isBad ? "notice is-bad" : "notice is-warning"}>
                  <span>
                    {findings[code].text(detail)}
                    {setting !== undefined && (
                      <>
                        {" "}
                        Set at the gateway: <code>{setting}</code>
                      </>
                    )}
                  </span>
                </li>
              );
            })}
          </ul>
        </>
      )}
    </>
  );
}

/** For how long keys may open there behind their end. */
function Late({ of: { version, cache, revoked, suspended } }: {
  of: NonNullable<SyncedGateway["closing"]>;
}) {
  const words = (seconds: number | null) =>
    seconds === null ? "as long as calls go on" : say`up to ${seconds} s`;
  return (
    <Facts title="How late a revocation takes effect">
      <Fact name="Version">{version || "It does not say"}</Fact>
      <Fact name="Session cache">{caches[cache]}</Fact>
      <Fact name="A revoked key is valid">
        {say`${words(revoked.without_quota)}; with a quota ${words(revoked.with_quota)}`}
      </Fact>
      <Fact name="A suspended key is valid">
        {say`${words(suspended.without_quota)}; with a quota ${words(suspended.with_quota)}`}
      </Fact>
    </Facts>
  );
}

const caches: Record<NonNullable<SyncedGateway["closing"]>["cache"], string> = {
  on: "On: a call was allowed after a revocation",
  not_seen: "Not seen: no call was allowed after a revocation",
  not_tried: "Not tried, so the worst that is known is said",
};

function About({ of: gateway }: { of: SyncedGateway }) {
  const plans = usePlans();
  const named = gateway.plans?.map((id) => plans.get(id)?.name ?? id);
  return (
    <Facts title="Settings">
      <Fact name="Product">{kindNames[gateway.kind]}</Fact>
      <Fact name="Connection">
        {gateway.connection === "map"
          ? "A map of hashes of keys"
          : "Synced: keys are written into it"}
      </Fact>
      <Fact name="Address">{gateway.url !== "" && <code>{gateway.url}</code>}</Fact>
      <Fact name="File read within">
        {gateway.map?.reload_seconds != null && say`${gateway.map.reload_seconds} s`}
      </Fact>
      <Fact name="Fetched by">
        {gateway.map && gateway.map.readers.length > 0 &&
          gateway.map.readers.map((one) => (
            <div key={one.token_id}>
              access token <code>{one.token_id}</code>,{" "}
              {one.up_to === null ? "whose proxy has not said yet that it has a map" : (
                <>
                  with what was decided until <Time at={one.up_to} />
                </>
              )}
            </div>
          ))}
      </Fact>
      <Fact name="Files">
        {gateway.map?.files.map((name) => (
          <div key={name}>
            <code>{name}</code>
          </div>
        ))}
      </Fact>
      <Fact name="API">{gateway.map && (gateway.map.api || "Any")}</Fact>
      <Fact name="Notified by">
        {gateway.map &&
          (gateway.map.socket === "" ? "Its file alone" : <code>{gateway.map.socket}</code>)}
      </Fact>
      <Fact name="Its Redis">{gateway.redis_url !== "" && <code>{gateway.redis_url}</code>}</Fact>
      <Fact name="Probed by">{gateway.probe_url !== "" && <code>{gateway.probe_url}</code>}</Fact>
      <Fact name="Plans">
        {named === undefined ? "All" : listed(named) || "None: every key is deleted at the gateway"}
      </Fact>
      <Fact name="Policies">
        {!gateway.map &&
          (gateway.policies === "write" ? "Written, one for each plan" : "Compared alone")}
      </Fact>
      <Fact name="Calls a second">
        {gateway.calls_per_second === null
          ? "As often as it answers"
          : say`${gateway.calls_per_second} at the most`}
      </Fact>
      <Fact name="Checked" of={gateway.checked_at !== null && <Time at={gateway.checked_at} />} />
      <Fact name="Added" of={<Time at={gateway.created_at} />} />
    </Facts>
  );
}
