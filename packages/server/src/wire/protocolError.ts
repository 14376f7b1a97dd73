import { codeNameOf, type ErrorCodeName, ErrorCodes } from '@replsim/protocol';

/** In which words a request came, and its reply goes: OP_MSG, or OP_QUERY and OP_REPLY. */
export type RequestKind = 'msg' | 'query';

/** What is wrong with a request, for a reply `{ ok: 0, errmsg, code, codeName }`. */
export interface ProtocolAnswer {
  readonly code: number;
  readonly codeName: string;
  readonly errmsg: string;
}

/**
 * A client's bytes are not the protocol. Whoever holds the connection sends `answer`, if there is one, to `requestId` in
 * the words of `kind`, and then hangs up if `closes`. Other connections are not concerned.
 */
export class ProtocolError extends Error {
  /** The bytes that follow cannot be trusted. */
  readonly closes: boolean;
  /** It is about the length of a message. */
  isTooLarge = false;
  /** Missing also where the client asked for no reply: the request is dropped, and the connection goes on. */
  readonly answer: ProtocolAnswer | undefined;
  readonly requestId: number | undefined;
  readonly kind: RequestKind | undefined;
  readonly checksummed: boolean;
  readonly #code: ErrorCodeName | number | undefined;

  /**
   * @param code makes it an answer after which the connection goes on; without a code it closes
   * @param request the request to answer, once that much of it is read
   */
  constructor(message: string, code?: ErrorCodeName | number, request?: FaultyRequest) {
    super(message);
    this.name = 'ProtocolError';
    this.closes = code === undefined;
    this.answer = code === undefined || request?.moreToCome ? undefined : answerOf(code, message);
    this.requestId = request?.requestId;
    this.kind = request?.kind;
    this.checksummed = request?.checksummed === true;
    this.#code = code;
  }

  /** The same error, told of a request whose flags are known. */
  inReplyTo(request: FaultyRequest): ProtocolError {
    return new ProtocolError(this.message, this.#code, request);
  }
}

/** What has to be known of a request to answer it. */
interface FaultyRequest {
  readonly requestId: number;
  readonly kind: RequestKind;
  readonly checksummed?: boolean;
  readonly moreToCome: boolean;
}

function answerOf(code: ErrorCodeName | number, errmsg: string): ProtocolAnswer {
  const number = typeof code === 'number' ? code : ErrorCodes[code];
  return { code: number, codeName: codeNameOf(number), errmsg };
}
