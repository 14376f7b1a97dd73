import { type CommandArguments, isEmptyDocument } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';

/**
 * Refuses what a find may ask of a collection and not of a view, where it is an aggregation: InvalidPipelineOperator 168.
 * Upstream: query_request_conversion.cpp, asAggregateCommandRequest.
 */
export function checkOptionsOnView(args: CommandArguments): void {
  for (const name of ['min', 'max']) {
    const bound = args.document(name);
    if (bound && !isEmptyDocument(bound)) throw notInAggregation(name);
  }
  for (const name of ['returnKey', 'showRecordId', '$_requestResumeToken'])
    if (args.strictBool(name)) throw notInAggregation(name);
  if (args.strictBool('tailable')) {
    throw new CommandError('InvalidPipelineOperator', 'Tailable cursors are not supported in aggregation.');
  }
  for (const name of ['noCursorTimeout', 'allowPartialResults', 'readOnce'])
    if (args.strictBool(name)) throw notInAggregation(name);
  // A findOne is the one batch that an aggregation gives.
  if (args.strictBool('singleBatch') && args.count('limit') !== 1) throw notInAggregation('singleBatch');
}

function notInAggregation(option: string): CommandError {
  return new CommandError('InvalidPipelineOperator', `Option ${option} not supported in aggregation.`);
}
