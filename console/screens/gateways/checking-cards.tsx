import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { deleteDoor, listDoors } from "../../api/endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { queries, useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Pill, type Tone } from "../../parts/pill.tsx";
import { Empty, Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import type { Door } from "./checking-gateway.ts";

const DoorWalk = lazily(() => import("./checking-walk.tsx"), ({ onClose }) => onClose());
const DoorForm = lazily(() => import("./checking-form.tsx"), ({ onClose }) => onClose());

/** Times of calls are up to a minute old, calls a minute up to 70 seconds. */
const EVERY_MS = 5000;

const states: Record<Door["state"], { tone: Tone; text: string }> = {
  waiting: { tone: "quiet", text: "Waits for its first call" },
  calling: { tone: "good", text: "Calls" },
  silent: { tone: "bad", text: "Silent" },
};

/** What is done to which door. */
type Doing = { what: "set up" | "change"; door: Door };

/** The doors that somebody set up, and the way to another one. */
export function DoorsTab({ isSettingUp, onSetUp, onDone }: {
  /** Whether another one is being set up. */
  isSettingUp: boolean;
  onSetUp: () => void;
  onDone: () => void;
}) {
  const [doing, setDoing] = useState<Doing>();
  const { data, error, refetch } = useCall(["doors"], listDoors, {}, { refetchInterval: EVERY_MS });
  const writes = may("admin");
  const readAgain = () => void queries.invalidateQueries({ queryKey: ["doors"] });
  const stop = () => {
    setDoing(undefined);
    onDone();
    readAgain();
  };
  return (
    <>
      {!data ? <Unread of={{ error, refetch }} /> : data.data.length === 0
        ? (
          <Empty
            title="No door is set up"
            action={writes && <Button kind="primary" onClick={onSetUp}>Set up a door</Button>}
          >
            A proxy or gateway that names itself is a door. Until it is set up, its calls count as
            of a door without a name.
          </Empty>
        )
        : (
          <ul class="cards is-wide door-cards">
            {data.data.map((one) => (
              <li key={one.id} class="card">
                <DoorCard
                  of={one}
                  onDo={writes ? (what) => setDoing({ what, door: one }) : undefined}
                  onTakeAway={() => takeAway(one, readAgain)}
                />
              </li>
            ))}
          </ul>
        )}
      {isSettingUp && <DoorWalk onClose={stop} />}
      {doing?.what === "set up" && <DoorWalk door={doing.door} onClose={stop} />}
      {doing?.what === "change" && <DoorForm door={doing.door} onClose={stop} />}
    </>
  );
}

function DoorCard({ of: door, onDo, onTakeAway }: {
  of: Door;
  onDo: ((what: Doing["what"]) => void) | undefined;
  onTakeAway: () => void;
}) {
  const { name, kind, state, version, newer_version: newer, silent_minutes: minutes } = door;
  return (
    <>
      <div class="card-head">
        <b>{name}</b>
        <Pill tone={states[state].tone}>{states[state].text}</Pill>
      </div>
      <Facts>
        <Fact name="Calls a minute">{grouped(door.calls_a_minute)}</Fact>
        <Fact name="First call">{door.first_call_at && <Time at={door.first_call_at} />}</Fact>
        <Fact name="Last call">{door.last_call_at && <Time at={door.last_call_at} />}</Fact>
        <Fact name="File">
          {kind}
          {version !== "" && say`, version ${version}`}
          {newer !== null && <span class="door-newer">{say`Newer file: ${newer}`}</span>}
        </Fact>
        <Fact name="Alert">
          {minutes === 0 ? "None" : say`After ${minutes} minutes without a call`}
        </Fact>
      </Facts>
      {onDo && (
        <div class="card-actions">
          <Button label={say`File of ${name}`} onClick={() => onDo("set up")}>File</Button>
          <Button label={say`Change ${name}`} onClick={() => onDo("change")}>Change</Button>
          <Button kind="danger" label={say`Take away ${name}`} onClick={onTakeAway}>
            Take away
          </Button>
        </div>
      )}
    </>
  );
}

function takeAway({ id, name }: Door, onDone: () => void): void {
  ask({
    title: say`Take ${name} away?`,
    note:
      "It goes on as before: its calls count as of a door without a name. What was counted stays. Its access token is revoked in Settings.",
    action: "Take away",
    danger: true,
    run: () => api.call(deleteDoor, { params: { id } }).then(onDone),
    done: say`${name} is taken away.`,
  });
}
