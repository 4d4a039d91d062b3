import type { ThreadScope } from "../../../kernel/thread-scope.ts";
import { deriveNow, type Pkcs12Derivation } from "./pkcs12-derivation.ts";

declare const self: ThreadScope<Pkcs12Derivation, string>;

/** The thread on which long derivations run: one message, one answer. */
self.onmessage = ({ data }: MessageEvent<Pkcs12Derivation>) => {
  self.postMessage(deriveNow(data));
};
