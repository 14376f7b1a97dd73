import { BsonType, type BsonValue, type CommandError, readString } from '@replsim/protocol';
import { type CollectionView, encodeKey, type IndexView } from '@replsim/storage';
import { isUsable } from './indexPlan.ts';
import { isKeyless } from './keylessIndex.ts';
import { PlannerError } from './plannerError.ts';
import { readableIndex, readableIndexes } from './readableIndexes.ts';

/** The index that a hint names, by its name or its key pattern. Throws BadValue 2 if there is none that may be used. */
export function hintedIndex(collection: CollectionView, hint: BsonValue): IndexView {
  const found =
    hint.type === BsonType.string
      ? readableIndex(collection, readString(hint))
      : readableIndexes(collection).find(({ spec }) => encodeKey(documentValue(spec.keyPattern)) === encodeKey(hint));
  if (!found || !(isUsable(found) || isKeyless(found))) throw badHint();
  return found;
}

function badHint(): CommandError {
  return new PlannerError('BadValue', 'hint provided does not correspond to an existing index');
}

function documentValue(bytes: Uint8Array): BsonValue {
  return { type: BsonType.object, bytes, offset: 0, size: bytes.length };
}
