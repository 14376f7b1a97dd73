import { CommandError, type ReplSetConfig, type VersionTraits } from '@replsim/protocol';
import { parseReplSetConfig } from './parseConfig.ts';

/**
 * The config that a process finds in `local.system.replset`. A member that it does not contain starts as REMOVED.
 * Throws CommandError, with which the process refuses to start, for one that is malformed, or that holds the
 * getLastErrorDefaults which 5.0 abolished: 5624100. Upstream: validateConfigForStartUp.
 */
export function readStoredConfig(bytes: Uint8Array, traits: VersionTraits): ReplSetConfig {
  const { config, customGetLastErrorDefaults } = parseStored(bytes, traits);
  if (customGetLastErrorDefaults) {
    throw new CommandError(
      5624100,
      'Failed to start up: the config contains customized getLastErrorDefaults; use setDefaultRWConcern instead',
    );
  }
  return config;
}

/** Upstream: _startLoadLocalConfig, which dies of what does not parse. */
function parseStored(bytes: Uint8Array, traits: VersionTraits): ReturnType<typeof parseReplSetConfig> {
  try {
    return parseReplSetConfig(bytes, { replicaSetId: '0'.repeat(24), traits });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(
      28545,
      `fatal assertion 28545: the document in local.system.replset is no config: ${error.codeName}: ${error.message}`,
    );
  }
}
