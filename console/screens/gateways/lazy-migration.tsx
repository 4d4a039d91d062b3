import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import {
  confirmLosses,
  getLazyMigration,
  startLazyMigration,
  stopLazyMigration,
} from "../../api/gateway-endpoints.ts";
import type { LazyMigration, SyncedGateway } from "../../api/gateways.ts";
import { grouped } from "../../api/numbers.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button, LinkButton } from "../../parts/button.tsx";
import { ask, Confirm } from "../../parts/confirm.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { endOfDay, ENDS_IN_ZONE } from "../../parts/zone.ts";

/** How old what is shown is at the most. */
const EVERY_MS = 5000;

/** Whether unknown keys are migrated from a gateway, and who may change that. */
export function LazyMigrationPart({ of: gateway }: { of: SyncedGateway }) {
  const { id } = gateway;
  const [asked, setAsked] = useState<"start" | "losses">();
  const { data, refetch } = useCall(["gateways", "learning", id], getLazyMigration, {
    params: { id },
  }, {
    refetchInterval: EVERY_MS,
  });
  if (!data) return null;
  const close = () => setAsked(undefined);
  const done = () => void refetch();
  return (
    <>
      <div class="key-plans-head">
        <h3 class="group-title">Lazy migration</h3>
        {may("admin") && (
          <LinkButton
            class="key-change"
            onClick={() => data.on ? stop(gateway, done) : setAsked("start")}
          >
            {data.on ? "Stop lazy migration" : "Start lazy migration"}
          </LinkButton>
        )}
      </div>
      <State of={data} />
      {data.awaiting > 0 && (
        <div class="notice is-warning" role="status">
          <p>
            {say`${grouped(data.awaiting)} ${
              data.awaiting === 1 ? "key would" : "keys would"
            } lose access because of what the gateway says, since `}
            <Time at={data.awaiting_since ?? ""} />. They are valid in Keydesk until a person
            confirms.
          </p>
          {may("admin") && may("approve") && (
            <Button onClick={() => setAsked("losses")}>Look at it</Button>
          )}
        </div>
      )}
      {asked === "start" && <StartLazyMigration of={gateway} onDone={done} onClose={close} />}
      {asked === "losses" && (
        <ConfirmLosses of={gateway} awaiting={data.awaiting} onDone={done} onClose={close} />
      )}
    </>
  );
}

function State(
  { of: { on, ends_at, migrated: count, questions_per_second } }: { of: LazyMigration },
) {
  if (!on && count === 0) {
    return (
      <p class="muted">
        Off. While you migrate, keys whose hashes can’t be imported are migrated at their first
        call.
      </p>
    );
  }
  return (
    <Facts>
      <Fact name={on ? "Until" : "Ended"}>{ends_at !== null && <Time at={ends_at} />}</Fact>
      <Fact name="Migrated">{say`${grouped(count)} ${count === 1 ? "key" : "keys"}`}</Fact>
      <Fact name="Questions a second">{on && say`${questions_per_second} at the most`}</Fact>
    </Facts>
  );
}

interface DialogProps {
  of: SyncedGateway;
  onDone: () => void;
  onClose: () => void;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The usual length of a move. */
const USUAL_DAYS = 30;

function StartLazyMigration({ of: { id, name }, onDone, onClose }: DialogProps) {
  const [day, setDay] = useState(
    new Date(Date.now() + USUAL_DAYS * DAY_MS).toISOString().slice(0, 10),
  );
  const [questions, setQuestions] = useState("20");
  return (
    <Confirm
      title={say`Migrate keys from ${name} at their first call?`}
      note="Keydesk asks the gateway about a key that it does not know, by its hashes alone. If the key is valid at the gateway, it is migrated to Keydesk. While the gateway does not answer, gateways answer 503 to such keys. With hashes of 32 bits, another text with the same hash may be migrated first."
      action="Start"
      onConfirm={async () => {
        const ends_at = endOfDay(day) ?? day;
        const body = { ends_at, questions_per_second: Number(questions) };
        await api.call(startLazyMigration, { params: { id }, body });
        announce(say`Keys are migrated from ${name}.`);
        onDone();
      }}
      onClose={onClose}
    >
      <TextField
        label="Until"
        hint={ENDS_IN_ZONE}
        type="date"
        value={day}
        required
        onInput={setDay}
      />
      <TextField
        label="Questions a second, at the most"
        hint="For each server. Gateways and networks share them equally."
        type="number"
        min={1}
        max={1000}
        value={questions}
        required
        onInput={setQuestions}
      />
    </Confirm>
  );
}

function stop({ id, name }: SyncedGateway, onDone: () => void): void {
  ask({
    title: say`Stop lazy migration from ${name}?`,
    note:
      "Migrated keys stay. Keys that Keydesk does not know are denied again, and a revocation at the gateway no longer revokes a key in Keydesk.",
    action: "Stop",
    run: async () => {
      await api.call(stopLazyMigration, { params: { id } });
      announce(say`No keys are migrated from ${name}.`);
      onDone();
    },
  });
}

function ConfirmLosses(
  { of: { id, name }, awaiting, onDone, onClose }: DialogProps & { awaiting: number },
) {
  return (
    <Confirm
      title={say`Do ${grouped(awaiting)} keys lose access?`}
      note={say`${name} reports that they expired, were revoked or suspended, or lost a plan. A gateway with an emptied Redis reports this too: then leave it, and repair the gateway. If you confirm, Keydesk asks about each key again, and it loses access if the gateway still reports this. Revoked keys can be restored for 7 days.`}
      action="Take their access"
      danger
      onConfirm={async () => {
        await api.call(confirmLosses, { params: { id }, body: { awaiting } });
        announce(say`The keys are asked about anew.`);
        onDone();
      }}
      onClose={onClose}
    />
  );
}
