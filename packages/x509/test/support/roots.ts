import { rootCertificates } from "node:tls";
import { derOf, pem } from "./keys.ts";

/**
 * Mozilla's authorities as the runtime brings them, one bundle of PEM: certificates that we have
 * not made.
 */
export const roots = rootCertificates.map((text) => pem("CERTIFICATE", derOf(text))).join("");
