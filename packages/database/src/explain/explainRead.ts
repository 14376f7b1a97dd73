import type { Operation } from '@replsim/operations';
import { type Plan, type Planning, planQuery, type Reply } from '@replsim/pipeline';
import type { CollectionView, ReadView } from '@replsim/storage';
import type { CommandContext } from '../definition.ts';
import type { MemberFacts, MemberServices } from '../member.ts';
import { planned } from '../reading/query.ts';
import type { Explained } from './explained.ts';
import { queryPlannerSection, stagesOf } from './queryPlanner.ts';
import { executePlan, type ReadRun, TRIAL_RESULTS } from './readSpec.ts';
import { type StageNode, shownExecution } from './stageNode.ts';

export type Verbosity = 'queryPlanner' | 'executionStats' | 'allPlansExecution';

/** The sections on one collection, and the documents that were found if it was carried out. */
export interface ReadExplanation {
  readonly sections: Reply;
  readonly documents: readonly Uint8Array[];
}

/**
 * `{ queryPlanner, executionStats? }`. What is carried out takes as long as the command itself would.
 * Upstream: explain.cpp, explainStages.
 */
export function* explainRead(
  context: CommandContext,
  explained: Explained,
  verbosity: Verbosity,
): Operation<ReadExplanation> {
  const { member } = context;
  const { traits } = member;
  const view = context.data;
  const collection = view.collection(explained.ns);
  const { spec, fastCount } = explained;
  if (fastCount) return fastCountOf(explained, fastCount, collection?.count ?? 0, verbosity, member);
  const planning = collection && planQuery(collection, { ...spec, ...planned(spec.filter) });
  const winning = stagesOf(explained, planning, undefined, traits.expressPlans);
  const queryPlanner = queryPlannerSection(explained, planning, winning, traits);
  if (verbosity === 'queryPlanner') return { sections: { queryPlanner }, documents: [] };
  const execution = new Execution(member, view, collection, explained);
  const { shown, documents } = yield* execution.run(planning?.winning, Infinity);
  const all = verbosity === 'allPlansExecution' && { allPlansExecution: yield* trials(execution, planning) };
  return { sections: { queryPlanner, executionStats: { executionSuccess: true, ...shown, ...all } }, documents };
}

/** Simplification: there is no competition of plans; each is carried out as far as a trial would go. */
function* trials(execution: Execution, planning: Planning | undefined): Operation<Reply[]> {
  if (!planning || planning.rejected.length === 0) return [];
  const shown: Reply[] = [];
  for (const plan of [planning.winning, ...planning.rejected]) {
    const { executionTimeMillis, ...rest } = (yield* execution.run(plan, TRIAL_RESULTS)).shown;
    shown.push({ executionTimeMillisEstimate: executionTimeMillis, ...rest });
  }
  return shown;
}

class Execution {
  readonly #member: MemberServices;
  readonly #view: ReadView;
  readonly #collection: CollectionView | undefined;
  readonly #explained: Explained;

  constructor(member: MemberServices, view: ReadView, collection: CollectionView | undefined, explained: Explained) {
    this.#member = member;
    this.#view = view;
    this.#collection = collection;
    this.#explained = explained;
  }

  *run(plan: Plan | undefined, enough: number): Operation<{ shown: Reply; documents: readonly Uint8Array[] }> {
    const member = this.#member;
    const { spec } = this.#explained;
    const startedMicros = member.now.monotonicMicros;
    const run: ReadRun =
      plan && this.#collection
        ? yield* executePlan(member, this.#view, this.#collection, plan, spec, enough)
        : NOTHING_FOUND;
    const millis = Math.floor((member.now.monotonicMicros - startedMicros) / 1000);
    const stages = stagesOf(this.#explained, plan && { winning: plan }, run, member.traits.expressPlans);
    return { shown: executionOf(stages, run, millis), documents: run.documents };
  }
}

const NOTHING_FOUND: ReadRun = {
  counts: { keysExamined: 0, docsExamined: 0, matched: 0, dupsDropped: 0, seeks: 0, yields: 0 },
  isEOF: true,
  documents: [],
  sorted: [],
};

function executionOf(stages: StageNode, { counts }: ReadRun, millis: number): Reply {
  return {
    nReturned: stages.ran.advanced,
    executionTimeMillis: millis,
    totalKeysExamined: counts.keysExamined,
    totalDocsExamined: counts.docsExamined,
    executionStages: shownExecution(stages, millis),
  };
}

function fastCountOf(
  explained: Explained,
  stageFor: NonNullable<Explained['fastCount']>,
  count: number,
  verbosity: Verbosity,
  { traits }: MemberFacts,
): ReadExplanation {
  const queryPlanner = queryPlannerSection(explained, undefined, stageFor(count, false), traits);
  if (verbosity === 'queryPlanner') return { sections: { queryPlanner }, documents: [] };
  const shown = executionOf(stageFor(count, true), NOTHING_FOUND, 0);
  const all = verbosity === 'allPlansExecution' && { allPlansExecution: [] };
  return { sections: { queryPlanner, executionStats: { executionSuccess: true, ...shown, ...all } }, documents: [] };
}
