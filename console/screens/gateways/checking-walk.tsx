import { useEffect, useRef, useState } from "preact/hooks";
import { ADDRESS, type DoorValues, PLAIN_ID } from "../../../src/contract/filled-file.ts";
import { DOOR_NAME } from "../../../src/contract/checking-gateways.ts";
import { gatewayFiles } from "../../../src/contract/gateway-files.ts";
import { api, decisionKey } from "../../api/client.ts";
import { createDoor } from "../../api/endpoints.ts";
import { usePlanList } from "../../api/plans.ts";
import {
  issueAccessCredential,
  listPersonCredentials,
  rotateAccessCredential,
} from "../../api/token-endpoints.ts";
import { known } from "../../api/session.ts";
import { SelectField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { say } from "../../said.ts";
import { DoorFiles, type FiledKind } from "./gateway-files.tsx";
import { kindNames, minutesField, minutesOf } from "./checking-form.tsx";
import type { Door } from "./checking-gateway.ts";

// as: the names of exactly these files.
const kinds = Object.keys(gatewayFiles) as FiledKind[];

/** What becomes of the access token that a door has. */
const [REPLACE, KEEP] = ["replace", "keep"];

const addressHint = "Host and port, such as 127.0.0.1:8080.";

/**
 * Sets up a door, or gives one that is set up its file again: asks where things are, makes the door
 * and an access token that may verify and nothing else, and shows the file with both in it. A door
 * has one token, however often this is walked: a fresh one takes over from the one it had.
 */
export default function DoorWalk({ door, onClose }: {
  door?: Door | undefined;
  onClose: () => void;
}) {
  // The one place where the token stands; it goes with Done.
  const [made, setMade] = useState<{ door: Door; kind: FiledKind; values: Partial<DoorValues> }>();
  const isKept = useRef(false);
  const doors = useRef(new Map<string, Promise<Door>>());
  const decision = useRef(decisionKey());
  const had = useRef<{ id: string | undefined } | undefined>(undefined);
  const token = useToken(door);
  const apis = new Map(
    usePlanList().flatMap(({ apiIds, apiNames }) =>
      apiIds.map((id, at): [string, string] => [id, apiNames[at] ?? id])
    ),
  );
  // The first of them until one is chosen.
  const chosenOf = (apiId: string) => apiId || ([...apis.keys()][0] ?? "");
  if (made) return <DoorFiles {...made} onDone={onClose} />;
  /** Each name once, however often the rest is tried. */
  const doorOf = (name: string, kind: FiledKind, silent_minutes: number): Promise<Door> => {
    const call = doors.current.get(name) ??
      api.call(createDoor, { body: { name, kind, silent_minutes }, headers: decisionKey() });
    doors.current.set(name, call);
    return call.catch((error) => {
      doors.current.delete(name);
      throw error;
    });
  };
  return (
    <FormDialog
      name={`set up ${door?.id ?? "a door"}`}
      title={door ? say`File of ${door.name}` : "Set up a door"}
      note={token === undefined
        ? "Makes an access token that may ask about keys and do nothing else, and fills it into the documented file."
        : "It has an access token, which may ask about keys and do nothing else."}
      action={door ? "Make the file" : "Set up"}
      initial={{
        name: door?.name ?? "",
        kind: kinds.find((one) => one === door?.kind) ?? "nginx",
        listens: "127.0.0.1:8080",
        api: "127.0.0.1:9000",
        apiId: "",
        desk: location.host.includes(":") ? location.host : `${location.host}:3000`,
        minutes: "60",
        token: REPLACE,
      }}
      places={{ door_name_taken: "name", silent_minutes: "minutes" }}
      onSave={async (draft) => {
        const { kind, listens } = draft;
        const apiId = chosenOf(draft.apiId);
        const name = draft.name.trim();
        const wrong = {
          ...DOOR_NAME.test(name)
            ? {}
            : { name: "Small letters, digits, dots, - and _, up to 63 of them." },
          ...apiId === ""
            ? { apiId: "Choose the API." }
            : PLAIN_ID.test(apiId)
            ? {}
            : { apiId: "This id can't stand in such a file as it is: see docs/gateways.md." },
          ...Object.fromEntries(
            (["listens", "api", "desk"] as const).filter((one) => !ADDRESS.test(draft[one].trim()))
              .map((one) => [one, addressHint]),
          ),
        };
        if (Object.keys(wrong).length > 0) throw new Unfit(wrong);
        const set = door ?? await doorOf(name, kind, minutesOf(draft.minutes));
        let fresh: string | undefined;
        if (token === undefined || draft.token === REPLACE) {
          // Looked for once: a repeat must ask for the same.
          had.current ??= { id: token ?? await tokenOf(set) };
          fresh = await freshToken(set, had.current.id, decision.current);
        }
        isKept.current = true;
        setMade({
          door: set,
          kind,
          values: {
            DOOR_ADDRESS: kind === "caddy" ? `http://${listens.trim()}` : listens.trim(),
            API_ADDRESS: draft.api.trim(),
            API_ID: apiId,
            DESK_ADDRESS: draft.desk.trim(),
            ...fresh === undefined ? {} : { DESK_CREDENTIAL: fresh },
            DOOR_NAME: name,
          },
        });
      }}
      onClose={() => isKept.current || onClose()}
      fields={({ draft, set, errors }) => [
        !door && {
          of: "name",
          label: "Name",
          hint: "What it calls itself, such as edge-1.",
          required: true,
          autoFocus: true,
          maxLength: 63,
        },
        {
          of: "kind",
          label: "What stands there",
          options: kinds.map((value) => ({ value, text: kindNames[value] })),
        },
        { of: "listens", label: "Where it listens", hint: addressHint },
        { of: "api", label: "The API behind it", hint: "As the proxy reaches it." },
        <SelectField
          key="apiId"
          label="Which API is it?"
          hint={apis.size === 0 ? "No plan opens an API yet: add a plan first." : undefined}
          value={chosenOf(draft.apiId)}
          error={errors.apiId}
          options={[...apis].map(([value, text]) => ({ value, text }))}
          onChange={(apiId) => set({ apiId })}
        />,
        { of: "desk", label: "Keydesk", hint: "As the proxy reaches it, without TLS." },
        token !== undefined && {
          of: "token",
          label: "Its access token",
          hint: "It can't be shown again.",
          options: [
            { value: REPLACE, text: "Replace it; the old one opens for an hour more" },
            { value: KEEP, text: "Keep it, and leave its place in the file open" },
          ],
        },
        !door && minutesField,
      ]}
    />
  );
}

/** The id of the access token that a door has; undefined until it is known, and for a new door. */
function useToken(door: Door | undefined): string | undefined {
  const [token, setToken] = useState<string>();
  useEffect(() => {
    if (door) void tokenOf(door).then(setToken);
  }, [door]);
  return token;
}

/** For so long the token that is replaced opens what its door asks: until the file is there. */
const OVERLAP_SECONDS = 3600;
/** Access tokens of a person that are looked at, the newest. */
const LOOKED_AT = 100;

const nameOf = (door: Door) => say`Door ${door.name}`;

/**
 * The id of the access token that this walk made for the door before: of whoever set it up, or of
 * whoever asks; undefined: there is none in force.
 */
async function tokenOf(door: Door): Promise<string | undefined> {
  const people = new Set([known()?.person.id ?? "", door.created_by]);
  for (const id of people) {
    const query = { limit: LOOKED_AT };
    const tokens = await api.call(listPersonCredentials, { params: { id }, query })
      .then(({ data }) => data, () => []);
    const found = tokens.find(({ name, state, scope, replaced_by }) =>
      name === nameOf(door) && state === "active" && replaced_by === null &&
      scope?.join() === "verify"
    );
    if (found) return found.id;
  }
  return undefined;
}

/** A token of the door in the place of the one it had, else its first; shown this once. */
async function freshToken(
  door: Door,
  had: string | undefined,
  headers: ReturnType<typeof decisionKey>,
): Promise<string> {
  const { credential } = had === undefined
    ? await api.call(issueAccessCredential, {
      params: { id: known()?.person.id ?? "" },
      body: { name: nameOf(door), scope: ["verify"] },
      headers,
    })
    : await api.call(rotateAccessCredential, {
      params: { id: had },
      body: { overlap_seconds: OVERLAP_SECONDS, deliver: "answer" },
      headers,
    });
  return credential ?? "";
}
