import words from "./common-passwords.json" with { type: "json" };

/**
 * The 3,000 commonest passwords of six characters and more and the 3,000 commonest of eight and
 * more, in the order of letters, in which they are packed small. Out of the frequency list of
 * zxcvbn 4.4.2 (Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.; MIT licence), which was
 * counted in published leaks. In small letters.
 */
export const commonPasswords: ReadonlySet<string> = new Set(words);
