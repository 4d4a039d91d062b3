/**
 * A question of an old gateway that goes on deciding by itself, but for keys of which every plan is
 * switched. The verifier notes here whose key it was.
 */
export interface ShadowCheck {
  /** Undefined: no one knows what was presented. */
  of: ShadowedKey | undefined;
}

/** The key of a question, the plan that its call counts for, and whether Keydesk decides. */
interface ShadowedKey {
  readonly key_id: string;
  readonly developer_id: string;
  readonly plan_id: string;
  readonly decide: boolean;
}

/**
 * The origin of a question, as far as it is stated. No result depends on its gateway and network.
 */
export interface CallOrigin {
  /**
   * The visitor's address, as plainAddress gives it; undefined: no one who is believed said it.
   * Asked for of keys that open for some addresses alone.
   */
  address(): string | undefined;
  /** The gateway, as it names itself; "" where it does not. */
  readonly gateway: string;
  /** The network of the visitor's address; "" where no one knows it. Asked for refusals alone. */
  network(): string;
  /** Present: anyone who asks decides by itself. */
  readonly shadow?: ShadowCheck | undefined;
}

/** From somewhere. */
export const SOMEWHERE: CallOrigin = { gateway: "", network: () => "", address: () => undefined };
