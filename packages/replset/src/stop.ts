import type { Member, Process } from './member.ts';
import { refuse } from './messages.ts';
import type { World } from './world.ts';

/**
 * Ends a process at once: by SIGKILL, or because it exits by itself. What it had under way is lost, and whoever waits
 * for its answer learns that the connection is closed: clients now, other members over the link, if it lets them.
 */
export function stop(world: World, process: Process, how: 'killed' | 'shutdown' | 'fatal', detail?: string): void {
  const { member } = process;
  process.alive = false;
  member.process = undefined;
  member.lastDurable = process.mongod.durable ?? member.lastDurable;
  if (how === 'killed') losePower(member);
  for (const handle of process.timers.values()) world.queue.cancel(handle);
  process.timers.clear();
  process.held = [];
  world.changed(member);
  const event = { type: 'processStopped', how } as const;
  world.recorder.member(world.nowMicros, member.name, detail === undefined ? event : { ...event, detail });
  for (const pending of process.clients.values())
    pending.close(`${member.host}: connection closed by peer`, world.nowMicros);
  process.clients.clear();
  for (const connection of [...process.connections]) connection.hangUp();
  for (const { request, asker } of process.requests.values())
    if (asker.alive) refuse(world, request, asker, 'Connection closed by peer');
  for (const listener of world.processListeners) listener(member.name, how);
}

/** A sound disk keeps through a kill what it has reported done. */
function losePower({ disk, diskFaults }: Member): void {
  if (!diskFaults.lost && !diskFaults.torn) return;
  disk.losePower(diskFaults.torn);
  diskFaults.torn = false;
}
