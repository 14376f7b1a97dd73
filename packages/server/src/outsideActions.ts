import type { RecordedInput, ReplSet } from '@replsim/replset';

/** What somebody outside may do to a set besides talking to it: start and stop processes, break the network, a disk, a clock. */
export type OutsideAction = Exclude<
  RecordedInput,
  { readonly type: 'connect' | 'send' | 'awaitEnded' | 'hangUp' | 'command' }
>;

/**
 * Does it, at the present of the set. A start and what is done to a disk are over when the promise resolves.
 * @throws RangeError for a member that there is not; CommandError when a process refuses to start
 */
export function perform(set: ReplSet, action: OutsideAction): Promise<void> | undefined {
  switch (action.type) {
    case 'kill':
    case 'shutdown':
    case 'pause':
    case 'resume':
      set[action.type](action.member);
      return undefined;
    case 'start':
      mustExist(set, action.member);
      return set.start(action.member, action.options);
    case 'hold':
    case 'release':
      set[action.type](action.member, action.part);
      return undefined;
    case 'partition':
      set.partition(action.groups);
      return undefined;
    case 'cut':
    case 'disconnect':
      set[action.type](action.from, action.to);
      return undefined;
    case 'heal':
      set.heal(action.members);
      return undefined;
    case 'link':
      set.link(action.from, action.to, action.settings);
      return undefined;
    case 'jumpClock':
      set.jumpClock(action.member, action.byMs);
      return undefined;
    case 'driftClock':
      set.driftClock(action.member, action.ppm);
      return undefined;
    case 'disk':
      mustExist(set, action.member);
      return set.disk(action.member, action.settings);
  }
}

/** At once: what the promise of a start says comes too late for a recording, which must not have what cannot happen. */
function mustExist(set: ReplSet, member: string): void {
  set.hostOf(member);
}
