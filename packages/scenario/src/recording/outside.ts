import { CommandError, required } from '@replsim/protocol';
import type { Connection, ConnectionListener, RecordedInput, ReplicaSetApi } from '@replsim/replset';

/** Answers go nowhere: what a client did about them is in the recording already. */
const DEAF: ConnectionListener = { reply() {}, awaiting() {}, closed() {} };

/** Does again what came from outside when a run was recorded. What the set refuses this time is passed over. */
export class Outside {
  readonly #set: ReplicaSetApi;
  readonly #connections = new Map<number, OpenConnection>();

  constructor(set: ReplicaSetApi) {
    this.#set = set;
  }

  /** Lets one thing come from outside, now. */
  async happen(input: RecordedInput): Promise<void> {
    const set = this.#set;
    switch (input.type) {
      case 'connect':
      case 'secured':
      case 'refused':
      case 'send':
      case 'awaitEnded':
      case 'hangUp':
        return this.#onConnection(input);
      case 'command':
        set.send(input.member, input.command);
        return;
      case 'start':
        return this.#start(input);
      default:
        return set.fault(input);
    }
  }

  #onConnection(input: Extract<RecordedInput, { connection: number }>): void {
    if (input.type === 'connect' && input.rejected) {
      this.#set.reject(input.member, input.remote);
      return;
    }
    if (input.type === 'connect') {
      const open = this.#set.connect(input.member, input.remote, DEAF);
      if (open) this.#connections.set(input.connection, { open, requests: [] });
      return;
    }
    const connection = this.#connections.get(input.connection);
    if (connection === undefined) return;
    const { open, requests } = connection;
    if (input.type === 'send') requests.push(open.send(input.command, flagsOf(input)));
    else if (input.type === 'awaitEnded')
      open.awaitEnded(required(requests[input.request - 1], 'request of that number'));
    else if (input.type === 'secured') open.secured(input.peer);
    else {
      if (input.type === 'refused') open.refused(input.refusal);
      else open.close();
      this.#connections.delete(input.connection);
    }
  }

  /** A process that refuses to start, or runs already, says so to whoever started it. */
  async #start(start: Extract<RecordedInput, { type: 'start' }>): Promise<void> {
    if (this.#set.status(start.member).running) return;
    try {
      await this.#set.fault(start);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
    }
  }
}

interface OpenConnection {
  readonly open: Connection;
  /** Their ids, in the order in which they were sent. */
  readonly requests: number[];
}

type Send = Extract<RecordedInput, { type: 'send' }>;
function flagsOf({ exhaustAllowed, moreToCome }: Send): Pick<Send, 'exhaustAllowed' | 'moreToCome'> {
  return {
    ...(exhaustAllowed !== undefined && { exhaustAllowed }),
    ...(moreToCome !== undefined && { moreToCome }),
  };
}
