import { useRef } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { createGateway, updateGateway } from "../../api/gateway-endpoints.ts";
import type { MapForm } from "../../../src/contract/gateway-states.ts";
import type { Gateway } from "../../api/gateways.ts";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { authTypes } from "../../parts/keys/key.ts";
import { PlanChoice } from "../../parts/keys/plan-choice.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { writtenOf } from "./written.ts";

interface Draft {
  kind: Gateway["kind"];
  name: string;
  url: string;
  secret: string;
  probe_url: string;
  redis_url: string;
  redis_password: string;
  /** Keys of which plans stand there. */
  of: "all" | "some" | "none";
  plans: string[];
  policies: Gateway["policies"];
  certificates: boolean;
  pace: string;
  /** Of a door that opens by hashes. */
  api: string;
  form: MapForm;
  socket: string;
  reload: string;
}

const allTypes = Object.values(authTypes).flat();

/** Adds a gateway, or changes one. Its secret is written and never shown. */
export default function GatewayForm({ gateway, onSaved, onClose }: {
  gateway?: Gateway;
  onSaved: (saved: Gateway) => void;
  onClose: () => void;
}) {
  const decision = useRef(decisionKey());
  return (
    <FormDialog<Draft>
      name={`gateway ${gateway?.id ?? ""}`}
      title={gateway ? say`Change ${gateway.name}` : "Add a gateway"}
      note={gateway
        ? "Behind another address everything is brought anew, and other administrators are told. Keys whose plans stand there no more are ended there."
        : "Every key is brought there from now on. Before, at a gateway of the original: turn hash_keys and enable_hashed_keys_listing on, and make a policy for each plan, with the plan's id, or have them written."}
      action={gateway ? "Save" : "Add"}
      initial={draftOf(gateway)}
      places={{
        name: "name",
        url: "url",
        secret: "secret",
        probe_url: "probe_url",
        redis_url: "redis_url",
        redis_password: "redis_password",
        plans: "plans",
        calls_per_second: "pace",
        "map.socket": "socket",
        "map.reload_seconds": "reload",
        map: "map",
      }}
      onSave={async (draft) => {
        const { secret, redis_password, ...others } = bodyOf(draft, gateway);
        const body = { ...others, ...redis_password === "" ? {} : { redis_password } };
        const saved = gateway
          ? await api.call(updateGateway, {
            params: { id: gateway.id },
            body: { ...body, ...secret === "" ? {} : { secret } },
          })
          : await api.call(createGateway, {
            body: { ...body, kind: draft.kind, ...secret === "" ? {} : { secret } },
            headers: decision.current,
          });
        toast({ text: say`${saved.name} is ${gateway ? "changed" : "added"}.` });
        onSaved(saved);
      }}
      onClose={onClose}
    >
      {({ draft, set, errors }) => (
        <>
          <TextField
            label="Name"
            value={draft.name}
            error={errors.name}
            maxLength={100}
            autoFocus
            required
            onInput={(name) => set({ name })}
          />
          {!gateway && (
            <SelectField
              label="What it is"
              value={draft.kind}
              options={[
                { value: "tyk", text: "The original's gateway" },
                { value: "hashes", text: "A door that opens by hashes of keys" },
              ]}
              onChange={(kind) => set({ kind: kind === "hashes" ? "hashes" : "tyk" })}
            />
          )}
          {draft.kind === "hashes" && (
            <>
              <TextField
                label="API that it stands before"
                hint="Its id. Empty: any."
                value={draft.api}
                error={errors.map}
                maxLength={255}
                onInput={(api) => set({ api })}
              />
              <SelectField
                label="Form of its file"
                value={draft.form}
                options={[
                  { value: "haproxy", text: "A map of HAProxy" },
                  { value: "agentgateway", text: "The configuration of an agentgateway" },
                ]}
                onChange={(form) =>
                  set({ form: form === "agentgateway" ? "agentgateway" : "haproxy" })}
              />
              <TextField
                label="Where HAProxy takes commands"
                hint="unix, or a port of this machine such as 127.0.0.1:9999. Empty: the file alone is written."
                value={draft.socket}
                error={errors.socket}
                maxLength={255}
                onInput={(socket) => set({ socket })}
              />
              {draft.socket.trim() === "" && (
                <TextField
                  label="Its proxy reads the file within, in seconds"
                  hint="A key that was ended may open until then. Empty: not known."
                  type="number"
                  min={1}
                  max={604_800}
                  value={draft.reload}
                  error={errors.reload}
                  onInput={(reload) => set({ reload })}
                />
              )}
            </>
          )}
          {draft.kind === "tyk" && (
            <>
              <TextField
                label="Address of its own interface"
                hint="Without /tyk at its end."
                type="url"
                placeholder="https://gateway.example.org"
                value={draft.url}
                error={errors.url}
                maxLength={2048}
                required
                onInput={(url) => set({ url })}
              />
              <TextField
                label="Secret of its interface"
                hint={gateway && !isElsewhere(draft, gateway)
                  ? "Empty: it stays as it is."
                  : gateway
                  ? "It goes to no other address than that for which it was written: write it anew."
                  : "It is kept sealed and never shown again."}
                type="password"
                autocomplete="off"
                value={draft.secret}
                error={errors.secret}
                maxLength={1000}
                required={!gateway || isElsewhere(draft, gateway)}
                onInput={(secret) => set({ secret })}
              />
            </>
          )}
          {draft.kind === "tyk" && (
            <>
              <TextField
                label="An API behind it, to see whether revocations hold"
                hint="Any key must be able to call it. Empty: it is not tried."
                type="url"
                value={draft.probe_url}
                error={errors.probe_url}
                maxLength={2048}
                onInput={(probe_url) => set({ probe_url })}
              />
              <TextField
                label="Its Redis, where keys from before are made"
                hint="Such as rediss://redis.example.org:6379/0. Empty: such keys have to be rotated."
                value={draft.redis_url}
                error={errors.redis_url}
                maxLength={2048}
                onInput={(redis_url) => set({ redis_url })}
              />
              {draft.redis_url !== "" && (
                <TextField
                  label="Password of its Redis"
                  hint={draft.redis_url === gateway?.redis_url
                    ? "Empty: it stays as it is."
                    : "It is kept sealed and never shown again. Empty: it needs none."}
                  type="password"
                  autocomplete="off"
                  value={draft.redis_password}
                  error={errors.redis_password}
                  maxLength={1000}
                  onInput={(redis_password) => set({ redis_password })}
                />
              )}
            </>
          )}
          <SelectField
            label="Keys that stand there"
            value={draft.of}
            options={[
              { value: "all", text: "Those of all plans" },
              { value: "some", text: "Those of chosen plans" },
              { value: "none", text: "None: every key is ended there" },
            ]}
            onChange={(of) => set({ of: of === "some" || of === "none" ? of : "all" })}
          />
          {draft.of === "some" && (
            <PlanChoice
              chosen={draft.plans}
              authTypes={allTypes}
              error={errors.plans ?? ""}
              onChange={(plans) => set({ plans })}
            />
          )}
          {draft.kind === "tyk" && (
            <>
              <SelectField
                label="Its policies"
                hint={draft.policies === "write"
                  ? "One is made for each of these plans, and changed with it. All others are left to people."
                  : "Plans are compared with them; what differs is told."}
                value={draft.policies}
                options={[
                  { value: "compare", text: "Compare them with plans" },
                  { value: "write", text: "Write them from plans" },
                ]}
                onChange={(value) => set({ policies: value === "write" ? "write" : "compare" })}
              />
              <SelectField
                label="Certificates"
                hint="Put them there yourself: without its certificate a pinned key opens nothing."
                value={draft.certificates ? "pinned" : "any"}
                options={[
                  { value: "any", text: "Pin no key to one" },
                  { value: "pinned", text: "Pin keys to the one of their request" },
                ]}
                onChange={(value) => set({ certificates: value === "pinned" })}
              />
              <TextField
                label="Calls a second at the most"
                hint="A key takes about four. Empty: as often as it answers."
                type="number"
                min={1}
                max={10_000}
                value={draft.pace}
                error={errors.pace}
                onInput={(pace) => set({ pace })}
              />
            </>
          )}
        </>
      )}
    </FormDialog>
  );
}

function draftOf(gateway: Gateway | undefined): Draft {
  const plans = gateway?.plans ?? null;
  return {
    kind: gateway?.kind ?? "tyk",
    api: gateway?.map?.api ?? "",
    form: gateway?.map?.form ?? "haproxy",
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
function isElsewhere({ url }: Draft, gateway: Gateway): boolean {
  const text = url.trim();
  return (URL.canParse(text) ? new URL(text).href : text) !== gateway.url;
}

function bodyOf(draft: Draft, gateway: Gateway | undefined) {
  const { name, url, secret, probe_url, of, plans, policies, certificates, pace } = draft;
  const { kind, api: before, form, redis_url, redis_password } = draft;
  const [socket, reload] = [draft.socket.trim(), draft.reload.trim()];
  const isReload = /^\d{1,6}$/.test(reload) && Number(reload) >= 1 && Number(reload) <= 604_800;
  const reload_seconds = socket === "" && reload !== "" ? Number(reload) : null;
  const isPace = /^\d{1,5}$/.test(pace.trim()) && Number(pace) >= 1 && Number(pace) <= 10_000;
  const wrong = {
    ...name.trim() === "" ? { name: "Write a name here." } : {},
    ...url.trim() === "" && kind === "tyk" ? { url: "Write the address here." } : {},
    ...secret === "" && kind === "tyk" && (!gateway || isElsewhere(draft, gateway))
      ? { secret: "Write what opens its interface here." }
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
    url: kind === "hashes" ? "" : url.trim(),
    map: kind === "hashes" ? { api: before.trim(), form, socket, reload_seconds } : null,
    probe_url: kind === "hashes" ? "" : probe_url.trim(),
    redis_url: kind === "hashes" ? "" : redis_url.trim(),
    redis_password: kind === "hashes" || redis_url.trim() === "" ? "" : redis_password,
    plans: of === "all" ? null : of === "none" ? [] : plans,
    policies,
    certificates,
    calls_per_second: pace.trim() === "" ? null : Number(pace),
    secret: kind === "hashes" ? "" : secret,
  };
}
