import { MAX_MESSAGE_BYTES } from '../wire/messageHeader.ts';

/** Upstream: message_size_limits of 8.x, preAuthMaximumMessageSizeBytes. */
const PRE_AUTH_MESSAGE_BYTES = 16_384;
/** How long a client may take that has begun to log in, or says nothing at all. A mongod has no such limit. Unit: ms. */
export const LOGIN_PATIENCE_MS = 30_000;
/** How long a client may be silent in the middle of a message. A mongod has no such limit. Unit: ms. */
export const MESSAGE_PATIENCE_MS = 30_000;

/** Who may use a set, as its options say. */
interface Access {
  readonly authorization?: boolean;
  readonly keys?: readonly string[];
  readonly transitionToAuth?: boolean;
}

/** Whether clients have to log in. */
export function isAccessControlled(options: object): boolean {
  const { authorization, keys = [], transitionToAuth = false }: Access = (options as { access?: Access }).access ?? {};
  return authorization ?? (keys.length > 0 && !transitionToAuth);
}

/** What holds for the connections of one member, and how often it has struck. */
export class Limits {
  readonly isAccessControlled: boolean;
  readonly #mostConnections: number;
  #connections = 0;
  /** Since the process started. */
  rejected = 0;
  tooLargePreAuth = 0;
  tooLargePostAuth = 0;

  constructor({
    isAccessControlled,
    mostConnections,
  }: {
    readonly isAccessControlled: boolean;
    readonly mostConnections: number;
  }) {
    this.isAccessControlled = isAccessControlled;
    this.#mostConnections = mostConnections;
  }

  /** @returns false for one too many, which is to be closed at once. Upstream: session_manager_common.cpp, startSession */
  admits(): boolean {
    if (this.#connections < this.#mostConnections) {
      this.#connections += 1;
      return true;
    }
    this.rejected += 1;
    return false;
  }

  /** One that was admitted has gone. */
  left(): void {
    this.#connections -= 1;
  }

  /** How long a message may be, header included. */
  mostBytes(isAuthenticated: boolean): number {
    return this.isAccessControlled && !isAuthenticated ? PRE_AUTH_MESSAGE_BYTES : MAX_MESSAGE_BYTES;
  }

  tooLarge(isAuthenticated: boolean): void {
    if (isAuthenticated) this.tooLargePostAuth += 1;
    else this.tooLargePreAuth += 1;
  }

  /** A new process counts from nothing. */
  reset(): void {
    this.rejected = 0;
    this.tooLargePreAuth = 0;
    this.tooLargePostAuth = 0;
  }
}
