import { CommandError, encodeName, findField } from '@replsim/protocol';
import { compareValues } from '../compare.ts';
import { computeDiff } from '../diff/computeDiff.ts';
import type { Meter } from '../turns/meter.ts';
import { alteredId, sameBytes, type Update, withIdFirst } from './update.ts';

const idName = encodeName('_id');

/**
 * An update whose result somebody else computes, as the stages of a pipeline do. A result without `_id` keeps the one that
 * the document had. Applying throws ImmutableField 66 for another one, and what `compute` throws.
 * Upstream: pipeline_executor.cpp; object_replacement_executor.cpp, applyReplacementUpdate.
 */
export function computedUpdate(compute: (document: Uint8Array) => Uint8Array, meter?: Meter): Update {
  return {
    meter,
    isReplacement: false,
    apply(document, { isUpsertInsert = false } = {}) {
      const computed = compute(document);
      const oldId = findField(document, idName);
      const newId = findField(computed, idName);
      if (oldId !== undefined && newId !== undefined && compareValues(oldId, newId) !== 0) {
        throw new CommandError('ImmutableField', alteredId(newId));
      }
      const updated = withIdFirst(computed, oldId ?? newId);
      const changed = isUpsertInsert || !sameBytes(document, updated);
      const diff = changed && !isUpsertInsert ? computeDiff(document, updated) : undefined;
      return { document: updated, changed, diff, replacement: false };
    },
  };
}
