import type { OpenConnection } from '../connections/openConnection.ts';
import type { OperationDebug } from '../operations/operationDebug.ts';

/** A client's command that has been answered. */
export interface EndedOperation {
  /** The command's name as it is registered. */
  readonly name: string;
  readonly ns: string;
  /** As it was sent. */
  readonly command: Uint8Array;
  readonly reply: Uint8Array;
  /** Unit: µs of the monotonic clock. */
  readonly tookMicros: number;
  readonly debug: OperationDebug;
  /** On which the command came, if it did on one. */
  readonly connection?: OpenConnection | undefined;
}
