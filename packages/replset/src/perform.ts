import type { MongodEffect } from '@replsim/node';
import { type DiskWrite, eventDue, writeDue } from './due.ts';
import { stop } from './faults.ts';
import { transmit } from './messages.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** Carries out what a process asked for, in order; nothing more of it once the process has ended. */
export function perform(world: World, process: Process, effects: readonly MongodEffect[]): void {
  for (const effect of effects) {
    if (!process.alive) return;
    switch (effect.type) {
      case 'send':
        transmit(world, process, effect.message);
        continue;
      case 'setTimer':
        setTimer(world, process, effect.key, effect.afterMicros, effect.jitterMicros);
        continue;
      case 'cancelTimer':
        cancelTimer(world, process, effect.key);
        continue;
      case 'reply':
        reply(world, process, effect.requestId, effect.reply);
        world.changed(process.member);
        continue;
      case 'hangUp':
        hangUp(world, process, effect.requestId);
        world.changed(process.member);
        continue;
      case 'writeJournal':
      case 'writeCheckpoint':
      case 'writeFile':
        write(world, process, effect);
        continue;
      case 'trace':
        world.recorder.member(world.nowMicros, process.member.name, effect.event);
        continue;
      case 'exit':
        stop(world, process, effect.how, effect.detail);
    }
  }
}

function setTimer(world: World, process: Process, key: string, afterMicros: number, jitterMicros = 0): void {
  const { timers } = process;
  const earlier = timers.get(key);
  if (earlier !== undefined) world.queue.cancel(earlier);
  const jitter = jitterMicros > 0 ? process.jitter.int(0, jitterMicros) : 0;
  timers.set(key, world.schedule(afterMicros + jitter, eventDue(process, { type: 'timer', key })));
}

function cancelTimer(world: World, process: Process, key: string): void {
  const handle = process.timers.get(key);
  if (handle === undefined) return;
  world.queue.cancel(handle);
  process.timers.delete(key);
}

function reply(world: World, { clients }: Process, requestId: number, bytes: Uint8Array): void {
  clients.get(requestId)?.answer(bytes, world.nowMicros);
  clients.delete(requestId);
}

/** The client learns that its connection was closed. */
function hangUp(world: World, { clients, member }: Process, requestId: number): void {
  clients.get(requestId)?.close(`${member.host}: connection closed by peer`, world.nowMicros);
  clients.delete(requestId);
}

/** Queues at the disk. Nothing reaches it before the write is due, so a process that dies first has written nothing. */
function write(world: World, process: Process, effect: DiskWrite): void {
  const tookMicros = effect.costMicros + process.member.diskFaults.latencyMs * 1000;
  process.diskBusyUntil = Math.max(process.diskBusyUntil, world.nowMicros) + Math.round(tookMicros);
  world.queue.schedule(process.diskBusyUntil, writeDue(process, effect));
}
