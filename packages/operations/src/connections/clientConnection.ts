import type { UserName } from '@replsim/access';

/** What a member knows of the connection on which a command came. */
export interface ClientConnection {
  /** As `connectionOpened` named it. Without one the command stands alone, as those of a scenario's steps do. */
  readonly connectionId?: number;
  /** As whom a command without a connection is carried out: whoever sends it vouches for the user. */
  readonly user?: UserName;
  /**
   * Whoever sent it counts its patience on a clock of its own: waits for a topology change or for more data last until
   * `awaitEnded`, and an `awaiting` effect says that one has begun.
   */
  readonly awaitsOutside?: boolean;
  /** The client takes further replies unasked, as OP_MSG's flag says. */
  readonly exhaustAllowed?: boolean;
  /** False if the client's handshake lacked `helloOk: true`; such a one is answered in the words of old. */
  readonly helloOk?: boolean;
  /** The client wants no reply, as OP_MSG's flag says: an unacknowledged write. */
  readonly moreToCome?: boolean;
}
