import { InvalidArgumentError } from "commander";
import { meanings } from "../contract/permission-meanings.ts";
import { type Permission, permissions } from "../contract/permissions.ts";

/** Permissions with commas between them, in their order. Throws InvalidArgumentError. */
export function toPermissions(text: string): Permission[] {
  const words = text.split(",").map((word) => word.trim());
  const known = permissions.filter((permission) => words.includes(permission));
  const unknown = words.filter((word) => !known.some((permission) => permission === word));
  if (unknown.length === 0 && known.length > 0) return known;
  throw new InvalidArgumentError(
    `Unknown: ${unknown.join(", ")}. Known: ${permissions.join(", ")}.`,
  );
}

/** Each permission with what it lets one do, a line each. */
export function permissionsText(): string {
  return permissions.map((name) => `  ${name.padEnd(13)}  ${meanings[name]}`).join("\n");
}
