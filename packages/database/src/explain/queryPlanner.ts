import {
  type FilterTree,
  filterDocument,
  hashOfText,
  type Planning,
  parseFilterTree,
  type Reply,
} from '@replsim/pipeline';
import { RawBson, type VersionTraits } from '@replsim/protocol';
import type { Explained } from './explained.ts';
import type { ReadRun } from './readSpec.ts';
import { readStages } from './readStages.ts';
import { NOT_RUN, type StageNode, shownPlan } from './stageNode.ts';

/** What stands for a collection that is not there. */
const NOTHING: StageNode = { stage: 'EOF', details: {}, ran: NOT_RUN, figures: {} };

/** All stages of one plan of a command. @param planning undefined where there is no collection */
export function stagesOf(
  explained: Explained,
  planning: Pick<Planning, 'winning'> | undefined,
  run: ReadRun | undefined,
  express: boolean,
): StageNode {
  const { spec, top } = explained;
  const ran = run ? { ...NOT_RUN, works: 1, isEOF: true } : NOT_RUN;
  const input = planning ? readStages(planning.winning, spec, run, express && !spec.counted) : { ...NOTHING, ran };
  return top ? top(input, planning?.winning, run) : input;
}

/**
 * The section `queryPlanner`. The hashes tell shapes of queries apart; they are not upstream's.
 * Upstream: explain.cpp, generatePlannerInfo.
 */
export function queryPlannerSection(
  explained: Explained,
  planning: Planning | undefined,
  winning: StageNode,
  traits: VersionTraits,
): Reply {
  const { ns, spec } = explained;
  const { collator } = spec.filter;
  const { expressPlans, explainsPlanCache, explainVersion } = traits;
  const tree = planning?.filter ?? spec.filter.tree ?? parseFilterTree(spec.filter.bytes);
  const rejected = (planning?.rejected ?? []).map((plan) =>
    stagesOf(explained, { winning: plan }, undefined, expressPlans),
  );
  const cached = explainsPlanCache && { isCached: false };
  const shape = `${shapeText(tree)}|${hexText(spec.sort)}|${hexText(spec.projection)}${collator ? `|${hexText(collator.bytes)}` : ''}`;
  const queryHash = hexHash(shape);
  const plans = [winning, ...rejected].map(({ stage }) => stage).join();
  return {
    ...(!explainVersion && { plannerVersion: 1 }),
    namespace: ns,
    parsedQuery: new RawBson(filterDocument(tree)),
    ...(collator && { collation: new RawBson(collator.bytes) }),
    indexFilterSet: false,
    ...(explainVersion && { queryHash }),
    ...(explainsPlanCache && { planCacheShapeHash: queryHash }),
    ...(explainVersion && {
      planCacheKey: hexHash(`${shape}|${plans}`),
      optimizationTimeMillis: 0,
      maxIndexedOrSolutionsReached: false,
      maxIndexedAndSolutionsReached: false,
      maxScansToExplodeReached: false,
    }),
    winningPlan: { ...cached, ...shownPlan(winning) },
    rejectedPlans: rejected.map((stages) => ({ ...cached, ...shownPlan(stages) })),
  };
}

/** Paths and operators without the values. */
function shapeText(tree: FilterTree): string {
  if (tree.kind === 'leaf') return `${tree.negated ? '!' : ''}${tree.path} ${tree.operator}`;
  if (tree.kind === 'other') return tree.name;
  return `${tree.kind}(${tree.of.map(shapeText).join()})`;
}

/** Eight upper-case hex digits. */
function hexHash(text: string): string {
  return hashOfText(text).toString(16).toUpperCase().padStart(8, '0');
}

function hexText(bytes: Uint8Array | undefined): string {
  return bytes ? [...bytes].map((byte) => byte.toString(16)).join() : '';
}
