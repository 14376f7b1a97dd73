/** What stands above the scan: order, number and shape of the documents. Upstream: planner_analysis.cpp, analyzeDataAccess. */
import { type Plan, shapeOf } from '@replsim/pipeline';
import { RawBson } from '@replsim/protocol';
import type { ReadRun, ReadSpec } from './readSpec.ts';
import { scanStages } from './scanStages.ts';
import type { StageNode } from './stageNode.ts';

/** What a sort may keep in memory. Unit: bytes. Upstream: internalQueryMaxBlockingSortMemoryUsageBytes. */
export const SORT_MEMORY_BYTES = 104_857_600;

/** The stages of a plan for what is asked, the last of them on top. @param run what carrying it out gave */
export function readStages(plan: Plan, spec: ReadSpec, run: ReadRun | undefined, express: boolean): StageNode {
  const scan = scanStages(plan, spec, run, express);
  const sorted = plan.sorted ? scan : sortStage(scan, spec, run);
  const skipped = spec.skip > 0 ? skipStage(sorted, spec, run) : sorted;
  const projected = projectionStage(skipped, spec);
  const hasLimit = Number.isFinite(spec.limit) && plan.sorted;
  return hasLimit ? limitStage(projected, spec, run) : projected;
}

/** A sort keeps no more than will be wanted, so that there is no other limit above it. */
function sortStage(input: StageNode, { sort, skip, limit }: ReadSpec, run: ReadRun | undefined): StageNode {
  const kept = Number.isFinite(limit) ? Math.min(skip + limit, run?.sorted.length ?? 0) : (run?.sorted.length ?? 0);
  return {
    stage: 'SORT',
    details: {
      sortPattern: new RawBson(sort!),
      memLimit: SORT_MEMORY_BYTES,
      ...(Number.isFinite(limit) && { limitAmount: skip + limit }),
      type: input.stage === 'FETCH' || input.stage === 'COLLSCAN' ? 'simple' : 'default',
    },
    input,
    ran: { ...input.ran, works: run ? input.ran.works + kept + 1 : 0, advanced: kept },
    figures: {
      totalDataSizeSorted: (run?.sorted ?? []).reduce((sum, { length }) => sum + length, 0),
      usedDisk: false,
      spills: 0,
      spilledDataStorageSize: 0,
    },
  };
}

function skipStage(input: StageNode, { skip }: ReadSpec, run: ReadRun | undefined): StageNode {
  const advanced = Math.max(input.ran.advanced - skip, 0);
  return {
    stage: 'SKIP',
    details: { skipAmount: skip },
    input,
    ran: run ? { ...input.ran, advanced } : input.ran,
    figures: {},
  };
}

function limitStage(input: StageNode, { limit }: ReadSpec, run: ReadRun | undefined): StageNode {
  const advanced = Math.min(input.ran.advanced, limit);
  const counts = { ...input.ran, works: advanced + 1, advanced, isEOF: true };
  return { stage: 'LIMIT', details: { limitAmount: limit }, input, ran: run ? counts : input.ran, figures: {} };
}

function projectionStage(input: StageNode, { projection }: ReadSpec): StageNode {
  const shape = shapeOf(projection);
  // An express plan projects by itself.
  if (!shape || input.stage === 'EXPRESS_IXSCAN') return input;
  const stage =
    input.stage === 'IXSCAN' ? 'PROJECTION_COVERED' : shape.isSimple ? 'PROJECTION_SIMPLE' : 'PROJECTION_DEFAULT';
  return { stage, details: { transformBy: new RawBson(projection!) }, input, ran: input.ran, figures: {} };
}
