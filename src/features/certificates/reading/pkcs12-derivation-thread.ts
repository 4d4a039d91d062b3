/// <reference lib="deno.worker" />
import { deriveNow, type Pkcs12Derivation } from "./pkcs12-derivation.ts";

/** The thread on which long derivations run: one message, one answer. */
self.onmessage = ({ data }: MessageEvent<Pkcs12Derivation>) => {
  self.postMessage(deriveNow(data));
};
