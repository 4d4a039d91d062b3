import { shellWord } from "./shell-text.ts";

/** One part of what is shown once. */
export interface SecretPart {
  label: string;
  value: string;
  lines?: boolean;
}

/** A credential as the answer that issued it shows it, this once. */
export interface IssuedCredential {
  RawKey: string;
  Password: string;
  client_id?: string | undefined;
  secret?: string | undefined;
}

/** The parts of a key that a person needs, and a line that tries it. */
export function partsOf(credential: IssuedCredential): SecretPart[] {
  const { RawKey, Password, client_id, secret } = credential;
  if (client_id !== undefined && secret !== undefined) {
    const line =
      `curl -u ${shellWord(`${client_id}:${secret}`)} -d grant_type=client_credentials ` +
      `${location.origin}/oauth/token`;
    return [
      { label: "Client id", value: client_id },
      { label: "Client secret", value: secret },
      { label: "Get a token", value: line, lines: true },
    ];
  }
  if (Password !== "") {
    return [
      { label: "User name", value: RawKey },
      { label: "Password", value: Password },
      tryLine({ username: RawKey, password: Password }),
    ];
  }
  return [{ label: "API key", value: RawKey, lines: true }, tryLine({ key: RawKey })];
}

/** A gateway's call to Keydesk: the address of the API is not known to it. */
function tryLine(presented: Readonly<Record<string, string>>): SecretPart {
  const sent = shellWord(JSON.stringify(presented));
  return {
    label: "Ask this server, with an access token in $KEYDESK",
    value: `curl -s -H "Authorization: $KEYDESK" -d ${sent} ${location.origin}/v1/keys/verify`,
    lines: true,
  };
}
