import { z } from "zod";
import { nullable } from "../../contract/v1.ts";
import { id, text } from "../../contract/values.ts";

/** The answer of `listMailedLinks`. */
export const listMailedLinksResponse = z.strictObject({
  data: z.array(z.strictObject({ id, mailed_to: nullable(text) })),
}).meta({ id: "MailedLinks" });
