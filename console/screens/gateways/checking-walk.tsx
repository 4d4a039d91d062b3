import { useEffect, useRef, useState } from "preact/hooks";
import { ADDRESS, type FileValues, PLAIN_ID } from "../../../src/contract/filled-file.ts";
import { GATEWAY_NAME } from "../../../src/contract/checking-gateways.ts";
import { gatewayFiles } from "../../../src/contract/gateway-files.ts";
import { api, decisionKey } from "../../api/client.ts";
import { createGateway } from "../../api/gateway-endpoints.ts";
import type { CheckingGateway } from "../../api/gateways.ts";
import { usePlanList } from "../../api/plans.ts";
import {
  issueAccessToken,
  listPersonAccessTokens,
  rotateAccessToken,
} from "../../api/token-endpoints.ts";
import { known } from "../../api/session.ts";
import { SelectField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { say } from "../../said.ts";
import { type FiledKind, GatewayFiles } from "./gateway-files.tsx";
import { minutesField, minutesOf } from "./checking-form.tsx";
import { kindNames } from "./kind-names.ts";

// as: the names of exactly these files.
const kinds = Object.keys(gatewayFiles) as FiledKind[];

const addressHint = "Host and port, such as 127.0.0.1:8080.";

/**
 * Adds a gateway, or gives one that was added its file again: asks where things are, makes the
 * gateway and an access token that may verify and nothing else, and shows the file with both in it.
 * A gateway has one token, however often this is walked: a fresh one takes over from the one it
 * had.
 */
export default function CheckingWalk({ gateway, kind: chosen, onClose }: {
  gateway?: CheckingGateway | undefined;
  /** The product that was chosen before; undefined: that of the gateway. */
  kind?: FiledKind | undefined;
  onClose: () => void;
}) {
  const kind = chosen ?? kinds.find((one) => one === gateway?.kind) ?? "nginx";
  // The one place where the token stands; it goes with Done.
  const [made, setMade] = useState<
    { gateway: CheckingGateway; kind: FiledKind; values: FileValues }
  >();
  const isKept = useRef(false);
  const gateways = useRef(new Map<string, Promise<CheckingGateway>>());
  const decision = useRef(decisionKey());
  const had = useRef<{ id: string | undefined } | undefined>(undefined);
  const token = useToken(gateway);
  const apis = new Map(
    usePlanList().flatMap(({ apiIds, apiNames }) =>
      apiIds.map((id, at): [string, string] => [id, apiNames[at] ?? id])
    ),
  );
  // The first of them until one is chosen.
  const chosenOf = (apiId: string) => apiId || ([...apis.keys()][0] ?? "");
  if (made) return <GatewayFiles {...made} isNew={!gateway} onDone={onClose} />;
  /** Each name once, however often the rest is tried. */
  const gatewayOf = (
    name: string,
    kind: FiledKind,
    silent_minutes: number,
  ): Promise<CheckingGateway> => {
    const call = gateways.current.get(name) ??
      add({ name, kind, silent_minutes });
    gateways.current.set(name, call);
    return call.catch((error) => {
      gateways.current.delete(name);
      throw error;
    });
  };
  return (
    <FormDialog
      name={`set up ${gateway?.id ?? "a gateway"}`}
      title={gateway ? say`File of ${gateway.name}` : say`Add ${kindNames[kind]}`}
      note={token === undefined
        ? "Makes an access token that may ask about keys and do nothing else, and fills it in."
        : "A fresh access token takes the place of the one that it has, which is valid for an hour more."}
      action={gateway ? "Make the file" : "Add"}
      initial={{
        name: gateway?.name ?? "",
        kind,
        listens: "127.0.0.1:8080",
        api: "127.0.0.1:9000",
        apiId: "",
        // Keydesk listens on no IPv6 address by itself.
        desk: location.host.includes(":")
          ? location.host.replace(/^localhost:/, "127.0.0.1:")
          : `${location.host}:3000`,
        minutes: "60",
      }}
      places={{ gateway_name_taken: "name", silent_minutes: "minutes" }}
      onSave={async (draft) => {
        const { kind, listens } = draft;
        const apiId = chosenOf(draft.apiId);
        const name = draft.name.trim();
        const wrong = {
          ...GATEWAY_NAME.test(name)
            ? {}
            : { name: "Small letters, digits, dots, - and _, up to 63 of them." },
          ...apiId === ""
            ? { apiId: "Choose the API." }
            : PLAIN_ID.test(apiId)
            ? {}
            : { apiId: "Such a file can't contain this id as it is." },
          ...Object.fromEntries(
            (["listens", "api", "desk"] as const).filter((one) => !ADDRESS.test(draft[one].trim()))
              .map((one) => [one, addressHint]),
          ),
        };
        if (Object.keys(wrong).length > 0) throw new Unfit(wrong);
        const set = gateway ?? await gatewayOf(name, kind, minutesOf(draft.minutes));
        // Looked for once: a repeat must ask for the same.
        had.current ??= { id: token ?? await tokenOf(set) };
        const fresh = await freshToken(set, had.current.id, decision.current);
        isKept.current = true;
        setMade({
          gateway: set,
          kind,
          values: {
            GATEWAY_ADDRESS: kind === "caddy" ? `http://${listens.trim()}` : listens.trim(),
            API_ADDRESS: draft.api.trim(),
            API_ID: apiId,
            DESK_ADDRESS: draft.desk.trim(),
            DESK_CREDENTIAL: fresh,
            GATEWAY_NAME: name,
          },
        });
      }}
      onClose={() => isKept.current || onClose()}
      fields={({ draft, set, errors }) => [
        !gateway && {
          of: "name",
          label: "Name",
          hint: "What it calls itself, such as edge-1.",
          required: true,
          autoFocus: true,
          maxLength: 63,
        },
        chosen === undefined && {
          of: "kind",
          label: "Product",
          options: kinds.map((value) => ({ value, text: kindNames[value] })),
        },
        { of: "listens", label: "Where it listens", hint: addressHint },
        { of: "api", label: "The API behind it", hint: "As the proxy reaches it." },
        <SelectField
          key="apiId"
          label="Which API is it?"
          hint={apis.size === 0 ? "No plan is for an API yet: add a plan first." : undefined}
          value={chosenOf(draft.apiId)}
          error={errors.apiId}
          options={[...apis].map(([value, name]) => ({ value, text: say`${name} · ${value}` }))}
          onChange={(apiId) => set({ apiId })}
        />,
        { of: "desk", label: "Keydesk", hint: "As the proxy reaches it, without TLS." },
        !gateway && minutesField,
      ]}
    />
  );
}

/** Adds a gateway that checks each call. */
async function add(
  body: { name: string; kind: FiledKind; silent_minutes: number },
): Promise<CheckingGateway> {
  const made = await api.call(createGateway, {
    body: { connection: "checks", ...body },
    headers: decisionKey(),
  });
  // A connection is never another one than was asked for.
  if (made.connection !== "checks") throw new Error("the gateway has another connection");
  return made;
}

/**
 * The id of the access token that a gateway has; undefined until it is known, and for a new
 * gateway.
 */
function useToken(gateway: CheckingGateway | undefined): string | undefined {
  const [token, setToken] = useState<string>();
  useEffect(() => {
    if (gateway) void tokenOf(gateway).then(setToken);
  }, [gateway]);
  return token;
}

/** For so long the token that is replaced opens what its gateway asks: until the file is there. */
const OVERLAP_SECONDS = 3600;
/** Access tokens of a person that are looked at, the newest. */
const LOOKED_AT = 100;

const nameOf = (gateway: CheckingGateway) => say`Gateway ${gateway.name}`;

/** Its token's names: of releases before 0.9.0 too. */
const namesOf = (gateway: CheckingGateway) => [nameOf(gateway), say`Door ${gateway.name}`];

/**
 * The id of the access token that this walk made for the gateway before: of whoever added it, or of
 * whoever asks; undefined: there is none in force.
 */
async function tokenOf(gateway: CheckingGateway): Promise<string | undefined> {
  const people = new Set([known()?.person.id ?? "", gateway.created_by]);
  for (const id of people) {
    const query = { limit: LOOKED_AT };
    const tokens = await api.call(listPersonAccessTokens, { params: { id }, query })
      .then(({ data }) => data, () => []);
    const found = tokens.find(({ name, state, scope, replaced_by }) =>
      namesOf(gateway).includes(name) && state === "active" && replaced_by === null &&
      scope?.join() === "verify"
    );
    if (found) return found.id;
  }
  return undefined;
}

/** A token of the gateway in the place of the one it had, else its first; shown this once. */
async function freshToken(
  gateway: CheckingGateway,
  had: string | undefined,
  headers: ReturnType<typeof decisionKey>,
): Promise<string> {
  const { access_token } = had === undefined
    ? await api.call(issueAccessToken, {
      params: { id: known()?.person.id ?? "" },
      body: { name: nameOf(gateway), scope: ["verify"] },
      headers,
    })
    : await api.call(rotateAccessToken, {
      params: { id: had },
      body: { overlap_seconds: OVERLAP_SECONDS, deliver: "answer" },
      headers,
    });
  return access_token ?? "";
}
