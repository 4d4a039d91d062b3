import { useRef } from "preact/hooks";
import { api, decisionKey, withTag } from "../../api/client.ts";
import {
  createPerson,
  deletePerson,
  getPerson,
  listApprovalsOfPerson,
  resumePerson,
  suspendPerson,
  updatePerson,
} from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { may, session } from "../../api/session.ts";
import { ask } from "../../parts/confirm.tsx";
import { saveUnlessChanged } from "../../parts/conflict.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { typedScope } from "./scope-field.tsx";
import { leftOpenWords } from "./left-open.ts";
import { personBody, type PersonDraft, PersonFields, personPlaces } from "./person-fields.tsx";
import { forgetPeople, type Person } from "./person.ts";

/**
 * Adds a person, or changes one. `tag` is the revision that was read, so that no unseen change is
 * overwritten.
 */
export function PersonForm({ person, tag, onSaved, onClose }: {
  person?: Person;
  tag?: string;
  onSaved: (person: Person) => void;
  onClose: () => void;
}) {
  const before: PersonDraft = {
    name: person?.name ?? "",
    permissions: person?.permissions ?? [],
    role: person?.role ?? "",
    scope: typedScope(person?.scope ?? null),
    email: person?.email ?? "",
  };
  const isMe = isSignedIn(person);
  const decision = useRef(decisionKey());
  const known = useRef(tag ?? "");
  const save = async (draft: PersonDraft) => {
    const body = personBody(draft);
    if (body.name === "") throw new Unfit({ name: "Write a name here." });
    const { id } = person ?? { id: "" };
    let open = "";
    const saved = person
      ? await saveUnlessChanged(
        id,
        async () => {
          const headers = { "if-match": known.current };
          const changed = await api.call(updatePerson, { params: { id }, body, headers });
          open = leftOpenWords(changed.left_open);
          return changed;
        },
        async () => {
          const now = await withTag((tagged) => tagged.call(getPerson, { params: { id } }));
          known.current = now.tag;
          const { name, permissions, role, scope, email } = now.value;
          return {
            name,
            permissions,
            role: role ?? "",
            scope: typedScope(scope),
            email: email ?? "",
          };
        },
      )
      : await api.call(createPerson, { body, headers: decision.current });
    void forgetPeople();
    toast({ text: person ? say`${saved.name} is changed.` : say`${saved.name} is added.` });
    if (open !== "") toast({ text: open, kind: "bad" });
    onSaved(saved);
  };
  return (
    <FormDialog<PersonDraft>
      name={`person ${person?.id ?? "new"}`}
      title={person ? say`Change ${person.name}` : "Add a person"}
      note={person ? undefined : "A person, or a script. Issue an access token afterwards."}
      action={person ? "Save" : "Add"}
      initial={before}
      places={personPlaces}
      onSave={save}
      onClose={onClose}
      fields={({ draft, set, errors }) => [
        <PersonFields
          key="person-fields"
          draft={draft}
          set={set}
          errors={errors}
          before={before.permissions}
          roleBefore={person?.role ?? null}
        />,
        isMe && !draft.permissions.includes("admin") && may("admin") && (
          <p class="notice is-warning">
            This removes your own administration: you leave this screen with it.
          </p>
        ),
      ]}
    />
  );
}

/** Stops all access tokens and sessions of a person, until they are resumed. */
export function suspend(person: Person): void {
  ask({
    title: say`Suspend ${person.name}?`,
    note:
      "Within a second none of their access tokens is valid, and their sessions are revoked for good. No access token is revoked: Resume makes them valid again.",
    action: "Suspend",
    danger: true,
    more: [
      <ApprovalsOf key="approvals" person={person} />,
      isSignedIn(person) && (
        <p class="notice is-warning">This is you: another person will have to resume you.</p>
      ),
    ],
    run: () => api.call(suspendPerson, { params: { id: person.id } }).then(forgetSoon),
    done: say`${person.name} is suspended.`,
  });
}

/** Lets a suspended person's access tokens open again what they did. */
export function resume({ id, name }: Person): void {
  ask({
    title: say`Resume ${name}?`,
    note: "All their access tokens that have not expired are valid again. They sign in anew.",
    action: "Resume",
    run: () => api.call(resumePerson, { params: { id } }).then(forgetSoon),
    done: say`${name} is resumed.`,
  });
}

/** Deactivates a person, which has no way back. */
export function deactivate(person: Person): void {
  ask({
    title: say`Deactivate ${person.name}?`,
    note:
      "All their access tokens are revoked within a second, for good. The audit log keeps their name.",
    action: "Deactivate",
    danger: true,
    more: [
      <ApprovalsOf key="approvals" person={person} />,
      isSignedIn(person) && (
        <p class="notice is-warning">This is you: your session is revoked with it.</p>
      ),
    ],
    run: () => api.call(deletePerson, { params: { id: person.id } }).then(forgetSoon),
    done: say`${person.name} is deactivated.`,
  });
}

// Not waited for: this session may be one of those that end.
const forgetSoon = () => void forgetPeople();

/** The policies and requests that no one else could approve. */
function ApprovalsOf({ person: { id } }: { person: Person }) {
  const read = useCall(["people", id, "approvals"], listApprovalsOfPerson, { params: { id } });
  const words = read.data && leftOpenWords(read.data);
  return words ? <p class="notice is-warning">{words}</p> : null;
}

/** True for whoever looks. */
export function isSignedIn(person: Person | undefined): boolean {
  const signed = session.value;
  return signed !== null && signed !== "unknown" && signed.person.id === person?.id;
}
