import { type Config, readConfig } from "../config.ts";

/** The settings out of this process's environment. Throws ConfigInvalid. */
export function configFromEnvironment(): Config {
  // The launcher's own variable; it is no setting.
  const { KEYDESK_PARENT_PID: _, ...environment } = Deno.env.toObject();
  return readConfig(environment);
}
