import { useRef } from "preact/hooks";
import type { z } from "zod";
import type { identityProvider } from "../../../src/features/identity/identity-providers.contract.ts";
import { api, decisionKey } from "../../api/client.ts";
import { createIdentityProvider, replaceIdentityProvider } from "../../api/identity-endpoints.ts";
import { CheckField, SelectField, TextField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { ProviderGroups } from "./provider-groups.tsx";

/** An identity provider as administrators see it. */
export type Provider = z.output<typeof identityProvider>;

const EMPTY = {
  for: "people" as Provider["for"],
  name: "",
  issuer: "",
  client_id: "",
  groups_claim: "groups",
  groups: [] as Provider["groups"],
  creates_people: false,
};

const WHOM = [
  { value: "people", text: "People, at this console" },
  { value: "developers", text: "Developers, at their pages" },
];

const PLACES = {
  name: "name",
  issuer: "issuer",
  provider_uncalled: "issuer",
  client_id: "client_id",
  client_secret: "client_secret",
  domains: "domains",
  domain_not_listed: "domains",
  groups: "groups",
  permission_not_held: "groups",
  groups_claim: "groups_claim",
  scopes: "scopes",
  acr_values: "acr_values",
  amr_values: "amr_values",
};

/** Adds an identity provider, or changes the one that there was `before`. */
export function ProviderForm({ before, onSaved, onClose }: {
  before: Provider | undefined;
  onSaved: () => Promise<unknown>;
  onClose: () => void;
}) {
  const once = useRef(decisionKey());
  const { name, issuer, client_id, groups_claim, groups, creates_people } = before ?? EMPTY;
  return (
    <FormDialog
      name={`provider ${before?.id ?? ""}`}
      title={before ? say`Change ${before.name}` : "Add a provider"}
      note={before
        ? "Takes effect at the next sign-in."
        : "OpenID Connect, by the code flow. The addresses to tell it are shown once it is added."}
      action={before ? "Save" : "Add"}
      wide
      initial={{
        whom: (before ?? EMPTY).for,
        name,
        issuer,
        client_id,
        client_secret: "",
        without_secret: before?.has_secret === false,
        domains: (before?.domains ?? []).join("\n"),
        scopes: (before?.scopes ?? ["profile", "email"]).join("\n"),
        groups_claim,
        groups,
        creates_people,
        acr_values: (before?.acr_values ?? []).join("\n"),
        amr_values: (before?.amr_values ?? []).join("\n"),
      }}
      places={PLACES}
      onSave={async ({ whom, issuer, client_secret, without_secret, ...draft }) => {
        const isForPeople = whom === "people";
        const body = {
          name: draft.name.trim(),
          client_id: draft.client_id.trim(),
          domains: wordsIn(draft.domains),
          scopes: wordsIn(draft.scopes),
          groups_claim: draft.groups_claim.trim(),
          groups: isForPeople
            ? draft.groups.map(({ group, permissions, role }) => ({
              group: group.trim(),
              ...role === null ? { permissions } : { role },
            }))
            : [],
          creates_people: isForPeople && draft.creates_people,
          acr_values: wordsIn(draft.acr_values),
          amr_values: wordsIn(draft.amr_values),
        };
        const missing = {
          ...body.name === "" && { name: "Write a name here." },
          ...issuer.trim() === "" && { issuer: "Write its address here." },
          ...body.client_id === "" && { client_id: "Write the client id here." },
          ...!before && client_secret === "" && !without_secret &&
            { client_secret: "Write the secret here, or say that there is none." },
          ...body.groups.some(({ group }) => group === "") &&
            { groups: "Write each group’s name, or take it out." },
        };
        if (Object.keys(missing).length > 0) throw new Unfit(missing);
        const secret = without_secret ? "" : client_secret;
        if (before) {
          // Without one the one that is sealed stays.
          const stays = secret === "" && !without_secret;
          const change = stays ? body : { ...body, client_secret: secret };
          await api.call(replaceIdentityProvider, { params: { id: before.id }, body: change });
        } else {
          const added = { ...body, for: whom, issuer: issuer.trim(), client_secret: secret };
          await api.call(createIdentityProvider, { body: added, headers: once.current });
        }
        await onSaved();
        toast({ text: before ? say`${body.name} is changed.` : say`${body.name} is added.` });
      }}
      onClose={onClose}
    >
      {({ draft, set, errors }) => (
        <>
          {before ? null : (
            <SelectField
              label="For"
              hint="It never changes: one for people opens no developers’ pages, nor the other way round."
              value={draft.whom}
              options={WHOM}
              onChange={(whom) => set({ whom: whom === "developers" ? whom : "people" })}
            />
          )}
          <TextField
            label="Name on the button"
            value={draft.name}
            maxLength={60}
            error={errors.name}
            autoFocus
            required
            onInput={(name) => set({ name })}
          />
          {before ? null : (
            <TextField
              label="Issuer"
              hint="Such as https://login.example.org. It never changes: accounts belong to it."
              type="url"
              value={draft.issuer}
              maxLength={500}
              error={errors.issuer}
              required
              onInput={(issuer) => set({ issuer })}
            />
          )}
          <TextField
            label="Client id"
            value={draft.client_id}
            maxLength={255}
            error={errors.client_id}
            required
            onInput={(client_id) => set({ client_id })}
          />
          {!draft.without_secret && (
            <TextField
              label="Client secret"
              hint={before?.has_secret
                ? "Kept sealed, and never shown. Empty: it stays."
                : "It is sealed, and never shown again."}
              type="password"
              autocomplete="off"
              value={draft.client_secret}
              error={errors.client_secret}
              onInput={(client_secret) => set({ client_secret })}
            />
          )}
          <CheckField
            label="The client has no secret"
            hint="It proves itself by PKCE alone."
            checked={draft.without_secret}
            onChange={(without_secret) => set({ without_secret })}
          />
          <TextField
            label="Mail domains"
            hint={draft.whom === "people"
              ? "Among the organisation’s own, one on a line: whose addresses are offered it."
              : "One on a line: whose addresses are offered it. None: everybody is."}
            rows={2}
            value={draft.domains}
            error={errors.domains}
            onInput={(domains) => set({ domains })}
          />
          {draft.whom === "people" && (
            <>
              <ProviderGroups
                groups={draft.groups}
                before={before?.groups ?? []}
                error={errors.groups}
                onChange={(groups) => set({ groups })}
              />
              <CheckField
                label="Add people at their first sign-in"
                hint="Who is in one of these groups, with what the groups give; they follow them from then on."
                checked={draft.creates_people}
                onChange={(creates_people) => set({ creates_people })}
              />
            </>
          )}
          <details class="provider-fold">
            <summary>Claims, scopes, fresh sign-ins</summary>
            <div class="provider-more">
              {draft.whom === "people" && (
                <TextField
                  label="Claim of the groups"
                  value={draft.groups_claim}
                  error={errors.groups_claim}
                  onInput={(groups_claim) => set({ groups_claim })}
                />
              )}
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
        </>
      )}
    </FormDialog>
  );
}

function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((one) => one !== "");
}
