import { encodeReply } from '@replsim/protocol';
import type { PendingReply } from './api.ts';
import type { FaultyClient } from './clientFaults.ts';

/** Whoever waits for the answer to a client's command, as the process that works on it knows them. */
export interface Asker {
  /** Who it is, where faults of clients may befall it and it holds no connection. */
  readonly client?: FaultyClient;
  answer(reply: Uint8Array, atMicros: number): void;
  /** The process ends before it answered. */
  close(errmsg: string, atMicros: number): void;
  /** The command waits for news; for those that count their patience themselves. Unit: ms. */
  awaiting?(forMs: number): void;
}

/** What a client gets from a process that is not there; ours, not a member's. */
export function unreachableReply(errmsg: string): Uint8Array {
  return encodeReply({ ok: 0, errmsg, code: 6, codeName: 'HostUnreachable' });
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
