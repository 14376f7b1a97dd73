import type { MongodEvent } from '@replsim/node';
import { type ConnectionPeer, type ConnectionRefusal, decodePromoted, firstKey } from '@replsim/protocol';
import type { Connection, ConnectionListener } from './api.ts';
import { carryBack, carryIn } from './clientWay.ts';
import { callDue, eventDue } from './due.ts';
import type { OpenConnection, Process } from './member.ts';
import type { Asker } from './pending.ts';
import { input } from './turns.ts';
import type { World } from './world.ts';

/** By which a client introduces itself. */
const HELLO = new Set(['hello', 'isMaster', 'ismaster']);

/** A connection from outside the network, to one life of a member. It ends with that. */
export class ConnectedClient implements Connection, OpenConnection {
  readonly connectionId: number;
  readonly #world: World;
  readonly #process: Process;
  readonly #listener: ConnectionListener;
  /** Requests whose end it has not heard of. */
  readonly #awaited = new Set<number>();
  #open = true;
  /** The member has closed it: what the client had sent is lost. */
  #hungUp = false;
  #appName: string | undefined;
  /** It has said who it is, or that it does not say. */
  #introduced = false;
  /** As its listener knows. */
  #isFrozen = false;

  constructor(world: World, process: Process, remote: string, listener: ConnectionListener) {
    this.#world = world;
    this.#process = process;
    this.#listener = listener;
    this.connectionId = process.nextConnectionId++;
    process.connections.add(this);
    this.#happen({ type: 'connectionOpened', connectionId: this.connectionId, remote });
  }

  get appName(): string | undefined {
    return this.#appName;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  get managesHost(): boolean {
    return this.#process.mongod.managesHost(this.connectionId);
  }

  look(): void {
    const isFrozen = this.#world.clientFaults.freezes(this.#process.member.name, this);
    if (isFrozen === this.#isFrozen || !this.#open) return;
    this.#isFrozen = isFrozen;
    this.#listener.frozen?.(isFrozen);
  }

  send(command: Uint8Array, flags: { exhaustAllowed?: boolean; moreToCome?: boolean } = {}): number {
    const requestId = this.#world.nextRequestId++;
    this.#expect(requestId);
    this.#introduce(command);
    this.look();
    // Whoever sends it has to hear its id first.
    if (this.#world.clientFaults.cuts(this.#process.member.name, this)) {
      this.#world.schedule(
        0,
        callDue(this.#name, 'reply', () => this.hangUp()),
      );
      return requestId;
    }
    const { connectionId } = this;
    this.#arrive({ type: 'command', requestId, command, connectionId, awaitsOutside: true, ...flags });
    return requestId;
  }

  awaitEnded(requestId: number): void {
    this.#arrive({ type: 'awaitEnded', requestId });
  }

  close(): void {
    if (!this.#end()) return;
    // What was sent before is read before the end of it.
    this.#arrive({ type: 'connectionClosed', connectionId: this.connectionId });
  }

  secured(peer: ConnectionPeer): void {
    this.#happen({ type: 'connectionSecured', connectionId: this.connectionId, peer });
  }

  refused(refusal: ConnectionRefusal): void {
    if (this.#end()) this.#happen({ type: 'connectionRefused', connectionId: this.connectionId, refusal });
  }

  hangUp(): void {
    if (!this.#end()) return;
    this.#hungUp = true;
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
        const deliver = () => {
          if (this.#open) this.#listener.reply(requestId, reply);
        };
        carryBack(this.#world, this.#way, deliver, () => this.hangUp());
      },
      close: () => this.hangUp(),
      awaiting: (forMs) => {
        if (this.#open) this.#listener.awaiting(requestId, forMs);
      },
    };
  }

  /** A member goes by the first hello of a connection. */
  #introduce(command: Uint8Array): void {
    if (this.#introduced || !HELLO.has(firstKey(command))) return;
    this.#introduced = true;
    this.#appName = appNameIn(command);
  }

  get #name(): string {
    return `connection ${this.connectionId} of ${this.#process.member.name}`;
  }

  get #way() {
    return { member: this.#process.member.name, client: this, name: this.#name };
  }

  #arrive(event: MongodEvent): void {
    const deliver = () => {
      if (!this.#hungUp) this.#happen(event);
    };
    // What was sent may be lost; that the client is gone is not.
    carryIn(this.#world, this.#way, deliver, event.type === 'connectionClosed' ? deliver : undefined);
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

/** What a hello says of its client; a member that cannot read it says so. */
function appNameIn(hello: Uint8Array): string | undefined {
  try {
    const name: unknown = decodePromoted(hello).client?.application?.name;
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
