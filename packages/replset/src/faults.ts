import type { HoldablePart } from '@replsim/protocol';
import type { DiskFaultSettings, NetworkSettings } from './api.ts';
import { eventDue, resumedDue, writesReleasedDue } from './due.ts';
import type { Member, Process } from './member.ts';
import { refuse } from './messages.ts';
import { moveAlarms } from './timers.ts';
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

/** SIGTERM. */
export function terminate(world: World, process: Process): void {
  world.schedule(0, eventDue(process, { type: 'terminate' }));
}

/** SIGSTOP: the process stands still, while messages and fallen timers wait for it. */
export function pause(world: World, process: Process): void {
  if (process.paused) return;
  process.paused = true;
  world.changed(process.member);
  world.recorder.member(world.nowMicros, process.member.name, { type: 'processPaused' });
}

/** SIGCONT: everything that waited happens in the next event at this time, in the order in which it came. */
export function resume(world: World, process: Process): void {
  if (!process.paused) return;
  process.paused = false;
  world.changed(process.member);
  world.recorder.member(world.nowMicros, process.member.name, { type: 'processResumed' });
  world.schedule(0, resumedDue(process));
}

/** Stops one part of a process until it is released, or the process ends. */
export function hold(world: World, process: Process, part: HoldablePart): void {
  if (process.heldParts.has(part)) return;
  process.heldParts.set(part, []);
  world.recorder.member(world.nowMicros, process.member.name, { type: 'partHeld', part });
}

/** Lets a held part go on: what waited for it happens now, in the order in which it came. */
export function release(world: World, process: Process, part: HoldablePart): void {
  const waiting = process.heldParts.get(part);
  if (waiting === undefined) return;
  process.heldParts.delete(part);
  world.changed(process.member);
  world.recorder.member(world.nowMicros, process.member.name, { type: 'partReleased', part });
  for (const { event, timer } of waiting) {
    if (event.type !== 'timer') world.schedule(0, eventDue(process, event));
    else if (process.timers.get(event.key) === timer)
      process.timers.set(event.key, world.schedule(0, eventDue(process, event)));
  }
  if (part === 'journal') world.schedule(0, writesReleasedDue(process));
}

export function partition(world: World, groups: readonly (readonly string[])[]): void {
  world.network.partition(groups);
  world.recorder.run(world.nowMicros, { type: 'partitioned', groups });
}

export function cut(world: World, from: string, to: string): void {
  world.network.cut(from, to);
  world.recorder.run(world.nowMicros, { type: 'cut', from, to });
}

/** Closes all connections between two members: whoever waits for an answer over one of them learns it, and may ask again. */
export function disconnect(world: World, a: Member, b: Member): void {
  for (const [asked, asking] of [
    [a, b],
    [b, a],
  ]) {
    for (const [id, { request, asker }] of asked!.process?.requests ?? []) {
      if (asker.member !== asking || !asker.alive) continue;
      asked!.process!.requests.delete(id);
      refuse(world, request, asker, 'Connection reset by peer');
    }
  }
}

export function heal(world: World, members: 'all' | readonly string[]): void {
  world.network.heal(members);
  world.recorder.run(world.nowMicros, { type: 'healed', members });
}

export function changeLink(world: World, from: string, to: string, settings: NetworkSettings): void {
  world.network.setLink(from, to, settings);
  world.recorder.run(world.nowMicros, { type: 'linkChanged', from, to, settings: { ...settings } });
}

export function jumpClock(world: World, member: Member, jumpMs: number): void {
  const { nowMicros } = world;
  const { clock, name } = member;
  clock.jump(nowMicros, jumpMs);
  if (member.process) moveAlarms(world, member.process);
  world.changed(member);
  world.recorder.member(nowMicros, name, { type: 'clockChanged', jumpMs, wallMs: clock.wallMs(nowMicros) });
}

export function driftClock(world: World, member: Member, driftPpm: number): void {
  const { nowMicros } = world;
  const { clock, name } = member;
  clock.setDrift(nowMicros, driftPpm);
  if (member.process) moveAlarms(world, member.process);
  world.changed(member);
  world.recorder.member(nowMicros, name, { type: 'clockChanged', driftPpm, wallMs: clock.wallMs(nowMicros) });
}

export async function changeDisk(world: World, member: Member, settings: DiskFaultSettings): Promise<void> {
  const { latencyMs, full, corrupt } = settings;
  if (latencyMs !== undefined) member.diskFaults.latencyMs = latencyMs;
  if (full !== undefined) member.diskFaults.full = full;
  if (corrupt) {
    member.diskFaults.corrupt = true;
    await member.disk.corrupt();
  }
  world.changed(member);
  world.recorder.member(world.nowMicros, member.name, { type: 'diskChanged', ...settings });
}
