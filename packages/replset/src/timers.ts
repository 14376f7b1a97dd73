import type { SetTimer } from '@replsim/node';
import { eventDue } from './due.ts';
import type { Process } from './member.ts';
import type { World } from './world.ts';

/** Sets one of a process's timers, in place of what goes by that key. */
export function setTimer(world: World, process: Process, timer: Omit<SetTimer, 'type'>): void {
  const { key, afterMicros, jitterMicros = 0, deadline, computes } = timer;
  cancelTimer(world, process, key);
  if (computes && !process.computing.begin(key, afterMicros, process.member.processor.cores)) return;
  const drawnMicros = jitterMicros > 0 ? process.jitter.int(0, jitterMicros) : 0;
  const waitMicros = afterMicros + drawnMicros;
  process.timers.set(key, world.schedule(waitMicros, eventDue(process, { type: 'timer', key })));
  if (deadline === undefined) return;
  const dueMicros = world.nowMicros + waitMicros;
  const { name } = process.member;
  world.recorder.member(world.nowMicros, name, { type: 'deadline', of: deadline, dueMicros, drawnMicros });
}

/** Sets a timer that goes by the member's wall clock. A clock that stands still never gets there. */
export function setAlarm(world: World, process: Process, key: string, wallMs: number): void {
  cancelTimer(world, process, key);
  process.alarms.set(key, wallMs);
  const atMicros = process.member.clock.microsAt(world.nowMicros, wallMs);
  if (atMicros === undefined) return;
  process.timers.set(key, world.queue.schedule(atMicros, eventDue(process, { type: 'timer', key })));
}

/** Something that a process computed is over, or given up, or it has more cores now: what waits for one begins. */
export function computeNext(world: World, process: Process): void {
  for (const [key, micros] of process.computing.next(process.member.processor.cores))
    process.timers.set(key, world.schedule(micros, eventDue(process, { type: 'timer', key })));
}

export function cancelTimer(world: World, process: Process, key: string): void {
  process.alarms.delete(key);
  if (process.computing.end(key)) computeNext(world, process);
  const handle = process.timers.get(key);
  if (handle === undefined) return;
  world.queue.cancel(handle);
  process.timers.delete(key);
}

/** The member's wall clock was changed: its alarms go off at other times from now on. */
export function moveAlarms(world: World, process: Process): void {
  for (const [key, wallMs] of [...process.alarms]) {
    const handle = process.timers.get(key);
    // One that has gone off already is about to be heard: by a part that is held, or a process that is paused.
    if (handle === undefined || world.queue.cancel(handle)) setAlarm(world, process, key, wallMs);
  }
}
