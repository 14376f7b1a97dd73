import { CommandError } from '@replsim/protocol';
import type { CommandArguments } from './fields/arguments.ts';

/** The commands of version 1 of the Stable API. Upstream: apiVersions() of each command; the manual's list. */
// biome-ignore format: a list
export const API_V1_COMMANDS: ReadonlySet<string> = new Set(['abortTransaction', 'aggregate', 'authenticate', 'bulkWrite',
  'collMod', 'commitTransaction', 'count', 'create', 'createIndexes', 'delete', 'drop', 'dropDatabase', 'dropIndexes',
  'endSessions', 'explain', 'find', 'findAndModify', 'getMore', 'hello', 'insert', 'killCursors', 'listCollections',
  'listDatabases', 'listIndexes', 'ping', 'refreshSessions', 'saslContinue', 'saslStart', 'update']);

/**
 * Looks at `apiVersion`, `apiStrict` and `apiDeprecationErrors`. Simplification: `apiStrict` judges commands, not their
 * fields and stages; nothing in version 1 is deprecated.
 * Errors: TypeMismatch 14, Location4886600 without a version, APIVersionError 322, APIStrictError 323.
 * Upstream: initialize_api_parameters.cpp.
 * @param command the name under which it is registered
 */
export function checkApiParameters(args: CommandArguments, command: string): void {
  const version = args.string('apiVersion');
  const strict = args.strictBool('apiStrict');
  const deprecationErrors = args.strictBool('apiDeprecationErrors');
  if (version === undefined) {
    if (strict === undefined && deprecationErrors === undefined) return;
    throw new CommandError(4886600, 'apiStrict and apiDeprecationErrors need apiVersion beside them');
  }
  if (version !== '1') throw new CommandError('APIVersionError', 'apiVersion must be "1"');
  if (strict && !API_V1_COMMANDS.has(command)) {
    throw new CommandError('APIStrictError', `${command} is not part of API version 1, to which apiStrict: true keeps`);
  }
}
