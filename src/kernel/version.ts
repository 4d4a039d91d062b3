import manifest from "../../package.json" with { type: "json" };

/** The version of this release. */
export const version: string = manifest.version;
