import type { MongodEffect } from '@replsim/node';
import { writeDue } from './due.ts';
import type { Process } from './member.ts';
import { transmit } from './messages.ts';
import type { DiskWrite } from './parts.ts';
import { stop } from './stop.ts';
import { cancelTimer, setAlarm, setTimer } from './timers.ts';
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
        setTimer(world, process, effect);
        continue;
      case 'setAlarm':
        setAlarm(world, process, effect.key, effect.wallMs);
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
      case 'closeConnection':
        closeConnection(process, effect.connectionId);
        continue;
      case 'awaiting':
        process.clients.get(effect.requestId)?.awaiting?.(effect.forMs);
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

function reply(world: World, { clients }: Process, requestId: number, bytes: Uint8Array): void {
  clients.get(requestId)?.answer(bytes, world.nowMicros);
  clients.delete(requestId);
}

/** The client learns that its connection was closed. */
function hangUp(world: World, { clients, member }: Process, requestId: number): void {
  clients.get(requestId)?.close(`${member.host}: connection closed by peer`, world.nowMicros);
  clients.delete(requestId);
}

/** Whoever holds the connection learns that the member has closed it. */
function closeConnection({ connections }: Process, connectionId: number): void {
  for (const connection of connections) if (connection.connectionId === connectionId) return connection.hangUp();
}

/** Queues at the disk. Nothing reaches it before the write is due, so a process that dies first has written nothing. */
function write(world: World, process: Process, effect: DiskWrite): void {
  const tookMicros = effect.costMicros + process.member.diskFaults.latencyMs * 1000;
  process.diskBusyUntil = Math.max(process.diskBusyUntil, world.nowMicros) + Math.round(tookMicros);
  world.queue.schedule(process.diskBusyUntil, writeDue(process, effect));
}
