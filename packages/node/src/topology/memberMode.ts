import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import { steppedMachine } from '../core/steppedMachine.ts';
import { type MemberEvent, memberMachine } from './memberMachine.ts';
import type { FollowerMode } from './memberState.ts';

const MACHINE = steppedMachine(memberMachine);
const [INITIAL] = initialTransition(MACHINE);

/** Drives the statechart of what a member does while it does not lead. */
export class MemberMode {
  #snapshot: SnapshotFrom<typeof MACHINE> = INITIAL;
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
    [this.#snapshot] = transition(MACHINE, this.#snapshot, { type });
    this.#changed();
  }
}
