/**
 * What the pictures show. A screen that is not among them fails `test/console/pictures.test.ts`.
 */
import type { Scene } from "./scene.ts";
import { catalogueScenes } from "./scenes/catalogue.ts";
import { certificateScenes } from "./scenes/certificates.ts";
import { changeScenes } from "./scenes/changes.ts";
import { developerScenes } from "./scenes/developers.ts";
import { everywhereScenes } from "./scenes/everywhere.ts";
import { gatewayScenes } from "./scenes/gateways.ts";
import { homeScenes } from "./scenes/home.ts";
import { keyRequestScenes } from "./scenes/key-requests.ts";
import { keyScenes } from "./scenes/keys.ts";
import { movingInScenes } from "./scenes/migration.ts";
import { portalScenes } from "./scenes/portal.ts";
import { settingsScenes } from "./scenes/settings.ts";
import { strangerScenes } from "./scenes/strangers.ts";

/** All of them, in the order of the side bar. */
export const scenes: readonly Scene[] = [
  ...homeScenes,
  ...movingInScenes,
  ...keyRequestScenes,
  ...keyScenes,
  ...gatewayScenes,
  ...certificateScenes,
  ...developerScenes,
  ...catalogueScenes,
  ...changeScenes,
  ...settingsScenes,
  ...everywhereScenes,
  ...strangerScenes,
  ...portalScenes,
];
