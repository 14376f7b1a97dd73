import { CommandError, type MemberConfig, type ReplSetConfig, showConfigVersion } from '@replsim/protocol';
import type { Core } from '../core/core.ts';

/**
 * The member of a proposed config that this process is, by whatever name; undefined if it is not in it.
 * Throws InvalidReplicaSetConfig 93 if it is more than one. Upstream: repl_set_config_checks.cpp, findSelfInConfig.
 */
export function findSelf(core: Core, config: ReplSetConfig): MemberConfig | undefined {
  const found = config.members.filter(({ host }) => core.isSelf(host));
  if (found.length < 2) return found[0];
  const hosts = found.map(({ host }) => host);
  throw new CommandError(
    'InvalidReplicaSetConfig',
    `The hosts ${hosts.slice(0, -1).join(', ')} and ${hosts.at(-1)} all map to this node in new configuration with ${showConfigVersion(config)} for replica set ${config._id}`,
  );
}
