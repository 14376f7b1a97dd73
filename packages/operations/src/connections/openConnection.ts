import type { ScramConversation, UserName } from '@replsim/access';
import { digestOfUser } from '@replsim/access';
import { type CommandArguments, NOBODY } from '@replsim/pipeline';
import { CommandError, type ConnectionPeer } from '@replsim/protocol';
import { type ClientMetadata, parseClientMetadata } from './clientMetadata.ts';

/** A login under way. Upstream: authentication_session.h. */
export interface SaslSession {
  readonly scram: ScramConversation;
  readonly db: string;
  /** The client does without the empty exchange at the end. */
  readonly skipsEmpty: boolean;
  /** It began in the handshake. */
  readonly isSpeculative: boolean;
  readonly startedMicros: number;
}

/**
 * A client's connection to this process, and what its handshake said.
 * Upstream: client.h, Client, with the decorations ClientMetadata and InExhaustHello.
 */
export class OpenConnection {
  readonly id: number;
  /** The client's address and port. */
  readonly remote: string;
  metadata: ClientMetadata | undefined;
  /** Whether its handshake said `helloOk: true`; undefined before there was one. */
  helloOk: boolean | undefined;
  /** How it is secured. */
  peer: ConnectionPeer = {};
  /** What its newest hello and this member agreed on. */
  compressors: readonly string[] = [];
  /** What its newest request streams, if it does. */
  streams: 'hello' | 'isMaster' | undefined;
  /** Who has shown to know a password. */
  user: UserName | undefined;
  /** Who is about to show it. */
  sasl: SaslSession | undefined;
  /** Of which user a handshake has asked for the mechanisms. */
  askedMechanismsOf: UserName | undefined;
  /** Of the monotonic clock. */
  readonly openedMicros: number;
  #handshaken = false;
  #works = false;
  #digested: { readonly user: UserName; readonly uid: Uint8Array } | undefined;

  constructor(id: number, remote: string, openedMicros: number) {
    this.id = id;
    this.remote = remote;
    this.openedMicros = openedMicros;
  }

  /** @returns whether it is the first command that is neither of the handshake nor of a login */
  beginsWork(): boolean {
    const isFirst = !this.#works;
    this.#works = true;
    return isFirst;
  }

  /** The digest of its user, whose its sessions are; of nobody without one. Upstream: user.h, User::getDigest. */
  get uid(): Uint8Array {
    const { user } = this;
    if (!user) return NOBODY;
    if (user !== this.#digested?.user) this.#digested = { user, uid: digestOfUser(user) };
    return this.#digested.uid;
  }

  /** As `currentOp` and the log call it. */
  get desc(): string {
    return `conn${this.id}`;
  }

  /**
   * Looks at `client` of a `hello` that is about to be run, so that fail points may already go by it.
   * Errors: those of `parseClientMetadata`, ClientMetadataCannotBeMutated 186 if this is not the connection's first.
   * Upstream: ClientMetadata::setFromMetadata.
   */
  hear(hello: CommandArguments): void {
    const client = hello.document('client');
    if (client === undefined) return;
    if (this.#handshaken) {
      throw new CommandError(
        'ClientMetadataCannotBeMutated',
        'only the first hello of a connection may carry client metadata',
      );
    }
    this.metadata = parseClientMetadata(client);
  }

  /**
   * A `hello` has been run: from now on the metadata stand. Upstream: ClientMetadata::tryFinalize.
   * @returns whether it was the first
   */
  handshake(saysHello: boolean): boolean {
    const first = !this.#handshaken;
    this.#handshaken = true;
    this.helloOk = this.helloOk === true || saysHello;
    return first;
  }
}
