import { type DiskFailure, type MongodEvent, partOf } from '@replsim/node';
import { InvariantError, invariant } from '@replsim/protocol';
import type { Journalled, VersionView } from '@replsim/storage';
import { eventDue, type RequestDue, type ResponseDue } from './due.ts';
import type { DiskFaults, Peer, Process } from './member.ts';
import { accept, refuse } from './messages.ts';
import type { DiskWrite } from './parts.ts';
import { perform } from './perform.ts';
import { computeNext } from './timers.ts';
import { traceMessage, traceTurn } from './turns.ts';
import type { World } from './world.ts';

/**
 * Takes the earliest event, moves time there and lets it happen.
 * @returns a promise if a disk has to be waited for, and then the next event must wait for it too
 */
export function runNext(world: World): Promise<void> | undefined {
  const next = world.queue.pop();
  if (next === undefined) return undefined;
  // Not by `invariant`, whose message would be made for every event.
  if (next.atMicros < world.nowMicros)
    throw new InvariantError(`an event of ${next.atMicros} µs came up at ${world.nowMicros} µs: time would go back`);
  world.nowMicros = next.atMicros;
  world.eventsRun++;
  const due = next.payload;
  const turn = world.beginTurn();
  if (world.causes) traceTurn(world, due, turn, next.cause);
  switch (due.kind) {
    case 'event':
      if (due.event.type === 'timer' && due.process.computing.end(due.event.key)) computeNext(world, due.process);
      happen(world, due.process, due.event);
      return undefined;
    case 'request':
      requestArrives(world, due);
      return undefined;
    case 'response':
      responseArrives(world, due);
      return undefined;
    case 'resumed':
      catchUp(world, due.process);
      return undefined;
    case 'write':
      return write(world, due.process, due.write);
    case 'call':
      // What a client knows may be what somebody waits for.
      world.changes++;
      due.call();
      return undefined;
    case 'writesReleased':
      return writeHeld(world, due.process);
  }
}

/** Whoever asks a process something may come before its first event is due: then that happens now. */
export function startEarly(world: World, process: Process): void {
  if (process.started) return;
  const turn = world.beginTurn();
  if (world.causes) traceTurn(world, eventDue(process, { type: 'started' }), turn, process.cause);
  ensureStarted(world, process);
}

/** The first event that a process sees, if it has not seen it. */
function ensureStarted(world: World, process: Process): void {
  if (process.started) return;
  process.started = true;
  step(world, process, { type: 'started' });
}

/** Lets a process see an event now, or keeps it until the process has been resumed; the dead see nothing. */
export function happen(world: World, process: Process, event: MongodEvent): void {
  if (!process.alive) return;
  if (process.paused || process.held.length > 0) {
    process.held.push({ event, timer: event.type === 'timer' ? process.timers.get(event.key) : undefined });
  } else if (event.type === 'started') {
    ensureStarted(world, process);
  } else if (!isHeld(process, event)) {
    if (event.type === 'timer') {
      process.timers.delete(event.key);
      process.alarms.delete(event.key);
    }
    step(world, process, event);
  }
}

/** Keeps an event for a part that is held, until it is released. */
function isHeld(process: Process, event: MongodEvent): boolean {
  if (process.heldParts.size === 0) return false;
  const part = partOf(event);
  const waiting = part && process.heldParts.get(part);
  if (waiting === undefined) return false;
  waiting.push({ event, timer: event.type === 'timer' ? process.timers.get(event.key) : undefined });
  return true;
}

/** A resumed process sees what it has missed. */
function catchUp(world: World, process: Process): void {
  if (process.paused) return;
  const missed = process.held;
  process.held = [];
  for (const { event, timer } of missed) {
    const stale = event.type === 'timer' && process.timers.get(event.key) !== timer;
    if (!stale) happen(world, process, event);
  }
}

function step(world: World, process: Process, event: MongodEvent): void {
  invariant(process.alive, 'a process that has ended sees nothing');
  const { mongod } = process;
  perform(world, process, mongod.step(event, world.now(process.member)));
  if (mongod.changes === process.changesSeen) return;
  process.changesSeen = mongod.changes;
  world.changed(process.member);
}

/** A request reaches the process that runs now; one that was sent to an earlier process finds its connection closed. */
function requestArrives(world: World, { link, message: request, peer, asker, process: sentTo }: RequestDue): void {
  if (!link.deliverable) return traceMessage(world, 'lost', request);
  const process = peer.member?.process;
  if (process === undefined || (sentTo !== undefined && sentTo !== process)) {
    traceMessage(world, 'lost', request);
    refuse(world, request, asker, refusalOf(world, peer, process));
  } else {
    world.messagesDelivered++;
    traceMessage(world, 'delivered', request);
    happen(world, process, { type: 'message', message: accept(world, process, request, asker) });
  }
}

function refusalOf(world: World, { host }: Peer, process: Process | undefined): string {
  return process === undefined ? world.whyNobodyAt(host) : 'Connection closed by peer';
}

function responseArrives(world: World, { link, message, process }: ResponseDue): void {
  if (!link.deliverable || !process.alive) return traceMessage(world, 'lost', message);
  world.messagesDelivered++;
  traceMessage(world, 'delivered', message);
  happen(world, process, { type: 'message', message: message });
}

/** The writes that a held journal has kept back, in order; one of them may hold it again. */
async function writeHeld(world: World, process: Process): Promise<void> {
  const writes = process.heldWrites.splice(0);
  for (const each of writes) await write(world, process, each);
}

/** The moment at which a write becomes durable. A paused process's writes do too: the kernel has them. */
function write(world: World, process: Process, effect: DiskWrite): Promise<void> | undefined {
  if (!process.alive) return undefined;
  if (process.heldParts.has('journal') || process.heldWrites.length > 0) {
    process.heldWrites.push(effect);
    return undefined;
  }
  const { disk, diskFaults } = process.member;
  const reason = failureOf(effect, diskFaults);
  if (reason !== undefined) {
    happen(world, process, { type: 'diskFailed', ticket: effect.ticket, reason });
    return undefined;
  }
  const written = () => happen(world, process, { type: 'diskDone', ticket: effect.ticket });
  if (effect.type === 'writeJournal' && diskFaults.misdirected && !diskFaults.lost)
    return writeElsewhere(world, process, effect.records).then(written);
  if (effect.type === 'writeJournal') disk.appendJournal(effect.records);
  else if (effect.type === 'writeFile') disk.writeFile(effect.path, effect.bytes);
  else disk.writeCheckpoint(effect.view as VersionView, effect.metadata, { dropJournalThrough: effect.dropThroughSeq });
  if (disk.lastWrite !== undefined) return disk.lastWrite.then(written);
  written();
  return undefined;
}

/** Nobody hears of it. Whether somebody ever does depends on what it destroyed. */
async function writeElsewhere(world: World, { member }: Process, records: readonly Journalled[]): Promise<void> {
  const { disk, diskFaults } = member;
  diskFaults.misdirected = false;
  const over = await disk.misdirectJournal(records);
  if (over === 'checkpoint') diskFaults.corrupt = true;
  await disk.lastWrite;
  world.recorder.member(world.nowMicros, member.name, { type: 'writeMisdirected', over });
}

/** A full disk takes nothing. A checkpoint reads what it builds on, and so finds what is damaged; the journal is only added to. */
function failureOf(effect: DiskWrite, { full, corrupt }: DiskFaults): DiskFailure | undefined {
  if (full) return 'full';
  return corrupt && effect.type === 'writeCheckpoint' ? 'corrupt' : undefined;
}
