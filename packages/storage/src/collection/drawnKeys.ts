import { CommandError } from '@replsim/protocol';
import { IndexKeyGenerator } from '../keys/indexKeys.ts';
import type { IndexSpec } from '../keys/indexSpec.ts';
import type { CollectionView } from './views.ts';

/**
 * How many keys the documents of a collection draw for an index, each asked anew and nothing taken from what they
 * remember: what a complete index holds. Documents whose keys cannot be drawn count for nothing.
 */
export function countDrawnKeys(collection: CollectionView, spec: IndexSpec): number {
  const generator = new IndexKeyGenerator(spec);
  let drawn = 0;
  const cursor = collection.records();
  while (cursor.next()) {
    try {
      const keys = generator.keysOf(cursor.document.bytes, cursor.recordId);
      drawn += typeof keys === 'string' ? 1 : keys.length;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
    }
  }
  return drawn;
}
