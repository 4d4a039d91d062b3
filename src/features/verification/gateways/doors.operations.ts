import { changeBy, changeOnceBy } from "../../../calls/change-by.ts";
import { z } from "zod";
import { DOOR_NAME, doorKinds, OTHER } from "../../../contract/checking-gateways.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { door } from "./checking-gateways.contract.ts";
import { listDoors as findDoors } from "./checking-gateways.store.ts";
import {
  changeDoor,
  createDoor as createDoorChange,
  deleteDoor as deleteDoorChange,
} from "./checking-gateways.transactions.ts";
import { showDoor } from "./show-checking-gateway.ts";

const tag = "Use";

const kind = z.enum(doorKinds, { error: `expected ${doorKinds.join(" or ")}` });

const silentMinutes = z.number().int().min(0).max(10_080).meta({
  description: "After so many minutes without a call it is silent; 0: never.",
});

/** All of them: there are 100 at the most. */
export const listDoors = operation({
  id: "listDoors",
  method: "GET",
  path: "/v1/doors",
  tag,
  summary: "Doors that somebody set up, by name, and when each last called",
  description:
    "A proxy or gateway names itself by the header `X-Keydesk-Door`. There are 100 at the most, " +
    "so there are no pages. No verdict goes by a door's name.",
  permission: ["portal:read"],
  withinElevation: true,
  response: z.strictObject({ data: z.array(door) }).meta({ id: "DoorList" }),
  errors: [],
  async serve({ storage: { reader }, principal: { org_id }, clock }) {
    const now = clock.now();
    return { data: (await findDoors(reader, { org_id })).map((row) => showDoor(row, now)) };
  },
});

/** Its calls count by its name from then on. */
export const createDoor = operation({
  id: "createDoor",
  method: "POST",
  path: "/v1/doors",
  tag,
  summary: "Set up a door: what calls itself so counts by this name from now on",
  description: "Calls before it counted as `other`, and stay there.",
  permission: ["admin"],
  body: z.object({
    name: text.regex(DOOR_NAME, {
      error: "expected up to 63 small letters, digits, dots, - and _, a letter or digit first",
    }).refine((name) => name !== OTHER, { error: "is what all other doors count as" })
      .meta({ description: "What it says in `X-Keydesk-Door`." }),
    kind: kind.default("other"),
    silent_minutes: silentMinutes.default(0),
  }).meta({ id: "CreateDoorInput" }),
  idempotent: true,
  response: door,
  errors: [...bodyErrors, "door_name_taken", "too_many_doors"],
  example: { name: "edge-1", kind: "nginx", silent_minutes: 60 },
  serve: (ctx, call) => changeOnceBy(ctx, call, createDoorChange, { door: call.body }),
});

/** What stands there, and when it is silent. */
export const updateDoor = operation({
  id: "updateDoor",
  method: "PUT",
  path: "/v1/doors/{id}",
  tag,
  summary: "Change what stands at a door, and after how many minutes it is silent",
  description: "What is absent stays. The name stays too: what counted by it would be lost.",
  permission: ["admin"],
  body: z.object({
    kind: kind.optional(),
    silent_minutes: silentMinutes.optional(),
  }).meta({ id: "UpdateDoorInput" }),
  response: door,
  errors: [...bodyErrors, "not_found"],
  example: { silent_minutes: 30 },
  serve: (ctx, { params: { id }, body: change }) => changeBy(ctx, changeDoor, { id, change }),
});

/** It counts as `other` again. */
export const deleteDoor = operation({
  id: "deleteDoor",
  method: "DELETE",
  path: "/v1/doors/{id}",
  tag,
  summary: "Take a door away: what calls itself so counts as other again",
  description: "What was counted by its name stays until its time is over.",
  permission: ["admin"],
  response: z.strictObject({ id: text }).meta({ id: "DoorDeleted" }),
  errors: ["not_found"],
  serve: (ctx, { params: { id } }) => changeBy(ctx, deleteDoorChange, { id }),
});
