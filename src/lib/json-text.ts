/** JSON that is written already: an answer put together from stored text, without parsing it. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** JSON that is produced piece by piece while it is sent. Each piece is made when the client has taken the one before. */
export class JsonStream {
  constructor(readonly pieces: AsyncGenerator<string, void, void>) {}
}

/** Text of another kind than JSON, made like a JsonStream, for a client to keep under this file name. */
export class TextStream {
  constructor(
    readonly pieces: AsyncGenerator<string, void, void>,
    readonly contentType: string,
    readonly fileName: string,
  ) {}
}
