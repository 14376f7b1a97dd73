/** What is wrong with a file of documents: where in it, and what to do. The message names no file: whoever reads it knows which it is. */
export class DataFileError extends Error {
  constructor(where: string, message: string, options?: ErrorOptions) {
    super(`${where}: ${message}`, options);
    this.name = 'DataFileError';
  }
}
