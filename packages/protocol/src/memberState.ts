/** Member states and their numbers. Upstream: member_state.h. */
export const MemberStates = {
  STARTUP: 0,
  PRIMARY: 1,
  SECONDARY: 2,
  RECOVERING: 3,
  STARTUP2: 5,
  UNKNOWN: 6,
  ARBITER: 7,
  DOWN: 8,
  ROLLBACK: 9,
  REMOVED: 10,
} as const;

export type MemberState = keyof typeof MemberStates;

/** PRIMARY and SECONDARY serve reads; the TTL monitor asks the same question. */
export function isReadable(state: MemberState): boolean {
  return state === 'PRIMARY' || state === 'SECONDARY';
}
