import type { KeyForm } from "../../../packages/x509/post-quantum.ts";
import type { Losses } from "./missing.ts";
import type { TargetHash } from "./names-there.ts";
import type { OpenOrganisation } from "./open-rows.ts";

/** How an organisation is exported. */
export interface Exporting {
  organisation: OpenOrganisation;
  /** Milliseconds. */
  now: number;
  /** False: no secret, no hash of one and nothing of Keydesk's own is among the documents. */
  withSecrets: boolean;
  /** How the gateway hashes keys that it goes to; undefined: as the one that they came from. */
  targetHash?: TargetHash | undefined;
  /** The form that private keys of ML-DSA and ML-KEM get; undefined: as they are held. */
  keyForm?: KeyForm | undefined;
  /** Called with each loss as it is met. */
  losses: Losses;
}
