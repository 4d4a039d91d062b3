import { Failure } from "../../kernel/failure.ts";

/** Hears, each time that the engine calls what it read damaged, in the engine's words. Must not throw. */
export type DamageListener = (reason: string) => void;

/** Gives an error back as it is, after telling of it where it says `store_damaged`. */
export function tellingOf(onDamage: DamageListener): (error: unknown) => unknown {
  return (error) => {
    if (error instanceof Failure && error.code === "store_damaged") {
      const { cause } = error;
      onDamage(cause instanceof Error ? cause.message : String(cause ?? error.message));
    }
    return error;
  };
}
