import { CommandError } from '@replsim/protocol';
import type { IndexSpec } from '@replsim/storage';
import { exists } from '../commands/catalog/missingIndexes.ts';
import type { MemberServices } from '../commands/command.ts';
import type { Operation } from '../operations/operation.ts';
import { spend } from '../operations/operation.ts';

/** Documents that are gone through before others get their turn. */
const BUILD_SLICE = 1000;

/** Goes through the documents for the time it takes, then makes each index at one instant. */
export function* buildIndexes(member: MemberServices, ns: string, specs: readonly IndexSpec[]): Operation<void> {
  if (specs.length === 0) return;
  const { commitMicros, indexBuildMicrosPerDocument } = member.costs;
  for (let left = member.engine.collection(ns)!.count; left > 0; left -= BUILD_SLICE) {
    yield* spend(Math.min(left, BUILD_SLICE) * specs.length * indexBuildMicrosPerDocument);
  }
  for (const spec of specs) {
    yield* spend(commitMicros);
    const collection = member.engine.collection(ns);
    if (!collection) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
    // Another client may have made it meanwhile.
    if (
      !exists(
        collection.indexes.map((index) => index.spec),
        spec,
      )
    )
      member.writes.createIndex(ns, spec.bytes);
  }
}
