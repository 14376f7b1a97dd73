import type { AbstractCursor, ChangeStream } from 'mongodb';
import type { Operations } from './operation.ts';

/** Cursors and change streams alike. */
export const CURSOR: Operations<AbstractCursor | ChangeStream> = {
  iterateUntilDocumentOrError: (cursor) => cursor.next(),
  iterateOnce: (cursor) => cursor.tryNext(),
  close: (cursor) => cursor.close(),
};
