/** Home's fields of a key and its owner. */
interface KeyNames {
  readonly mask: string;
  readonly name: string;
  readonly developer_id: string;
  readonly developer_email: string | null;
  readonly developer_name: string;
}

/** The key's name, else the part of it that may be shown. */
export const calledKey = ({ name, mask }: KeyNames): string => name || mask;

/** The owner: by name, else by address, else by id. */
export const ownerOf = (key: KeyNames): string =>
  key.developer_name || (key.developer_email ?? key.developer_id);
