import { z } from "zod";
import { DOOR_NAME, doorKinds, OTHER } from "../../contract/doors.ts";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
import { integer, text, timestamp } from "../../contract/values.ts";

const tag = "Use";

/** The last call of a door, and how long it has been silent. */
const doorStates = ["waiting", "calling", "silent"] as const;

/** A door that somebody set up. */
export const door = z.strictObject({
  id: text,
  name: text.meta({ description: "What it says in `X-Keydesk-Door`." }),
  kind: z.enum(doorKinds),
  silent_minutes: integer.meta({
    description: "After so many minutes without a call it is silent; 0: never.",
  }),
  state: z.enum(doorStates).meta({
    description: "`waiting`: it never called. Times of calls are up to a minute old.",
  }),
  version: text.meta({
    description: "What its last call said of its file; empty where it said nothing.",
  }),
  newer_version: nullable(text).meta({
    description:
      "The version of the documented file of its kind, where that is newer than what its last " +
      "call said; null: it is not, or nobody knows.",
  }),
  calls_a_minute: integer.meta({
    description: "Its calls in the last whole minute, of all nodes: 10 to 70 seconds ago.",
  }),
  first_call_at: nullable(timestamp),
  last_call_at: nullable(timestamp),
  date_created: timestamp,
  created_by: text.meta({ description: "The id of who set it up." }),
}).meta({ id: "Door" });

const kind = z.enum(doorKinds, { error: `expected ${doorKinds.join(" or ")}` });
const silentMinutes = z.number().int().min(0).max(10_080).meta({
  description: "After so many minutes without a call it is silent; 0: never.",
});

/** All of them: there are 100 at the most. */
export const listDoors = defineEndpoint({
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
});

/** Its calls count by its name from then on. */
export const createDoor = defineEndpoint({
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
});

/** What stands there, and when it is silent. */
export const updateDoor = defineEndpoint({
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
});

/** It counts as `other` again. */
export const deleteDoor = defineEndpoint({
  id: "deleteDoor",
  method: "DELETE",
  path: "/v1/doors/{id}",
  tag,
  summary: "Take a door away: what calls itself so counts as other again",
  description: "What was counted by its name stays until its time is over.",
  permission: ["admin"],
  response: z.strictObject({ id: text }).meta({ id: "DoorDeleted" }),
  errors: ["not_found"],
});
