import type { ConnectionPeer, ConnectionRefusal } from '@replsim/protocol';
import type { Recorded, RecordedInput, ReplSet } from '@replsim/replset';

/** Writes down what comes from outside, with the virtual time at which it came; for `replsim run` to repeat. */
export class Recorder {
  readonly #set: ReplSet;
  readonly #writers: ((recorded: Recorded) => void)[] = [];
  #connections = 0;
  /** How many requests each connection has sent. */
  readonly #sent = new Map<number, number>();

  constructor(set: ReplSet) {
    this.#set = set;
  }

  /** Whether anybody writes: then what is sent must not hold what nobody may read. */
  get isWriting(): boolean {
    return this.#writers.length > 0;
  }

  /** From now on, beside whoever writes already. Only a recording from the very beginning can be repeated. */
  start(write: (recorded: Recorded) => void): void {
    this.#writers.push(write);
  }

  /** @returns the connection's number in the recording */
  connected(member: string, remote: string): number {
    const connection = ++this.#connections;
    this.#sent.set(connection, 0);
    this.record({ type: 'connect', connection, member, remote });
    return connection;
  }

  /** A member's port has closed a connection at once. */
  rejected(member: string, remote: string): void {
    this.record({ type: 'connect', connection: ++this.#connections, member, remote, rejected: true });
  }

  secured(connection: number, peer: ConnectionPeer): void {
    this.record({ type: 'secured', connection, peer });
  }

  refused(connection: number, refusal: ConnectionRefusal): void {
    this.#sent.delete(connection);
    this.record({ type: 'refused', connection, refusal });
  }

  sent(
    connection: number,
    command: Uint8Array,
    { exhaustAllowed, moreToCome }: { readonly exhaustAllowed: boolean; readonly moreToCome: boolean },
  ): void {
    this.#sent.set(connection, this.#sent.get(connection)! + 1);
    if (this.#writers.length === 0) return;
    this.record({
      type: 'send',
      connection,
      command,
      ...(exhaustAllowed && { exhaustAllowed }),
      ...(moreToCome && { moreToCome }),
    });
  }

  awaitEnded(connection: number): void {
    this.record({ type: 'awaitEnded', connection, request: this.#sent.get(connection)! });
  }

  /** @param byClient a connection that the member closed is closed again by itself */
  closed(connection: number, byClient: boolean): void {
    this.#sent.delete(connection);
    if (byClient) this.record({ type: 'hangUp', connection });
  }

  record(input: RecordedInput): void {
    if (this.#writers.length === 0) return;
    const recorded = { ...input, atMicros: this.#set.nowMicros };
    for (const write of this.#writers) write(recorded);
  }
}
