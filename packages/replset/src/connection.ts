import type { MongodEvent } from '@replsim/node';
import { firstKey } from '@replsim/protocol';
import type { Connection, ConnectionListener } from './api.ts';
import { eventDue } from './due.ts';
import type { OpenConnection, Process } from './member.ts';
import type { Asker } from './pending.ts';
import { input } from './turns.ts';
import type { World } from './world.ts';

/** A connection from outside the network, to one life of a member. It ends with that. */
export class ConnectedClient implements Connection, OpenConnection {
  readonly connectionId: number;
  readonly #world: World;
  readonly #process: Process;
  readonly #listener: ConnectionListener;
  /** Requests whose end it has not heard of. */
  readonly #awaited = new Set<number>();
  #open = true;

  constructor(world: World, process: Process, remote: string, listener: ConnectionListener) {
    this.#world = world;
    this.#process = process;
    this.#listener = listener;
    this.connectionId = process.nextConnectionId++;
    process.connections.add(this);
    this.#happen({ type: 'connectionOpened', connectionId: this.connectionId, remote });
  }

  send(command: Uint8Array, flags: { exhaustAllowed?: boolean; moreToCome?: boolean } = {}): number {
    const requestId = this.#world.nextRequestId++;
    this.#expect(requestId);
    const { connectionId } = this;
    this.#happen({ type: 'command', requestId, command, connectionId, awaitsOutside: true, ...flags });
    return requestId;
  }

  awaitEnded(requestId: number): void {
    this.#happen({ type: 'awaitEnded', requestId });
  }

  close(): void {
    if (!this.#end()) return;
    this.#happen({ type: 'connectionClosed', connectionId: this.connectionId });
  }

  hangUp(): void {
    if (!this.#end()) return;
    this.#happen({ type: 'connectionClosed', connectionId: this.connectionId });
    this.#listener.closed();
  }

  #end(): boolean {
    const was = this.#open;
    this.#open = false;
    this.#process.connections.delete(this);
    for (const requestId of this.#awaited) this.#process.clients.delete(requestId);
    this.#awaited.clear();
    return was;
  }

  #expect(requestId: number): void {
    this.#awaited.add(requestId);
    this.#process.clients.set(requestId, this.#asker(requestId));
  }

  #asker(requestId: number): Asker {
    return {
      answer: (reply) => {
        this.#awaited.delete(requestId);
        if (this.#open) this.#listener.reply(requestId, reply);
      },
      close: () => this.hangUp(),
      awaiting: (forMs) => {
        if (this.#open) this.#listener.awaiting(requestId, forMs);
      },
    };
  }

  #happen(event: MongodEvent): void {
    if (!this.#process.alive) return;
    input(
      this.#world,
      'command',
      () =>
        `${event.type === 'command' ? firstKey(event.command) : event.type} on connection ${this.connectionId} of ${this.#process.member.name}`,
    );
    this.#world.schedule(0, eventDue(this.#process, event));
  }
}
