import { ReplSet, type ReplSetOptions } from '@replsim/replset';
import { vi } from 'vitest';
import { clients } from '../mutations/clients.ts';
import { createSet } from '../mutations/mutation.ts';

/** A write at `w: majority` is enough to see through it. */
const EARLY = clients.find(({ fires: [first] }) => first === 'acknowledgedMajorityIsCommitted')!;

/** The next set that is created, by whatever door, acknowledges before a majority has it. */
export function breakNextSet(): void {
  // What `createHost` makes goes past `create`.
  const created = vi.spyOn(ReplSet, 'create').mockImplementationOnce((options: ReplSetOptions) => {
    created.mockRestore();
    return createSet(EARLY, true, options);
  });
}
