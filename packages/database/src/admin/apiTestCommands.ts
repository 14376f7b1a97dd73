import type { CommandDefinition, CommandDescription } from '../definition.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

/** What each is made for. */
const commands: Readonly<Record<string, CommandDescription['api']>> = {
  testDeprecation: 'v1Deprecated',
  testDeprecationInVersion2: 'v2Deprecated',
  testRemoval: 'v1',
  testVersion2: 'v2',
  testVersions1And2: 'v1AndV2',
};

/**
 * Commands by which drivers try the Stable API: each answers with what of it the client has asked for.
 * Upstream: test_api_version_2_commands.cpp, test_deprecation_command.cpp.
 */
export const apiTestCommands: readonly CommandDefinition[] = Object.entries(commands).map(([name, api]) => ({
  name,
  help: 'answers with the API parameters that it came with',
  auth: 'none',
  api,
  ...ANYWHERE,
  testOnly: true,
  run: atOnce(({ args }) => {
    const version = args.string('apiVersion');
    const strict = args.strictBool('apiStrict');
    const deprecationErrors = args.strictBool('apiDeprecationErrors');
    return {
      ...(version !== undefined && { apiVersion: version }),
      ...(strict !== undefined && { apiStrict: strict }),
      ...(deprecationErrors !== undefined && { apiDeprecationErrors: deprecationErrors }),
    };
  }),
}));
