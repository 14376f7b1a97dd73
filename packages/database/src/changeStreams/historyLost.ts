import { BsonType, CommandError, encodeName, findField, type OplogEntry, readString } from '@replsim/protocol';

const MSG = encodeName('msg');

/** Whether an oplog that begins with this entry has never lost one: nothing was before it. */
export function isWholeHistory({ operation: { op, o } }: OplogEntry): boolean {
  const msg = op === 'n' ? findField(o, MSG) : undefined;
  return msg?.type === BsonType.string && readString(msg) === 'initiating set';
}

/** Upstream: document_source_change_stream_oplog_match, from OplogQueryMinTsMissing 326. */
export function historyLost(): CommandError {
  return new CommandError(
    'ChangeStreamHistoryLost',
    'Resume of change stream was not possible, as the resume point may no longer be in the oplog.',
  );
}
