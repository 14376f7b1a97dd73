import type { Operation } from '@replsim/operations';
import type { FailPointData } from '@replsim/pipeline';
import type { Core } from '../../core/core.ts';
import { hangAt } from '../../core/hang.ts';

/** What upstream does in one or several steps of a cloner, and this member by one question to its source. */
interface ClonerStages {
  readonly cloner: 'AllDatabaseCloner' | 'DatabaseCloner' | 'CollectionCloner';
  readonly stages: readonly string[];
  readonly db?: string;
  readonly ns?: string;
}

/**
 * `hangBeforeClonerStage` and `hangAfterClonerStage`: `{ cloner, stage, database?, nss? }`.
 * Upstream: base_cloner.cpp, runStage; isMyFailPoint of each cloner.
 */
export function* inStages<T>(core: Core, stages: ClonerStages, work: Operation<T>): Operation<T> {
  const concerns = ({ cloner, stage, database, nss }: FailPointData) =>
    cloner === stages.cloner &&
    stages.stages.includes(String(stage)) &&
    (!database || !stages.db || database === stages.db) &&
    (!nss || !stages.ns || nss === stages.ns);
  yield* hangAt(core, 'hangBeforeClonerStage', { concerns });
  const result = yield* work;
  yield* hangAt(core, 'hangAfterClonerStage', { concerns });
  return result;
}
