/** The file in the data directory that holds the sealing keys, where no setting does. */
export const SEALING_KEY_FILE = "sealing-key";

/** The file in the data directory that holds the first administrator's access token. */
export const FIRST_TOKEN_FILE = "administrator-credential";

/**
 * Thrown where a part of a store is missing, rather than make an empty one in its place; the
 * message says what to do.
 */
export class StoreIncomplete extends Error {}
