import type { CallOrigin } from "./call-origin.ts";

/**
 * The source of keys that Keydesk does not know: a gateway with lazy migration, while that is
 * switched on. It is asked after verification's own look-up alone, so known keys pay nothing.
 */
export interface Migrator {
  /**
   * Looks which gateways of the organisation teach, unless that is known as of the last second.
   * To be called before each look at the store, whatever is looked for, so that the time of an
   * answer tells nothing.
   */
  look(org_id: string): Promise<void>;
  /** False: none does, as of the last look. */
  mayMigrate(org_id: string): boolean;
  /**
   * Whether what was presented is known by now under its hash, so that the store is worth another
   * look. Throws `unavailable` where no one can tell now whether it opens.
   */
  migrate(org_id: string, presented: string, hash: string, origin: CallOrigin): Promise<boolean>;
}
