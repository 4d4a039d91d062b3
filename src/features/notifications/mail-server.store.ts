import { change, one } from "../../storage/statement-functions.ts";
import { finds, puts, removes } from "../../storage/table-statements.ts";

/** A server's mail server, as it is stored with its first organisation. */
export const findMailServer = one(finds("mail_servers"));

/** Sets it. */
export const saveMailServer = change(puts("mail_servers"));

/** Removes it. */
export const removeMailServer = change(removes("mail_servers", "org_id", "id"));
