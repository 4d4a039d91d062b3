import type { z } from "zod";
import { type PresetTerms, presetTerms } from "../../../src/contract/provider-presets.ts";
import type { identityProvider } from "../../../src/features/people/identity-providers/identity-providers.operations.ts";

/** An identity provider as administrators see it. */
export type Provider = z.output<typeof identityProvider>;

/** The form of a provider: lists as lines. */
export interface ProviderDraft {
  audience: Provider["for"];
  preset: Provider["preset"];
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
  without_secret: boolean;
  domains: string;
  scopes: string;
  groups_claim: string;
  groups_path: string;
  groups_form: Provider["groups_form"];
  groups_separator: string;
  groups_drop_slash: boolean;
  groups: Provider["groups"];
  creates_people: boolean;
  acr_values: string;
  amr_values: string;
  client_auth: Provider["client_auth"];
  pushed_requests: boolean;
  response_mode: Provider["response_mode"];
  asks_consent: boolean;
  logout_ends: Provider["logout_ends"];
  recheck_minutes: string;
  session_minutes: string;
}

/** The form of one that is there, or of one that is to be added. */
export function draftOf(before: Provider | undefined): ProviderDraft {
  return {
    audience: before?.for ?? "people",
    preset: before?.preset ?? "generic",
    name: before?.name ?? "",
    issuer: before?.issuer ?? "",
    client_id: before?.client_id ?? "",
    client_secret: "",
    without_secret: before?.has_secret === false,
    domains: (before?.domains ?? []).join("\n"),
    scopes: (before?.scopes ?? ["profile", "email"]).join("\n"),
    groups_claim: before?.groups_claim ?? "groups",
    groups_path: (before?.groups_path ?? []).join("\n"),
    groups_form: before?.groups_form ?? "list",
    groups_separator: before?.groups_separator ?? ",",
    groups_drop_slash: before?.groups_drop_slash ?? false,
    groups: before?.groups ?? [],
    creates_people: before?.creates_people ?? false,
    acr_values: (before?.acr_values ?? []).join("\n"),
    amr_values: (before?.amr_values ?? []).join("\n"),
    client_auth: before?.client_auth ?? "auto",
    pushed_requests: before?.pushed_requests ?? false,
    response_mode: before?.response_mode ?? "query",
    asks_consent: before?.asks_consent ?? false,
    logout_ends: before?.logout_ends ?? "added",
    recheck_minutes: String(before?.recheck_minutes ?? 60),
    session_minutes: before?.session_minutes ? String(before.session_minutes) : "",
  };
}

/** The fields that a preset fills. */
export function filledBy(preset: Provider["preset"]): Partial<ProviderDraft> {
  const terms: PresetTerms = presetTerms[preset];
  return {
    preset,
    scopes: terms.scopes.join("\n"),
    groups_claim: terms.groups_claim,
    groups_path: "",
    groups_form: terms.groups_form,
    groups_drop_slash: terms.groups_drop_slash ?? false,
    logout_ends: terms.logout_ends ?? "added",
    recheck_minutes: String(terms.recheck_minutes ?? 60),
  };
}

/** The body of a form, without the secret and the audience. */
export function bodyOf(draft: ProviderDraft) {
  const isForPeople = draft.audience === "people";
  return {
    name: draft.name.trim(),
    client_id: draft.client_id.trim(),
    domains: wordsIn(draft.domains),
    preset: draft.preset,
    scopes: wordsIn(draft.scopes),
    groups_claim: draft.groups_claim.trim(),
    groups_path: draft.groups_path.split("\n").map((one) => one.trim()).filter((one) => one !== ""),
    groups_form: draft.groups_form,
    groups_separator: draft.groups_separator === "" ? "," : draft.groups_separator,
    groups_drop_slash: draft.groups_drop_slash,
    groups: isForPeople
      ? draft.groups.map(({ group, permissions, role }) => ({
        group: group.trim(),
        ...role === null ? { permissions } : { role },
      }))
      : [],
    creates_people: isForPeople && draft.creates_people,
    acr_values: wordsIn(draft.acr_values),
    amr_values: wordsIn(draft.amr_values),
    client_auth: draft.client_auth,
    pushed_requests: draft.pushed_requests,
    response_mode: draft.response_mode,
    asks_consent: draft.asks_consent,
    logout_ends: draft.logout_ends,
    recheck_minutes: Number(draft.recheck_minutes),
    session_minutes: draft.session_minutes.trim() === "" ? null : Number(draft.session_minutes),
  };
}

function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((one) => one !== "");
}
