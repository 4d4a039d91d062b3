import { listCounter } from "../../storage/list-counts.ts";
import { listOf } from "./key-request.ts";

/** How many key requests there are in each state. */
export const counters = {
  pending: listCounter([listOf("pending", 0), listOf("pending", 1)]),
  issued: listCounter([listOf("issued", 1)]),
  declined: listCounter([listOf("declined", 0), listOf("declined", 1)]),
};
