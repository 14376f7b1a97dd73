import { computeNext } from '../timers.ts';
import type { World } from '../world.ts';
import { each, type Fault } from './fault.ts';
import { cores, slowdown, strict, target } from './shapes.ts';
import type { Target } from './targets.ts';

/** Argument of the fault `cpu`: what to change about processors. Properties that are left out stay as they are. */
export interface CpuFault {
  /** Whose processor. */
  readonly on: Target;
  /** How many times longer everything takes that it computes; 1 ends it. */
  readonly slowdown?: number | undefined;
  /** How many operations it computes at a time, while others wait for their turn; 0, the default: any number. */
  readonly cores?: number | undefined;
}

/** The new behaviour of one member's processor. */
export interface CpuChanged {
  readonly type: 'cpu';
  readonly member: string;
  readonly slowdown?: number | undefined;
  readonly cores?: number | undefined;
}

const cpu: Fault<CpuFault, CpuChanged> = {
  what: 'Makes a processor slow, or lets it compute few operations at a time',
  shape: () =>
    strict('cpu', {
      on: target.describe('Whose processor'),
      slowdown: slowdown.optional().describe('Everything that it computes takes this many times longer; 1 ends it'),
      cores: cores.optional().describe('It computes this many operations at a time, others wait; 0 ends it'),
    }),
  actions: ({ on, ...settings }, door) => {
    if (Object.keys(settings).length === 0)
      door.mistake([], 'this cpu step has no effect', 'slowdown: 10, or cores: 1');
    return each(door.members(['on'], on), (member) => ({ type: 'cpu', member, ...settings }));
  },
  apply: (world, action) => {
    change(world, action);
    return undefined;
  },
  say: ({ member, slowdown, cores }) => ({ on: member, slowdown, cores }),
};

/** The fault of a member's processor. */
export const processorFaults = {
  /** Makes a processor slow, or lets it compute few operations at a time. */
  cpu,
};

/** What is being computed takes as long as it would have; what comes next is slower or faster. */
function change(world: World, { member: name, slowdown, cores }: CpuChanged): void {
  const member = world.member(name);
  if (slowdown !== undefined) member.processor.slowdown = slowdown;
  if (cores !== undefined) member.processor.cores = cores;
  if (member.process) computeNext(world, member.process);
  world.changed(member);
  const settings = { ...(slowdown !== undefined && { slowdown }), ...(cores !== undefined && { cores }) };
  world.recorder.member(world.nowMicros, name, { type: 'processorChanged', ...settings });
}
