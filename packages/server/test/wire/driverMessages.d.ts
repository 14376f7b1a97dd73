/** What the tests use of the driver's own messages, which it does not declare. */
declare module 'mongodb/lib/cmap/commands.js' {
  export class DocumentSequence {
    constructor(field: string, documents: readonly object[]);
  }
  export class OpMsgRequest {
    constructor(db: string, command: object, options: object);
    toBin(): Uint8Array[];
  }
  export class OpQueryRequest {
    constructor(db: string, query: object, options: object);
    toBin(): Uint8Array[];
  }
  export class OpReply {
    constructor(message: Uint8Array, header: object, body: Uint8Array, options: object);
    parse(): Uint8Array;
  }
}
