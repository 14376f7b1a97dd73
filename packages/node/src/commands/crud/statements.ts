import { CommandError } from '@replsim/protocol';
import type { Reply } from '../command.ts';
import { endsCommand } from '../errorLabels.ts';

/** Statements in one command. Upstream: write_ops.h, kMaxWriteBatchSize. */
const MAX_STATEMENTS = 100_000;

/** Throws InvalidLength 16 unless a write command has between one and 100,000 statements. */
export function checkStatementCount(count: number): void {
  if (count >= 1 && count <= MAX_STATEMENTS) return;
  throw new CommandError(
    'InvalidLength',
    `Write batch sizes must be between 1 and ${MAX_STATEMENTS}. Got ${count} operations.`,
  );
}

/**
 * What goes wrong with single statements of a write command: `writeErrors`, while the command itself is ok.
 * Upstream: write_ops_exec.cpp, handleError.
 */
export class WriteErrors {
  readonly #errors: Reply[] = [];
  readonly #ordered: boolean;

  /** @param ordered the first error ends the command */
  constructor(ordered: boolean) {
    this.#ordered = ordered;
  }

  /**
   * Takes what a statement threw; gives it on if it is no statement's failure but the whole command's.
   * @returns whether the next statement is to be carried out
   */
  add(index: number, error: unknown): boolean {
    if (!(error instanceof CommandError) || endsCommand(error.code)) throw error;
    const { code, extra, message: errmsg } = error;
    this.#errors.push({ index, code, errmsg, ...extra });
    return !this.#ordered;
  }

  /** `{ writeErrors }`, or nothing if all went well. */
  reply(): Reply {
    return this.#errors.length > 0 ? { writeErrors: this.#errors } : {};
  }
}
