/** A file that cannot be used: where, why, and what to do. */
export class IncidentError extends Error {
  /** @param line of the file, from 1 on; without one the whole file is meant */
  constructor(file: string, line: number | undefined, message: string) {
    super(`${file}${line === undefined ? '' : `:${line}`}: ${message}`);
    this.name = 'IncidentError';
  }
}
