import { atOnce, countStages, elementsOf, parseStages, runnerOf } from '@replsim/pipeline';
import { type BsonValue, CommandError } from '@replsim/protocol';
import { type Collator, computedUpdate, type Update, type Variables } from '@replsim/query';
import type { MemberServices } from '../member.ts';
import { noOthers, worldWith } from '../reading/namespaceSource.ts';

const allowed: ReadonlySet<string> = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith']); // biome-ignore format: one line

/**
 * Compiles an update that is a pipeline. Its expressions are those of aggregations; `$$NOW` is the member's wall clock.
 * Errors: InvalidOptions 72 for a stage that makes no document of one, those of the stages. Upstream: pipeline_executor.cpp.
 * @param variables what `$$name` stands for: the constants of the statement and of `let`
 */
export function pipelineUpdate(
  pipeline: BsonValue,
  member: MemberServices,
  variables: Variables,
  collator?: Collator,
): Update {
  const stages = parseStages(elementsOf(pipeline));
  for (const { name } of stages) {
    if (allowed.has(name)) continue;
    throw new CommandError('InvalidOptions', `${name} cannot be a stage of an update`);
  }
  countStages(stages, member.counters.stages);
  const world = worldWith(member, variables, collator, noOthers);
  const run = runnerOf(stages, world);
  return computedUpdate((document) => atOnce(run([document]))[0]!, world.meter);
}
