import { z } from "zod";
import { idOrEmpty, text } from "../../../contract/values.ts";

/** A document as a client sends it; `documentation` is base64 and kept as it came. */
export const documentInput = z.object({
  api_id: idOrEmpty.default(""),
  doc_type: z.string().max(64).default(""),
  documentation: text.default(""),
}).meta({ id: "DocumentationInput" });
