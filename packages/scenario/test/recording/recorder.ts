import type { Connection, ConnectionListener, Recorded, RecordedInput, ReplSet, StartOptions } from '@replsim/replset';

/** Does things to a set and writes them down, as a server does that records. */
export class RecordingDriver {
  readonly set: ReplSet;
  readonly records: Recorded[] = [];
  #connections = 0;

  constructor(set: ReplSet) {
    this.set = set;
  }

  note(input: RecordedInput): void {
    this.records.push({ atMicros: this.set.nowMicros, ...input });
  }

  connect(member: string, remote: string, listener: ConnectionListener): RecordingConnection | undefined {
    const open = this.set.connect(member, remote, listener);
    if (open === undefined) return undefined;
    const connection = ++this.#connections;
    this.note({ type: 'connect', connection, member, remote });
    return new RecordingConnection(this, open, connection);
  }

  command(member: string, command: Uint8Array): void {
    this.note({ type: 'command', member, command });
    this.set.send(member, command);
  }

  start(member: string, options?: StartOptions): Promise<void> {
    this.note({ type: 'start', member, ...(options && { options }) });
    return this.set.start(member, options);
  }

  /** @param act does what `input` says */
  async does(input: RecordedInput, act: (set: ReplSet) => void | Promise<void>): Promise<void> {
    this.note(input);
    await act(this.set);
  }
}

export class RecordingConnection {
  readonly #driver: RecordingDriver;
  readonly #open: Connection;
  readonly #connection: number;
  readonly #requests: number[] = [];

  constructor(driver: RecordingDriver, open: Connection, connection: number) {
    this.#driver = driver;
    this.#open = open;
    this.#connection = connection;
  }

  send(command: Uint8Array, flags?: Parameters<Connection['send']>[1]): void {
    this.#driver.note({ type: 'send', connection: this.#connection, command, ...flags });
    this.#requests.push(this.#open.send(command, flags));
  }

  awaitEnded(requestId: number): void {
    const request = this.#requests.indexOf(requestId) + 1;
    this.#driver.note({ type: 'awaitEnded', connection: this.#connection, request });
    this.#open.awaitEnded(requestId);
  }

  close(): void {
    this.#driver.note({ type: 'hangUp', connection: this.#connection });
    this.#open.close();
  }
}
