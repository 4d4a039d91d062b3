import { z } from "zod";
import { putBranding } from "../../branding/branding.operations.ts";
import { findBranding } from "../../branding/branding.store.ts";
import { readBranding } from "../../branding/branding.ts";
import { findConfiguration } from "../../plans/catalogue/catalogue.store.ts";
import type { CatalogueConfig } from "../../plans/catalogue/live-catalogue.ts";
import { questionsIn, USE_CASE } from "../../plans/catalogue/questions.ts";
import { putDeveloperPages } from "../../portal/access/developer-pages.operations.ts";
import { pagesOf } from "../../portal/access/developer-pages.ts";
import { putPagesFields } from "../../portal/access/questions.operations.ts";
import { type Kind, shapeOf } from "../kind.ts";

/** How the organisation looks to people who are not signed in. */
export const branding: Kind = {
  name: "branding",
  permission: "admin",
  noun: "branding",
  single: true,
  schema: z.strictObject(shapeOf(putBranding)),
  keyOf: () => "",
  async read({ ctx: { storage: { reader }, principal: { org_id } } }) {
    const members = { ...readBranding(await findBranding(reader, { org_id })) };
    return [{ id: org_id, key: "", members }];
  },
  change: (_, { after }) => [{ operation: putBranding, body: after }],
};

/** The developer portal. */
export const portal: Kind = {
  name: "portal",
  permission: "admin",
  noun: "developer portal",
  single: true,
  schema: z.strictObject(shapeOf(putDeveloperPages)),
  sets: ["mail_domains"],
  keyOf: () => "",
  async read({ ctx: { storage: { reader }, principal: { org_id } } }) {
    return [{ id: org_id, key: "", members: { ...await pagesOf(reader, org_id) } }];
  },
  change: (_, { after }) => [{ operation: putDeveloperPages, body: after }],
};

/** The questions of the portal to developers. */
export const portalQuestions: Kind = {
  name: "portal_questions",
  permission: "admin",
  noun: "portal's questions",
  single: true,
  schema: z.strictObject(shapeOf(putPagesFields)),
  partial: ["sign_up_fields", "key_request_fields"],
  keyOf: () => "",
  async read({ ctx: { storage: { reader }, settings, principal: { org_id } } }) {
    const stored = await findConfiguration(reader, { org_id });
    const isStrict = settings.references === "strict";
    // as: the store's documents are written from the contract's own type.
    const config = stored === undefined
      ? undefined
      : JSON.parse(stored) as Partial<CatalogueConfig>;
    const { signup_fields = [], key_request_fields = [] } = config ?? {};
    const members = {
      sign_up_fields: questionsIn(signup_fields, isStrict),
      key_request_fields: config ? questionsIn(key_request_fields, isStrict) : [USE_CASE],
    };
    return [{ id: org_id, key: "", members }];
  },
  change: (_, { after }) => [{ operation: putPagesFields, body: after }],
};
