import { useRef } from "preact/hooks";
import { presetTerms, providerPresets } from "../../../src/contract/provider-presets.ts";
import { api, decisionKey } from "../../api/client.ts";
import { createIdentityProvider, replaceIdentityProvider } from "../../api/identity-endpoints.ts";
import { SelectField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { bodyOf, draftOf, filledBy, type Provider, type ProviderDraft } from "./provider-draft.ts";
import { ProviderGroups } from "./provider-groups.tsx";
import { ProviderMore } from "./provider-more.tsx";

const WHOM = [
  { value: "people", text: "People, at this console" },
  { value: "developers", text: "Developers, at their pages" },
];

const PRESETS = providerPresets.map((value) => ({ value, text: presetTerms[value].name }));

const PLACES = {
  provider_uncalled: "issuer",
  provider_has_accounts: "issuer",
  domain_not_listed: "domains",
  groups: "groups",
  permission_not_held: "groups",
  groups_claim: "groups_claim",
  groups_path: "groups_path",
  groups_separator: "groups_separator",
  scopes: "scopes",
  acr_values: "acr_values",
  amr_values: "amr_values",
  recheck_minutes: "recheck_minutes",
  session_minutes: "session_minutes",
};

/** Adds an identity provider, or changes the one that there was `before`. */
export function ProviderForm({ before, onSaved, onClose }: {
  before: Provider | undefined;
  onSaved: () => Promise<unknown>;
  onClose: () => void;
}) {
  const once = useRef(decisionKey());
  return (
    <FormDialog
      name={`provider ${before?.id ?? ""}`}
      title={before ? say`Change ${before.name}` : "Add a provider"}
      note={before
        ? "Takes effect at the next sign-in."
        : "OpenID Connect, by the code flow. The addresses to enter at the provider are shown once it is added."}
      action={before ? "Save" : "Add"}
      wide
      initial={draftOf(before)}
      places={PLACES}
      onSave={async (draft) => {
        await save(before, draft, once.current);
        await onSaved();
        const name = draft.name.trim();
        toast({ text: before ? say`${name} is changed.` : say`${name} is added.` });
      }}
      onClose={onClose}
      fields={({ draft, set, errors }) => [
        before ? null : {
          of: "audience",
          label: "For",
          hint:
            "It never changes: one for people does not sign in developers, nor the other way round.",
          options: WHOM,
        },
        <SelectField
          key="preset"
          label="Provider"
          hint="Fills in that product's scopes and groups. The card says what to set at the provider."
          value={draft.preset}
          options={PRESETS}
          onChange={(value) =>
            set(filledBy(providerPresets.find((one) => one === value) ?? "generic"))}
        />,
        { of: "name", label: "Name on the button", maxLength: 60, autoFocus: true, required: true },
        before && before.people > 0 ? null : {
          of: "issuer",
          label: "Issuer",
          hint: say`Such as ${
            presetTerms[draft.preset].issuer
          }, exactly as it calls itself. It stays once an account is linked.`,
          type: "url",
          maxLength: 500,
          required: true,
        },
        { of: "client_id", label: "Client id", maxLength: 255, required: true },
        !draft.without_secret && {
          of: "client_secret",
          label: "Client secret",
          hint: before?.has_secret
            ? "Kept sealed, and never shown. Empty: it stays."
            : "It is sealed, and never shown again.",
          type: "password",
          autocomplete: "off",
        },
        {
          of: "without_secret",
          label: "The client has no secret",
          hint: "It proves itself by PKCE alone, or as is set below.",
        },
        {
          of: "domains",
          label: "Mail domains",
          hint: draft.audience === "people"
            ? "Among the organisation’s own, one on a line: whose addresses are offered it."
            : "One on a line: whose addresses are offered it. None: everybody is.",
          rows: 2,
        },
        draft.audience === "people" && [
          <ProviderGroups
            key="groups"
            groups={draft.groups}
            before={before?.groups ?? []}
            error={errors.groups}
            onChange={(groups) => set({ groups })}
          />,
          {
            of: "creates_people",
            label: "Add people at their first sign-in",
            hint:
              "Who is in one of these groups, with what the groups give; they follow them from then on.",
          },
        ],
        <ProviderMore key="more" draft={draft} set={set} errors={errors} />,
      ]}
    />
  );
}

async function save(
  before: Provider | undefined,
  draft: ProviderDraft,
  headers: ReturnType<typeof decisionKey>,
): Promise<void> {
  const { audience, client_secret, without_secret } = draft;
  const issuer = draft.issuer.trim();
  const body = bodyOf(draft);
  const missing = {
    ...body.name === "" && { name: "Write a name here." },
    ...issuer === "" && { issuer: "Write its address here." },
    ...body.client_id === "" && { client_id: "Write the client id here." },
    ...!before && client_secret === "" && !without_secret &&
      { client_secret: "Write the secret, or say that there is none." },
    ...body.groups.some(({ group }) => group === "") &&
      { groups: "Write each group’s name, or take it out." },
  };
  if (Object.keys(missing).length > 0) throw new Unfit(missing);
  const secret = without_secret ? "" : client_secret;
  if (before) {
    // Without one the one that is sealed stays.
    const stays = secret === "" && !without_secret;
    const change = { ...body, ...issuer === before.issuer ? {} : { issuer } };
    await api.call(replaceIdentityProvider, {
      params: { id: before.id },
      body: stays ? change : { ...change, client_secret: secret },
    });
    return;
  }
  const added = { ...body, for: audience, issuer, client_secret: secret };
  await api.call(createIdentityProvider, { body: added, headers });
}
