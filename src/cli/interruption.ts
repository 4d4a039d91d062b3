const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Whether this process was asked to end. */
export interface Interruption {
  readonly asked: boolean;
  /** Signals end the process at once again. */
  stop(): void;
}

/**
 * Hears of the first Ctrl-C or SIGTERM, so that the work can come to an orderly end. The next one
 * ends the process.
 */
export function interruption(): Interruption {
  let asked = false;
  const stop = () => SIGNALS.forEach((signal) => Deno.removeSignalListener(signal, onSignal));
  const onSignal = () => {
    asked = true;
    stop();
  };
  SIGNALS.forEach((signal) => Deno.addSignalListener(signal, onSignal));
  return {
    get asked() {
      return asked;
    },
    stop,
  };
}
