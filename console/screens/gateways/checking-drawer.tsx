import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { deleteGateway } from "../../api/gateway-endpoints.ts";
import type { CheckingGateway } from "../../api/gateways.ts";
import { grouped } from "../../api/numbers.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ask } from "../../parts/confirm.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Drawer, Fact, Facts } from "../../parts/drawer.tsx";
import { CheckingPill } from "../../parts/gateways/gateway-words.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Managed } from "../../parts/managed.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { kindNames } from "./kind-names.ts";

const CheckingWalk = lazily(() => import("./checking-walk.tsx"), ({ onClose }) => onClose());
const CheckingForm = lazily(() => import("./checking-form.tsx"), ({ onClose }) => onClose());

/** A gateway that checks each call: its calls, its file, and what can be done. */
export function CheckingDrawer({ of: gateway, onChanged, onRemoved, onClose }: {
  of: CheckingGateway;
  onChanged: () => void;
  onRemoved: () => void;
  onClose: () => void;
}) {
  const [asked, setAsked] = useState<"file" | "change">();
  const writes = may("admin");
  const { id, name, version, newer_version: newer, silent_minutes: minutes } = gateway;
  const done = () => {
    setAsked(undefined);
    onChanged();
  };
  const removing = () => remove(gateway, onRemoved);
  const when = () => writes;
  useShortcuts("This gateway", [
    { keys: ["f"], label: "Its file", run: () => setAsked("file"), when },
    { keys: ["e"], label: "Change it", run: () => setAsked("change"), when },
    { keys: ["d"], label: "Remove it", run: removing, when },
  ]);
  return (
    <Drawer
      of={id}
      title={name}
      onClose={onClose}
      footer={writes && (
        <>
          <Button shortcut="F" onClick={() => setAsked("file")}>File</Button>
          <Button shortcut="E" onClick={() => setAsked("change")}>Change</Button>
          <Button kind="danger" shortcut="D" onClick={removing}>Remove</Button>
        </>
      )}
    >
      <Managed kind="gateways" id={id} />
      <div class="gateway-state">
        <CheckingPill of={gateway} />
      </div>
      <Facts>
        <Fact name="Connection">Checks each call with Keydesk</Fact>
        <Fact name="Calls a minute">{grouped(gateway.calls_a_minute)}</Fact>
        <Fact name="First call">
          {gateway.first_call_at && <Time at={gateway.first_call_at} />}
        </Fact>
        <Fact name="Last call">{gateway.last_call_at && <Time at={gateway.last_call_at} />}</Fact>
        <Fact name="File">
          {kindNames[gateway.kind]}
          {version !== "" && say`, version ${version}`}
          {newer !== null && <span class="gateway-newer">{say`Newer file: ${newer}`}</span>}
        </Fact>
        <Fact name="Alert">
          {minutes === 0 ? "None" : say`After ${minutes} minutes without a call`}
        </Fact>
        <Fact name="Added" of={<Time at={gateway.created_at} />} />
      </Facts>
      <h3 class="group-title">Gateway id</h3>
      <CopyId id={id} label="gateway id" />
      {asked === "file" && <CheckingWalk gateway={gateway} onClose={done} />}
      {asked === "change" && (
        <CheckingForm
          gateway={gateway}
          onChanged={onChanged}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Drawer>
  );
}

function remove({ id, name }: CheckingGateway, onDone: () => void): void {
  ask({
    title: say`Remove ${name}?`,
    note:
      "It goes on as before: its calls count as of a gateway without a name. What was counted stays. Its access token is revoked in Settings → Access → Access tokens.",
    action: "Remove",
    danger: true,
    run: () => api.call(deleteGateway, { params: { id }, query: {} }).then(onDone),
    done: say`${name} is removed.`,
  });
}
