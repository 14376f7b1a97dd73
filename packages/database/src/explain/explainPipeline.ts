import { RawValue } from '@replsim/protocol';
import { resolveView } from '../collections/viewDefinitions.ts';
import type { CommandContext } from '../definition.ts';
import type { Operation } from '../operations/operation.ts';
import { runStages } from '../pipeline/runStages.ts';
import { UNPACK } from '../pipeline/stageRules.ts';
import { isSource, type Stage, stagesOf } from '../pipeline/stages.ts';
import { bucketFieldsOf, bucketsHint, withBucketsQuery } from '../pipeline/unpackStage.ts';
import { worldOf } from '../reading/namespaceSource.ts';
import { frontOf } from '../reading/pipelineFront.ts';
import { hintOf } from '../reading/query.ts';
import type { Reply } from '../reply.ts';
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
): Operation<Reply> {
  const resolved = resolveView(context.data, ns);
  if (resolved) {
    return yield* explainPipeline(context, resolved.viewOn, [...stagesOf(resolved.pipeline), ...stages], verbosity);
  }
  if (stages[0] && isSource(stages[0])) return { stages: stages.map(shown) };
  const world = worldOf(context);
  const hint = hintOf(context.args);
  const ofBuckets = stages[0]?.name === UNPACK && hint ? bucketsHint(hint, bucketFieldsOf(stages[0])) : hint;
  const { rest, ...spec } = frontOf(withBucketsQuery(stages), world, ofBuckets);
  const { sections, documents } = yield* explainRead(context, { ns, spec }, verbosity);
  if (rest.length === 0) return sections;
  const ran = verbosity !== 'queryPlanner';
  const cursor = { $cursor: sections, ...(ran && counted(documents)) };
  let input = documents;
  const behind = rest.map((stage) => {
    if (!ran) return shown(stage);
    input = runStages([stage], input, world);
    return { ...shown(stage), ...counted(input) };
  });
  return { stages: [cursor, ...behind] };
}

function shown({ name, spec }: Stage): Reply {
  return { [name]: new RawValue(spec) };
}

/** Simplification: the stages behind the query take no time. */
function counted({ length }: readonly Uint8Array[]): Reply {
  return { nReturned: BigInt(length), executionTimeMillisEstimate: 0n };
}
