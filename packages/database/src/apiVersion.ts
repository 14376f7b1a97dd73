import { CommandError } from '@replsim/protocol';
import type { CommandDescription } from './definition.ts';
import type { CommandArguments } from './fields/arguments.ts';

/**
 * Looks at `apiVersion`, `apiStrict` and `apiDeprecationErrors`. Simplification: `apiStrict` and
 * `apiDeprecationErrors` judge commands, not their fields and stages.
 * Errors: TypeMismatch 14, Location4886600 without a version, APIVersionError 322, APIStrictError 323, APIDeprecationError 324.
 * Upstream: initialize_api_parameters.cpp.
 */
export function checkApiParameters(args: CommandArguments, { name, api }: CommandDescription): void {
  const version = args.string('apiVersion');
  const strict = args.strictBool('apiStrict');
  const deprecationErrors = args.strictBool('apiDeprecationErrors');
  if (version === undefined) {
    if (strict === undefined && deprecationErrors === undefined) return;
    throw new CommandError(4886600, 'apiStrict and apiDeprecationErrors need apiVersion beside them');
  }
  if (version !== '1') throw new CommandError('APIVersionError', 'apiVersion must be "1"');
  if (deprecationErrors && api === 'v1Deprecated') {
    throw new CommandError('APIDeprecationError', `${name} is deprecated in API version 1`);
  }
  if (strict && api === 'none') {
    throw new CommandError('APIStrictError', `${name} is not part of API version 1, to which apiStrict: true keeps`);
  }
}
