import { decodeDocument } from '@replsim/protocol';
import { EJSON } from 'bson';

/** `{_id: …}` of a document as canonical Extended JSON. */
export function idKey(document: Uint8Array): string {
  return EJSON.stringify({ _id: decodeDocument(document)._id }, { relaxed: false });
}
