import type { ClientSession } from 'mongodb';
import { withReadPreference } from '../entities.ts';
import type { Operations } from './operation.ts';

/** `withTransaction` is not among them: it runs operations itself. */
export const SESSION: Operations<ClientSession> = {
  startTransaction: (session, options) => session.startTransaction(withReadPreference(options)),
  commitTransaction: (session, options) => session.commitTransaction(options),
  abortTransaction: (session, options) => session.abortTransaction(options),
  endSession: (session) => session.endSession(),
  // Not among the driver's types.
  getSnapshotTime: (session) => Reflect.get(session, 'snapshotTime'),
};
