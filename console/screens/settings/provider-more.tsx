import { fieldsOf, type FormFields, type FormState } from "../../parts/form-fields.tsx";
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
  { value: "private_key_jwt", text: "A key made by Keydesk (private_key_jwt)" },
  { value: "tls_client_auth", text: "The certificate of KEYDESK_PROVIDER_CLIENT_FILE" },
] as const;

const MODES = [
  { value: "query", text: "In the address" },
  { value: "form_post", text: "Posted (form_post)" },
] as const;

const LOGOUTS = [
  { value: "named", text: "The session that it names" },
  { value: "added", text: "All sessions of people added by the provider" },
  { value: "all", text: "All sessions of the account" },
] as const;

/** Settings that few providers need: claims, the client, and the length of sessions. */
export function ProviderMore(form: FormState<ProviderDraft>) {
  return (
    <>
      <details class="provider-fold">
        <summary>Claims, scopes, fresh sign-ins</summary>
        <div class="provider-more">
          {fieldsOf(form, [
            form.draft.audience === "people" && groupFields(form.draft),
            ...claimFields,
          ])}
        </div>
      </details>
      <details class="provider-fold">
        <summary>Client, answers, how long people stay in</summary>
        <div class="provider-more">{fieldsOf(form, clientFields)}</div>
      </details>
    </>
  );
}

const claimFields: readonly FormFields<ProviderDraft>[] = [
  { of: "scopes", label: "Scopes", hint: "Beside openid.", rows: 2 },
  {
    of: "acr_values",
    label: "acr of a fresh sign-in",
    hint: "One of these, one on a line. Empty: any.",
    rows: 2,
  },
  {
    of: "amr_values",
    label: "amr of a fresh sign-in",
    hint: "Also a value, such as hwk.",
    rows: 2,
  },
];

function groupFields(draft: ProviderDraft): FormFields<ProviderDraft> {
  return [
    { of: "groups_claim", label: "Claim of the groups" },
    {
      of: "groups_path",
      label: "Path inside the claim",
      hint: "One member on a line, such as roles inside realm_access. Empty: the claim itself.",
      rows: 2,
    },
    {
      of: "groups_form",
      label: "Form of the groups",
      hint: "Another form gives nothing, and the card says so.",
      options: FORMS,
    },
    draft.groups_form === "separated" &&
    { of: "groups_separator", label: "Separator", maxLength: 10 },
    {
      of: "groups_drop_slash",
      label: "Take a leading slash off",
      hint: "Keycloak writes full paths, such as /desk.",
    },
  ];
}

const clientFields: FormFields<ProviderDraft> = [
  { of: "client_auth", label: "Client authentication", options: CLIENTS },
  {
    of: "pushed_requests",
    label: "Push requests",
    hint: "RFC 9126. Done in any case where the provider requires it.",
  },
  { of: "response_mode", label: "The answer comes", options: MODES },
  {
    of: "asks_consent",
    label: "Ask for consent at each sign-in",
    hint: "Some providers give a refresh token only then.",
  },
  { of: "logout_ends", label: "A logout at the provider revokes", options: LOGOUTS },
  {
    of: "recheck_minutes",
    label: "Asked again after, in minutes",
    hint: "Where the provider gives a refresh token: a disabled person is out within this time.",
    type: "number",
    min: 5,
    max: 1440,
  },
  {
    of: "session_minutes",
    label: "Longest session, in minutes",
    hint: "Where it gives none. Empty: 7 days, in which a disabled person stays in.",
    type: "number",
    min: 5,
    max: 10080,
  },
];
