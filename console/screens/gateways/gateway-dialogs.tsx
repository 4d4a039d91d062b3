import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import {
  confirmGateway,
  deleteGateway,
  pauseGateway,
  reconcileGateway,
} from "../../api/gateway-endpoints.ts";
import type { SyncedGateway } from "../../api/gateways.ts";
import { announce } from "../../parts/announcer.tsx";
import { ask, Confirm } from "../../parts/confirm.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { CheckField, SelectField } from "../../parts/fields.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";

/** Asks before nothing is brought there any more, revocations neither. */
export function pause({ id, name }: SyncedGateway, onDone: () => void): void {
  ask({
    title: say`Pause ${name}?`,
    note:
      "Nothing is written to it until it is resumed, not even revocations: a key that is revoked in Keydesk meanwhile stays valid at the gateway.",
    action: "Pause",
    danger: true,
    run: async () => {
      await api.call(pauseGateway, { params: { id } });
      announce(say`${name} is paused.`);
      onDone();
    },
  });
}

/** Asks for a person's yes to what an access token added or moved. */
export function confirm(of: SyncedGateway, onDone: () => void): void {
  const { id, name, url, map, probe_url, redis_url, unconfirmed_since, certificates } = of;
  ask({
    title: say`Confirm ${name}?`,
    note:
      "An access token added or moved it. From now on issued keys and their secrets are written to it.",
    action: "Confirm",
    more: (
      <Facts title="Where it is">
        <Fact name="Address">{url !== "" && <code>{url}</code>}</Fact>
        <Fact name="Notified by">
          {map && (map.socket === "" ? "Its file alone" : <code>{map.socket}</code>)}
        </Fact>
        <Fact name="Its Redis">{redis_url !== "" && <code>{redis_url}</code>}</Fact>
        <Fact name="Probed by">{probe_url !== "" && <code>{probe_url}</code>}</Fact>
        <Fact name="Certificates">
          {certificates && "Keys are pinned to those of their requests"}
        </Fact>
      </Facts>
    ),
    run: async () => {
      const body = { unconfirmed_since: unconfirmed_since ?? "" };
      await api.call(confirmGateway, { params: { id }, body });
      announce(say`${name} is confirmed.`);
      onDone();
    },
  });
}

/** Asks how the keys there are compared with what was decided. */
export function CompareGateway({ of: { id, name }, onDone, onClose }: {
  of: SyncedGateway;
  onDone: () => void;
  onClose: () => void;
}) {
  const [whole, setWhole] = useState(false);
  const [dry_run, setDry] = useState(true);
  return (
    <Confirm
      title={say`Reconcile ${name}?`}
      note="Its keys are compared with those of Keydesk, both ways, and the gateway is checked. This also runs daily. Keys at the gateway that Keydesk does not know are reported and never changed."
      action="Reconcile"
      onConfirm={async () => {
        await api.call(reconcileGateway, { params: { id }, body: { whole, dry_run } });
        onDone();
      }}
      onClose={onClose}
    >
      <CheckField
        label="Only count: put nothing right"
        hint="Otherwise Keydesk writes missing keys and deletes revoked ones again. Changes made at the gateway wait for you either way."
        checked={dry_run}
        onChange={setDry}
      />
      <CheckField
        label="Read every session"
        hint="Else a sample of 200 is read."
        checked={whole}
        disabled={dry_run}
        onChange={setWhole}
      />
    </Confirm>
  );
}

/** Asks what becomes of the keys there before a gateway is removed. */
export function RemoveGateway(
  { of: { id, name, counts, state, map }, onChanged, onRemoved, onClose }: {
    of: SyncedGateway;
    onChanged: () => void;
    onRemoved: () => void;
    onClose: () => void;
  },
) {
  const there = counts.delivered + counts.diverged;
  // Nothing was written where its map is fetched, so there is nothing to choose.
  const isFetched = map?.socket === "fetched";
  const [keys, setKeys] = useState<"end" | "leave">(
    state !== "ending" && !isFetched && (there > 0 || map !== null) ? "end" : "leave",
  );
  return (
    <Confirm
      title={say`Remove ${name}?`}
      note={there === 0
        ? "As far as Keydesk knows, it has no key. Nothing is written to it any more."
        : isFetched
        ? say`${there} keys are in its map. The gateway goes on with the map it fetched last until it fetches it again; stop one that no longer fetches it by hand.`
        : say`${there} keys are at the gateway.`}
      action={keys === "end" ? "Delete the keys and remove" : "Remove"}
      danger
      onConfirm={async () => {
        const { left, ending } = await api.call(deleteGateway, { params: { id }, query: { keys } });
        if (ending) {
          toast({
            text:
              say`The keys of ${name} are deleted at the gateway; it is removed with the last of them.`,
          });
          return onChanged();
        }
        toast({
          text: isFetched
            ? say`${name} is removed. The gateway empties its map when it fetches it next.`
            : say`${name} is removed; ${left} keys were left at the gateway.`,
        });
        onRemoved();
      }}
      onClose={onClose}
    >
      {there > 0 && !isFetched && (
        <SelectField
          label="Its keys"
          hint={keys === "end"
            ? "Each is deleted at the gateway and read back. A key that can’t be deleted is stuck; until the last one it can be kept."
            : map
            ? "They stay valid at its gateway, those that you revoke later too, until its file is deleted."
            : "They stay valid at the gateway, and Keydesk can’t revoke them."}
          value={keys}
          options={[
            { value: "end", text: "Delete them at the gateway first" },
            { value: "leave", text: "Leave them as they are" },
          ]}
          onChange={(value) => setKeys(value === "end" ? "end" : "leave")}
        />
      )}
    </Confirm>
  );
}
