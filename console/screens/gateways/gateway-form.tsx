import { useRef } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { createGateway, updateGateway } from "../../api/gateway-endpoints.ts";
import type { Gateway, SyncedGateway } from "../../api/gateways.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { authTypes } from "../../parts/keys/key.ts";
import { PlanChoice } from "../../parts/keys/plan-choice.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { kindNames } from "./kind-names.ts";
import { writtenOf } from "./written.ts";

interface Draft {
  name: string;
  url: string;
  secret: string;
  probe_url: string;
  redis_url: string;
  redis_password: string;
  /** Keys of which plans stand there. */
  of: "all" | "some" | "none";
  plans: string[];
  policies: SyncedGateway["policies"];
  certificates: boolean;
  pace: string;
  /** Of a map. */
  api: string;
  socket: string;
  reload: string;
}

const allTypes = Object.values(authTypes).flat();

/** Adds a gateway, or changes one. Its secret is written and never shown. */
export default function GatewayForm({ gateway, way, onSaved, onClose }: {
  gateway?: SyncedGateway;
  /** The choices for a gateway that is added. */
  way?: Pick<Gateway, "connection" | "kind">;
  onSaved: (saved: Gateway) => void;
  onClose: () => void;
}) {
  const decision = useRef(decisionKey());
  const { connection = "synced", kind = "tyk" } = gateway ?? way ?? {};
  const isMap = connection === "map";
  return (
    <FormDialog<Draft>
      name={`gateway ${gateway?.id ?? ""}`}
      title={gateway ? say`Change ${gateway.name}` : say`Add ${kindNames[kind]}`}
      note={gateway
        ? "If the address changes, every key is written again and other administrators are notified. Keys whose plans are no longer selected are deleted at the gateway."
        : isMap
        ? "Every key is brought to its map from now on."
        : "Every key is written to it from now on. Before: turn hash_keys and enable_hashed_keys_listing on, and make a policy for each plan, with the plan's id, or have them written."}
      action={gateway ? "Save" : "Add"}
      initial={draftOf(gateway)}
      places={{
        plans: "plans",
        calls_per_second: "pace",
        "map.socket": "socket",
        "map.reload_seconds": "reload",
      }}
      onSave={async (draft) => {
        const { secret, redis_password, ...others } = bodyOf(draft, isMap, gateway);
        const body = { ...others, ...redis_password === "" ? {} : { redis_password } };
        const saved = gateway
          ? await api.call(updateGateway, {
            params: { id: gateway.id },
            body: { ...body, ...secret === "" ? {} : { secret } },
          })
          : await api.call(createGateway, {
            body: { ...body, connection, kind, ...secret === "" ? {} : { secret } },
            headers: decision.current,
          });
        toast({ text: say`${saved.name} is ${gateway ? "changed" : "added"}.` });
        onSaved(saved);
      }}
      onClose={onClose}
      fields={({ draft, set, errors }) => [
        { of: "name", label: "Name", maxLength: 100, autoFocus: true, required: true },
        isMap && [
          {
            of: "api",
            label: "API that it protects",
            hint: "Its id. Empty: any.",
            maxLength: 255,
            error: "map",
          },
          {
            of: "socket",
            label: "Where HAProxy takes commands",
            hint:
              "unix, or a port of this machine such as 127.0.0.1:9999. Empty: the file alone is written.",
            maxLength: 255,
          },
          draft.socket.trim() === "" && {
            of: "reload",
            label: "Its proxy reads the file within, in seconds",
            hint: "A revoked key may be valid until then. Empty: not known.",
            type: "number",
            min: 1,
            max: 604_800,
          },
        ],
        !isMap && [
          {
            of: "url",
            label: "Address of its own interface",
            hint: "Without /tyk at its end.",
            type: "url",
            placeholder: "https://gateway.example.org",
            maxLength: 2048,
            required: true,
          },
          {
            of: "secret",
            label: "Secret of its interface",
            hint: gateway && !isElsewhere(draft, gateway)
              ? "Empty: it stays as it is."
              : gateway
              ? "It goes to no other address than that for which it was written: write it anew."
              : "It is kept sealed and never shown again.",
            type: "password",
            autocomplete: "off",
            maxLength: 1000,
            required: !gateway || isElsewhere(draft, gateway),
          },
        ],
        !isMap && [
          {
            of: "probe_url",
            label: "An API behind it, to test revocations",
            hint: "Any key must be able to call it. Empty: it is not tried.",
            type: "url",
            maxLength: 2048,
          },
          {
            of: "redis_url",
            label: "Its Redis, where keys from before are made",
            hint: "Such as rediss://redis.example.org:6379/0. Empty: such keys have to be rotated.",
            maxLength: 2048,
          },
          draft.redis_url !== "" && {
            of: "redis_password",
            label: "Password of its Redis",
            hint: draft.redis_url === gateway?.redis_url
              ? "Empty: it stays as it is."
              : "It is kept sealed and never shown again. Empty: it needs none.",
            type: "password",
            autocomplete: "off",
            maxLength: 1000,
          },
        ],
        {
          of: "of",
          label: "Keys at the gateway",
          options: [
            { value: "all", text: "Those of all plans" },
            { value: "some", text: "Those of chosen plans" },
            { value: "none", text: "None: every key is deleted at the gateway" },
          ],
        },
        draft.of === "some" && (
          <PlanChoice
            chosen={draft.plans}
            authTypes={allTypes}
            error={errors.plans ?? ""}
            onChange={(plans) => set({ plans })}
          />
        ),
        !isMap && [
          {
            of: "policies",
            label: "Its policies",
            hint: draft.policies === "write"
              ? "One is made for each of these plans, and changed with it. All others are left to people."
              : "Plans are compared with them; what differs is reported.",
            options: [
              { value: "compare", text: "Compare them with plans" },
              { value: "write", text: "Write them from plans" },
            ],
          },
          {
            of: "certificates",
            label: "Certificates",
            hint:
              "Put them on the gateway yourself: a pinned key is not valid without its certificate.",
            options: [
              { value: false, text: "Pin no key to one" },
              { value: true, text: "Pin keys to the one of their request" },
            ],
          },
          {
            of: "pace",
            label: "Calls a second at the most",
            hint: "A key takes about four. Empty: as often as it answers.",
            type: "number",
            min: 1,
            max: 10_000,
          },
        ],
      ]}
    />
  );
}

function draftOf(gateway: SyncedGateway | undefined): Draft {
  const plans = gateway?.plans ?? null;
  return {
    api: gateway?.map?.api ?? "",
    socket: gateway?.map?.socket ?? "",
    reload: gateway?.map?.reload_seconds?.toString() ?? "",
    name: gateway?.name ?? "",
    url: gateway?.url ?? "",
    secret: "",
    probe_url: gateway?.probe_url ?? "",
    redis_url: gateway?.redis_url ?? "",
    redis_password: "",
    of: plans === null ? "all" : plans.length === 0 ? "none" : "some",
    plans: plans ?? [],
    policies: gateway?.policies ?? "compare",
    certificates: gateway?.certificates ?? false,
    pace: gateway?.calls_per_second?.toString() ?? "",
  };
}

/** Whether this is another address, however it is written. */
function isElsewhere({ url }: Draft, gateway: SyncedGateway): boolean {
  const text = url.trim();
  return (URL.canParse(text) ? new URL(text).href : text) !== gateway.url;
}

function bodyOf(draft: Draft, isMap: boolean, gateway: SyncedGateway | undefined) {
  const { name, url, secret, probe_url, of, plans, policies, certificates, pace } = draft;
  const { api: before, redis_url, redis_password } = draft;
  const [socket, reload] = [draft.socket.trim(), draft.reload.trim()];
  const isReload = /^\d{1,6}$/.test(reload) && Number(reload) >= 1 && Number(reload) <= 604_800;
  const reload_seconds = socket === "" && reload !== "" ? Number(reload) : null;
  const isPace = /^\d{1,5}$/.test(pace.trim()) && Number(pace) >= 1 && Number(pace) <= 10_000;
  const wrong = {
    ...name.trim() === "" ? { name: "Write a name here." } : {},
    ...url.trim() === "" && !isMap ? { url: "Write the address here." } : {},
    ...secret === "" && !isMap && (!gateway || isElsewhere(draft, gateway))
      ? { secret: "Write its secret here." }
      : {},
    ...of === "some" && plans.length === 0 ? { plans: "Choose a plan." } : {},
    ...reload_seconds !== null && !isReload
      ? { reload: "Write a whole number from 1 to 604800." }
      : {},
    ...pace.trim() !== "" && !isPace ? { pace: "Write a whole number from 1 to 10000." } : {},
  };
  if (Object.keys(wrong).length > 0) throw new Unfit(wrong);
  return {
    ...gateway ? writtenOf(gateway) : {},
    name: name.trim(),
    url: isMap ? "" : url.trim(),
    map: isMap ? { api: before.trim(), socket, reload_seconds } : null,
    probe_url: isMap ? "" : probe_url.trim(),
    redis_url: isMap ? "" : redis_url.trim(),
    redis_password: isMap || redis_url.trim() === "" ? "" : redis_password,
    plans: of === "all" ? null : of === "none" ? [] : plans,
    policies,
    certificates,
    calls_per_second: pace.trim() === "" ? null : Number(pace),
    secret: isMap ? "" : secret,
  };
}
