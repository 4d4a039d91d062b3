import { useRef, useState } from "preact/hooks";
import type { Permission } from "../../../src/contract/permissions.ts";
import { api, decisionKey } from "../../api/client.ts";
import {
  issueAccessToken,
  revokeAccessToken,
  rotateAccessToken,
} from "../../api/token-endpoints.ts";
import { granted, isHeld } from "../../api/session.ts";
import { absolute } from "../../parts/one-time-link.ts";
import { ask } from "../../parts/confirm.tsx";
import type { FormFields, FormState } from "../../parts/form-fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { RevealedSecret } from "../../parts/revealed-secret.tsx";
import { exactTime } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import { scopeText } from "./scope-field.tsx";
import { usePeople } from "./people-names.ts";
import { PermissionFields } from "./permission-fields.tsx";
import { permissionName, sorted } from "./permission-words.ts";
import { type Role, RoleField } from "./role-field.tsx";
import { type AccessToken, addressesIn, forgetPeople, type Person, useCaller } from "./person.ts";
import { endOfDay, ENDS_IN_ZONE } from "../../parts/zone.ts";

const DAY_MS = 86_400_000;

const lives = [
  { value: "", text: "Never" },
  { value: "30", text: "In 30 days" },
  { value: "90", text: "In 90 days" },
  { value: "365", text: "In a year" },
  { value: "date", text: "On a day…" },
];

/** When it ends, as the server takes it; undefined: never. Throws Unfit without a day. */
function endOf({ life, day }: { life: string; day: string }): string | undefined {
  if (life === "") return undefined;
  if (life !== "date") return new Date(Date.now() + Number(life) * DAY_MS).toISOString();
  const end = endOfDay(day);
  if (end === undefined) throw new Unfit({ day: "Choose a day." });
  return end;
}

/** Shown once: the value, or the link that hands it over to another person. */
interface Issued {
  name: string;
  access_token: string | null;
  one_time_link?: { link: string; expires_at: string } | null;
}

/** A fresh access token as it is typed. */
interface Draft {
  person_id: string;
  name: string;
  life: string;
  day: string;
  all: "all" | "role" | "some";
  role: string;
  /** Undefined: nothing was ticked or cleared yet. */
  scope: Permission[] | undefined;
  addresses: string;
}

const places = {
  expires_at: "life",
  scope: "scope",
  role: "role",
  unknown_role: "role",
  permission_not_held: "scope",
};

/**
 * Issues an access token, and shows it or its one-time link once. Without a `person` the dialog
 * asks for one.
 */
export function IssueAccessToken({ person: chosen, onIssued = () => {}, onClose }: {
  person: Person | undefined;
  onIssued?: () => void;
  onClose: () => void;
}) {
  // The one place where the value stands; it goes with Done.
  const [issued, setIssued] = useState<Issued & { to: string }>();
  const isKept = useRef(false);
  const decision = useRef(decisionKey());
  const people = usePeople();
  const personOf = (id: string) => chosen ?? people.find((one) => one.id === id);
  if (issued) return <IssuedToken name={issued.to} token={issued} onDone={onClose} />;
  return (
    <FormDialog<Draft>
      name={`access token of ${chosen?.id ?? ""}`}
      title={chosen ? say`Issue an access token to ${chosen.name}` : "Issue an access token"}
      action="Issue"
      initial={{
        person_id: chosen?.id ?? "",
        name: "",
        life: "90",
        day: "",
        all: "all",
        role: "",
        scope: undefined,
        addresses: "",
      }}
      places={places}
      onSave={async (draft) => {
        const person = personOf(draft.person_id);
        if (!person) throw new Unfit({ person_id: "Choose a person." });
        const answer = await api.call(issueAccessToken, {
          params: { id: person.id },
          body: bodyOf(draft, person),
          headers: decision.current,
        });
        void forgetPeople();
        onIssued();
        isKept.current = true;
        setIssued({ ...answer, to: person.name });
      }}
      onClose={() => isKept.current || onClose()}
      fields={(form) => [
        !chosen && {
          of: "person_id",
          label: "Person or script",
          options: [
            { value: "", text: "Choose a person" },
            ...people.filter(({ state }) => state !== "deactivated")
              .map(({ id, name }) => ({ value: id, text: name })),
          ],
        },
        {
          of: "name",
          label: "What it is for",
          hint: "Such as laptop, or nightly backup.",
          maxLength: 100,
          autoFocus: true,
          required: true,
        },
        { of: "life", label: "Expires", options: lives },
        form.draft.life === "date" && {
          of: "day",
          label: "On",
          hint: ENDS_IN_ZONE,
          type: "date",
        },
        ...scopeFields(form, personOf(form.draft.person_id)),
        addressesField,
      ]}
    />
  );
}

function offeredTo({ permissions }: Person): Permission[] {
  return permissions.filter((one) => granted.value.includes(one));
}

/** The permissions that are ticked, of those that may be given. */
function tickedIn({ scope }: Draft, person: Person): Permission[] {
  const offered = offeredTo(person);
  return offered.filter((one) => scope?.includes(one) ?? true);
}

/** The draft as the server takes it. Throws Unfit. */
function bodyOf(draft: Draft, person: Person) {
  const { all, role } = draft;
  const name = draft.name.trim();
  const scope = tickedIn(draft, person);
  if (name === "") throw new Unfit({ name: "Say what it is for." });
  if (all === "role" && role === "") throw new Unfit({ role: "Choose a role." });
  if (all === "some" && scope.length === 0) throw new Unfit({ scope: "Tick at least one." });
  const expires_at = endOf(draft);
  const addresses = addressesIn(draft.addresses);
  return {
    name,
    ...expires_at === undefined ? {} : { expires_at },
    ...all === "all" ? {} : all === "role" ? { role } : { scope },
    ...addresses.length === 0 ? {} : { addresses },
  };
}

/** The permissions of a fresh access token, of those of its person; none until one is chosen. */
function scopeFields(
  { draft, set, errors }: FormState<Draft>,
  person: Person | undefined,
): FormFields<Draft>[] {
  if (!person) return [];
  return [
    {
      of: "all",
      label: "Allows",
      options: [
        { value: "all", text: say`All that ${person.name} may do, now and later` },
        { value: "role", text: "What a role allows, now and later" },
        { value: "some", text: "Less, by choice" },
      ],
    },
    draft.all === "role" && (
      <RoleOfToken
        key="role"
        person={person}
        value={draft.role}
        error={errors.role ?? errors.scope}
        onChange={(role) => set({ role })}
      />
    ),
    draft.all === "some" && (
      <PermissionFields
        key="scope"
        legend="It allows"
        held={tickedIn(draft, person)}
        offered={offeredTo(person)}
        before={[]}
        among={person.permissions}
        error={errors.scope}
        onChange={(scope) => set({ scope })}
      />
    ),
    draft.all === "all" && errors.scope && (
      <p key="refused" class="notice is-bad" role="alert">{errors.scope}</p>
    ),
  ];
}

/** Chooses a role whose permissions the person has, and shows what the access token opens by it. */
function RoleOfToken({ person, value, error, onChange }: {
  person: Person;
  value: string;
  error: string | undefined;
  onChange: (id: string) => void;
}) {
  const [chosen, setChosen] = useState<Role>();
  const opened = (chosen?.permissions ?? []).filter((one) => isHeld(person.permissions, one));
  return (
    <>
      <RoleField
        value={value}
        before={null}
        none="Choose a role"
        error={error}
        onChange={(id, role) => {
          setChosen(role);
          onChange(id);
        }}
      />
      {chosen && (
        <p class="field-hint" role="status">
          {opened.length === 0
            ? say`Allows nothing: ${person.name} has none of it.`
            : say`Allows: ${listed(sorted(opened).map(permissionName), " · ")}.`}
          {person.scope !== null && say` Within ${scopeText(person.scope)}.`}
        </p>
      )}
    </>
  );
}

const overlaps = [
  { value: "0", text: "At once" },
  { value: "3600", text: "In an hour" },
  { value: "86400", text: "In a day" },
];

/** Replaces an access token by a fresh one, and shows it or its one-time link once. */
export function RotateAccessToken({ token, onIssued, onClose }: {
  token: AccessToken;
  onIssued: () => void;
  onClose: () => void;
}) {
  const [issued, setIssued] = useState<Issued>();
  const isKept = useRef(false);
  const decision = useRef(decisionKey());
  if (issued) return <IssuedToken name={token.person_name} token={issued} onDone={onClose} />;
  return (
    <FormDialog
      name={`rotation of ${token.id}`}
      title={say`Rotate “${token.name}”`}
      note="A fresh one takes over, with the same scope and expiry. Nothing else changes."
      action="Rotate"
      initial={{ overlap: "3600" }}
      places={{ overlap_seconds: "overlap" }}
      onSave={async ({ overlap }) => {
        const answer = await api.call(rotateAccessToken, {
          params: { id: token.id },
          body: { overlap_seconds: Number(overlap) },
          headers: decision.current,
        });
        void forgetPeople();
        onIssued();
        isKept.current = true;
        setIssued(answer);
      }}
      onClose={() => isKept.current || onClose()}
      fields={[
        { of: "overlap", label: "The old one expires", options: overlaps },
        <Mine key="mine" token={token} />,
      ]}
    />
  );
}

/** From where alone an access token may be used. */
export const addressesField: FormFields<{ addresses: string }> = {
  of: "addresses",
  label: "Only from these addresses",
  hint: "Such as 192.0.2.7 or 10.0.0.0/8, yours among them. Empty: from everywhere.",
};

/** Ends an access token. */
export function askToRevoke(token: AccessToken): void {
  ask({
    title: say`Revoke “${token.name}”?`,
    note:
      "Within a second it and its sessions are no longer valid. You can't undo this. Passkeys stay valid, also those that were added with it: check them at the person.",
    action: "Revoke",
    danger: true,
    more: <Mine token={token} />,
    run: async () => {
      await api.call(revokeAccessToken, { params: { id: token.id } });
      void forgetPeople();
    },
    done: say`“${token.name}” is revoked.`,
  });
}

function Mine({ token }: { token: AccessToken }) {
  if (useCaller()?.access_token.id !== token.id) return null;
  return (
    <p class="notice is-warning">You are signed in by this one: your session is revoked with it.</p>
  );
}

/** The value or the link, this once. */
export function IssuedToken({ name, token, onDone }: {
  name: string;
  token: Issued;
  onDone: () => void;
}) {
  const { one_time_link, access_token } = token;
  if (one_time_link) {
    const link = absolute(one_time_link.link);
    return (
      <RevealedSecret
        title={say`One-time link for ${name}`}
        note={token.name}
        parts={[{ label: "One-time link", value: link, lines: true }]}
        copied={link}
        stored={
          <>
            Shown once. It shows the access token once, until{" "}
            {exactTime(one_time_link.expires_at)}. Send it to {name} alone.
          </>
        }
        confirm="I have passed this link on"
        onDone={onDone}
      />
    );
  }
  return (
    <RevealedSecret
      title={say`Access token issued to ${name}`}
      note={token.name}
      parts={[{ label: "Access token", value: access_token ?? "", lines: true }]}
      stored="Shown once. Only a hash is stored, so it cannot be shown again."
      onDone={onDone}
    />
  );
}
