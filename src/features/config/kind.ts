/**
 * A kind of thing that files declare: plans, roles, channels … A declaration names its members as
 * the operation does that sets them, with names in the place of ids.
 */
import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { BodySchema, Endpoint } from "../../contract/endpoint.ts";
import type { Operation } from "../../http/operation.ts";
import type { WithOpenApprovals } from "../people/left-open.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import type { Names } from "./names.ts";

/** The context of reading and changing an organisation as a whole. */
export type ConfigContext = RequestContext & CatalogueContext & WithOpenApprovals;

/** Members by name. */
export type Members = Readonly<Record<string, unknown>>;

/** Something of a kind as it is now. */
export interface Present {
  /** The audit log's `object_id` of it. */
  readonly id: string;
  /** The key that a declaration of the same thing has. */
  readonly key: string;
  /** Its members, with names in the place of ids; absent ones say nothing. */
  readonly members: Members;
  /** The secrets that are never shown, to compare with; "": there is none. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Members that its changes need besides. */
  readonly own?: Members;
}

/** A call of an operation that brings something about. */
export interface Doing {
  readonly operation: Operation<ConfigContext>;
  readonly params?: Readonly<Record<string, string>>;
  /** Asked for once the doings before it are prepared. */
  readonly body?: Members | (() => Members);
  /** Members of the body that the operation keeps without knowing them. */
  readonly unknown?: Members;
  /** Done after the doings of every kind, because it needs what they make. */
  readonly last?: true;
  /** Hears the input of the transaction, which has the id of what is made. */
  readonly made?: (input: Members) => void;
}

/** The input of a kind's functions. */
export interface At {
  readonly ctx: ConfigContext;
  readonly names: Names;
}

/** A change of something that is there. */
export interface Wanted {
  readonly present: Present;
  /** The members that change, and as they are then. */
  readonly changed: Members;
  /** All members after it. */
  readonly after: Members;
}

/** A kind. What it lacks can't be done to it. */
export interface Kind {
  /** The member of a declaration. */
  readonly name: string;
  /** The word for one of them. */
  readonly noun: string;
  /** Taken to have a file manage one; each change takes what its operation takes, besides. */
  readonly permission: "plans" | "admin";
  /** True: an organisation has exactly one, and the member is an object. */
  readonly single?: true;
  /** Of one declared thing; members that are left out stay as they are. */
  readonly schema: z.ZodObject;
  /** Members that name one of them, and are never left out. */
  readonly needs?: readonly string[];
  /** Lists whose order says nothing. */
  readonly sets?: readonly string[];
  /** Members that are no more than a reference in a declaration, and in no answer. */
  readonly secrets?: readonly string[];
  /** Objects, and lists of such, of which members that are left out stay. */
  readonly partial?: readonly string[];
  /** Members that never change: another value is refused. */
  readonly fixed?: readonly string[];
  /** Members that count for something new alone. */
  readonly givenOnce?: readonly string[];
  /** The key of what a declaration means, among those that are there. */
  keyOf(declared: Members, present: ReadonlyMap<string, Present>, names: Names): string;
  /** Chooses the key of something new, so that other declarations can name it. */
  foresee?(at: At, declared: Members): string;
  /** The audit log's `object_id` of something new; absent: the `id` in the answer. */
  objectId?(key: string, declared: Members): string;
  /** True: several may have one key; then their order tells which is which. */
  readonly maySame?: true;
  /** Everything of the organisation, the oldest first. */
  read(at: At): Promise<Present[]>;
  /** The members of something that is not there, if that is the same as these. */
  readonly usual?: Members;
  create?(at: At, key: string, after: Members): Doing[];
  change?(at: At, wanted: Wanted): Doing[];
  remove?(at: At, present: Present): Doing[];
}

/** The members of a body with an object's schema. */
export function shapeOf({ body }: Pick<Endpoint, "id" | "body">): z.ZodRawShape {
  if (!isObject(body)) throw new Error("the operation takes no object");
  return body.shape;
}

function isObject(body: BodySchema | undefined): body is z.ZodObject {
  return typeof body === "object" && "shape" in body;
}
