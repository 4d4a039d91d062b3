import { change, value } from "../../storage/statement-functions.ts";
import { finds, puts } from "../../storage/table-statements.ts";

/** The brand of an organisation as JSON text, or undefined where no one has set one. */
export const findBranding = value(finds("branding", { columns: ["document"] }));

/** Sets the brand of an organisation. */
export const saveBranding = change(puts("branding"));
