import { CommandError } from '@replsim/protocol';
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
      case 'send':
      case 'awaitEnded':
      case 'hangUp':
        return this.#onConnection(input);
      case 'command':
        set.send(input.member, input.command);
        return;
      case 'kill':
      case 'shutdown':
      case 'pause':
      case 'resume':
        return set[input.type](input.member);
      case 'start':
        return this.#start(input);
      case 'hold':
      case 'release':
        return set[input.type](input.member, input.part);
      case 'partition':
        return set.partition(input.groups);
      case 'cut':
      case 'disconnect':
        return set[input.type](input.from, input.to);
      case 'heal':
        return set.heal(input.members);
      case 'link':
        return set.link(input.from, input.to, input.settings);
      case 'jumpClock':
        return set.jumpClock(input.member, input.byMs);
      case 'driftClock':
        return set.driftClock(input.member, input.ppm);
      case 'disk':
        return set.disk(input.member, input.settings);
    }
  }

  #onConnection(input: Extract<RecordedInput, { connection: number }>): void {
    if (input.type === 'connect') {
      const open = this.#set.connect(input.member, input.remote, DEAF);
      if (open) this.#connections.set(input.connection, { open, requests: [] });
      return;
    }
    const connection = this.#connections.get(input.connection);
    if (connection === undefined) return;
    const { open, requests } = connection;
    if (input.type === 'send') requests.push(open.send(input.command, flagsOf(input)));
    else if (input.type === 'awaitEnded') open.awaitEnded(requests[input.request - 1]!);
    else {
      open.close();
      this.#connections.delete(input.connection);
    }
  }

  /** A process that refuses to start, or runs already, says so to whoever started it. */
  async #start({ member, options }: Extract<RecordedInput, { type: 'start' }>): Promise<void> {
    if (this.#set.status(member).running) return;
    try {
      await this.#set.start(member, options);
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
