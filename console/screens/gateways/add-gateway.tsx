import { useState } from "preact/hooks";
import { checkingKinds } from "../../../src/contract/checking-gateways.ts";
import type { Gateway } from "../../api/gateways.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { connectionNames, kindNames } from "./kind-names.ts";

const CheckingWalk = lazily(() => import("./checking-walk.tsx"), ({ onClose }) => onClose());
const NameOnly = lazily(() => import("./checking-name.tsx"), ({ onClose }) => onClose());
const GatewayForm = lazily(() => import("./gateway-form.tsx"), ({ onClose }) => onClose());

type Kind = Gateway["kind"];
type Connection = Gateway["connection"];

/** The products, each with the connections that it knows; the first is chosen at first. */
const waysOf: Record<Kind, readonly [Connection, ...Connection[]]> = {
  nginx: ["checks"],
  caddy: ["checks"],
  haproxy: ["checks", "map"],
  envoy: ["checks"],
  traefik: ["checks"],
  tyk: ["synced", "checks"],
  agentgateway: ["map"],
  other: ["checks"],
};

// as: the keys of exactly this object.
const kinds = Object.keys(waysOf) as Kind[];

/** The costs of each connection, as in docs/gateways.md. */
const costs: Record<Connection, { latency: string; away: string; revoked: string }> = {
  checks: {
    latency: "One question to Keydesk",
    away: "Calls are denied",
    revoked: "Within a second",
  },
  synced: {
    latency: "None",
    away: "Keys stay valid as they were written last",
    revoked: "Up to 10 seconds; before Tyk 5.15 with quotas as long as calls go on",
  },
  map: {
    latency: "None for keys in the map",
    away: "Keys in the map stay valid; quotas are not enforced, other keys are denied",
    revoked: "Once the proxy has the new map: about 5 seconds if it fetches each second",
  },
};

/** Asks which product is added and how it is connected, and then for what that needs. */
export default function AddGateway({ onSaved, onClose }: {
  /** With the id of a gateway that is to be opened. */
  onSaved: (id: string | undefined) => void;
  onClose: () => void;
}) {
  const [kind, setKind] = useState<Kind>("nginx");
  const [chosen, setChosen] = useState<Connection>("checks");
  const [isChosen, setIsChosen] = useState(false);
  const ways = waysOf[kind].filter((one) => one === "checks" || may("approve"));
  const connection = ways.find((one) => one === chosen) ?? ways[0];
  if (isChosen && connection === "checks") {
    const filed = checkingKinds.find((one) => one === kind);
    return filed === undefined || filed === "other"
      ? <NameOnly onSaved={onSaved} onClose={onClose} />
      : <CheckingWalk kind={filed} onClose={onClose} />;
  }
  if (isChosen && connection !== undefined) {
    return (
      <GatewayForm
        way={{ connection, kind }}
        onSaved={({ id }) => onSaved(id)}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog wide title="Add a gateway" onClose={onClose}>
      <SelectField
        label="Product"
        value={kind}
        options={kinds.map((value) => ({ value, text: kindNames[value] }))}
        onChange={(value) => {
          const product = kinds.find((one) => one === value) ?? "other";
          setKind(product);
          setChosen(waysOf[product][0]);
        }}
      />
      {ways.length > 0 && (
        <SelectField
          label="How it is connected"
          value={connection ?? ""}
          options={ways.map((value) => ({ value, text: connectionNames[value] }))}
          onChange={(value) => setChosen(ways.find((one) => one === value) ?? "checks")}
        />
      )}
      {ways.length === 0 && (
        <p class="notice">To add this product takes the permission to approve.</p>
      )}
      <Costs of={waysOf[kind]} chosen={connection} />
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          disabled={connection === undefined}
          onClick={() => setIsChosen(true)}
        >
          Next
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function Costs({ of: ways, chosen }: {
  of: readonly Connection[];
  chosen: Connection | undefined;
}) {
  return (
    <table class="gateway-ways">
      <caption class="unseen">What each connection costs</caption>
      <thead>
        <tr>
          <th scope="col">Connection</th>
          <th scope="col">Added to each call</th>
          <th scope="col">While Keydesk is down</th>
          <th scope="col">A revocation takes effect</th>
        </tr>
      </thead>
      <tbody>
        {ways.map((way) => (
          <tr key={way} class={way === chosen ? "is-chosen" : ""}>
            <th scope="row">{connectionNames[way]}</th>
            <td>{costs[way].latency}</td>
            <td>{costs[way].away}</td>
            <td>{costs[way].revoked}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
