import type { Connection, ConnectionListener } from '@replsim/replset';
import { Compression } from '../compression/compression.ts';
import { SecureDoor, type TlsMaterial } from '../tls/secureDoor.ts';
import type { Compressor } from '../wire/compressor.ts';
import { ClientSocket, type SocketParts } from './clientSocket.ts';
import { Farewell } from './farewell.ts';
import type { Limits } from './limits.ts';
import type { MemberListener } from './memberListener.ts';
import { Newcomers } from './newcomers.ts';
import { Watchers } from './watchers.ts';

/** What all ports of a set share. */
export interface PortParts
  extends Pick<SocketParts, 'pacer' | 'recorder' | 'door' | 'handshakes' | 'dates' | 'introduce' | 'withoutPassword'> {
  readonly tls: TlsMaterial | undefined;
  limitsOf(member: string): Limits;
  compressorsOf(member: string): readonly Compressor[];
  connect(member: string, remote: string, listener: ConnectionListener): Connection | undefined;
  /** @returns whether there is anybody who writes it down */
  reject(member: string, remote: string): boolean;
}

/** One member as clients reach it: its port, and those who have come in. */
export class MemberPort {
  readonly listener: MemberListener;
  readonly #clients = new Set<ClientSocket>();
  readonly #newcomers = new Newcomers();
  readonly #watchers = new Watchers();
  readonly #farewell = new Farewell();
  readonly #compression: Compression;
  readonly #secure: SecureDoor | undefined;
  readonly #limits: Limits;

  constructor(listener: MemberListener, { connect, reject, compressorsOf, limitsOf, tls, ...shared }: PortParts) {
    this.listener = listener;
    const { member } = listener;
    this.#secure = tls && new SecureDoor(tls);
    this.#limits = limitsOf(member);
    this.#compression = new Compression(compressorsOf(member));
    const parts: SocketParts = {
      ...shared,
      member,
      compression: this.#compression,
      limits: this.#limits,
      secure: this.#secure,
      newcomers: this.#newcomers,
      watchers: this.#watchers,
      farewell: this.#farewell,
      connect: (remote, heard) => connect(member, remote, heard),
    };
    listener.serve((socket) => {
      if (!this.#limits.admits()) {
        const remote = `${socket.remoteAddress}:${socket.remotePort}`;
        shared.pacer.input(() => {
          if (reject(member, remote)) shared.recorder.rejected(member, remote);
        });
        socket.destroy();
        return;
      }
      const client = new ClientSocket(socket, parts);
      this.#clients.add(client);
      socket.on('close', () => {
        this.#clients.delete(client);
        this.#limits.left();
      });
    });
  }

  /** Its process has started. */
  started(): void {
    this.#compression.reset();
    this.#limits.reset();
    this.#secure?.versions.clear();
  }

  get hasClients(): boolean {
    return this.#clients.size > 0;
  }

  /** Resolves when those who mean to watch the member do so; undefined if they do already. */
  watched(): Promise<void> | undefined {
    return this.#newcomers.none();
  }

  /** Resolves when those who watch the member know what it says now; undefined if they do already. */
  told(): Promise<void> | undefined {
    return this.#watchers.told();
  }

  /** Resolves when all whose connections the member has closed know; undefined if they do already. */
  deserted(): Promise<void> | undefined {
    return this.#farewell.isOver ? undefined : this.#farewell.over();
  }

  /** Nobody comes in any more, and whoever is there loses the connection. */
  destroy(): void {
    this.listener.close();
    for (const client of this.#clients) client.destroy();
  }
}
