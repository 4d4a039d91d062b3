import { type Scene, scene } from "../scene.ts";
import { button, dialog, openRow, rows, text } from "../sights.ts";

/** Certificates. */
export const certificateScenes: readonly Scene[] = [
  scene(
    "Certificates",
    "certificates",
    "expiry and owners",
    "/console/certificates",
    rows,
    { phone: true },
  ),
  scene(
    "Certificates",
    "certificate",
    "one of them, with its chain",
    "/console/certificates",
    async (page) => {
      await openRow(page, "kettlequay.partners");
      await text(page, "SHA-256 fingerprint");
    },
    { phone: true },
  ),
  scene(
    "Certificates",
    "certificate-add",
    "adding one by drop, file or paste",
    "/console/certificates",
    async (page) => {
      await button(page, /^Add/).first().click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Certificates",
    "certificates-empty",
    "no certificate yet",
    "/console/certificates",
    (page) => text(page, "No certificates yet"),
    { desk: "empty" },
  ),
];
