import type { ReplSetConfig } from '@replsim/protocol';
import type { Core } from '../core/core.ts';

/**
 * What a member says while it changes its config, in this order; a new primary, which only raises the config's term, says
 * it too. Upstream: ReplicationCoordinatorImpl::_doReplSetReconfig.
 */
export function logReconfigBegins(core: Core): void {
  core.log('I', 'REPL', 6015313, 'Replication config state is Steady, starting reconfig');
}

/** @param index of this member in the new config, where it is known by its name */
export function logSelfFound(core: Core, index: number, force: boolean): void {
  core.log('I', 'REPL', 6475000, 'Found this member in the new config by its name', { index, force });
}

export function logParsed(core: Core, { members }: ReplSetConfig): void {
  core.log('I', 'REPL', 21353, 'replSetReconfig config object parses ok', { numMembers: members.length });
}
