import { type Config, readConfig } from "../config.ts";
import { terminal } from "./terminal.ts";

/** The settings out of this process's environment. Throws ConfigInvalid. */
export function configFromEnvironment(): Config {
  // The launcher's own variable; it is no setting.
  const { KEYDESK_PARENT_PID: _, ...environment } = terminal().environment;
  return readConfig(environment);
}
