import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import { type MemberEvent, memberMachine } from './memberMachine.ts';
import type { FollowerMode } from './memberState.ts';

/** Snapshots never change, so all members begin with the same one. */
const [INITIAL] = initialTransition(memberMachine);

/** Drives the statechart of what a member does while it does not lead. */
export class MemberMode {
  #snapshot: SnapshotFrom<typeof memberMachine> = INITIAL;
  readonly #changed: () => void;

  /** @param changed called after each event, since any may have moved the reported state */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get followerMode(): FollowerMode {
    return this.#snapshot.value.followerMode;
  }

  get maintenanceCount(): number {
    return this.#snapshot.context.maintenanceCalls;
  }

  send(type: MemberEvent['type']): void {
    [this.#snapshot] = transition(memberMachine, this.#snapshot, { type });
    this.#changed();
  }
}
