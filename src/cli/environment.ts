import { type Config, readConfig } from "../config.ts";
import { terminal } from "./terminal.ts";

/** The settings out of this process's environment. Throws ConfigInvalid. */
export function configFromEnvironment(): Config {
  // The launcher's own variables; they are no settings.
  const {
    KEYDESK_PARENT_PID: _,
    KEYDESK_OPEN_FILES: __,
    KEYDESK_COLLECTOR: ___,
    KEYDESK_COMMAND: ____,
    KEYDESK_KEYRING: _____,
    KEYDESK_CONTEXTS_PATH: ______,
    ...environment
  } = terminal().environment;
  return readConfig(environment);
}
