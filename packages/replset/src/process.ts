import type { EventHandle, Random } from '@replsim/kernel';
import type { MongodEvent } from '@replsim/node';
import { encodeDocument, type HoldablePart, type MemberRequest } from '@replsim/protocol';
import type { PendingReply } from './api.ts';
import type { ConnectedClient } from './connection.ts';
import type { DiskWrite } from './due.ts';
import type { Member } from './member.ts';
import type { MongodProcess } from './parts.ts';

/**
 * One life of a member's mongod. What is under way for a process ends with it: timers, deliveries, disk writes and
 * answers refer to the process, not to the member, so the next life never sees what was meant for the last.
 */
export class Process {
  readonly member: Member;
  readonly mongod: MongodProcess;
  /** Draws the jitter of its timers. */
  readonly jitter: Random;
  alive = true;
  paused = false;
  /** `mongod.changes` when it was last looked at. */
  changesSeen = 0;
  /** Has seen the event `started`. */
  started = false;
  readonly timers = new Map<string, EventHandle>();
  /** Which of the timers go by the wall clock, and what it has to show. */
  readonly alarms = new Map<string, number>();
  /** What happened to it while it was paused, in order. */
  held: HeldEvent[] = [];
  /** What happened to the parts that are held, in order; a part that is not held has no entry. */
  readonly heldParts = new Map<HoldablePart, HeldEvent[]>();
  /** Writes that the disk has not done because the journal is, or just was, held. */
  readonly heldWrites: DiskWrite[] = [];
  /** Clients' commands under way, by request id. */
  readonly clients = new Map<number, Asker>();
  /** Those of clients outside the network, which are open. */
  readonly connections = new Set<ConnectedClient>();
  nextConnectionId = 1;
  /** When the disk has done all that was asked of it so far. */
  diskBusyUntil = 0;
  /** Other members' requests under way, by the id under which this process knows them. */
  readonly requests = new Map<number, OpenRequest>();

  constructor(member: Member, mongod: MongodProcess, jitter: Random) {
    this.member = member;
    this.mongod = mongod;
    this.jitter = jitter;
  }
}

/** What a process saw while it, or the part that it was for, stood still. */
export interface HeldEvent {
  readonly event: MongodEvent;
  /** The timer that fell due: it may yet be cancelled or moved by what was held before it. */
  readonly timer: EventHandle | undefined;
}

/** A request as it was sent, and who waits for the answer. */
interface OpenRequest {
  readonly request: MemberRequest;
  readonly asker: Process;
}

/** Whoever waits for the answer to a client's command, as the process that works on it knows them. */
export interface Asker {
  answer(reply: Uint8Array, atMicros: number): void;
  /** The process ends before it answered. */
  close(errmsg: string, atMicros: number): void;
  /** The command waits for news; for those that count their patience themselves. Unit: ms. */
  awaiting?(forMs: number): void;
}

/** What a client gets from a process that is not there; ours, not a member's. */
export function unreachableReply(errmsg: string): Uint8Array {
  return encodeDocument({ ok: 0, errmsg, code: 6, codeName: 'HostUnreachable' });
}

/** A command of whoever stands outside the network and looks for the answer now and then. */
export class Pending implements PendingReply, Asker {
  readonly member: string;
  readonly startedMicros: number;
  reply: Uint8Array | undefined = undefined;
  endedMicros: number | undefined = undefined;

  constructor(member: string, startedMicros: number) {
    this.member = member;
    this.startedMicros = startedMicros;
  }

  answer(reply: Uint8Array, atMicros: number): void {
    this.reply = reply;
    this.endedMicros = atMicros;
  }

  close(errmsg: string, atMicros: number): void {
    this.answer(unreachableReply(errmsg), atMicros);
  }
}
