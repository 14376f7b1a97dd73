import { type BsonValue, required } from '@replsim/protocol';
import type { Collator } from '@replsim/query';
import { textKey } from '../keys/collatedKeys.ts';
import { encodeKey } from '../keys/keys.ts';
import { CollatedTree } from '../tree/tree.ts';

/** Gives a value a key: values that are equal, and no others, have equal keys. */
export type ValueKeys = (value: BsonValue) => string;

const plain: ValueKeys = (value) => encodeKey(value);

/**
 * Keys for gathering values, as groups and sets do. Of strings that a collation finds equal the first stands for all, so that
 * keys are to be compared only with those of the same call.
 */
export function valueKeys(collator: Collator | undefined): ValueKeys {
  if (collator === undefined) return plain;
  const known = new Map<string, string>();
  const first = new CollatedTree<string>(collator);
  const textOf = (text: string) => {
    const seen = known.get(text);
    if (seen !== undefined) return seen;
    const key = textKey(text);
    first.add(key, text);
    const representative = required(first.get(key), 'key that was just added');
    known.set(text, representative);
    return representative;
  };
  return (value) => encodeKey(value, false, textOf);
}
