import { CheckField, SelectField, TextField } from "../../parts/fields.tsx";
import type { FormState } from "../../parts/form-dialog.tsx";
import type { ProviderDraft } from "./provider-draft.ts";

const FORMS = [
  { value: "list", text: "A list of names, or one name" },
  { value: "separated", text: "One text with names in it" },
  { value: "objects", text: "A list of objects with a name" },
  { value: "keys", text: "An object whose keys are the names" },
] as const;

const CLIENTS = [
  { value: "auto", text: "As the provider takes it" },
  { value: "client_secret_basic", text: "Secret, as basic credentials (RFC 6749)" },
  { value: "client_secret_basic_unencoded", text: "Secret, as basic credentials, unencoded" },
  { value: "client_secret_post", text: "Secret, in the form" },
  { value: "private_key_jwt", text: "A key that is made here (private_key_jwt)" },
  { value: "tls_client_auth", text: "The certificate of KEYDESK_PROVIDER_CLIENT_FILE" },
] as const;

const MODES = [
  { value: "query", text: "In the address" },
  { value: "form_post", text: "Posted (form_post)" },
] as const;

const LOGOUTS = [
  { value: "named", text: "The session that it names" },
  { value: "added", text: "All sessions of people whom the provider added" },
  { value: "all", text: "All sessions of the account" },
] as const;

/** What fewer have to set of a provider: claims, the client, and how long people stay in. */
export function ProviderMore({ draft, set, errors }: FormState<ProviderDraft>) {
  return (
    <>
      <details class="provider-fold">
        <summary>Claims, scopes, fresh sign-ins</summary>
        <div class="provider-more">
          {draft.whom === "people" && <GroupFields draft={draft} set={set} errors={errors} />}
          <TextField
            label="Scopes"
            hint="Beside openid."
            rows={2}
            value={draft.scopes}
            error={errors.scopes}
            onInput={(scopes) => set({ scopes })}
          />
          <TextField
            label="acr of a fresh sign-in"
            hint="One of these, one on a line. Empty: any."
            rows={2}
            value={draft.acr_values}
            error={errors.acr_values}
            onInput={(acr_values) => set({ acr_values })}
          />
          <TextField
            label="amr of a fresh sign-in"
            hint="The same, such as hwk."
            rows={2}
            value={draft.amr_values}
            error={errors.amr_values}
            onInput={(amr_values) => set({ amr_values })}
          />
        </div>
      </details>
      <details class="provider-fold">
        <summary>Client, answers, how long people stay in</summary>
        <div class="provider-more">
          <ClientFields draft={draft} set={set} errors={errors} />
        </div>
      </details>
    </>
  );
}

function GroupFields({ draft, set, errors }: FormState<ProviderDraft>) {
  return (
    <>
      <TextField
        label="Claim of the groups"
        value={draft.groups_claim}
        error={errors.groups_claim}
        onInput={(groups_claim) => set({ groups_claim })}
      />
      <TextField
        label="Path inside the claim"
        hint="One member on a line, such as roles inside realm_access. Empty: the claim itself."
        rows={2}
        value={draft.groups_path}
        error={errors.groups_path}
        onInput={(groups_path) => set({ groups_path })}
      />
      <SelectField
        label="Form of the groups"
        hint="Another form gives nothing, and the card says so."
        value={draft.groups_form}
        options={FORMS}
        onChange={(value) => set({ groups_form: chosen(FORMS, value) })}
      />
      {draft.groups_form === "separated" && (
        <TextField
          label="Separator"
          value={draft.groups_separator}
          maxLength={10}
          error={errors.groups_separator}
          onInput={(groups_separator) => set({ groups_separator })}
        />
      )}
      <CheckField
        label="Take a leading slash off"
        hint="Keycloak writes full paths, such as /desk."
        checked={draft.groups_drop_slash}
        onChange={(groups_drop_slash) => set({ groups_drop_slash })}
      />
    </>
  );
}

function ClientFields({ draft, set, errors }: FormState<ProviderDraft>) {
  return (
    <>
      <SelectField
        label="Client authentication"
        value={draft.client_auth}
        options={CLIENTS}
        onChange={(value) => set({ client_auth: chosen(CLIENTS, value) })}
      />
      <CheckField
        label="Push requests"
        hint="RFC 9126. Done in any case where the provider requires it."
        checked={draft.pushed_requests}
        onChange={(pushed_requests) => set({ pushed_requests })}
      />
      <SelectField
        label="The answer comes"
        value={draft.response_mode}
        options={MODES}
        onChange={(value) => set({ response_mode: chosen(MODES, value) })}
      />
      <CheckField
        label="Ask for consent at each sign-in"
        hint="Some providers give a refresh token only then."
        checked={draft.asks_consent}
        onChange={(asks_consent) => set({ asks_consent })}
      />
      <SelectField
        label="A logout of the provider ends"
        value={draft.logout_ends}
        options={LOGOUTS}
        onChange={(value) => set({ logout_ends: chosen(LOGOUTS, value) })}
      />
      <TextField
        label="Asked again after, in minutes"
        hint="Where the provider gives a refresh token: a disabled person is out within this time."
        type="number"
        min={5}
        max={1440}
        value={draft.recheck_minutes}
        error={errors.recheck_minutes}
        onInput={(recheck_minutes) => set({ recheck_minutes })}
      />
      <TextField
        label="Longest session, in minutes"
        hint="Where it gives none. Empty: 7 days, in which a disabled person stays in."
        type="number"
        min={5}
        max={10080}
        value={draft.session_minutes}
        error={errors.session_minutes}
        onInput={(session_minutes) => set({ session_minutes })}
      />
    </>
  );
}

function chosen<T extends string>(
  options: readonly [{ value: T }, ...{ value: T }[]],
  value: string,
): T {
  return (options.find((one) => one.value === value) ?? options[0]).value;
}
