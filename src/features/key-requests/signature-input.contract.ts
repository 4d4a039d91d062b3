import { z } from "zod";
import { assertionInput } from "../access/passkeys.contract.ts";

/** What a passkey says yes with. */
export const signatureInput = z.object({
  nonce: z.string().min(1).max(160),
  ...assertionInput.shape,
}).meta({
  id: "DecisionSignature",
  description:
    "A passkey of the caller says yes to this: the `nonce` of `POST /v1/key-requests/{id}/challenge`, and what the browser's `navigator.credentials.get` gave for its challenge.",
});

/** How a signature can fail. */
export const signatureErrors = ["signature_required", "signature_refused"] as const;
