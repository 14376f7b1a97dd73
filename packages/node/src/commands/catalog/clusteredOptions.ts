import { type BsonWriter, CommandError } from '@replsim/protocol';
import type { CommandArguments } from '../arguments.ts';
import { notSupported } from './notSupported.ts';

/**
 * Checks `clusteredIndex` and the `expireAfterSeconds` that goes with it, and writes those that are kept.
 * Errors: InvalidOptions 72. Upstream: create_command.cpp, and clustered_collection_util.cpp.
 */
export function writeClusteredOptions(args: CommandArguments, _writer: BsonWriter): void {
  // `clusteredIndex: false` is the same as none.
  const isClustered = args.document('clusteredIndex') !== undefined;
  if (isClustered) throw notSupported('a clustered collection');
  if (args.has('expireAfterSeconds')) {
    throw new CommandError(
      'InvalidOptions',
      "'expireAfterSeconds' is only supported on time-series collections or when the 'clusteredIndex' option is specified",
    );
  }
}
