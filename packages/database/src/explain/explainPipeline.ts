import type { Operation } from '@replsim/operations';
import {
  bucketFieldsOf,
  bucketsHint,
  GEO_NEAR,
  isSource,
  type PipelineWorld,
  type Reply,
  resolveView,
  runStages,
  type Stage,
  stagesOf,
  UNPACK,
  withBucketsQuery,
} from '@replsim/pipeline';
import { type BsonValue, invariant, RawValue } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';
import { geoNearOf } from '../reading/geoNear.ts';
import { geoNearNamespace, inTurns, worldOf } from '../reading/namespaceSource.ts';
import { frontOf } from '../reading/pipelineFront.ts';
import { searchOf } from '../reading/textSearch.ts';
import { explainRead, type Verbosity } from './explainRead.ts';

/**
 * An aggregation: a query alone is shown as one, else `stages` are, the query at their front as `$cursor`. A view is the
 * pipeline on what it is made of. Upstream: pipeline.cpp, Pipeline::writeExplainOps.
 */
export function* explainPipeline(
  context: CommandContext,
  ns: string,
  stages: readonly Stage[],
  verbosity: Verbosity,
  hint: BsonValue | undefined,
): Operation<Reply> {
  const resolved = resolveView(context.data, ns);
  if (resolved) {
    const onView = [...stagesOf(resolved.pipeline), ...stages];
    return yield* explainPipeline(context, resolved.viewOn, onView, verbosity, hint);
  }
  if (stages[0] && isSource(stages[0])) return { stages: stages.map(shown) };
  const world = worldOf(context);
  if (stages[0]?.name === GEO_NEAR)
    return yield* explainGeoNear(context, geoNearNamespace(context.data, ns), stages, verbosity, hint);
  const ofBuckets = stages[0]?.name === UNPACK && hint ? bucketsHint(hint, bucketFieldsOf(stages[0])) : hint;
  const { rest, ...spec } = frontOf(withBucketsQuery(stages), world, ofBuckets, searchOf(context.data, ns));
  const { sections, documents } = yield* explainRead(context, { ns, spec }, verbosity);
  return rest.length === 0 ? sections : yield* behindCursor('$cursor', sections, documents, rest, world, verbosity);
}

/** `$geoNear` is a query of its own, whatever stands behind it. */
function* explainGeoNear(
  context: CommandContext,
  ns: string,
  [first, ...rest]: readonly Stage[],
  verbosity: Verbosity,
  hint: BsonValue | undefined,
): Operation<Reply> {
  const world = worldOf(context);
  const collection = context.data.collection(ns);
  invariant(first, 'it begins with $geoNear');
  if (!collection) return { stages: [first, ...rest].map(shown) };
  const { filter, withDistance } = geoNearOf(first, collection, world, context.member.traits);
  const spec = { filter, hint, skip: 0, limit: Infinity };
  const { sections, documents } = yield* explainRead(context, { ns, spec }, verbosity);
  return yield* behindCursor('$geoNearCursor', sections, documents.map(withDistance), rest, world, verbosity);
}

/** The query, then the stages behind it. */
function* behindCursor(
  name: '$cursor' | '$geoNearCursor',
  sections: Reply,
  documents: readonly Uint8Array[],
  rest: readonly Stage[],
  world: PipelineWorld,
  verbosity: Verbosity,
): Operation<Reply> {
  const ran = verbosity !== 'queryPlanner';
  const cursor = { [name]: sections, ...(ran && counted(documents)) };
  let input = documents;
  const behind: Reply[] = [];
  for (const stage of rest) {
    if (ran) input = yield* inTurns(runStages([stage], input, world));
    behind.push({ ...shown(stage), ...(ran && counted(input)) });
  }
  return { stages: [cursor, ...behind] };
}

function shown({ name, spec }: Stage): Reply {
  return { [name]: new RawValue(spec) };
}

/** Simplification: the stages behind the query take no time. */
function counted({ length }: readonly Uint8Array[]): Reply {
  return { nReturned: BigInt(length), executionTimeMillisEstimate: 0n };
}
