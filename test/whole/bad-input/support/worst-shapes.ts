/**
 * Texts that make parsers work: each is a beginning that fits, and then one thing over and over, up
 * to a length. `harmless` is a text of the same length that none has problem with.
 */

/**
 * What is repeated: the units of quadratic expressions, of escapes that fail, and of lists that
 * never end.
 */
const UNITS = [
  " ",
  "\t",
  ",",
  ";",
  "=",
  "&",
  '"',
  "'",
  "\\",
  "/",
  ".",
  ":",
  "-",
  "*",
  "0",
  "9",
  "a",
  "(",
  "[",
  "{",
  "%",
  "%f",
  "%ff",
  "%ffa",
  "%41",
  "%2525",
  "a=",
  "a;",
  ";a",
  "; ;",
  ", ",
  " ,",
  '="',
  '\\"',
  '";',
  "/a",
  "//",
  "../../../bad-input/",
  "xn--",
  "@",
  "@a",
  "::",
  "::1,",
  '"a",',
  'W/"a",',
  "\u00ff",
  "e1",
  "+",
  "+0",
  "_",
  "__proto__",
  "\u00a0",
];

/** What stands before it: nothing, or what leads a parser to its expression. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  "accept-encoding": ["br", "br;q=0.", "br; q=", "*;q="],
  authorization: ["Bearer ", "Basic ", "basic eA=="],
  "content-type": [
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary="',
    "multipart/form-data; ",
    "application/x-www-form-urlencoded;",
  ],
  cookie: ["keydesk_session=", 'keydesk_session="', "a=b; "],
  "if-match": ['"a"', 'W/"'],
  "if-none-match": ['"a"', 'W/"'],
  origin: ["http://", "https://xn--"],
  "x-forwarded-for": ["10.0.0.1,", "::ffff:", "["],
};

/** The worst texts of about `length` characters that a header of this name can hold. */
export function worstHeaders(name: string, length: number): string[] {
  const beginnings = ["", ...BEGINNINGS[name] ?? []];
  return beginnings.flatMap((beginning) =>
    // The runtime takes blanks off both ends: something must stand behind them.
    UNITS.map((unit) => `${beginning}${filled(unit, length - beginning.length - 1)}x`)
  );
}

/** The worst values of a parameter of a query, as they stand in an address. */
export function worstParameters(length: number): string[] {
  const plain = UNITS.filter((unit) => /^[!-~]*$/.test(unit) && !/[#&]/.test(unit));
  const encoded = UNITS.filter((unit) => !unit.includes("%")).map(encodeURIComponent);
  return [...plain, ...encoded, "&a", "&a=", "%CC%80", "%CC%96%CC%80", "&%ff=%ff"]
    .flatMap((unit) =>
      ["", "-1", "2026-01-01T00:00:00."].map((start) => start + filled(unit, length))
    );
}

/** The worst paths below one. */
export function worstPaths(length: number): string[] {
  const plain = UNITS.filter((unit) => /^[!-~]*$/.test(unit) && !/[#?]/.test(unit));
  return [...plain, "%ff/", "%2f", "%e9%", "a/%41"].map((unit) => filled(unit, length));
}

/** The worst texts that a member of a body can hold. */
export function worstTexts(length: number): string[] {
  const long = [
    ...UNITS,
    "\n",
    "\r",
    "\n ",
    "\u0300",
    "\u0316\u0300",
    "\ud83d\ude00",
    "-----BEGIN ",
  ];
  return long.map((unit) => `a${filled(unit, length - 2)}!`);
}

/** JSON that is malformed at its very end, or hard to judge all through. */
export function worstJson(length: number): string[] {
  const cut = (beginning: string, unit: string) => beginning + filled(unit, length - 10);
  const malformed = [
    ...["[", "{", '"', "0", "-", " ", "\n", ",", ":", "\\"].map((unit) => cut("", unit) + "x"),
    ...["0,", '"a",', "[],", "{},", "[[],", '"\\u0000",', "null,", "1e9,", " "].map((unit) =>
      cut("[", unit) + "x"
    ),
    ...['"a":1,', '"a":{', '"a":[', '"\\n":"\\n",'].map((unit) => cut("{", unit) + "x"),
    ...["a", "\\n", "\\\\", "\\u0041", "\u00e9"].map((unit) => cut('["', unit)),
  ];
  const whole = [
    `[${filled("0,", length - 10)}0]`,
    `[${filled('{"a":[null]},', length - 20)}0]`,
    `{${filled('"a":0,', length - 20)}"b":0}`,
    `{${filled('"a":["\\u0000"],', length - 30)}"b":0}`,
    ...[31, 33].map((depth) => "[".repeat(depth) + "]".repeat(depth)),
    "[".repeat(length / 2) + "]".repeat(length / 2),
    `{"${"a".repeat(length - 20)}":[${"1,".repeat(9)}1]}`,
    `{${Array.from({ length: Math.ceil(length / 12) }, (_, i) => `"${i}":0`).join()}}`.slice(0, -1),
  ];
  return [...malformed, ...whole];
}

/** Forms and PEM that never come to their point. */
export function worstFiles(length: number): string[] {
  const part = '--B\r\nContent-Disposition: form-data; name="a"\r\n';
  const forms = [
    "\r\nx\r\n",
    "a:\r\n",
    ";a=",
    '";',
    "\r",
    "\r\n",
    "\r\n-",
    "\r\n--",
    "\r\n--B",
  ].map((unit) => part + filled(unit, length - part.length));
  const files = [
    "-",
    "-----",
    "-----BEGIN ",
    "-----BEGIN A-----",
    " ",
    "\n",
    "=",
    "\\n",
    "0\u0080",
  ];
  const pem = "-----BEGIN CERTIFICATE-----\n";
  return [
    filled(`${part}\r\nx\r\n`, length),
    filled(`${part}\r\nx\r\n`, length) + "--B--\r\n",
    ...forms,
    ...files.map((unit) => filled(unit, length)),
    ...["A", "A\n", "A=", " ", ":", "a:\n", "=", "\\r"].map((unit) =>
      `${pem}${filled(unit, length - 100)}\n-----END CERTIFICATE-----\n`
    ),
    filled("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n", length),
  ];
}

/** One unit over and over, of this length at the most. */
export function filled(unit: string, length: number): string {
  return unit.repeat(Math.max(0, Math.floor(length / unit.length)));
}
