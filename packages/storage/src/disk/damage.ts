/** What keeps a process from its data. */

/** The disk holds other bytes than were written to it; the process that reads them must stop. */
export class CorruptDiskError extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'CorruptDiskError';
  }
}

/**
 * What is wrong with a folder: its content, its room, how it was written, that it cannot be got at, or that what writes to disks
 * is not there or does not run on this machine.
 */
export type DiskErrorReason = 'damaged' | 'full' | 'format' | 'failed' | 'addon';

/** Data in a real folder and whose they are. */
export interface DataFolder {
  readonly directory: string;
  /** For messages. */
  readonly owner?: string;
}

/** What somebody can do about it. */
const ADVICE: Readonly<Record<DiskErrorReason, string>> = {
  damaged: 'put back a copy of that folder; or remove it, and the member copies the data of the others',
  full: 'make room and start again: what was acknowledged as journalled is there',
  format: 'use the replsim that wrote it, or choose another dbpath',
  failed: 'see to it that the folder can be read and written',
  addon:
    'data on a disk need the package level beside replsim (npm install --save-dev level@10); without dbpath they live in memory',
};

const WHAT: Readonly<Record<DiskErrorReason, string>> = {
  damaged: 'is damaged',
  full: 'takes nothing more, as the disk is full',
  format: 'cannot be used',
  failed: 'cannot be used',
  addon: 'cannot be used',
};

/** Thrown if a real disk fails. The cause lies neither in replsim nor in what the simulated set did. */
export class DiskError extends Error {
  readonly reason: DiskErrorReason;
  readonly directory: string;

  /** @param detail the system's message */
  constructor(
    reason: DiskErrorReason,
    { directory, owner }: DataFolder,
    detail: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      `${owner === undefined ? '' : `${owner}: `}${directory} ${WHAT[reason]} (${detail}): ${ADVICE[reason]}`,
      options,
    );
    this.name = 'DiskError';
    this.reason = reason;
    this.directory = directory;
  }
}

/** A failure of the file system, or of LevelDB above it, as one that names whose data they are and what to do. */
export function diskErrorOf(error: unknown, folder: DataFolder): DiskError {
  if (error instanceof DiskError) return error;
  const detail = innermost(error).message;
  const reason = isCorrupt(error) ? 'damaged' : isFull(error) ? 'full' : 'failed';
  return new DiskError(reason, folder, detail, { cause: error });
}

/** LevelDB calls it an error of the system if a file that it counts on is missing. */
function isCorrupt(error: unknown): boolean {
  if (innermost(error) instanceof CorruptDiskError) return true;
  const isMissing = (text: string) => /No such file or directory/.test(text);
  return someCause(
    error,
    ({ code, message }) => code === 'LEVEL_CORRUPTION' || (code === 'LEVEL_IO_ERROR' && isMissing(message)),
  );
}

/** LevelDB hands on the system's words, and no code. */
function isFull(error: unknown): boolean {
  return someCause(
    error,
    ({ code, message }) =>
      code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device|Disk quota exceeded/.test(message),
  );
}

function someCause(error: unknown, holds: (error: NodeJS.ErrnoException) => boolean): boolean {
  return error instanceof Error && (holds(error) || someCause(error.cause, holds));
}

function innermost(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  return error.cause === undefined ? error : innermost(error.cause);
}
