import { z } from "zod";
import { text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { Failure } from "../../../kernel/failure.ts";
import { findDeveloper } from "../../developers/developer-accounts.store.ts";
import { nameOfDeveloper } from "../../developers/developer-names.ts";
import type { Developer } from "../../developers/developer.ts";
import { findEmailProof } from "../../developers/email-proof.store.ts";
import { addressKey, emailProofOf, isProved } from "../../developers/email-proof.ts";
import { findVerifiedEmail } from "../../developers/verified-emails.store.ts";
import { findConfiguration } from "../../plans/catalogue/catalogue.store.ts";
import type { CatalogueConfig } from "../../plans/catalogue/live-catalogue.ts";
import { question } from "../../plans/catalogue/questions.contract.ts";
import { questionsIn } from "../../plans/catalogue/questions.ts";
import { type MyContext, ownerOf } from "./own.ts";

const myAccount = z.strictObject({
  id: text,
  name: text.meta({ description: "Empty: they said none." }),
  email: text,
  email_verified: z.boolean().meta({
    description: "Whether the address is known to be theirs; a changed one is to be confirmed.",
  }),
  fields: z.record(z.string(), text).meta({ description: "The developer's own answers." }),
  sign_up_fields: z.array(question).meta({
    description: "The fields of a developer, as the portal's configuration says.",
  }),
}).meta({ id: "MyAccount" });

/** Reads the caller. */
export const getMe = operation({
  id: "getMe",
  method: "GET",
  path: "/v1/my",
  tag: "My account",
  summary: "Read one's own account: name, address, and whether that is known to be one's own",
  description: "Of the developer who calls, by session or token, and of no other.",
  permission: "developer",
  response: myAccount,
  errors: [],
  async serve(ctx: MyContext) {
    const { reader } = ctx.storage;
    const { org_id, developer_id: id } = ownerOf(ctx);
    const row = await findDeveloper(reader, { org_id, id });
    // Deleted at this moment.
    if (!row) throw new Failure("not_found");
    // as: the developers' store writes exactly this.
    const { email, fields } = JSON.parse(row.document) as Developer;
    const proof = emailProofOf(await findEmailProof(reader, { org_id, id }), email);
    const verified = await findVerifiedEmail(reader, { org_id, id });
    const texts = Object.entries(fields).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : []
    );
    return {
      id,
      name: nameOfDeveloper(row.document).trim(),
      email,
      email_verified: isProved(proof) && verified !== undefined &&
        addressKey(verified.address) === addressKey(email),
      fields: Object.fromEntries(texts),
      sign_up_fields: await signUpFields(ctx),
    };
  },
});

/** The questions to developers in the portal's configuration. */
async function signUpFields({ storage, principal, settings }: MyContext) {
  const stored = await findConfiguration(storage.reader, { org_id: principal.org_id });
  // as: the store's documents are written from the contract's own type.
  const { signup_fields = [] } = JSON.parse(stored ?? "{}") as Partial<CatalogueConfig>;
  return questionsIn(signup_fields, settings.references === "strict");
}
