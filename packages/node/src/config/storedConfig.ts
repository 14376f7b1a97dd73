import { CommandError, type ReplSetConfig, type VersionTraits } from '@replsim/protocol';
import { parseReplSetConfig } from './parseConfig.ts';

/**
 * The config that a process finds in `local.system.replset`. A member that it does not contain starts as REMOVED.
 * Throws CommandError, with which the process refuses to start, for one that is malformed, or that holds the
 * getLastErrorDefaults which 5.0 abolished: 5624100. Upstream: validateConfigForStartUp.
 */
export function readStoredConfig(bytes: Uint8Array, traits: VersionTraits): ReplSetConfig {
  const { config, customGetLastErrorDefaults } = parseReplSetConfig(bytes, { replicaSetId: '0'.repeat(24), traits });
  if (customGetLastErrorDefaults) {
    throw new CommandError(
      5624100,
      'Failed to start up: the config contains customized getLastErrorDefaults; use setDefaultRWConcern instead',
    );
  }
  return config;
}
