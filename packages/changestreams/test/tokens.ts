import { encodeDocument } from '@replsim/protocol';
import { UUID } from 'bson';
import type { EventIdentifier, EventPlace } from '../src/resumeToken.ts';

export const ZEROS = new Uint8Array(16);

/** The bytes of a UUID, so written. */
export function uuid(text: string): Uint8Array {
  return Uint8Array.from(new UUID(text).buffer);
}

export function identifier(operationType: string, parts: { key?: object; description?: object } = {}): EventIdentifier {
  return {
    operationType,
    documentKey: parts.key && encodeDocument(parts.key as never),
    operationDescription: parts.description && encodeDocument(parts.description as never),
  };
}

/** A place, of which only what matters is said. */
export function place(part: Partial<EventPlace> & Pick<EventPlace, 'identifier'>): EventPlace {
  return { clusterTime: { t: 1000, i: 1 }, txnOpIndex: 0, fromInvalidate: false, uuid: ZEROS, ...part };
}
