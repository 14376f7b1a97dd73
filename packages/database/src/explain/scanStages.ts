/** The stages that reach documents: what stands at the bottom of a plan. */
import {
  allOf,
  type CollectionScanPlan,
  type FilterTree,
  filterDocument,
  type IndexPlan,
  intervalsOf,
  nearLeafOf,
  numberOf,
  type Plan,
  type Reply,
  searchIn,
  showInterval,
} from '@replsim/pipeline';
import { BsonWriter, encodeName, findField, RawBson } from '@replsim/protocol';
import type { IndexSpec, IndexView } from '@replsim/storage';
import type { TextSearch } from '@replsim/text';
import { needsNoDocuments, type ReadRun, type ReadSpec } from './readSpec.ts';
import { NOT_RUN, type StageCounts, type StageNode } from './stageNode.ts';

/** The scan of a plan, and the fetching of documents where it needs them. */
export function scanStages(plan: Plan, spec: ReadSpec, run: ReadRun | undefined, express: boolean): StageNode {
  if (plan.stage === 'COLLSCAN') return collectionScan(plan, run);
  if (plan.index.spec.clustered) return clusteredScan(plan, run);
  if (plan.byId) return byId(plan, run, express);
  const keys = indexScan(plan, run);
  const scan = needsNoDocuments(plan, spec) ? keys : fetchStage(plan, keys, run);
  if (plan.text) return textStage(plan, plan.text, scan, run);
  return plan.near ? nearStage(plan, scan, run) : scan;
}

function collectionScan({ reverse, residual }: CollectionScanPlan, run: ReadRun | undefined): StageNode {
  const examined = run?.counts.docsExamined ?? 0;
  return {
    stage: 'COLLSCAN',
    filter: residualDocument(residual),
    details: { direction: reverse ? 'backward' : 'forward' },
    ran: ran(run, examined, run?.counts.matched ?? 0),
    figures: { docsExamined: examined },
  };
}

/** Simplification: upstream shows the ends of the stretch as `minRecord` and `maxRecord`, here they are bounds on `_id`. */
function clusteredScan(plan: IndexPlan, run: ReadRun | undefined): StageNode {
  const examined = run?.counts.docsExamined ?? 0;
  return {
    stage: 'CLUSTERED_IXSCAN',
    filter: residualDocument(plan.residual),
    details: { direction: directionOf(plan), bounds: boundsOf(plan) },
    ran: ran(run, examined, run?.counts.matched ?? 0),
    figures: { docsExamined: examined },
  };
}

/** Upstream: from 8.0 on plan_executor_express.cpp; before, idhack.cpp. */
function byId({ index }: IndexPlan, run: ReadRun | undefined, express: boolean): StageNode {
  const { keysExamined = 0, docsExamined = 0, matched = 0 } = run?.counts ?? {};
  return {
    stage: express ? 'EXPRESS_IXSCAN' : 'IDHACK',
    details: express ? { keyPattern: '{ _id: 1 }', indexName: index.spec.name } : {},
    ran: ran(run, matched, matched),
    figures: { keysExamined, docsExamined },
  };
}

function fetchStage(plan: IndexPlan, input: StageNode, run: ReadRun | undefined): StageNode {
  const { docsExamined = 0, matched = 0 } = run?.counts ?? {};
  return {
    stage: 'FETCH',
    // What is near, or has the words, is found above it.
    filter: residualDocument(plan.residual.filter((conjunct) => !nearLeafOf([conjunct]) && !searchIn([conjunct]))),
    details: {},
    input,
    ran: { ...input.ran, advanced: matched },
    figures: { docsExamined, alreadyHasObj: 0 },
  };
}

/** Simplification: it stands above one search, where upstream lists one for each ring around the point. Upstream: near.cpp. */
function nearStage({ index }: IndexPlan, input: StageNode, run: ReadRun | undefined): StageNode {
  const { spec } = index;
  const matched = run?.counts.matched ?? 0;
  return {
    stage: `GEO_NEAR_${spec.kind.toUpperCase()}`,
    details: { keyPattern: new RawBson(spec.keyPattern), indexName: spec.name, indexVersion: versionOf(spec) },
    input,
    ran: run ? { ...input.ran, works: input.ran.works + matched, advanced: matched } : NOT_RUN,
    figures: {},
  };
}

/**
 * Simplification: it stands above one scan of all terms, where upstream has one for each, and TEXT_OR where scores are asked for.
 * Upstream: text_match.cpp, fts_query_impl.cpp.
 */
function textStage(plan: IndexPlan, text: TextSearch, input: StageNode, run: ReadRun | undefined): StageNode {
  const { spec } = plan.index;
  const { indexTerms, terms, negatedTerms, phrases, negatedPhrases } = text;
  const isExact = text.caseSensitive || text.diacriticSensitive;
  return {
    stage: 'TEXT_MATCH',
    details: {
      indexPrefix: new RawBson(prefixDocument(plan)),
      indexName: spec.name,
      parsedTextQuery: {
        terms: isExact ? [...terms].sort() : [...indexTerms],
        negatedTerms: [...negatedTerms].sort(),
        phrases: [...phrases],
        negatedPhrases: [...negatedPhrases],
      },
      textIndexVersion: 3,
    },
    input,
    ran: run ? { ...input.ran, advanced: run.counts.matched } : NOT_RUN,
    figures: { docsRejected: Math.max((run?.counts.docsExamined ?? 0) - (run?.counts.matched ?? 0), 0) },
  };
}

/** The values to which the fields in front of the terms are held. */
function prefixDocument({ index, bounds }: IndexPlan): Uint8Array {
  const writer = new BsonWriter();
  for (const [i, { path, plugin }] of index.spec.parts.entries()) {
    const [only] = bounds[i] ?? [];
    if (plugin || !only) break;
    writer.rawValue(path, only.low.value);
  }
  return writer.finish();
}

function indexScan(plan: IndexPlan, run: ReadRun | undefined): StageNode {
  const { index } = plan;
  const { keysExamined = 0, docsExamined = 0, matched = 0, seeks = 0, dupsDropped = 0 } = run?.counts ?? {};
  const given = Math.max(docsExamined, matched);
  return {
    stage: 'IXSCAN',
    details: {
      ...indexDetails(index),
      direction: directionOf(plan),
      indexBounds: boundsOf(plan),
    },
    ran: ran(run, keysExamined, given),
    figures: { keysExamined, seeks, dupsTested: index.multikey ? given + dupsDropped : 0, dupsDropped },
  };
}

/** What tells an index from others. Simplification: which paths hold arrays is told where it can only be one. */
export function indexDetails({ spec, multikey }: IndexView): Reply {
  const paths = multikeyPaths(spec, multikey);
  return {
    keyPattern: new RawBson(spec.keyPattern),
    indexName: spec.name,
    ...(spec.collator && { collation: new RawBson(spec.collator.bytes) }),
    isMultiKey: multikey,
    ...(paths && { multiKeyPaths: paths }),
    isUnique: spec.unique,
    isSparse: spec.sparse,
    isPartial: spec.partialFilter !== undefined,
    indexVersion: versionOf(spec),
  };
}

function multikeyPaths({ parts }: IndexSpec, multikey: boolean): Reply | undefined {
  if (!multikey) return Object.fromEntries(parts.map(({ path }) => [path, []]));
  const [part, ...more] = parts;
  if (!part || more.length > 0 || part.path.includes('.')) return undefined;
  return { [part.path]: [part.path] };
}

const V = encodeName('v');

function versionOf({ bytes }: IndexSpec): number {
  const v = findField(bytes, V);
  return v ? numberOf(v) : 2;
}

function directionOf({ reverse }: IndexPlan): string {
  return reverse ? 'backward' : 'forward';
}

/** The bounds as the scan meets them: downwards where index and scan do not run the same way. */
function boundsOf({ index, bounds, reverse, limited }: IndexPlan): Reply {
  // Upstream shows nothing for what `min` and `max` leave.
  if (limited) return {};
  const shown = index.spec.parts.map(({ path, descending }, i) => {
    const downwards = descending !== reverse;
    const texts = intervalsOf(bounds, i).map((interval) => showInterval(interval, downwards));
    return [path, downwards ? texts.reverse() : texts] as const;
  });
  return Object.fromEntries(shown);
}

function residualDocument(residual: readonly FilterTree[]): Uint8Array | undefined {
  return residual.length > 0 ? filterDocument(allOf(residual)) : undefined;
}

/** A scan is asked once for each thing that it looks at, and once more to learn that there is nothing left. */
function ran(run: ReadRun | undefined, examined: number, advanced: number): StageCounts {
  if (!run) return NOT_RUN;
  return { works: examined + Number(run.isEOF), advanced, yields: run.counts.yields, isEOF: run.isEOF };
}
