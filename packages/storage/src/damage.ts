/** What keeps a process from its data. */

/** The disk holds other bytes than were written to it; the process that reads them must stop. */
export class CorruptDiskError extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'CorruptDiskError';
  }
}
