/** Thrown when the store's schema is newer than this code serves, or closed to all code. */
export class SchemaTooNew extends Error {}

/**
 * Thrown where the schema is older than this code needs and may not be changed
 * (KEYDESK_UPGRADE=off), or older than any that this code opens.
 */
export class SchemaTooOld extends Error {}
