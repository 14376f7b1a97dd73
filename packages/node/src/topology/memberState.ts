import type { MemberState } from '@replsim/protocol';

/** What a member does while it does not lead. Upstream: TopologyCoordinator::_followerMode. */
export type FollowerMode = 'STARTUP2' | 'RECOVERING' | 'SECONDARY' | 'ROLLBACK';

export interface Standing {
  /** A config is installed. */
  readonly hasConfig: boolean;
  /** The member's own entry in it; undefined if there is none. */
  readonly self: { readonly arbiterOnly: boolean } | undefined;
  /** Elected, whether it accepts writes already or not. */
  readonly leads: boolean;
  readonly followerMode: FollowerMode;
  readonly inMaintenance: boolean;
  /** Nobody is up, and somebody refuses to talk for want of authentication. */
  readonly onlyAuthErrors: boolean;
}

/** The state that a member reports; it is nowhere stored. Upstream: TopologyCoordinator::getMemberState. */
export function memberStateOf(standing: Standing): MemberState {
  const { hasConfig, self, leads, followerMode, inMaintenance, onlyAuthErrors } = standing;
  if (!hasConfig) return 'STARTUP';
  if (!self) return 'REMOVED';
  if (leads) return 'PRIMARY';
  if (self.arbiterOnly) return 'ARBITER';
  if (followerMode === 'SECONDARY' && (inMaintenance || onlyAuthErrors)) return 'RECOVERING';
  return followerMode;
}
