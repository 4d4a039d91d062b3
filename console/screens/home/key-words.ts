/** What Home knows of a key and of whose it is. */
interface KeyNames {
  readonly mask: string;
  readonly name: string;
  readonly developer_id: string;
  readonly developer_email: string | null;
  readonly developer_name: string;
}

/** What a key is called: its name, else what may be shown of it. */
export const calledKey = ({ name, mask }: KeyNames): string => name || mask;

/** Whose it is: by name, else by address, else by id. */
export const ownerOf = (key: KeyNames): string =>
  key.developer_name || (key.developer_email ?? key.developer_id);
