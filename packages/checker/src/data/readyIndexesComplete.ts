import type { Checker } from '../checker.ts';

/**
 * An index that becomes ready holds a key for each that the documents draw, whatever was written while it was built.
 * Source: multi_index_block.cpp, which commits a build only once all side writes are applied; `validate` asks the same.
 */
export function readyIndexesComplete(): Checker {
  return {
    name: 'readyIndexesComplete',
    events: ['indexesReady'],
    observe(event) {
      if (event.type !== 'indexesReady') return undefined;
      const wrong = event.indexes.find(({ keys, drawn }) => keys !== drawn);
      if (!wrong) return undefined;
      const { name, keys, drawn } = wrong;
      return `${event.member} has index ${name} of ${event.ns} ready with ${keys} keys, and the documents draw ${drawn}`;
    },
  };
}
