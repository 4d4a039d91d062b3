import type { Command } from "commander";
import { addAlertsCommands } from "./alerts.ts";
import { addAuditCommands } from "./audit.ts";
import { addBackupCommand } from "./backup.ts";
import { addCertsCommands } from "./certs.ts";
import { addCheckCommand } from "./check.ts";
import { addCompletionCommand } from "./completion.ts";
import { addConsoleCommand } from "./console.ts";
import { addDelegationCommands } from "./delegation.ts";
import { addDeliveriesCommands } from "./deliveries.ts";
import { addDevelopersCommands } from "./developers.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addDoorsCommands } from "./doors.ts";
import { addGatewaysCommands } from "./gateways.ts";
import { addElevationsCommands } from "./elevations.ts";
import { addExportCommand } from "./export.ts";
import { addHelpCommand } from "./help.ts";
import { addImportCommands } from "./import.ts";
import { addJobsCommands } from "./jobs.ts";
import { addKeysCommands } from "./keys.ts";
import { addLeaksCommands } from "./leaks.ts";
import { addMigrateStoreCommand } from "./migrate-store.ts";
import { addMigrateCommand } from "./migrate.ts";
import { addPeopleCommands } from "./people.ts";
import { addPlansCommands } from "./plans.ts";
import { addPoliciesCommands } from "./policies.ts";
import { addProvidersCommands } from "./providers.ts";
import { addPurgeCommand } from "./purge.ts";
import { addRequestsCommands } from "./requests.ts";
import { addResealCommand } from "./reseal.ts";
import { addRestoreCommand } from "./restore.ts";
import { addRolesCommands } from "./roles.ts";
import { addSealingKeyCommand } from "./sealing-key.ts";
import { addSeedCommand } from "./seed.ts";
import { addRefusalsCommand } from "./refusals.ts";
import { addServeCommand } from "./serve.ts";
import { addTargetsCommands } from "./targets.ts";
import { addTokenCommands } from "./token.ts";
import { addVersionCommand } from "./version.ts";
import { addWitnessCommands } from "./witness.ts";

/**
 * Each command in the order of the help; for what needs all at once, which one import loads sooner
 * than one for each.
 */
export const EVERY_COMMAND: readonly ((program: Command) => void)[] = [
  addServeCommand,
  addSeedCommand,
  addTokenCommands,
  addRequestsCommands,
  addDevelopersCommands,
  addPlansCommands,
  addPoliciesCommands,
  addDelegationCommands,
  addPeopleCommands,
  addRolesCommands,
  addElevationsCommands,
  addKeysCommands,
  addJobsCommands,
  addImportCommands,
  addLeaksCommands,
  addAlertsCommands,
  addTargetsCommands,
  addDeliveriesCommands,
  addDoorsCommands,
  addGatewaysCommands,
  addRefusalsCommand,
  addProvidersCommands,
  addConsoleCommand,
  addCertsCommands,
  addSealingKeyCommand,
  addResealCommand,
  addExportCommand,
  addAuditCommands,
  addWitnessCommands,
  addPurgeCommand,
  addMigrateCommand,
  addMigrateStoreCommand,
  addBackupCommand,
  addRestoreCommand,
  addDoctorCommand,
  addCheckCommand,
  addCompletionCommand,
  addVersionCommand,
  addHelpCommand,
];
