import { BsonType, CommandError, type VersionTraits } from '@replsim/protocol';
import { checkCollation } from '../collections/collation.ts';
import { type CommandArguments, fieldSet } from '../fields/arguments.ts';
import { isNumeric, numberOf } from '../fields/values.ts';
import {
  checkStages,
  checkStagesSince,
  isCollectionless,
  needsDatabase,
  pipelineIn,
  readStages,
  type Stage,
} from './stages.ts';

// biome-ignore format: a list
const fields = fieldSet('aggregate', 'pipeline', 'cursor', 'allowDiskUse', 'bypassDocumentValidation', 'collation', 'hint', 'let',
  'explain', 'fromMongos', 'needsMerge', 'exchange', 'isMapReduceCommand', 'collectionUUID', '$_generateV2ResumeTokens',
  'includeQueryStatsMetrics');

/** Checked to be booleans; they change nothing, as there is no disk to spill to and no mongos. Upstream: aggregate_command.idl. */
const flags = ['allowDiskUse', 'fromMongos', 'needsMerge', 'isMapReduceCommand', 'includeQueryStatsMetrics'];

/** An aggregation, parsed. Errors: those of `parseStages`, InvalidNamespace 73. */
export function parseAggregate(
  args: CommandArguments,
  traits: VersionTraits,
): { readonly ns: string; readonly stages: readonly Stage[] } {
  args.allow(fields);
  const pipeline = pipelineIn(args) ?? args.missing('pipeline');
  checkStagesSince(pipeline, traits);
  const stages = readStages(pipeline);
  checkCollation(args.document('collation'));
  for (const name of flags) args.strictBool(name);
  args.bool('bypassDocumentValidation');
  const ns = namespaceOf(args, stages);
  checkStages(stages);
  return { ns, stages };
}

/** Errors: InvalidNamespace 73 where a pipeline without a source of its own names no collection. */
function namespaceOf(args: CommandArguments, stages: readonly Stage[]): string {
  const target = args.presentValue('aggregate');
  if (target.type === BsonType.string) {
    if (!stages[0] || !needsDatabase(stages[0])) return args.ns;
    throw new CommandError('InvalidNamespace', `${stages[0].name} reads no collection: run it with { aggregate: 1 }`);
  }
  if (!isNumeric(target.type) || numberOf(target) !== 1) {
    throw new CommandError('FailedToParse', 'aggregate must be the name of a collection or 1');
  }
  const [first] = stages;
  if (!first || !isCollectionless(first)) {
    throw new CommandError(
      'InvalidNamespace',
      `{aggregate: 1} is not valid for ${first ? `'${first.name}'` : 'an empty pipeline'}; a collection is required.`,
    );
  }
  return `${args.db}.$cmd.aggregate`;
}
