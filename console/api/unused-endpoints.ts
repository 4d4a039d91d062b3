// Made by `npm run generate` of what the files of src/ declare; it is not checked in.
import type * as featuresUnusedUnused from "../../src/features/unused/unused.contract.ts";
import { route } from "./route.ts";

export const getUnusedKeyRule = /* @__PURE__ */ route<typeof featuresUnusedUnused.getUnusedKeyRule>(
  "GET",
  "/v1/plans/{id}/unused-keys",
);
export const putUnusedKeyRule = /* @__PURE__ */ route<typeof featuresUnusedUnused.putUnusedKeyRule>(
  "PUT",
  "/v1/plans/{id}/unused-keys",
);
export const getKeySchedule = /* @__PURE__ */ route<typeof featuresUnusedUnused.getKeySchedule>(
  "GET",
  "/v1/keys/{key_id}/schedule",
);
export const keepKey = /* @__PURE__ */ route<typeof featuresUnusedUnused.keepKeyEndpoint>(
  "POST",
  "/v1/keys/{key_id}/keep",
);
export const setKeyElsewhere = /* @__PURE__ */ route<typeof featuresUnusedUnused.setKeyElsewhere>(
  "PUT",
  "/v1/keys/{key_id}/elsewhere",
);
