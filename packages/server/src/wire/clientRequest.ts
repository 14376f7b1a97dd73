import type { Compressor } from './compressor.ts';
import type { RequestKind } from './protocolError.ts';

/** A command as it came over the wire. */
export interface ClientRequest {
  readonly requestId: number;
  readonly kind: RequestKind;
  /** One BSON document with `$db`; only its frame is checked. May be a part of the message's own bytes. */
  readonly command: Uint8Array;
  /** The client takes more than one reply. */
  readonly exhaustAllowed: boolean;
  /** Its message ended with a checksum, and so does the reply. */
  readonly checksummed: boolean;
  /** The client wants no reply at all. */
  readonly moreToCome: boolean;
  /** By which its message was compressed, and so is the reply. */
  readonly compressor?: Compressor | undefined;
}
